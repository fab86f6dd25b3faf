#include "ax/edit/read_back.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/edit/plan.h"
#include "ax/read/read.h"
#include "ax/server/server.h"
#include "ax/text/slice.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// Read beyond what is expected, so that a text which is longer than it should
// be shows.
constexpr int64_t kMargin = 64;
// The longest pause between two looks: what lands is seen within this time.
constexpr absl::Duration kSlowest = absl::Milliseconds(16);

// Part of the new text stands where all of it is to be, with the old text gone
// or still there behind it.
bool IsOnTheWay(const Plan& plan, std::string_view text) {
  const std::string_view before = plan.before;
  const std::string_view head =
      CodePointSlice(before, 0, plan.range.begin - plan.window_begin);
  const std::string_view old =
      CodePointSlice(before, plan.range.begin - plan.window_begin,
                     plan.range.end - plan.window_begin);
  const std::string_view tail = before.substr(head.size() + old.size());
  if (text.substr(0, head.size()) != head) return false;
  std::string_view rest = text.substr(head.size());
  const auto differ = std::mismatch(rest.begin(), rest.end(), plan.text.begin(),
                                    plan.text.end());
  const size_t common = static_cast<size_t>(differ.first - rest.begin());
  // Of a window the text goes on behind it.
  const auto ends = [&](std::string_view after) {
    return plan.whole ? after == tail : after.starts_with(tail);
  };
  // The tail may begin like what is missing of the new text, so each length of
  // the beginning is tried.
  for (size_t k = 0; k <= common; ++k) {
    const std::string_view after = rest.substr(k);
    if (ends(after)) return true;
    if (after.starts_with(old) && ends(after.substr(old.size()))) {
      return true;
    }
  }
  return false;
}

}  // namespace

Sight Judge(const Plan& plan, const absl::StatusOr<std::string>& text,
            const absl::StatusOr<int64_t>& count) {
  if (!text.ok()) return Sight::kUnreadable;
  // Of a window the text goes on behind it.
  const std::string_view as_after =
      plan.whole ? std::string_view(*text)
                 : CodePointSlice(*text, 0, plan.after_length);
  const std::string_view as_before =
      plan.whole ? std::string_view(*text)
                 : CodePointSlice(*text, 0, plan.before_length);
  const bool landed = as_after == plan.after;
  const bool unchanged = as_before == plan.before;
  if (plan.count_after.has_value() && (landed || unchanged)) {
    if (!count.ok()) return Sight::kContradiction;
    if (landed && *count == *plan.count_after) return Sight::kLanded;
    if (unchanged && *count == *plan.count_before) return Sight::kUnchanged;
    return Sight::kContradiction;
  }
  // Beyond its window nothing but the count tells.
  if (landed) return plan.whole ? Sight::kLanded : Sight::kContradiction;
  if (unchanged) return plan.whole ? Sight::kUnchanged : Sight::kContradiction;
  return IsOnTheWay(plan, *text) ? Sight::kOnTheWay : Sight::kOther;
}

Seen Look(Server& server, const Element& element, const Plan& plan,
          absl::Time deadline) {
  const int64_t length = std::max(plan.before_length, plan.after_length);
  const ReadRequest requests[] = {
      {element,
       Attribute::kText,
       {plan.window_begin, plan.window_begin + length + kMargin}},
      {element, Attribute::kCharacterCount}};
  const ReadResult result = ReadAll(server, requests, deadline);
  absl::StatusOr<std::string> text = Get<std::string>(result.readings[0]);
  const absl::StatusOr<int64_t> count = Get<int64_t>(result.readings[1]);
  Seen seen;
  seen.sight = Judge(plan, text, count);
  seen.status = text.status();
  seen.at = server.clock().Now();
  if (text.ok()) {
    if (!plan.whole) {
      const int64_t shown = seen.sight == Sight::kUnchanged ? plan.before_length
                                                            : plan.after_length;
      *text = std::string(CodePointSlice(*text, 0, shown));
    }
    seen.text = *std::move(text);
  }
  return seen;
}

Seen ReadBack(Server& server, const Element& element, const Plan& plan,
              const ReadBackOptions& options,
              absl::FunctionRef<bool(const Seen&)> stop) {
  Clock& clock = server.clock();
  absl::Duration pause = options.pause;
  absl::Time changed = clock.Now();
  std::optional<std::string> last;
  for (;;) {
    Seen seen = Look(server, element, plan, options.deadline);
    seen.timely = options.until <= options.deadline;
    // What was read once is told even when a later read fails.
    if (seen.text.has_value()) {
      if (seen.text != last) changed = seen.at;
      last = seen.text;
    } else {
      seen.text = last;
    }
    if (seen.sight == Sight::kLanded) return seen;
    const bool final_text =
        seen.sight == Sight::kOther && seen.at - changed >= options.settled;
    // An application that is gone does not come back.
    const bool gone = absl::IsUnavailable(seen.status);
    const absl::Time end = std::min(options.until, options.deadline);
    if (final_text || gone || stop(seen) || seen.at >= end) return seen;
    clock.SleepUntil(std::min(seen.at + pause, end));
    pause = std::min(2 * pause, kSlowest);
  }
}

Seen ReadBack(Server& server, const Element& element, const Plan& plan,
              const ReadBackOptions& options) {
  return ReadBack(server, element, plan, options,
                  [](const Seen&) { return false; });
}

}  // namespace tactus::ax
