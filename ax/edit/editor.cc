#include "ax/edit/editor.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/edit/read_back.h"
#include "ax/input/input.h"
#include "ax/read/read.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/text/offsets.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// How long a selection that was set may take to be published.
constexpr absl::Duration kSelectionPatience = absl::Milliseconds(600);
// How long it may be untold what is selected before that means something.
constexpr absl::Duration kSelectionDoubt = absl::Milliseconds(60);
// How long a selection that a paste has replaced may go on being published. A
// user does not select the very same again within this time.
constexpr absl::Duration kUnsettled = absl::Seconds(2);
// How long one is waited for that is not wanted any more; Chromium was seen to
// publish one 50 ms late.
constexpr absl::Duration kLateSelection = absl::Milliseconds(100);
constexpr absl::Duration kSelectionPause = absl::Milliseconds(2);
// For the user to let go of the keys of a shortcut that started us, and how
// long of it one key waits before the field is checked again.
constexpr absl::Duration kKeysPatience = absl::Seconds(1);
constexpr absl::Duration kKeysWait = absl::Milliseconds(20);
// For giving back the clipboard and the selection when the deadline has passed.
constexpr absl::Duration kGiveBackPatience = absl::Milliseconds(500);

Attempt Ended(Rung rung, Outcome outcome, Reason reason, std::string message) {
  return {rung, outcome, reason, std::move(message)};
}

Attempt Refused(Rung rung, Reason reason, std::string message) {
  return Ended(rung, Outcome::kRefused, reason, std::move(message));
}

// Of a status that kept anything from being sent.
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

bool Selects(const Snapshot& snapshot, Range range) {
  return snapshot.selection.ok() && *snapshot.selection == range &&
         (!range.empty() ||
          (snapshot.caret.ok() && *snapshot.caret == range.begin));
}

// One application cannot always tell what is selected, only that something is
// and where the caret is.
bool MaySelect(const Snapshot& snapshot, Range range) {
  return absl::IsDataLoss(snapshot.selection.status()) && !range.empty() &&
         snapshot.caret.ok() && *snapshot.caret == range.end;
}

// `text` holds all of `part` in its order, with anything in between.
bool HasWithin(absl::string_view text, absl::string_view part) {
  for (const char c : text) {
    if (!part.empty() && part.front() == c) part.remove_prefix(1);
  }
  return part.empty();
}

// What a server may convert positions by: a text from its start.
absl::string_view Known(int64_t window_begin, const std::string& text) {
  return window_begin == 0 ? absl::string_view(text) : absl::string_view();
}

WriteResult Select(Server& server, const Element& element, Range range,
                   absl::string_view known, absl::Time deadline) {
  return server.Write({.element = element,
                       .kind = WriteRequest::Kind::kSelect,
                       .range = range,
                       .known = known},
                      deadline);
}

// Says that it is no secret, as a snapshot asks.
bool IsPlain(Server& server, const Element& element, absl::Time deadline) {
  const ReadRequest requests[] = {{element, Attribute::kRole},
                                  {element, Attribute::kSubrole}};
  const ReadResult result = ReadAll(server, requests, deadline);
  const absl::StatusOr<RoleValue> role = Get<RoleValue>(result.readings[0]);
  const absl::StatusOr<RoleValue> subrole = Get<RoleValue>(result.readings[1]);
  const bool plain = subrole.ok() ? subrole->role != Role::kPassword
                                  : absl::IsNotFound(subrole.status()) ||
                                        absl::IsUnimplemented(subrole.status());
  return role.ok() && role->role != Role::kPassword && plain;
}

std::string OldText(const Plan& plan) {
  return std::string(SubstrByCodePoints(
      plan.before, static_cast<size_t>(plan.range.begin - plan.window_begin),
      static_cast<size_t>(plan.range.end - plan.window_begin)));
}

}  // namespace

struct Editor::Context {
  const Edit& edit;
  const EditOptions& options;
  Snapshot snapshot;
  Plan plan;
  EditResult& result;

