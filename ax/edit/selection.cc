#include "ax/edit/selection.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/attempt.h"
#include "ax/edit/meanwhile.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/edit/read_back.h"
#include "ax/read/read.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/text/slice.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// How long a selection that was set may take to be published.
constexpr absl::Duration kSelectionPatience = absl::Milliseconds(600);
// How long it may be untold what is selected before that means something.
constexpr absl::Duration kSelectionDoubt = absl::Milliseconds(60);
constexpr absl::Duration kSelectionPause = absl::Milliseconds(2);
// The longest pause while an edit is given up, for which nobody waits.
constexpr absl::Duration kSlowest = absl::Milliseconds(16);
// Before a selection that is shown still is put back again, at first; then
// twice as long each time. Each moves the caret of somebody who types, a
// browser takes some 25 ms to show one, and one that is busy with keys was seen
// to let them wait for seconds.
constexpr absl::Duration kAgain = absl::Milliseconds(30);
// A text that a key was seen to have replaced is told when it has stood so
// long.
constexpr absl::Duration kSettled = absl::Milliseconds(100);
// Read beyond a text: the most that is typed meanwhile, or taken out in front
// of a window, and followed. What is more is unclear.
constexpr int64_t kMost = 4096;

constexpr char kTextChanged[] = "the text has changed meanwhile";

bool Selects(const Snapshot& snapshot, Range range) {
  return snapshot.selection.ok() && *snapshot.selection == range &&
         (!range.empty() ||
          (snapshot.caret.ok() && *snapshot.caret == range.begin));
}

// One application cannot always tell what is selected, only that something is
// and where the caret is.
bool MaySelect(const absl::StatusOr<Range>& selection,
               const absl::StatusOr<int64_t>& caret, Range range) {
  return absl::IsDataLoss(selection.status()) && !range.empty() && caret.ok() &&
         *caret == range.end;
}

// What the user has selected, or where his caret is.
std::optional<Range> PlaceOfUser(const Snapshot& snapshot) {
  if (snapshot.selection.ok()) return *snapshot.selection;
  if (snapshot.caret.ok()) return Range{*snapshot.caret, *snapshot.caret};
  return std::nullopt;
}

Range Moved(Range range, int64_t by) {
  return {range.begin + by, range.end + by};
}

// Ok when it says that it is no secret, as a snapshot asks; PermissionDenied
// when it says that it is one.
absl::Status Plain(Server& server, const Element& element,
                   absl::Time deadline) {
  const ReadRequest requests[] = {{element, Attribute::kRole},
                                  {element, Attribute::kSubrole}};
  const ReadResult result = ReadAll(server, requests, deadline);
  const absl::StatusOr<RoleValue> role = Get<RoleValue>(result.readings[0]);
  const absl::StatusOr<RoleValue> subrole = Get<RoleValue>(result.readings[1]);
  if ((role.ok() && role->role == Role::kPassword) ||
      (subrole.ok() && subrole->role == Role::kPassword)) {
    return absl::PermissionDeniedError("the field is secure now");
  }
  if (!role.ok()) return role.status();
  if (subrole.ok() || absl::IsNotFound(subrole.status()) ||
      absl::IsUnimplemented(subrole.status())) {
    return absl::OkStatus();
  }
  return subrole.status();
}

}  // namespace

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

SelectionHold::SelectionHold(Rung rung, EditRun& run)
    : rung_(rung),
      run_(run),
      base_(run.snapshot),
      place_(PlaceOfUser(run.snapshot)) {}

absl::Status SelectionHold::SelectRange(Range range) {
  const WriteResult write = Select(
      run_.server, base_.element, range,
      Known(run_.plan.window_begin, run_.plan.before), run_.options.deadline);
  sent_ |= write.sent;
  standing_ |= write.sent;
  // What said no need not be waited for to show.
  taken_ |= write.sent &&
            (write.status.ok() || absl::IsDeadlineExceeded(write.status));
  return write.status;
}

// A window follows the caret, so what was read at first is read again.
bool SelectionHold::Same(const Snapshot& now) {
  if (now.window == base_.window) {
    return now.value.ok() && *now.value == run_.plan.before &&
           now.character_count.value_or(-1) ==
               base_.character_count.value_or(-1);
  }
  return !run_.plan.whole &&
         Look(run_.server, base_.element, run_.plan, run_.options.deadline)
                 .sight == Sight::kUnchanged;
}

