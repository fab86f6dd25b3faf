// Whether a window manager runs on the X display and says which window is
// active, which is what the quickest route to the focus asks for.
//
// Example:
//
//   absl::StatusOr<WindowManager> manager =
//       FindWindowManager(Clock::Real().Now() + absl::Seconds(1));
//
// Source: Extended Window Manager Hints 1.5, _NET_SUPPORTING_WM_CHECK and
// _NET_SUPPORTED.
#ifndef TACTUS_TOOLS_TACTUS_WINDOW_MANAGER_H_
#define TACTUS_TOOLS_TACTUS_WINDOW_MANAGER_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tactus::cli {

struct WindowManager {
  std::string name;  // as it calls itself; may be empty
  bool tells_active_window = false;
};

// Errors: NotFound (none runs), Unavailable (the display does not let us in),
// DeadlineExceeded. Asks the display that $DISPLAY names; being let in by it
// has no deadline, as XCB offers no way to bound that.
absl::StatusOr<WindowManager> FindWindowManager(absl::Time deadline);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_WINDOW_MANAGER_H_
