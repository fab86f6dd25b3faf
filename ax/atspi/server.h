// AT-SPI2, the accessibility of Linux desktops, behind the seam.
//
// Use it wherever Tactus runs on a real desktop; everything above it is written
// against ax/server.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<AtspiServer>> server =
//       AtspiServer::Connect({}, Clock::Real().Now() + absl::Seconds(1));
//   if (!server.ok()) return server.status();
//   absl::StatusOr<Snapshot> snapshot = SnapshotFocused(**server, {...});
//
// The system-wide route is the display's word on an X11 session: who has the
// keyboard is the X server's to know, and its answer costs a tenth of asking
// every application. Where there is no display to ask, or it names a process
// that accessibility does not know, every application is asked which window is
// active, and none is waited for once one has said so; on Wayland that is the
// only way. The window-list route is the stack of windows from the X server.
//
// Rules that keep the user's applications alive: never Properties.GetAll (it
// kills Qt), every offset clamped to what a text can have, text asked for with
// the one signature that is known, no event registered with Text.* properties,
// CopyText and CutText never called.
#ifndef TACTUS_AX_ATSPI_SERVER_H_
#define TACTUS_AX_ATSPI_SERVER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/server/server.h"

namespace tactus::ax::atspi {

struct AtspiOptions {
  // The accessibility bus. Empty: AT_SPI_BUS_ADDRESS, then the AT_SPI_BUS
  // property of the X display, then org.a11y.Bus on the session bus.
  std::string bus_address;
  // The X display. Empty: DISPLAY.
  std::string display;
  // Never ask the display; as if on Wayland.
  bool no_display = false;
  // Open the sockets that applications offer, from the second snapshot on.
  bool sockets = true;
  // Ask what had the focus last whether it has it still, before searching.
  bool remember = true;
  // Answer `ReadMany` with Unimplemented, so that reads go attribute by
  // attribute: for measuring what batching saves.
  bool no_batches = false;
};

class AtspiServer : public Server {
 public:
  // Errors: FailedPrecondition where there is no accessibility bus, with the
  // remedy; DeadlineExceeded.
  static absl::StatusOr<std::unique_ptr<AtspiServer>> Connect(
      const AtspiOptions& options, absl::Time deadline);

  // Why the display cannot be asked; OK when it can.
  virtual absl::Status display_status() const = 0;
  // Where the accessibility bus listens.
  virtual const std::string& bus_address() const = 0;
  // Whether calls to `application` go over a socket of its own.
  virtual bool HasSocket(const Application& application) = 0;
  // Opens it now, where the application offers one, and not at its second
  // snapshot. Whether it is open.
  virtual bool OpenSocket(const Application& application,
                          absl::Time deadline) = 0;
};

// The address of the accessibility bus as `AtspiServer::Connect` finds it.
absl::StatusOr<std::string> FindAccessibilityBus(const AtspiOptions& options,
                                                 absl::Time deadline);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_SERVER_H_
