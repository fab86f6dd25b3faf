// What is on the desktop: the applications that accessibility knows, and the
// windows of those that it does not.
//
// Example:
//
//   absl::StatusOr<Apps> apps = ListApps(
//       *server,
//       [&](const ax::Application& app, absl::Time deadline) {
//         return server->OpenSocket(app, deadline);
//       },
//       "/proc", absl::Milliseconds(500));
#ifndef TACTUS_TOOLS_TACTUS_APPS_H_
#define TACTUS_TOOLS_TACTUS_APPS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::cli {

struct App {
  // Without a name and a toolkit where it does not answer.
  ax::Application application;
  std::string process;  // the short name of its process; may be empty
  bool answers = false;
  bool focused = false;     // it has the keyboard
  bool own_socket = false;  // it is read over a socket of its own
  // What works there, in words. Empty where it does not answer.
  std::string reading;
  std::string editing;
};

// A window whose process accessibility does not know: nothing in it can be
// read.
struct UnknownWindow {
  ax::Window window;
  std::string process;
};

struct Apps {
  std::vector<App> apps;  // by name, then by process id
  std::vector<UnknownWindow> unknown;
  // Why it is not known which one has the focus; OK where it is.
  absl::Status focus;
  // Why there is no list of windows; OK where there is.
  absl::Status windows;
};

// Errors: those of Server::Applications. `patience` is what an application may
// take to answer. All are asked at once, so one that hangs costs that time
// once.
absl::StatusOr<Apps> ListApps(
    ax::Server& server,
    absl::FunctionRef<bool(const ax::Application&, absl::Time)> open_socket,
    const std::string& proc, absl::Duration patience);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_APPS_H_
