// Which of several elements that claim the focus is the one being typed into.
//
// "The last event wins" is wrong: an office suite tells the paragraph, then its
// container; a browser tells a passing object first, and another keeps objects
// that were focused once. What an element says of itself now decides: that it
// supports text, may be edited, and is on the screen.
//
// Example:
//
//   if (Score(states, role) > Score(best_states, best_role)) best = candidate;
#ifndef TACTUS_AX_SCORE_SCORE_H_
#define TACTUS_AX_SCORE_SCORE_H_

#include "ax/types/types.h"

namespace tactus::ax {

// Higher is likelier; negative means "certainly not": the element is defunct or
// does not claim the focus at all. Equal scores are a tie that only the
// server's order decides, and a caller who means to write must not trust a tie.
int Score(States states, Role role);

}  // namespace tactus::ax

#endif  // TACTUS_AX_SCORE_SCORE_H_
