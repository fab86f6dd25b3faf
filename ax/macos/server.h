// The accessibility of macOS behind the seam: the AX C API and CoreFoundation.
//
// It has never run on macOS. It is compiled and tested on Linux against
// ax/macos/fake, which answers as Apple's headers say and as users of the API
// report; tools/macos_check is what a person runs there.
//
//   std::unique_ptr<MacosServer> server = MacosServer::Create({});
//   absl::StatusOr<Snapshot> snapshot = SnapshotFocused(*server, {...});
//
// Each call is one trip to another process and none can be waited for beside
// another, so a flight of this server is a trip:
//
//   verb                  trips
//   FocusedApplication    1; 2 where its name is not known
//   WindowList            1, to the window server
//   ApplicationOfProcess  1; none where its name is known
//   FocusedElements       1
//   ReadMany              ax/macos/reader.h, for each element
//   Write                 ax/macos/writer.h
//
// A snapshot of a field takes six: two to find it, three for what it is (role,
// subrole and states in one batch, two probes), one for its text, count and
// selection.
//
// Where one flight asks several applications, each gets its share of the time
// that is left, so that one that hangs leaves the others theirs.
//
// What it cannot tell: whether an element shows on the screen, where in a
// selection the caret is, more than one claim of the focus in an application.
#ifndef TACTUS_AX_MACOS_SERVER_H_
#define TACTUS_AX_MACOS_SERVER_H_

#include <sys/types.h>

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/macos/bounder.h"
#include "ax/macos/elements.h"
#include "ax/server/server.h"

namespace tactus::ax::macos {

struct MacosOptions {
  // Null: the real one.
  Clock* clock = nullptr;
  // Shared by servers that pass elements to each other, as a focus cache does.
  // Null: one of its own.
  std::shared_ptr<ElementTable> elements;
  // Answer `ReadMany` with Unimplemented, so that reads go attribute by
  // attribute: for measuring what batching saves.
  bool no_batches = false;
  // Where an application tells of no focus, ask it to build its tree, as
  // Chromium and Electron do only when asked: AXManualAccessibility, then
  // AXEnhancedUserInterface. Undone when the server ends. The latter is
  // reported to disturb window managers, so it is off.
  bool wake = false;
  // This process, which is never asked. 0: getpid().
  pid_t own_pid = 0;
  // What gives up calls that have no time of their own. Null:
  // MakeThreadBounder.
  std::function<std::unique_ptr<Bounder>(Clock&)> make_bounder;
};

// Whether this process may use accessibility.
struct Trust {
  // What the system says (AXIsProcessTrusted). Reported to stay true after the
  // program was signed anew, while every call is refused.
  bool told = false;
  // Of a real read: OK where it was answered, be it with nothing.
  absl::Status read;
};

class MacosServer : public Server {
 public:
  // Nothing is asked yet.
  static std::unique_ptr<MacosServer> Create(const MacosOptions& options);

  virtual Trust CheckTrust(absl::Time deadline) = 0;
};

}  // namespace tactus::ax::macos

#endif  // TACTUS_AX_MACOS_SERVER_H_
