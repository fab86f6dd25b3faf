// The daemon's desk on a real desktop: AT-SPI, the focus cache, X11.
//
// Three connections to accessibility: reads and edits each have one, so that
// neither waits for the other, and the focus cache follows events on its own.
//
// Example:
//
//   Link link(AtspiLink(config, Log));
#ifndef TACTUS_TOOLS_TACTUSD_ATSPI_DESK_H_
#define TACTUS_TOOLS_TACTUSD_ATSPI_DESK_H_

#include "tools/config/config.h"
#include "tools/tactusd/link.h"
#include "tools/tactusd/text_service.h"

namespace tactus::daemon {

LinkOptions AtspiLink(const config::Config& config, const Log& log);

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_ATSPI_DESK_H_
