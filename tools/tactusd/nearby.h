// Devices on the same network that show a code to pair with: told of, and
// found, by mDNS, where Avahi runs.
//
// Use it so that a person need not type an address. It proves nothing: whoever
// is on the network may say that it is any device, so what is found is only
// where to try, and the code decides (transfer/pairing).
//
// Example, the device that shows a code and the one on which it is typed:
//
//   Avahi avahi;
//   absl::StatusOr<std::unique_ptr<Announcement>> told =
//       avahi.Announce(identity.id(), 7411);
//
//   absl::StatusOr<NearbyDevice> device =
//       avahi.Find(identity.id(), deadline, gone);
//
// What is told: a service _tactus._tcp whose name is the device's id, its port,
// and no text. Avahi adds what it tells of the host in any case, its name and
// addresses.
//
// Avahi is asked over the system's bus (sd-bus), and never started by it: where
// nobody runs it, nobody wanted it. Safe to use from any thread, each call with
// a connection of its own.
#ifndef TACTUS_TOOLS_TACTUSD_NEARBY_H_
#define TACTUS_TOOLS_TACTUSD_NEARBY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "transfer/identity/device_id.h"

namespace tactus::daemon {

// What is told is told until it goes.
class Announcement {
 public:
  virtual ~Announcement() = default;
};

struct NearbyDevice {
  transfer::DeviceId id;  // as it says
  // "HOST:PORT", one of which may do; at least one.
  std::vector<std::string> at;
};

class Nearby {
 public:
  virtual ~Nearby() = default;

  // FailedPrecondition where no Avahi runs; Unavailable where it does not do
  // what it is asked.
  virtual absl::StatusOr<std::unique_ptr<Announcement>> Announce(
      const transfer::DeviceId& id, uint16_t port) = 0;

  // The one device that shows a code, `own` apart. NotFound where there is none
  // by the deadline; FailedPrecondition where no Avahi runs, and where there
  // are several, since each that were tried could guess the code once: the
  // message names them. Cancelled once `gone`, which is asked often, says so.
  virtual absl::StatusOr<NearbyDevice> Find(
      const transfer::DeviceId& own, absl::Time deadline,
      const std::function<bool()>& gone) = 0;
};

class Avahi : public Nearby {
 public:
  // Of answers from Avahi, each.
  static constexpr absl::Duration kPatience = absl::Seconds(5);
  // Devices and addresses that are looked at; a network that tells of more
  // tells lies.
  static constexpr size_t kMost = 16;

  absl::StatusOr<std::unique_ptr<Announcement>> Announce(
      const transfer::DeviceId& id, uint16_t port) override;
  absl::StatusOr<NearbyDevice> Find(const transfer::DeviceId& own,
                                    absl::Time deadline,
                                    const std::function<bool()>& gone) override;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_NEARBY_H_
