#include "ax/edit/paste.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/edit/attempt.h"
#include "ax/edit/options.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/edit/read_back.h"
#include "ax/edit/selection.h"
#include "ax/input/input.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// How long a selection that a paste has replaced may go on being published. A
// user does not select the very same again within this time.
constexpr absl::Duration kUnsettled = absl::Seconds(2);
// For the user to let go of the keys of a shortcut that started us, and how
// long of it one key waits before the field is checked again.
constexpr absl::Duration kKeysPatience = absl::Seconds(1);
constexpr absl::Duration kKeysWait = absl::Milliseconds(20);

}  // namespace

HandsAttempt TryHands(Rung rung, EditRun& run, Input* input) {
  if (input == nullptr) {
    return {Refused(rung, Reason::kNoWay,
                    "the application takes no text through accessibility, and "
                    "there is no display to paste through")};
  }
  const EditOptions& options = run.options;
  const Plan& plan = run.plan;
  const bool pastes = rung == Rung::kPaste && !plan.text.empty();
  const bool terminal = run.snapshot.strategy() == Strategy::kTerminal;
  if (terminal && !plan.range.empty()) {
    return {Refused(rung, Reason::kNoWay,
                    "a terminal's text cannot be replaced, only added to")};
  }
  if (rung == Rung::kKeystrokes && plan.text.find('\t') != std::string::npos) {
    return {Refused(rung, Reason::kNoWay,
                    "a tab cannot be typed: it would go to the next field")};
  }
  std::unique_ptr<ClipboardLoan> loan;
  if (pastes) {
    absl::StatusOr<std::unique_ptr<ClipboardLoan>> lent =
        input->Lend(plan.text, {.deadline = options.deadline});
    if (!lent.ok()) {
      return {Refused(rung, Reason::kClipboard,
                      absl::StrCat("the clipboard was left alone: ",
                                   lent.status().message()))};
    }
    loan = *std::move(lent);
  }
  const auto give_back = [&]() -> absl::Status {
    if (loan == nullptr) return absl::OkStatus();
    return loan->GiveBack(run.give_back_by());
  };

  const Snapshot base = run.snapshot;
  SelectionHold hold(rung, run);
  const auto give_up = [&](const Refusal& why) -> HandsAttempt {
    // The selection first: what is typed meanwhile replaces it.
    hold.PutBack();
    give_back().IgnoreError();
    run.snapshot = base;
    return {hold.GiveUp(why)};
  };
  const absl::Time patience =
      std::min(options.deadline, run.clock().Now() + kKeysPatience);
  absl::Status sent;
  for (;;) {
    if (std::optional<Refusal> why = hold.Take()) return give_up(*why);
    // While the user holds keys the focus may move, so each wait is short and
    // the field is checked anew after it.
    const absl::Time now = run.clock().Now();
    const absl::Time keys = std::min(now + kKeysWait, options.deadline);
    run.result.gap = now - run.snapshot.taken;
    if (pastes) {
      sent = input->Press(terminal ? PasteKeys::kCtrlShiftV : PasteKeys::kCtrlV,
                          keys);
    } else if (plan.text.empty()) {
      sent = input->Press(PasteKeys::kDelete, keys);
    } else {
      sent = input->Type(plan.text, options.deadline);
    }
    const bool held = absl::IsFailedPrecondition(sent) &&
                      run.clock().Now() >= keys && keys < patience;
    if (!held) break;
  }
  if (absl::IsFailedPrecondition(sent) || absl::IsInvalidArgument(sent)) {
    return give_up({Reason::kNoWay, std::string(sent.message())});
  }

  std::optional<Unsettled> unsettled;
  // Whoever fetched the text may take as long as any write to show it.
  std::optional<absl::Time> fetched;
  const Seen seen = ReadBack(
      run.server, run.snapshot.element, plan,
      {.until = run.clock().Now() + options.paste_wait,
       .deadline = options.deadline},
      [&](const Seen& look) {
        if (loan != nullptr) {
          const ClipboardLoan::State state = loan->state();
          if (!fetched.has_value() && (state.served > 0 || state.lost)) {
            fetched = look.at;
          }
        } else if (!fetched.has_value()) {
          fetched = look.at;
        }
        // What has begun to arrive is waited for to the end: a browser that is
        // busy was seen to take longer from the deletion to the new text.
        return fetched.has_value() && look.sight != Sight::kOnTheWay &&
               look.at - *fetched >= options.read_back;
      });
  // The new text may be published before the selection that it replaced is
  // taken back: taken for the user's, it would be replaced by what comes next.
  if (seen.sight == Sight::kLanded && !plan.range.empty()) {
    unsettled = Unsettled{run.snapshot.element, plan.range,
                          run.clock().Now() + kUnsettled};
  }
  // Keys leave the caret behind the text; where it is to be elsewhere it is put
  // there, as well as the application lets us. What is to stay selected was
  // deselected for the paste, and is selected again.
  const int64_t behind = plan.range.begin + plan.length;
  if (seen.sight == Sight::kLanded && plan.caret.value_or(behind) != behind) {
    Select(run.server, run.snapshot.element, {*plan.caret, *plan.caret},
           Known(plan.window_begin, plan.after), options.deadline);
  } else if (seen.sight == Sight::kLanded && !plan.caret.has_value() &&
             base.selection.ok() && !base.selection->empty()) {
    const int64_t by =
        plan.range.begin <= base.selection->begin ? plan.length : 0;
    Select(run.server, run.snapshot.element,
           {base.selection->begin + by, base.selection->end + by},
           Known(plan.window_begin, plan.after), options.deadline);
  }
  const bool served = loan != nullptr && loan->state().served > 0;
  const absl::Status returned = give_back();
  Attempt attempt = Conclude(rung, run, sent, seen);
  if (attempt.outcome == Outcome::kFailed ||
      attempt.reason == Reason::kNotLanded) {
    // Keys that were sent can be taken at any time.
    attempt.outcome = Outcome::kUnknown;
    attempt.reason = Reason::kNotConsumed;
    attempt.message =
        served ? "somebody fetched the text from the clipboard, and the field "
                 "is unchanged so far"
               : "the keys were sent, and the field is unchanged so far";
  }
  if (!returned.ok()) {
    absl::StrAppend(&attempt.message,
                    "; the clipboard was not restored: ", returned.message());
  }
  return {std::move(attempt), std::move(unsettled)};
}

}  // namespace tactus::ax
