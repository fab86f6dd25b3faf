#include "ax/edit/attempt.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/edit/outcome.h"
#include "ax/edit/read_back.h"
#include "ax/read/read.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// For giving back the clipboard and the selection when the deadline has passed.
constexpr absl::Duration kGiveBackPatience = absl::Milliseconds(500);

// `now` is what the application has put in the place of `old`, to which the
// edit was sent, and not just the next field that the user went to. An element
// that was replaced is gone, or it still claims the focus that it has not got;
// a field that the user left does neither.
bool HasReplaced(Server& server, const Snapshot& now, const Snapshot& old,
                 const Seen& seen, absl::Time deadline) {
  if (now.application.id != old.application.id || now.ambiguous ||
      !now.value.ok() || !(*now.role == *old.role)) {
    return false;
  }
  if (seen.sight == Sight::kUnreadable) return absl::IsUnavailable(seen.status);
  const absl::StatusOr<int64_t> states =
      Get<int64_t>(server.Read({old.element, Attribute::kStates}, deadline));
  return absl::IsUnavailable(states.status()) ||
         (states.ok() && (*states & (kStateFocused | kStateDefunct)) != 0);
}

}  // namespace

absl::Time EditRun::give_back_by() const {
  return std::min(clock().Now(), options.deadline) + kGiveBackPatience;
}

absl::Time EditRun::last() const {
  return options.deadline + kGiveBackPatience;
}

Attempt Ended(Rung rung, Outcome outcome, Reason reason, std::string message) {
  return {rung, outcome, reason, std::move(message)};
}

Attempt Refused(Rung rung, Reason reason, std::string message) {
  return Ended(rung, Outcome::kRefused, reason, std::move(message));
}

Attempt NotSent(Rung rung, const absl::Status& status) {
  const std::string message(status.message());
  if (status.ok()) {
    return Refused(rung, Reason::kNoWay,
                   "the server found nothing to do, where there is");
  }
  if (absl::IsDeadlineExceeded(status)) {
    return Refused(rung, Reason::kNoTime,
                   absl::StrCat("the deadline came first: ", message));
  }
  if (absl::IsInvalidArgument(status)) {
    return Refused(rung, Reason::kBadText, message);
  }
  if (absl::IsUnimplemented(status)) {
    return Refused(rung, Reason::kNoWay, message);
  }
  return Refused(rung, Reason::kNoFocus, message);
}

// What is left when the text is unchanged, or cannot be read: an application
// may have put a new element in the place of the one that was written to, and
// the old one may go on answering. So the focus is looked up again, and where
// it is on another element nothing counts as proved to be unchanged.
Attempt Conclude(Rung rung, EditRun& run, const absl::Status& write,
                 const Seen& seen) {
  const auto end = [&](Outcome outcome, Reason reason, std::string message) {
    return Ended(rung, outcome, reason, std::move(message));
  };
  if (seen.text.has_value()) run.result.after = seen.text;
  if (run.snapshot.strategy() == Strategy::kTerminal &&
      (seen.sight == Sight::kOnTheWay || seen.sight == Sight::kOther)) {
    return end(Outcome::kUnknown, Reason::kUnreadable,
               "a terminal shows what its program makes of the text, in lines "
               "as long as it is wide, so whether all has arrived cannot be "
               "read");
  }
  switch (seen.sight) {
    case Sight::kLanded:
      return end(Outcome::kVerified, Reason::kNone, "the field holds the text");
    case Sight::kOnTheWay:
      return seen.timely
                 ? end(Outcome::kDiverged, Reason::kPartial,
                       "only part of the text has arrived")
                 : end(Outcome::kUnknown, Reason::kPartial,
                       "only part of the text had arrived when the deadline "
                       "came");
    case Sight::kOther:
      return end(Outcome::kDiverged, Reason::kOther,
                 "the field has changed, but not as asked: the application "
                 "altered the text, or somebody typed meanwhile");
    case Sight::kContradiction:
      return end(Outcome::kUnknown, Reason::kContradiction,
                 "the field's text and its length contradict each other");
    case Sight::kUnchanged:
    case Sight::kUnreadable:
      break;
  }
  const absl::StatusOr<Snapshot> now =
      SnapshotFocused(run.server, run.reading(), nullptr);
  if (!now.ok()) {
    return end(Outcome::kUnknown, Reason::kUnreadable,
               absl::StrCat("whether the field is still the one in focus could "
                            "not be read: ",
                            now.status().message()));
  }
  if (!(now->element == run.snapshot.element)) {
    // An empty field is like any other empty one, and so proves nothing.
    if (!run.plan.after.empty() && HasReplaced(run.server, *now, run.snapshot,
                                               seen, run.options.deadline)) {
      const Seen there =
          Look(run.server, now->element, run.plan, run.options.deadline);
      if (there.sight == Sight::kLanded) {
        run.result.after = there.text;
        run.result.element = now->element;
        return end(Outcome::kVerified, Reason::kNone,
                   "the field holds the text; the application has replaced the "
                   "field meanwhile");
      }
    }
    return end(Outcome::kUnknown, Reason::kUnreadable,
               "the focus is on another field now, and what became of the edit "
               "cannot be told");
  }
  if (seen.sight == Sight::kUnreadable) {
    return end(Outcome::kUnknown, Reason::kUnreadable,
               absl::StrCat("what became of the edit could not be read: ",
                            seen.status.message()));
  }
  if (!seen.timely || absl::IsDeadlineExceeded(write)) {
    return end(Outcome::kUnknown, Reason::kNoReply,
               "the field is unchanged so far, but the edit was sent and may "
               "still land");
  }
  if (!write.ok()) {
    return end(Outcome::kFailed, Reason::kRejected,
               absl::StrCat("the application refused the edit and the field is "
                            "unchanged: ",
                            write.message()));
  }
  return end(Outcome::kUnknown, Reason::kNotLanded,
             "the application said that it was done, and the field is "
             "unchanged: what was written may be in another field");
}

}  // namespace tactus::ax