std::optional<Refusal> SelectionHold::Take() {
  const Plan& plan = run_.plan;
  const absl::Time deadline = run_.options.deadline;
  Clock& clock = run_.clock();
  const bool done = Selects(run_.snapshot, plan.range);
  // A caret that has come to the end of the range shows that the range was
  // selected, where the selection itself cannot be read. One that was there
  // before shows nothing, and is moved away first.
  enum class Proof { kNone, kMovingAway, kMoved };
  const absl::StatusOr<int64_t>& caret = run_.snapshot.caret;
  Proof proof =
      caret.ok() && *caret != plan.range.end ? Proof::kMoved : Proof::kNone;
  absl::Status set = done ? absl::OkStatus() : SelectRange(plan.range);
  // It may be told in parts: only what stays untold is a doubt.
  const absl::Time doubt = clock.Now() + kSelectionDoubt;
  const absl::Time patience =
      std::min(clock.Now() + kSelectionPatience, deadline);
  for (;;) {
    if (!set.ok()) {
      return Refusal{
          Reason::kSelectionNotSet,
          absl::StrCat("the range could not be selected: ", set.message())};
    }
    absl::StatusOr<Snapshot> now =
        SnapshotFocused(run_.server, run_.reading(), run_.options.hints);
    if (!now.ok()) {
      return Refusal{absl::IsDeadlineExceeded(now.status()) ? Reason::kNoTime
                                                            : Reason::kNoFocus,
                     absl::StrCat("the field could not be read again: ",
                                  now.status().message())};
    }
    if (now->application.id != base_.application.id ||
        !(now->element == base_.element) || now->ambiguous) {
      return Refusal{Reason::kStale,
                     "the focus has moved to another field meanwhile"};
    }
    if (now->secure) {
      secure_ = true;
      return Refusal{Reason::kSecure,
                     "the field is secure now, or may be: it is never edited"};
    }
    shown_ours_ |= ShowsOurs(now->selection, now->caret);
    if (now->secure_beside) {
      return Refusal{Reason::kSecure, std::string(kSecureBeside)};
    }
    // While the caret is being moved away, what shows the range as selected is
    // late: it will be selected no more when the keys come.
    const bool selects = proof != Proof::kMovingAway &&
                         (Selects(*now, plan.range) ||
                          (proof == Proof::kMoved &&
                           MaySelect(now->selection, now->caret, plan.range)));
    // What the user selected meanwhile is left alone.
    if (now->selection.ok() && !selects && proof != Proof::kMovingAway &&
        !Selects(*now, base_.selection.value_or(plan.range))) {
      standing_ = false;
    }
    if (!Same(*now)) {
      changed_ = *std::move(now);
      return Refusal{Reason::kTextChanged, kTextChanged};
    }
    if (selects) {
      const bool looked = now->window != base_.window;
      run_.snapshot = *std::move(now);
      // The gap begins with the last answer that was checked.
      if (looked) run_.snapshot.taken = clock.Now();
      return std::nullopt;
    }
    if (proof == Proof::kNone &&
        MaySelect(now->selection, now->caret, plan.range) &&
        clock.Now() >= doubt) {
      proof = Proof::kMovingAway;
      set = SelectRange({plan.range.begin, plan.range.begin});
    } else if (proof == Proof::kMovingAway && now->caret.ok() &&
               *now->caret == plan.range.begin) {
      proof = Proof::kMoved;
      set = SelectRange(plan.range);
    } else if (clock.Now() >= patience) {
      return Refusal{Reason::kSelectionNotSet,
                     "the application does not show the range as selected"};
    } else {
      clock.SleepUntil(std::min(clock.Now() + kSelectionPause, patience));
    }
  }
}

bool SelectionHold::ShowsOurs(const absl::StatusOr<Range>& selection,
                              const absl::StatusOr<int64_t>& caret) const {
  const Range ours = run_.plan.range;
  if (!sent_ || place_ == ours) return false;
  return (selection.ok() && *selection == ours &&
          (!ours.empty() || (caret.ok() && *caret == ours.begin))) ||
         MaySelect(selection, caret, ours);
}

// Where the user is to be in `text`, of which `told` is known. A caret that it
// shows, or has shown, and that is not ours is the user's.
std::optional<Range> SelectionHold::Place(
    const std::string& text, const Told& told,
    const absl::StatusOr<Range>& selection,
    const absl::StatusOr<int64_t>& caret) {
  const Range range = run_.plan.range;
  // Selection and caret may be told one after the other.
  const bool ours =
      ShowsOurs(selection, caret) &&
      (!caret.ok() || *caret == range.begin || *caret == range.end);
  if (!ours && caret.ok()) shown_ = Shown{text, *caret};
  if (told.what == Meanwhile::kNothing) return place_;
  if (shown_.has_value() && shown_->text == text) {
    return Range{shown_->caret, shown_->caret};
  }
  if (ours && told.user.has_value()) {
    return Moved(*told.user, run_.plan.window_begin);
  }
  if (caret.ok()) return Range{*caret, *caret};
  return std::nullopt;
}

