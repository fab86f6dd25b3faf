#include "ax/x11/input.h"

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/input/input.h"
#include "ax/x11/clipboard.h"
#include "ax/x11/keyboard.h"

namespace tactus::ax::x11 {

X11Input::X11Input(std::unique_ptr<Clipboard> clipboard,
                   std::unique_ptr<Keyboard> keyboard)
    : clipboard_(std::move(clipboard)), keyboard_(std::move(keyboard)) {}

absl::StatusOr<std::unique_ptr<ClipboardLoan>> X11Input::Lend(
    absl::string_view text, const LendOptions& options) {
  // Keys follow. That the layout cannot be read shows when they are pressed.
  keyboard_->Prepare(options.deadline).IgnoreError();
  return clipboard_->Lend(text, options);
}

absl::Status X11Input::Press(PasteKeys keys, absl::Time deadline) {
  return keyboard_->Press(keys, deadline);
}

absl::Status X11Input::Type(absl::string_view ascii, absl::Time deadline) {
  return keyboard_->Type(ascii, deadline);
}

absl::Status X11Input::HandOver(absl::Time deadline) {
  return clipboard_->HandOver(deadline);
}

absl::StatusOr<std::unique_ptr<X11Input>> OpenX11Input(
    const X11InputOptions& options, absl::Time deadline) {
  // First, since it shows what this desktop lacks before a thread is started.
  absl::StatusOr<std::unique_ptr<Keyboard>> keyboard =
      Keyboard::Open(options.display, deadline);
  if (!keyboard.ok()) return keyboard.status();
  absl::StatusOr<std::unique_ptr<Clipboard>> clipboard =
      Clipboard::Open({.display = options.display,
                       .keeper = options.keeper,
                       .farewell = options.farewell},
                      deadline);
  if (!clipboard.ok()) return clipboard.status();
  return std::make_unique<X11Input>(*std::move(clipboard),
                                    *std::move(keyboard));
}

}  // namespace tactus::ax::x11
