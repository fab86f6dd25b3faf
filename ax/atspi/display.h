// What the X server knows of windows: who has the keyboard, and which windows
// are in front.
//
// Used by the AT-SPI backend for both of its routes on an X11 session. It reads
// a few properties that window managers keep (EWMH 1.5: _NET_ACTIVE_WINDOW,
// _NET_CLIENT_LIST_STACKING, _NET_WM_PID, _NET_WM_NAME) and changes nothing.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<Display>> display =
//       Display::Open("", &traffic, deadline);
//   absl::StatusOr<pid_t> pid = (*display)->ActivePid(deadline);
//
// Errors: FailedPrecondition where there is no X display (the message says what
// to do), NotFound where the window manager does not say, DeadlineExceeded,
// Unavailable when the display has gone.
#ifndef TACTUS_AX_ATSPI_DISPLAY_H_
#define TACTUS_AX_ATSPI_DISPLAY_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {

class Display {
 public:
  // Opens `name`, or $DISPLAY where it is empty.
  static absl::StatusOr<std::unique_ptr<Display>> Open(const std::string& name,
                                                       Traffic* traffic,
                                                       absl::Time deadline);
  virtual ~Display() = default;

  // The process of the window that has the keyboard: two flights, one when the
  // window is the same as the last time.
  virtual absl::StatusOr<pid_t> ActivePid(absl::Time deadline) = 0;

  // Front to back, at most 256.
  virtual absl::StatusOr<std::vector<Window>> Windows(absl::Time deadline) = 0;

  // Where the accessibility bus of this display listens, from the root window's
  // AT_SPI_BUS property; NotFound when nobody has set it.
  virtual absl::StatusOr<std::string> AccessibilityBus(absl::Time deadline) = 0;
};

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_DISPLAY_H_