void SelectionHold::PutAt(std::optional<Range> place, const std::string& text) {
  if (!place.has_value()) return;
  gave_back_ |= !place->empty();
  Select(run_.server, base_.element, *place,
         Known(run_.plan.window_begin, text), run_.give_back_by());
}

void SelectionHold::PutBack() {
  if (!sent_ || secure_) return;
  if (changed_.has_value()) {
    // Neither range is what it was: a selection could begin in the middle of a
    // character now. What is selected and is not ours is the user's.
    const Snapshot& now = *changed_;
    const bool users = now.selection.ok() && !now.selection->empty() &&
                       !ShowsOurs(now.selection, now.caret);
    if (users || !now.value.ok()) return;
    Told told = {Meanwhile::kUnclear};
    if (now.window.begin == run_.plan.window_begin) {
      told =
          Tell(run_.plan.before, *now.value, OursInWindow(), UsersInWindow());
    }
    PutAt(Place(*now.value, told, now.selection, now.caret), *now.value);
  } else if (standing_) {
    // It may have turned secure since, and what it shows now tells whether it
    // has got to our selection.
    const View look = LookAt(run_.give_back_by());
    shown_ours_ |= look.status.ok() && ShowsOurs(look.selection, look.caret);
    if (look.status.ok()) {
      PutAt(Place(look.text, look.told, look.selection, look.caret), look.text);
    } else if (look.plain) {
      PutAt(place_, run_.plan.before);
    }
  }
}

Range SelectionHold::OursInWindow() const {
  return Moved(run_.plan.range, -run_.plan.window_begin);
}

std::optional<Range> SelectionHold::UsersInWindow() const {
  if (!place_.has_value()) return std::nullopt;
  const Range users = Moved(*place_, -run_.plan.window_begin);
  if (!Range{0, run_.plan.before_length}.Contains(users)) return std::nullopt;
  return users;
}

// `text` was read from `from` on, and becomes what of it stands where the
// plan's window was.
Told SelectionHold::TellOf(std::string& text, int64_t from,
                           const absl::StatusOr<int64_t>& count) const {
  const Plan& plan = run_.plan;
  const int64_t begin = plan.window_begin - from;
  const auto read = CodePointLength(text);
  if (plan.whole) {
    if (read > plan.before_length + kMost) return {Meanwhile::kUnclear};
    return Tell(plan.before, text, OursInWindow(), UsersInWindow());
  }
  const auto at = [&](int64_t place) {
    return std::string(CodePointSlice(text, place, place + plan.before_length));
  };
  const std::string here = at(begin);
  // Beyond its window nothing but the count tells.
  if (!count.ok() || !plan.count_before.has_value()) {
    text = here;
    return {Meanwhile::kUnclear};
  }
  const int64_t grown = *count - *plan.count_before;
  if (here == plan.before) {
    text = here;
    // What has changed lies behind the window.
    return grown == 0 ? Told{Meanwhile::kNothing} : Told{Meanwhile::kElsewhere};
  }
  if (begin + grown >= 0 && at(begin + grown) == plan.before) {
    text = here;
    return {Meanwhile::kElsewhere};  // in front of it
  }
  const int64_t length = plan.before_length + grown;
  if (length < 0 || begin + length > read) {
    text = here;
    return {Meanwhile::kUnclear};
  }
  text = std::string(CodePointSlice(text, begin, begin + length));
  return Tell(plan.before, text, OursInWindow(), UsersInWindow());
}

SelectionHold::View SelectionHold::LookAt(absl::Time deadline) {
  const Plan& plan = run_.plan;
  View view;
  view.status = Plain(run_.server, base_.element, deadline);
  secure_ |= absl::IsPermissionDenied(view.status);
  view.plain = view.status.ok();
  if (!view.plain) return view;
  const int64_t from = std::max<int64_t>(plan.window_begin - kMost, 0);
  const int64_t to = plan.window_begin + plan.before_length + kMost + 1;
  const ReadRequest requests[] = {{base_.element, Attribute::kText, {from, to}},
                                  {base_.element, Attribute::kCharacterCount},
                                  {base_.element, Attribute::kCaret},
                                  {base_.element, Attribute::kSelection}};
  const ReadResult result = ReadAll(run_.server, requests, deadline);
  absl::StatusOr<std::string> text = Get<std::string>(result.readings[0]);
  const absl::StatusOr<int64_t> count = Get<int64_t>(result.readings[1]);
  view.caret = Get<int64_t>(result.readings[2]);
  view.selection = Get<Range>(result.readings[3]);
  if (absl::IsNotFound(view.selection.status()) && view.caret.ok()) {
    view.selection = Range{*view.caret, *view.caret};
  }
  view.status = text.status();
  if (!view.status.ok()) return view;
  const int64_t end = from + CodePointLength(*text);
  if (count.ok() && end != std::min(*count, to)) {
    view.status = absl::DataLossError(
        "the field's text and its length contradict each other");
    return view;
  }
  view.text = *std::move(text);
  view.told = TellOf(view.text, from, count);
  return view;
}

