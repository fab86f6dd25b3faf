// Finds what claims the focus inside one application.
//
// AT-SPI has no call for that, so how it is done depends on what the toolkit
// offers: a query that the application answers by itself (ATK), a list of what
// is realized (GTK 4), or a walk through what is showing (Qt and the unknown).
// The walk sends what it can at once and goes on from each answer as it comes,
// so it waits as often as the focus lies deep, and not once a call. What was
// found last is asked first whether it has the focus still.
//
// Example:
//
//   absl::StatusOr<std::vector<Element>> found =
//       FindFocused(applications.Route(*app), *app, traffic, deadline);
//
// FindActiveWindow is DeadlineExceeded when nobody says that it is active and
// somebody did not answer.
//
// Errors: NotFound when nothing claims the focus, and those of a flight.
#ifndef TACTUS_AX_ATSPI_FOCUS_SEARCH_H_
#define TACTUS_AX_ATSPI_FOCUS_SEARCH_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/atspi/applications.h"
#include "ax/atspi/bus.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {

absl::StatusOr<std::vector<Element>> FindFocused(Bus& bus, App& app,
                                                 Traffic* traffic,
                                                 absl::Time deadline);

// The first window of any of `apps` that says it is active. All are asked at
// once, and none is waited for when another has said so.
struct ActiveWindow {
  AppPtr app;
  Element window;
};
absl::StatusOr<ActiveWindow> FindActiveWindow(Applications& applications,
                                              absl::Span<const AppPtr> apps,
                                              Traffic* traffic,
                                              absl::Time deadline);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_FOCUS_SEARCH_H_
