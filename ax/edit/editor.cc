#include "ax/edit/editor.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/attempt.h"
#include "ax/edit/meanwhile.h"
#include "ax/edit/outcome.h"
#include "ax/edit/paste.h"
#include "ax/edit/plan.h"
#include "ax/edit/read_back.h"
#include "ax/edit/selection.h"
#include "ax/input/input.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/text/offsets.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// Between two looks at whether a selection of ours is still shown.
constexpr absl::Duration kSettlePause = absl::Milliseconds(2);

std::string OldText(const Plan& plan) {
  return std::string(SubstrByCodePoints(
      plan.before, static_cast<size_t>(plan.range.begin - plan.window_begin),
      static_cast<size_t>(plan.range.end - plan.window_begin)));
}

Attempt TryWrite(Rung rung, EditRun& run) {
  const Plan& plan = run.plan;
  WriteRequest request;
  request.element = run.snapshot.element;
  if (rung == Rung::kWholeValue) {
    if (!plan.whole) {
      return Refused(rung, Reason::kOutOfRange,
                     "the text is longer than what was read: raise the limit "
                     "of the text");
    }
    request.kind = WriteRequest::Kind::kSetValue;
    request.text = plan.after;
  } else {
    request.kind = WriteRequest::Kind::kReplaceRange;
    request.range = plan.range;
    request.text = plan.text;
    request.caret = plan.caret;
  }
  request.known = Known(plan.window_begin, plan.before);
  const absl::Time now = run.clock().Now();
  run.result.gap = now - run.snapshot.taken;
  // An answer is waited for half of the time, so that what was done without one
  // can still be read.
  const WriteResult write =
      run.server.Write(request, now + (run.options.deadline - now) / 2);
  if (!write.sent) return NotSent(rung, write.status);
  const Seen seen =
      ReadBack(run.server, request.element, plan,
               {.until = run.clock().Now() + run.options.read_back,
                .deadline = run.options.deadline});
  return Conclude(rung, run, write.status, seen);
}

}  // namespace

Attempt Editor::Try(Rung rung, EditRun& run) {
  switch (rung) {
    case Rung::kRange:
    case Rung::kWholeValue:
      return TryWrite(rung, run);
    case Rung::kPaste:
    case Rung::kKeystrokes: {
      if (run.plan.no_keys) {
        return Refused(rung, Reason::kSecure, std::string(kSecureBeside));
      }
      HandsAttempt done = TryHands(rung, run, input_);
      if (done.unsettled.has_value()) unsettled_ = std::move(done.unsettled);
      return std::move(done.attempt);
    }
    case Rung::kNone:
      break;
  }
  return Refused(rung, Reason::kNoWay, "no such way");
}

absl::StatusOr<Snapshot> Editor::SettledSnapshot(const SnapshotOptions& reading,
                                                 FocusHints* hints) {
  Clock& clock = server_.clock();
  for (;;) {
    absl::StatusOr<Snapshot> snapshot =
        SnapshotFocused(server_, reading, hints);
    if (!unsettled_.has_value()) return snapshot;
    const bool old = snapshot.ok() &&
                     snapshot->element == unsettled_->element &&
                     snapshot->selection.ok() &&
                     *snapshot->selection == unsettled_->selection;
    if (!old || clock.Now() >= unsettled_->until) {
      unsettled_.reset();
      return snapshot;
    }
    clock.SleepUntil(std::min(clock.Now() + kSettlePause, reading.deadline));
  }
}

void Editor::Settle(absl::Time deadline) {
  if (!unsettled_.has_value()) return;
  SettledSnapshot({.deadline = deadline, .context = 0}, nullptr)
      .status()
      .IgnoreError();
}

