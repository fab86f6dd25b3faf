// The rungs that go by the user's own means, the clipboard and the keyboard,
// where an application takes no text through accessibility.
//
// Keys reach whatever has the keyboard, which nobody can check and act upon in
// one step. So the clipboard is lent first, which takes longest; then the range
// is selected and seen to be selected (ax/edit/selection.h); then the keys are
// sent, and only while the user holds none that would make others of them. What
// is waited for is the text in the field, and not that somebody fetched it:
// clipboard histories fetch it too.
//
// Example:
//
//   HandsAttempt pasted = TryHands(Rung::kPaste, run, &input);
//   if (pasted.attempt.outcome == Outcome::kVerified) ...
//
// For ax/edit alone; callers use Editor (ax/edit/editor.h).
#ifndef TACTUS_AX_EDIT_PASTE_H_
#define TACTUS_AX_EDIT_PASTE_H_

#include <optional>

#include "absl/time/time.h"
#include "ax/edit/attempt.h"
#include "ax/edit/outcome.h"
#include "ax/input/input.h"
#include "ax/types/types.h"

namespace tactus::ax {

// A selection of ours that is over, and may be published still.
struct Unsettled {
  Element element;
  Range selection;
  absl::Time until;
};

struct HandsAttempt {
  Attempt attempt;
  std::optional<Unsettled> unsettled = {};
};

// Pastes (kPaste), deletes what is selected where there is nothing to write, or
// types (kKeystrokes). `input` may be null: then it is refused.
HandsAttempt TryHands(Rung rung, EditRun& run, Input* input);

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_PASTE_H_
