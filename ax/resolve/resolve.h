// Which application and which element has the focus.
//
// Two routes, tried in this order and never in another: first the system's own
// word on which application has the keyboard, then the list of windows. The
// second knows pids rather than applications, and windows that are in front
// rather than focused, so it answers only where the first cannot. The answer
// says which route it came by, and why the first one did not serve.
//
// Example:
//
//   absl::StatusOr<Target> target = Resolve(server, deadline);
//   if (!target.ok()) return target.status();
//   // target->application.name, RouteName(target->route)
#ifndef TACTUS_AX_RESOLVE_RESOLVE_H_
#define TACTUS_AX_RESOLVE_RESOLVE_H_

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {

enum class Route {
  kSystemWide,
  kWindowList,
  kCache,  // a resident cache knew; the first flight has confirmed it
};

absl::string_view RouteName(Route route);

struct Target {
  Application application;
  // What claims the focus in it, likeliest first; never empty.
  std::vector<Element> candidates;
  Route route = Route::kSystemWide;
  // Ok when the system-wide route served; else why it did not.
  absl::Status system_wide;
  // The window that must still be active for this target to be the focus.
  // Set by the cache; a target found by a route was just found active.
  std::optional<Element> window;
};

// Errors: NotFound when neither route leads to an element with the focus,
// DeadlineExceeded, and what else a server may answer; the message tells both
// routes' reasons. The system-wide route may use half of the time that is left,
// so that one which hangs leaves the other its chance.
absl::StatusOr<Target> Resolve(Server& server, absl::Time deadline);

// By the window-list route alone, for measuring it.
absl::StatusOr<Target> ResolveByWindowList(Server& server, absl::Time deadline);

}  // namespace tactus::ax

#endif  // TACTUS_AX_RESOLVE_RESOLVE_H_
