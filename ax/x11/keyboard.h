// Keys pressed on behalf of the user, through XTest.
//
// Used by X11Input, see ax/input/input.h for what Press and Type promise. The
// layout that is active decides which key a character is on; keys are never
// given another meaning, since applications that read the layout late would
// then type something else.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<Keyboard>> keyboard =
//       Keyboard::Open("", soon);
//   absl::Status pasted = (*keyboard)->Press(PasteKeys::kCtrlV, soon);
//   absl::Status typed = (*keyboard)->Type("Hello, World!\n", soon);
//
// Caps Lock and Num Lock are left as they are and reckoned with. Every key that
// is pressed is released in the same write to the server, so that nothing that
// happens in between can leave one down.
//
// Caveat: between the last look at the keyboard and the keys the user may press
// a modifier; no X11 client can exclude that. Reading the layout blocks without
// a deadline on a server that stops answering just then: libxkbcommon offers no
// other way.
#ifndef TACTUS_AX_X11_KEYBOARD_H_
#define TACTUS_AX_X11_KEYBOARD_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/input/input.h"

namespace tactus::ax::x11 {

class Keyboard {
 public:
  // $DISPLAY where `display` is empty. FailedPrecondition where there is none,
  // or it lacks XTest or XKB.
  static absl::StatusOr<std::unique_ptr<Keyboard>> Open(
      const std::string& display, absl::Time deadline);
  virtual ~Keyboard() = default;

  // As Input::Press. Where the active layout has no V (Hebrew, Russian) it is
  // the key that is V in another layout of this keyboard, as toolkits take it.
  // DeadlineExceeded or Unavailable: it may have been sent.
  virtual absl::Status Press(PasteKeys keys, absl::Time deadline) = 0;

  // Reads the layout, so that the next Press need not. Optional.
  virtual absl::Status Prepare(absl::Time deadline) = 0;

  // As Input::Type. Goes on only while the layout and the locks are those it
  // began with and no modifier is held; waits until `deadline` for that.
  virtual absl::Status Type(absl::string_view ascii, absl::Time deadline) = 0;
};

}  // namespace tactus::ax::x11

#endif  // TACTUS_AX_X11_KEYBOARD_H_