  SnapshotOptions snapshot_options() const {
    return {.deadline = options.deadline,
            .max_text = options.max_text,
            .context = 0};
  }
  absl::Time give_back_by() const {
    return std::min(clock.Now(), options.deadline) + kGiveBackPatience;
  }
  Clock& clock;
};

// An element that was replaced is gone, or it still claims the focus that it
// has not got; a field that the user left does neither.
bool Editor::HasReplaced(const Snapshot& now, const Snapshot& old,
                         const Seen& seen, absl::Time deadline) {
  if (now.application.id != old.application.id || now.ambiguous ||
      !now.value.ok() || !(*now.role == *old.role)) {
    return false;
  }
  if (seen.sight == Sight::kUnreadable) return absl::IsUnavailable(seen.status);
  const absl::StatusOr<int64_t> states =
      Get<int64_t>(server_.Read({old.element, Attribute::kStates}, deadline));
  return absl::IsUnavailable(states.status()) ||
         (states.ok() && (*states & (kStateFocused | kStateDefunct)) != 0);
}

// What is left when the text is unchanged, or cannot be read: an application
// may have put a new element in the place of the one that was written to, and
// the old one may go on answering. So the focus is looked up again, and where
// it is on another element nothing counts as proved to be unchanged.
Attempt Editor::Conclude(Rung rung, Context& context, const absl::Status& write,
                         const Seen& seen) {
  const auto end = [&](Outcome outcome, Reason reason, std::string message) {
    return Ended(rung, outcome, reason, std::move(message));
  };
  if (seen.text.has_value()) context.result.after = seen.text;
  if (context.snapshot.strategy() == Strategy::kTerminal &&
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
      SnapshotFocused(server_, context.snapshot_options(), nullptr);
  if (!now.ok()) {
    return end(Outcome::kUnknown, Reason::kUnreadable,
               absl::StrCat("whether the field is still the one in focus could "
                            "not be read: ",
                            now.status().message()));
  }
  if (!(now->element == context.snapshot.element)) {
    // An empty field is like any other empty one, and so proves nothing.
    if (!context.plan.after.empty() &&
        HasReplaced(*now, context.snapshot, seen, context.options.deadline)) {
      const Seen there =
          Look(server_, now->element, context.plan, context.options.deadline);
      if (there.sight == Sight::kLanded) {
        context.result.after = there.text;
        context.result.element = now->element;
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
  return end(Outcome::kFailed, Reason::kNotLanded,
             "the application said that it was done, and the field is "
             "unchanged");
}

Attempt Editor::TryWrite(Rung rung, Context& context) {
  const Plan& plan = context.plan;
  WriteRequest request;
  request.element = context.snapshot.element;
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
  const absl::Time now = context.clock.Now();
  context.result.gap = now - context.snapshot.taken;
  // An answer is waited for half of the time, so that what was done without one
  // can still be read.
  const WriteResult write =
      server_.Write(request, now + (context.options.deadline - now) / 2);
  if (!write.sent) return NotSent(rung, write.status);
  const Seen seen =
      ReadBack(server_, request.element, plan,
               {.until = context.clock.Now() + context.options.read_back,
                .deadline = context.options.deadline});
  return Conclude(rung, context, write.status, seen);
}

void Editor::SelectAgain(const Context& context, const Snapshot& base) {
  const absl::Time deadline = context.give_back_by();
  // It may have turned secure since.
  if (!base.selection.ok() || !IsPlain(server_, base.element, deadline)) return;
  Select(server_, base.element, *base.selection,
         Known(context.plan.window_begin, context.plan.before), deadline);
}

// Neither range is what it was: a selection could begin in the middle of a
// character now. So the caret is left where it is, with nothing selected that
// the next key would replace. In a browser our selection may be yet to come,
// and a caret that is set before that is taken for the one that is there
// already: so it is waited for. What is selected and is not ours is the user's.
Snapshot Editor::TakeSelectionAway(Snapshot now, Context& context) {
  Clock& clock = context.clock;
  const absl::Time end =
      std::min(clock.Now() + kLateSelection, context.give_back_by());
  for (bool first = true;; first = false) {
    const bool known = now.selection.ok();
    const bool empty = known && now.selection->empty();
    const bool users = known && !empty && *now.selection != context.plan.range;
    if (users || !now.value.ok() || !now.caret.ok()) return now;
    if (first || !empty) {
      Select(server_, now.element, {*now.caret, *now.caret},
             Known(now.window.begin, *now.value), end);
    }
    if (clock.Now() >= end) return now;
    clock.SleepUntil(std::min(clock.Now() + kSelectionPause, end));
    absl::StatusOr<Snapshot> again = SnapshotFocused(
        server_, context.snapshot_options(), context.options.hints);
    if (!again.ok() || !(again->element == now.element) || again->secure) {
      return now;
    }
    now = *std::move(again);
  }
}

std::optional<Attempt> Editor::SelectAndCheck(Rung rung, const Snapshot& base,
                                              Context& context) {
  const Plan& plan = context.plan;
  const absl::Time deadline = context.options.deadline;
  Clock& clock = context.clock;
  const bool done = Selects(context.snapshot, plan.range);
  // By us, as far as is known.
  bool selected = done && !Selects(base, plan.range);
  bool ever_selected = selected;
  const auto refuse = [&](Reason reason, std::string message) {
    if (selected) SelectAgain(context, base);
    return Refused(rung, reason, std::move(message));
  };
  const auto select = [&](Range range) {
    const WriteResult write =
        Select(server_, base.element, range,
               Known(plan.window_begin, plan.before), deadline);
    selected |= write.sent;
    ever_selected |= write.sent;
    return write.status;
  };
  // A caret that has come to the end of the range shows that the range was
  // selected, where the selection itself cannot be read. One that was there
  // before shows nothing, and is moved away first.
  enum class Proof { kNone, kMovingAway, kMoved };
  const absl::StatusOr<int64_t>& caret = context.snapshot.caret;
  Proof proof =
      caret.ok() && *caret != plan.range.end ? Proof::kMoved : Proof::kNone;
  absl::Status set = done ? absl::OkStatus() : select(plan.range);
  // It may be told in parts: only what stays untold is a doubt.
  const absl::Time doubt = clock.Now() + kSelectionDoubt;
  const absl::Time patience =
      std::min(clock.Now() + kSelectionPatience, deadline);
  for (;;) {
    if (!set.ok()) {
      return refuse(
          Reason::kSelectionNotSet,
          absl::StrCat("the range could not be selected: ", set.message()));
    }
    absl::StatusOr<Snapshot> now = SnapshotFocused(
        server_, context.snapshot_options(), context.options.hints);
    if (!now.ok()) {
      return refuse(absl::IsDeadlineExceeded(now.status()) ? Reason::kNoTime
                                                           : Reason::kNoFocus,
                    absl::StrCat("the field could not be read again: ",
                                 now.status().message()));
    }
    if (now->application.id != base.application.id ||
        !(now->element == base.element) || now->ambiguous) {
      return refuse(Reason::kStale,
                    "the focus has moved to another field meanwhile");
    }
    if (now->secure) {
      selected = false;  // nothing is sent to it any more
      return refuse(Reason::kSecure,
                    "the field is secure now, or may be: it is never edited");
    }
    if (now->secure_beside) {
      return refuse(Reason::kSecure, std::string(kSecureBeside));
    }
    // While the caret is being moved away, what shows the range as selected is
    // late: it will be selected no more when the keys come.
    const bool selects =
        proof != Proof::kMovingAway &&
        (Selects(*now, plan.range) ||
         (proof == Proof::kMoved && MaySelect(*now, plan.range)));
    // What the user selected meanwhile is left alone.
    if (now->selection.ok() && !selects && proof != Proof::kMovingAway &&
        !Selects(*now, base.selection.value_or(plan.range))) {
      selected = false;
    }
    // A window follows the caret, so what was read at first is read again.
    const bool same =
        now->window == base.window
            ? now->value.ok() && *now->value == plan.before &&
                  now->character_count.value_or(-1) ==
                      base.character_count.value_or(-1)
            : !plan.whole &&
                  Look(server_, base.element, plan, deadline).sight ==
                      Sight::kUnchanged;
    if (!same) {
      selected = false;
      if (!ever_selected || !now->value.ok()) {
        return refuse(Reason::kTextChanged, "the text has changed meanwhile");
      }
      const Snapshot last = TakeSelectionAway(*std::move(now), context);
      // Typing only adds. What was there and is not any more went with the
      // selection, which was ours: that is not as if nothing had been done.
      if (last.value.ok() && last.whole && plan.whole &&
          !HasWithin(*last.value, plan.before)) {
        context.result.after = *last.value;
        return Ended(rung, Outcome::kDiverged, Reason::kOther,
                     "a key was pressed while the range was selected to be "
                     "replaced, and has replaced it");
      }
      return refuse(Reason::kTextChanged, "the text has changed meanwhile");
    }
    if (selects) {
      const bool looked = now->window != base.window;
      context.snapshot = *std::move(now);
      // The gap begins with the last answer that was checked.
      if (looked) context.snapshot.taken = context.clock.Now();
      return std::nullopt;
    }
    if (proof == Proof::kNone && MaySelect(*now, plan.range) &&
        clock.Now() >= doubt) {
      proof = Proof::kMovingAway;
      set = select({plan.range.begin, plan.range.begin});
    } else if (proof == Proof::kMovingAway && now->caret.ok() &&
               *now->caret == plan.range.begin) {
      proof = Proof::kMoved;
      set = select(plan.range);
    } else if (clock.Now() >= patience) {
      return refuse(Reason::kSelectionNotSet,
                    "the application does not show the range as selected");
    } else {
      clock.SleepUntil(std::min(clock.Now() + kSelectionPause, patience));
    }
  }
}

// By the user's own means, which reach whatever has the keyboard.
Attempt Editor::TryHands(Rung rung, Context& context) {
  if (input_ == nullptr) {
    return Refused(rung, Reason::kNoWay,
                   "the application takes no text through accessibility, and "
                   "there is no display to paste through");
  }
  const EditOptions& options = context.options;
  const Plan& plan = context.plan;
  const bool pastes = rung == Rung::kPaste && !plan.text.empty();
  const bool terminal = context.snapshot.strategy() == Strategy::kTerminal;
  if (terminal && !plan.range.empty()) {
    return Refused(rung, Reason::kNoWay,
                   "a terminal's text cannot be replaced, only added to");
  }
  if (rung == Rung::kKeystrokes && plan.text.find('\t') != std::string::npos) {
    return Refused(rung, Reason::kNoWay,
                   "a tab cannot be typed: it would go to the next field");
  }
  std::unique_ptr<ClipboardLoan> loan;
  if (pastes) {
    absl::StatusOr<std::unique_ptr<ClipboardLoan>> lent =
        input_->Lend(plan.text, {.deadline = options.deadline});
    if (!lent.ok()) {
      return Refused(rung, Reason::kClipboard,
                     absl::StrCat("the clipboard was left alone: ",
                                  lent.status().message()));
    }
    loan = *std::move(lent);
  }
  const auto give_back = [&]() -> absl::Status {
    if (loan == nullptr) return absl::OkStatus();
    return loan->GiveBack(context.give_back_by());
  };

  const Snapshot base = context.snapshot;
  const absl::Time patience =
      std::min(options.deadline, context.clock.Now() + kKeysPatience);
  absl::Status sent;
  for (;;) {
    if (std::optional<Attempt> refused = SelectAndCheck(rung, base, context)) {
      give_back().IgnoreError();
      return *std::move(refused);
    }
    // While the user holds keys the focus may move, so each wait is short and
    // the field is checked anew after it.
    const absl::Time now = context.clock.Now();
    const absl::Time keys = std::min(now + kKeysWait, options.deadline);
    context.result.gap = now - context.snapshot.taken;
    if (pastes) {
      sent = input_->Press(
          terminal ? PasteKeys::kCtrlShiftV : PasteKeys::kCtrlV, keys);
    } else if (plan.text.empty()) {
      sent = input_->Press(PasteKeys::kDelete, keys);
    } else {
      sent = input_->Type(plan.text, options.deadline);
    }
    const bool held = absl::IsFailedPrecondition(sent) &&
                      context.clock.Now() >= keys && keys < patience;
    if (!held) break;
  }
  if (absl::IsFailedPrecondition(sent) || absl::IsInvalidArgument(sent)) {
    if (!Selects(base, plan.range)) SelectAgain(context, base);
    context.snapshot = base;
    give_back().IgnoreError();
    return Refused(rung, Reason::kNoWay, std::string(sent.message()));
  }

  // Whoever fetched the text may take as long as any write to show it.
  std::optional<absl::Time> fetched;
  const Seen seen = ReadBack(
      server_, context.snapshot.element, plan,
      {.until = context.clock.Now() + options.paste_wait,
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
    unsettled_ = Unsettled{context.snapshot.element, plan.range,
                           context.clock.Now() + kUnsettled};
  }
  // Keys leave the caret behind the text; where it is to be elsewhere it is put
  // there, as well as the application lets us.
  const int64_t behind = plan.range.begin + plan.length;
  if (seen.sight == Sight::kLanded && plan.caret.value_or(behind) != behind) {
    Select(server_, context.snapshot.element, {*plan.caret, *plan.caret},
           Known(plan.window_begin, plan.after), options.deadline);
  }
  const bool served = loan != nullptr && loan->state().served > 0;
  const absl::Status returned = give_back();
  Attempt attempt = Conclude(rung, context, sent, seen);
  if (attempt.outcome == Outcome::kFailed) {
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
  return attempt;
}

Attempt Editor::Try(Rung rung, Context& context) {
  switch (rung) {
    case Rung::kRange:
    case Rung::kWholeValue:
      return TryWrite(rung, context);
    case Rung::kPaste:
    case Rung::kKeystrokes:
      if (context.plan.no_keys) {
        return Refused(rung, Reason::kSecure, std::string(kSecureBeside));
      }
      return TryHands(rung, context);
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
    clock.SleepUntil(std::min(clock.Now() + kSelectionPause, reading.deadline));
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
  Context context{
      edit,   options,        *std::move(snapshot), *std::move(planned.plan),
      result, server_.clock()};
  result.replaced = context.plan.range;
  result.written = {context.plan.range.begin,
                    context.plan.range.begin + context.plan.length};
  result.expected = context.plan.after;
  if (context.plan.changes_nothing()) {
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
      context.snapshot = *std::move(snapshot);
      context.plan = *std::move(planned.plan);
    }
    const Attempt attempt = Try(rung, context);
    result.attempts.push_back(attempt);
    // A way that is not there says less than one that was tried and failed.
    if (!(failed && attempt.outcome == Outcome::kRefused)) end(attempt);
    failed |= attempt.outcome == Outcome::kFailed;
    if (attempt.outcome != Outcome::kRefused &&
        attempt.outcome != Outcome::kFailed) {
      break;
    }
    // A refusal that another way would meet as well.
    if (attempt.outcome == Outcome::kRefused &&
        attempt.reason != Reason::kNoWay && attempt.reason != Reason::kSecure &&
        attempt.reason != Reason::kClipboard &&
        attempt.reason != Reason::kBadText) {
      break;
    }
  }
  if (result.outcome == Outcome::kVerified) {
    undo_ = UndoRecord{result.application,
                       result.element,
                       result.written,
                       OldText(context.plan),
                       context.plan.window_begin,
                       context.plan.after};
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

EditResult Editor::UndoLast(const EditOptions& options) {
  if (!undo_.has_value()) {
    EditResult result;
    result.reason = Reason::kNothingToUndo;
    result.message = "there is no edit of this kind to take back";
    return result;
  }
  const UndoRecord undo = *undo_;
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
              : std::optional<UndoRecord>(undo);
  return result;
}

}  // namespace tactus::ax
