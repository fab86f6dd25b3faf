// What happens on a macOS desktop, as the seam's events.
//
// There is no way to listen to all of it: an AXObserver hears one process, and
// tells through a source of a run loop. So each process that owns a window gets
// one, and since a process that starts tells nobody, the window list is looked
// at every kPoll: new processes are listened to, and one that is not there any
// longer is told as gone.
//
// The run loop is that of the thread that calls Next, and runs only within it:
// Cancel is noticed after kSlice at the latest. Applications are reported to
// leave events out, so a cache confirms what it was told.
//
//   absl::StatusOr<std::unique_ptr<EventSource>> events =
//       OpenObserver(&clock, table, MakeThreadBounder(clock), getpid(),
//                    {.text = true}, deadline);
#ifndef TACTUS_AX_MACOS_OBSERVER_H_
#define TACTUS_AX_MACOS_OBSERVER_H_

#include <sys/types.h>

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/macos/bounder.h"
#include "ax/macos/elements.h"
#include "ax/server/server.h"

namespace tactus::ax::macos {

inline constexpr absl::Duration kPoll = absl::Seconds(1);
inline constexpr absl::Duration kSlice = absl::Milliseconds(50);

// Errors: PermissionDenied where this process is not trusted; those of the
// window list. That single applications cannot be listened to is none.
absl::StatusOr<std::unique_ptr<EventSource>> OpenObserver(
    Clock* clock, std::shared_ptr<ElementTable> table,
    std::unique_ptr<Bounder> bounder, pid_t own_pid,
    const ObserveOptions& options, Traffic* traffic, absl::Time deadline);

}  // namespace tactus::ax::macos

#endif  // TACTUS_AX_MACOS_OBSERVER_H_
