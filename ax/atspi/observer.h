// Events of the whole desktop, on a connection of its own.
//
// Applications that speak through ATK send nothing until somebody has
// registered for it; the others send anyway. Matches are narrow (the focus, the
// active window, and text where asked), since the bare interface is a flood.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<EventSource>> events =
//       OpenObserver(address, {.text = false}, &traffic, deadline);
//   absl::StatusOr<Event> event = (*events)->Next(deadline);
#ifndef TACTUS_AX_ATSPI_OBSERVER_H_
#define TACTUS_AX_ATSPI_OBSERVER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/server/server.h"

namespace tactus::ax::atspi {

absl::StatusOr<std::unique_ptr<EventSource>> OpenObserver(
    const std::string& bus_address, const ObserveOptions& options,
    Traffic* traffic, absl::Time deadline);

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_OBSERVER_H_
