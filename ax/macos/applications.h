// The applications of a macOS desktop: who has the keyboard, which windows
// there are, and what each process is called.
//
//   Applications applications(&calls, &traffic, bounder.get(), getpid());
//   absl::StatusOr<Application> focused = applications.Focused(deadline);
//
// An application is named by its process id: AXUIElementCreateApplication makes
// its element from that without a trip. A name is read from AXTitle and kept
// for kNameAge, since a process id can come to mean another program.
//
// Our own process is never answered: its accessibility is served by the thread
// that asks, which would wait for itself.
#ifndef TACTUS_AX_MACOS_APPLICATIONS_H_
#define TACTUS_AX_MACOS_APPLICATIONS_H_

#include <ApplicationServices/ApplicationServices.h>
#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/macos/bounder.h"
#include "ax/macos/calls.h"
#include "ax/macos/ref.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {

inline constexpr absl::Duration kNameAge = absl::Seconds(30);

// Windows that are looked at, front first. Real desktops have some hundred.
inline constexpr int kMostWindows = 4096;

// Processes whose names are kept and whose events are listened to. Beyond any
// desktop; bounds what a hostile window list costs.
inline constexpr size_t kMostProcesses = 256;

class Applications {
 public:
  // All outlive it.
  Applications(Calls* calls, Traffic* traffic, Bounder* bounder, pid_t own_pid)
      : calls_(*calls),
        traffic_(*traffic),
        bounder_(*bounder),
        own_pid_(own_pid) {}

  // AXFocusedApplication of the system-wide element. NotFound where it is
  // this process.
  absl::StatusOr<Application> Focused(absl::Time deadline);

  // Windows on the screen in the layer of normal ones, front to back.
  // FailedPrecondition where there is no session with a display.
  absl::StatusOr<std::vector<Window>> Windows(absl::Time deadline);

  // NotFound where no application runs as `pid`, or accessibility does not know
  // it.
  absl::StatusOr<Application> OfProcess(pid_t pid, absl::Time deadline);

  // The processes that own a window, frontmost first.
  absl::StatusOr<std::vector<pid_t>> Processes(absl::Time deadline);

  pid_t own_pid() const { return own_pid_; }

 private:
  struct Known {
    std::string name;
    absl::Time read;
  };

  absl::StatusOr<std::string> NameOf(pid_t pid, absl::Time deadline);

  Calls& calls_;
  Traffic& traffic_;
  Bounder& bounder_;
  const pid_t own_pid_;
  std::map<pid_t, Known> names_;
};

// The process id of an Application::id of ours; 0 for any other.
pid_t PidOf(const std::string& id);

}  // namespace tactus::ax::macos

#endif  // TACTUS_AX_MACOS_APPLICATIONS_H_
