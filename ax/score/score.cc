#include "ax/score/score.h"

#include "ax/types/types.h"

namespace tactus::ax {

int Score(States states, Role role) {
  if (states & kStateDefunct) return -1;
  if (!(states & kStateFocused)) return -1;
  int score = 0;
  // Being on the screen outweighs all else: what cannot be seen is not what the
  // user types into. A password field counts as text whatever it supports, or
  // a stale plain field beside it would win and be read in its place.
  if (states & kStateShowing) score += 16;
  if ((states & kStateSupportsText) || role == Role::kPassword) score += 8;
  if ((states & kStateEditable) && !(states & kStateReadOnly)) score += 4;
  switch (role) {
    case Role::kTextField:
    case Role::kTextArea:
    case Role::kParagraph:
    case Role::kPassword:
    case Role::kTerminal:
      score += 2;
      break;
    case Role::kCombo:
    case Role::kDocument:
      score += 1;
      break;
    case Role::kUnknown:
    case Role::kOther:
    case Role::kContainer:
      break;
  }
  return score;
}

}  // namespace tactus::ax
