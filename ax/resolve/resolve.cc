#include "ax/resolve/resolve.h"

#include <sys/types.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// Windows that claim the keyboard at once, and are asked about.
constexpr size_t kMaxActive = 4;

absl::StatusOr<Application> ApplicationByWindowList(Server& server,
                                                    absl::Time deadline) {
  absl::StatusOr<std::vector<Window>> windows = server.WindowList(deadline);
  if (!windows.ok()) return windows.status();
  // The windows that say they have the keyboard, else the frontmost that names
  // a process. Never our own: a process that asks itself waits for itself.
  std::vector<pid_t> pids;
  pid_t front = 0;
  for (const Window& window : *windows) {
    if (window.pid <= 0 || window.pid == getpid()) continue;
    if (front == 0) front = window.pid;
    if (window.active && pids.size() < kMaxActive) pids.push_back(window.pid);
  }
  if (pids.empty() && front != 0) pids.push_back(front);
  // Where several claim the keyboard, one that accessibility does not know
  // leaves the next its chance. Where one does, its word stands: the frontmost
  // of the others would be a field that nobody types into.
  absl::StatusOr<Application> application =
      absl::NotFoundError("no window in the list names its process");
  for (pid_t pid : pids) {
    application = server.ApplicationOfProcess(pid, deadline);
    if (!absl::IsNotFound(application.status())) break;
  }
  return application;
}

absl::StatusOr<Target> Finish(Server& server, Application application,
                              Route route, absl::Status system_wide,
                              absl::Time deadline) {
  absl::StatusOr<std::vector<Element>> elements =
      server.FocusedElements(application, deadline);
  if (!elements.ok()) return elements.status();
  if (elements->empty()) {
    return absl::NotFoundError(
        absl::StrCat("nothing in ", application.name, " has the focus"));
  }
  Target target;
  target.application = std::move(application);
  target.candidates = *std::move(elements);
  target.route = route;
  target.system_wide = std::move(system_wide);
  return target;
}

}  // namespace

absl::string_view RouteName(Route route) {
  switch (route) {
    case Route::kSystemWide:
      return "system-wide";
    case Route::kWindowList:
      return "window-list";
    case Route::kCache:
      return "cache";
  }
  return "unknown";
}

absl::StatusOr<Target> ResolveByWindowList(Server& server,
                                           absl::Time deadline) {
  absl::StatusOr<Application> application =
      ApplicationByWindowList(server, deadline);
  if (!application.ok()) return application.status();
  return Finish(server, *std::move(application), Route::kWindowList,
                absl::OkStatus(), deadline);
}

absl::StatusOr<Target> Resolve(Server& server, absl::Time deadline) {
  const absl::Time now = server.clock().Now();
  absl::StatusOr<Application> application =
      server.FocusedApplication(now + (deadline - now) / 2);
  if (application.ok()) {
    return Finish(server, *std::move(application), Route::kSystemWide,
                  absl::OkStatus(), deadline);
  }
  absl::StatusOr<Application> listed =
      ApplicationByWindowList(server, deadline);
  if (!listed.ok()) {
    // Where there is no window list to ask, the first route's reason is the
    // reason.
    const bool no_list = absl::IsUnimplemented(listed.status()) ||
                         absl::IsFailedPrecondition(listed.status());
    return absl::Status(
        no_list ? application.status().code() : listed.status().code(),
        absl::StrCat("system-wide route: ", application.status().message(),
                     "; window-list route: ", listed.status().message()));
  }
  return Finish(server, *std::move(listed), Route::kWindowList,
                application.status(), deadline);
}

}  // namespace tactus::ax
