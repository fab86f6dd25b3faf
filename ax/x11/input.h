// The clipboard and the keyboard of an X11 desktop: ax::Input for real.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<X11Input>> input = OpenX11Input(
//       {.keeper = {"/proc/self/exe", "keep-clipboard"}}, deadline);
//   if (!input.ok()) return input.status();
//   ... (*input)->Lend("hello", ...), Press, GiveBack ...
//   absl::Status handed = (*input)->HandOver(deadline);
//
// What was put back on the clipboard lives in this process until HandOver,
// which the destructor calls too: keep one X11Input for as long as the process
// runs, and look at what HandOver says where the user should hear of it.
//
// Two threads of the X server's view: the keyboard answers to its caller, the
// clipboard to a thread of its own; see clipboard.h and keyboard.h for either's
// caveats.
#ifndef TACTUS_AX_X11_INPUT_H_
#define TACTUS_AX_X11_INPUT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "ax/x11/clipboard.h"
#include "ax/x11/keyboard.h"

namespace tactus::ax::x11 {

struct X11InputOptions {
  // $DISPLAY where it is empty.
  std::string display;
  // See ClipboardOptions.
  std::vector<std::string> keeper;
  absl::Duration farewell = absl::Seconds(2);
};

class X11Input : public Input {
 public:
  X11Input(std::unique_ptr<Clipboard> clipboard,
           std::unique_ptr<Keyboard> keyboard);

  Clock& clock() override { return Clock::Real(); }
  absl::StatusOr<std::unique_ptr<ClipboardLoan>> Lend(
      absl::string_view text, const LendOptions& options) override;
  absl::Status Press(PasteKeys keys, absl::Time deadline) override;
  absl::Status Type(absl::string_view ascii, absl::Time deadline) override;

  // As Clipboard::HandOver.
  absl::Status HandOver(absl::Time deadline);

 private:
  const std::unique_ptr<Clipboard> clipboard_;
  const std::unique_ptr<Keyboard> keyboard_;
};

// FailedPrecondition where there is no X display, or one that lets no program
// press keys: the message says what to do. Changes nothing on the desktop.
absl::StatusOr<std::unique_ptr<X11Input>> OpenX11Input(
    const X11InputOptions& options, absl::Time deadline);

}  // namespace tactus::ax::x11

#endif  // TACTUS_AX_X11_INPUT_H_