EditResult Editor::Run(const Edit& edit, const EditOptions& options) {
  EditResult result;
  const SnapshotOptions reading = {
      .deadline = options.deadline, .max_text = options.max_text, .context = 0};
  const auto end = [&result](const Attempt& attempt) {
    result.outcome = attempt.outcome;
    result.reason = attempt.reason;
    result.message = attempt.message;
    result.rung = attempt.rung;
  };
  absl::StatusOr<Snapshot> snapshot = SettledSnapshot(reading, options.hints);
  if (!snapshot.ok()) {
    end(NotSent(Rung::kNone, snapshot.status()));
    return result;
  }
  Planned planned = MakePlan(*snapshot, edit);
  result.application = snapshot->application;
  result.element = snapshot->element;
  result.window_begin = snapshot->window.begin;
  if (snapshot->value.ok()) result.before = *snapshot->value;
  if (!planned.plan.has_value()) {
    end(Refused(Rung::kNone, planned.refusal.reason, planned.refusal.message));
    return result;
  }
  const Strategy strategy = snapshot->strategy();
  EditRun run{server_, options, *std::move(snapshot), *std::move(planned.plan),
              result};
  result.replaced = run.plan.range;
  result.written = {run.plan.range.begin,
                    run.plan.range.begin + run.plan.length};
  result.expected = run.plan.after;
  if (run.plan.changes_nothing()) {
    result.after = result.before;
    end(Ended(Rung::kNone, Outcome::kVerified, Reason::kNone,
              "the field holds the text already"));
    return result;
  }

  std::vector<Rung> rungs;
  if (strategy == Strategy::kRangeEdit) {
    rungs.push_back(edit.kind == Edit::Kind::kSetValue ? Rung::kWholeValue
                                                       : Rung::kRange);
  }
  if (options.allow_paste) rungs.push_back(Rung::kPaste);
  if (options.allow_whole_value && strategy == Strategy::kRangeEdit &&
      rungs.front() != Rung::kWholeValue) {
    rungs.push_back(Rung::kWholeValue);
  }
  if (options.allow_keystrokes) rungs.push_back(Rung::kKeystrokes);
  end(Refused(Rung::kNone, Reason::kNoWay,
              "the application takes no text through accessibility, and no "
              "other way is allowed"));

  bool failed = false;
  for (const Rung rung : rungs) {
    if (rung != rungs.front()) {
      // Time has passed: what was checked is checked again, on the text and for
      // the range that the first check saw.
      Edit again = edit;
      again.kind = Edit::Kind::kReplaceRange;
      again.range = result.replaced;
      again.expect = result.before;
      again.expect_begin.reset();
      again.element = result.element;
      snapshot = SnapshotFocused(server_, reading, options.hints);
      if (!snapshot.ok()) {
        if (!failed) end(NotSent(rung, snapshot.status()));
        break;
      }
      planned = MakePlan(*snapshot, again);
      if (!planned.plan.has_value()) {
        const auto& [reason, message] = planned.refusal;
        if (!failed) end(Refused(rung, reason, message));
        break;
      }
      run.snapshot = *std::move(snapshot);
      run.plan = *std::move(planned.plan);
    }
    const Attempt attempt = Try(rung, run);
    result.attempts.push_back(attempt);
    // A way that is not there says less than one that was tried and failed.
    if (!(failed && attempt.outcome == Outcome::kRefused)) end(attempt);
    // Also where it may have gone into another element: this one holds what it
    // held, after the whole wait.
    const bool unchanged = attempt.outcome == Outcome::kFailed ||
                           attempt.reason == Reason::kNotLanded;
    failed |= unchanged;
    if (attempt.outcome != Outcome::kRefused && !unchanged) break;
    // A refusal that another way would meet as well.
    if (attempt.outcome == Outcome::kRefused &&
        attempt.reason != Reason::kNoWay && attempt.reason != Reason::kSecure &&
        attempt.reason != Reason::kClipboard &&
        attempt.reason != Reason::kBadText) {
      break;
    }
  }
  if (result.outcome == Outcome::kVerified) {
    undo_ =
        UndoRecord{result.application, result.element,        result.written,
                   OldText(run.plan),  run.plan.window_begin, run.plan.after};
  } else if (run.repair.has_value()) {
    undo_ = UndoRecord{result.application,    result.element,
                       run.repair->range,     run.repair->text,
                       run.plan.window_begin, result.after.value_or("")};
  }
  return result;
}

EditResult Editor::Apply(const Edit& edit, const EditOptions& options) {
  const absl::Time begun = server_.clock().Now();
  const Traffic before = server_.traffic();
  EditResult result = Run(edit, options);
  result.elapsed = server_.clock().Now() - begun;
  result.traffic = server_.traffic() - before;
  return result;
}

UndoRecord Editor::Followed(UndoRecord undo, const EditOptions& options) {
  if (!undo.elsewhere_may_differ || undo.window_begin != 0) return undo;
  const absl::StatusOr<Snapshot> now =
      SettledSnapshot({.deadline = options.deadline,
                       .max_text = options.max_text,
                       .context = 0},
                      options.hints);
  if (!now.ok() || !(now->element == undo.element) || !now->whole ||
      !now->value.ok()) {
    return undo;
  }
  const std::optional<int64_t> begin =
      MovedTo(undo.expected, *now->value, undo.range);
  if (!begin.has_value()) return undo;
  undo.range = {*begin, *begin + undo.range.length()};
  undo.expected = *now->value;
  return undo;
}

EditResult Editor::UndoLast(const EditOptions& options) {
  if (!undo_.has_value()) {
    EditResult result;
    result.reason = Reason::kNothingToUndo;
    result.message = "there is no edit of this kind to take back";
    return result;
  }
  const UndoRecord kept = *undo_;
  const UndoRecord undo = Followed(kept, options);
  EditResult result = Apply({.kind = Edit::Kind::kReplaceRange,
                             .text = undo.text,
                             .range = undo.range,
                             .expect = undo.expected,
                             .expect_begin = undo.window_begin,
                             .element = undo.element,
                             .allow_newlines = true,
                             .allow_split_characters = true},
                            options);
  undo_ = result.outcome == Outcome::kVerified
              ? std::nullopt
              : std::optional<UndoRecord>(kept);
  if (result.reason == Reason::kTextChanged && result.before.has_value()) {
    result.expected = kept.expected;
    result.after = result.before;
  }
  return result;
}

}  // namespace tactus::ax
