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
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/edit/read_back.h"
#include "ax/read/read.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// How long a selection that was set may take to be published.
constexpr absl::Duration kSelectionPatience = absl::Milliseconds(600);
// How long it may be untold what is selected before that means something.
constexpr absl::Duration kSelectionDoubt = absl::Milliseconds(60);
// How long one is waited for that is not wanted any more; Chromium was seen to
// publish one 50 ms late.
constexpr absl::Duration kLateSelection = absl::Milliseconds(100);
constexpr absl::Duration kSelectionPause = absl::Milliseconds(2);

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

// Neither range is what it was: a selection could begin in the middle of a
// character now. So the caret is left where it is, with nothing selected that
// the next key would replace. In a browser our selection may be yet to come,
// and a caret that is set before that is taken for the one that is there
// already: so it is waited for. What is selected and is not ours is the user's.
Snapshot TakeSelectionAway(Snapshot now, EditRun& run) {
  Clock& clock = run.clock();
  const absl::Time end =
      std::min(clock.Now() + kLateSelection, run.give_back_by());
  for (bool first = true;; first = false) {
    const bool known = now.selection.ok();
    const bool empty = known && now.selection->empty();
    const bool users = known && !empty && *now.selection != run.plan.range;
    if (users || !now.value.ok() || !now.caret.ok()) return now;
    if (first || !empty) {
      Select(run.server, now.element, {*now.caret, *now.caret},
             Known(now.window.begin, *now.value), end);
    }
    if (clock.Now() >= end) return now;
    clock.SleepUntil(std::min(clock.Now() + kSelectionPause, end));
    absl::StatusOr<Snapshot> again =
        SnapshotFocused(run.server, run.reading(), run.options.hints);
    if (!again.ok() || !(again->element == now.element) || again->secure) {
      return now;
    }
    now = *std::move(again);
  }
}

}  // namespace

bool Selects(const Snapshot& snapshot, Range range) {
  return snapshot.selection.ok() && *snapshot.selection == range &&
         (!range.empty() ||
          (snapshot.caret.ok() && *snapshot.caret == range.begin));
}

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

void SelectAgain(const EditRun& run, const Snapshot& base) {
  const absl::Time deadline = run.give_back_by();
  // It may have turned secure since.
  if (!base.selection.ok() || !IsPlain(run.server, base.element, deadline))
    return;
  Select(run.server, base.element, *base.selection,
         Known(run.plan.window_begin, run.plan.before), deadline);
}

std::optional<Attempt> SelectAndCheck(Rung rung, const Snapshot& base,
                                      EditRun& run) {
  const Plan& plan = run.plan;
  const absl::Time deadline = run.options.deadline;
  Clock& clock = run.clock();
  const bool done = Selects(run.snapshot, plan.range);
  // By us, as far as is known.
  bool selected = done && !Selects(base, plan.range);
  bool ever_selected = selected;
  const auto refuse = [&](Reason reason, std::string message) {
    if (selected) SelectAgain(run, base);
    return Refused(rung, reason, std::move(message));
  };
  const auto select = [&](Range range) {
    const WriteResult write =
        Select(run.server, base.element, range,
               Known(plan.window_begin, plan.before), deadline);
    selected |= write.sent;
    ever_selected |= write.sent;
    return write.status;
  };
  // A caret that has come to the end of the range shows that the range was
  // selected, where the selection itself cannot be read. One that was there
  // before shows nothing, and is moved away first.
  enum class Proof { kNone, kMovingAway, kMoved };
  const absl::StatusOr<int64_t>& caret = run.snapshot.caret;
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
    absl::StatusOr<Snapshot> now =
        SnapshotFocused(run.server, run.reading(), run.options.hints);
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
                  Look(run.server, base.element, plan, deadline).sight ==
                      Sight::kUnchanged;
    if (!same) {
      selected = false;
      if (!ever_selected || !now->value.ok()) {
        return refuse(Reason::kTextChanged, "the text has changed meanwhile");
      }
      const Snapshot last = TakeSelectionAway(*std::move(now), run);
      // Typing only adds. What was there and is not any more went with the
      // selection, which was ours: that is not as if nothing had been done.
      if (last.value.ok() && last.whole && plan.whole &&
          !HasWithin(*last.value, plan.before)) {
        run.result.after = *last.value;
        return Ended(rung, Outcome::kDiverged, Reason::kOther,
                     "a key was pressed while the range was selected to be "
                     "replaced, and has replaced it");
      }
      return refuse(Reason::kTextChanged, "the text has changed meanwhile");
    }
    if (selects) {
      const bool looked = now->window != base.window;
      run.snapshot = *std::move(now);
      // The gap begins with the last answer that was checked.
      if (looked) run.snapshot.taken = run.clock().Now();
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

}  // namespace tactus::ax
