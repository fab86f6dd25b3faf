// A connection to a message bus of this machine, for those that ask services
// there: notifications, the lock of the screen, Avahi.
//
// Each has one of its own: what a service does not answer holds up nobody else.
//
// Example:
//
//   sd_bus* bus = nullptr;
//   const int r = OpenBus(BusKind::kUser, "", &bus);
//   if (r < 0) return absl::UnavailableError(strerror(-r));
#ifndef TACTUS_TOOLS_TACTUSD_BUS_H_
#define TACTUS_TOOLS_TACTUSD_BUS_H_

#include <systemd/sd-bus.h>

#include <string>

namespace tactus::daemon {

enum class BusKind { kUser, kSystem };

// As sd-bus(3) has it: negative, an errno, where it failed, and `*bus` null
// then. That at `address`, of a test, instead of the one of `kind` where it is
// not empty.
int OpenBus(BusKind kind, const std::string& address, sd_bus** bus);

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_BUS_H_