Attempt SelectionHold::GiveUp(const Refusal& why) {
  if (!sent_) return Refused(rung_, why.reason, why.message);
  Clock& clock = run_.clock();
  const absl::Duration wait = run_.options.read_back;
  const absl::Time deadline = run_.options.deadline;
  const absl::Time begun = clock.Now();
  absl::Time until = begun + wait;
  // Where our selection is not shown, or goes on being shown.
  const absl::Time latest = until + std::max(wait, run_.options.paste_wait);
  absl::Time again = begun + kAgain;
  absl::Duration patience = kAgain;
  bool shows_ours = false;
  absl::Time changed = begun;
  absl::Duration pause = kSelectionPause;
  std::optional<View> seen;
  absl::Status status;
  bool timely = false;
  while (!secure_) {
    View look = LookAt(run_.last());
    const absl::Time now = clock.Now();
    status = look.status;
    bool stands = false;
    if (status.ok()) {
      if (!seen.has_value() || seen->text != look.text) changed = now;
      stands =
          look.told.what == Meanwhile::kTypedOver && now - changed >= kSettled;
      const std::optional<Range> place =
          Place(look.text, look.told, look.selection, look.caret);
      shows_ours = ShowsOurs(look.selection, look.caret);
      if (shows_ours) {
        shown_ours_ = true;
        until = std::min(now + wait, latest);
        if (now >= again && now < until) {
          PutAt(place, look.text);
          patience = 2 * patience;
          again = now + patience;
        }
      }
      seen = std::move(look);
    }
    // An application that has not shown our selection yet is behind, and so
    // may be what it shows of the keys.
    if (taken_ && !shown_ours_) until = latest;
    timely = now >= until;
    if (stands || timely || now >= deadline || absl::IsUnavailable(status))
      break;
    clock.SleepUntil(std::min({now + pause, until, deadline}));
    pause = std::min(2 * pause, kSlowest);
  }
  if (secure_) {
    return Ended(rung_, Outcome::kUnknown, Reason::kSecure,
                 "the field is secure now, or may be, and is left alone: "
                 "whether a key has replaced what was selected to be replaced "
                 "cannot be read");
  }
  if (seen.has_value()) run_.result.after = seen->text;
  if (!status.ok()) {
    return Ended(rung_, Outcome::kUnknown, Reason::kUnreadable,
                 absl::StrCat(why.message,
                              "; whether a key has replaced what was selected "
                              "to be replaced could not be read: ",
                              status.message()));
  }
  // What the user had selected was what the application showed when we began.
  // He may have let go of it since, and what was given back was ours then.
  if (seen->told.over_users && gave_back_) {
    seen->told.what = Meanwhile::kUnclear;
  }
  switch (seen->told.what) {
    case Meanwhile::kTypedOver:
      if (seen->told.repair.has_value()) {
        run_.repair =
            Repair{Moved(seen->told.repair->range, run_.plan.window_begin),
                   seen->told.repair->text};
      }
      return Ended(rung_, Outcome::kDiverged, Reason::kTypedOver,
                   "a key was pressed while the range was selected to be "
                   "replaced, and has changed the text there; nothing was "
                   "pasted");
    case Meanwhile::kUnclear:
      return Ended(rung_, Outcome::kUnknown, Reason::kTypedOver,
                   "the text has changed while the range was selected to be "
                   "replaced, and whether a key has gone there cannot be told; "
                   "nothing was pasted");
    case Meanwhile::kNothing:
    case Meanwhile::kElsewhere:
      break;
  }
  if (timely && shows_ours) {
    return Ended(rung_, Outcome::kUnknown, Reason::kTypedOver,
                 absl::StrCat(why.message,
                              "; the application goes on showing as selected "
                              "what was selected to be replaced, so whether "
                              "keys go there cannot be told"));
  }
  if (timely && taken_ && !shown_ours_) {
    return Ended(
        rung_, Outcome::kUnknown, Reason::kSelectionNotSet,
        absl::StrCat(why.message,
                     "; the application has not shown so far what was "
                     "selected to be replaced, nor would it show a key "
                     "that has replaced it"));
  }
  if (!timely) {
    return Ended(rung_, Outcome::kUnknown, Reason::kNoTime,
                 absl::StrCat(why.message,
                              "; the deadline came before it was seen that no "
                              "key had replaced what was selected to be "
                              "replaced"));
  }
  run_.result.after.reset();
  return Refused(rung_, why.reason, why.message);
}

}  // namespace tactus::ax
