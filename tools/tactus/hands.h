// The clipboard and the keyboard of this desktop, opened when an edit first
// needs them, with this very program as what keeps the clipboard afterwards.
//
// Example: whoever uses it begins its main() so.
//
//   if (std::optional<int> code = KeptClipboard(argc, argv)) return *code;
//   ...
//   Hands hands;
//   ax::Editor editor(&server, hands.input());
//   ...
//   absl::Status handed = hands.HandOver();   // before the process ends
#ifndef TACTUS_TOOLS_TACTUS_HANDS_H_
#define TACTUS_TOOLS_TACTUS_HANDS_H_

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/input/input.h"
#include "ax/x11/input.h"
#include "tools/tactus/edit.h"

namespace tactus::cli {

class Hands {
 public:
  Hands();
  Hands(const Hands&) = delete;
  Hands& operator=(const Hands&) = delete;

  ax::Input* input() { return &input_; }

  // What was put back on the clipboard goes to somebody who stays. Two seconds
  // at most; an error says why it could not be kept.
  absl::Status HandOver();

 private:
  absl::StatusOr<std::unique_ptr<ax::Input>> Open(absl::Time deadline);

  ax::x11::X11Input* opened_ = nullptr;
  LateInput input_;
};

// The exit code where this process was started to keep the clipboard, and has
// done so. To be called before there is any thread.
std::optional<int> KeptClipboard(int argc, char** argv);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_HANDS_H_
