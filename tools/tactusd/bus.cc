#include "tools/tactusd/bus.h"

#include <systemd/sd-bus.h>

#include <string>

namespace tactus::daemon {

int OpenBus(BusKind kind, const std::string& address, sd_bus** bus) {
  *bus = nullptr;
  int r = 0;
  if (address.empty()) {
    r = kind == BusKind::kSystem ? sd_bus_open_system(bus)
                                 : sd_bus_open_user(bus);
  } else {
    r = sd_bus_new(bus);
    if (r >= 0) r = sd_bus_set_address(*bus, address.c_str());
    if (r >= 0) r = sd_bus_set_bus_client(*bus, 1);
    if (r >= 0) r = sd_bus_start(*bus);
    if (r < 0) sd_bus_unref(*bus);
  }
  if (r < 0) *bus = nullptr;
  return r;
}

}  // namespace tactus::daemon
