// The daemon's methods for its peers (docs/control.md): pairing with them,
// listing and forgetting them, and answering what waits for a person.
//
// Example:
//
//   PeerMethods pairing(&peers, &approvals, {.device = "desk"});
//   pairing.Register(methods);
//
// One offer to pair is open at a time: the transport lets one stranger in at a
// time, and a person reads one code.
#ifndef TACTUS_TOOLS_TACTUSD_PEER_METHODS_H_
#define TACTUS_TOOLS_TACTUSD_PEER_METHODS_H_

#include <atomic>
#include <boost/json/fwd.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/config/config.h"
#include "tools/tactusd/approvals.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/nearby.h"
#include "tools/tactusd/peers.h"
#include "tools/tactusd/threads.h"
#include "transfer/pairing/connection.h"

namespace tactus::daemon {

// What other devices call this one: the host's name, as far as it can be one.
std::string DeviceName(absl::string_view host);

// Where other devices reach what listens at `listening`: an address that stands
// for all is replaced by those that this machine has. "HOST:PORT" each.
std::vector<std::string> ReachableAt(const std::vector<std::string>& listening);

struct PeerMethodsOptions {
  std::string device;  // this one's name
  const config::Config* config = nullptr;
  // Null: offers are told of nowhere, and devices are not found.
  Nearby* nearby = nullptr;
  std::function<void(const std::string&)> log;
};

class PeerMethods {
 public:
  // An offer that nobody takes up: the person has to walk over to the other
  // device, and whoever overhears the code has no longer.
  static constexpr absl::Duration kOffer = absl::Minutes(5);
  static constexpr absl::Duration kLongestOffer = absl::Minutes(15);
  // Of the side that types the code.
  static constexpr absl::Duration kPair = absl::Seconds(20);
  // For a device nearby to be heard of: what tells of it asks first whether its
  // name is free, which takes a second.
  static constexpr absl::Duration kFind = absl::Seconds(5);
  // Connections that are being opened to pair, those of cancelled requests
  // included, each of which ends within the ten seconds that it is given.
  static constexpr size_t kMostOpenings = 4;

  // All must outlive it, and it the dispatcher. It is destroyed after
  // Peers::Stop, or waits for what is connecting.
  PeerMethods(Peers* peers, Approvals* approvals, PeerMethodsOptions options);

  void Register(Methods& methods);

 private:
  Reply Offer(const boost::json::object& given, Session& session);
  Reply Pair(const boost::json::object& given, Session& session);
  // Null where it is told of nowhere.
  std::unique_ptr<Announcement> Announce(
      const std::vector<std::string>& listening);
  // Where the device that shows a code may be, without its being named.
  absl::StatusOr<NearbyDevice> Find(absl::Time deadline, Session& session);
  // Cancelled as soon as the session is; what connects goes on by itself.
  absl::StatusOr<transfer::PairingConnection> Connect(const std::string& at,
                                                      absl::Time deadline,
                                                      Session& session);
  Reply Forget(const boost::json::object& given);
  Reply Approve(const boost::json::object& given);
  std::string Device() const;
  std::string List() const;
  std::string Waiting() const;

  Peers& peers_;
  Approvals& approvals_;
  const PeerMethodsOptions options_;
  std::atomic<bool> offering_ = false;
  // The last, so that what runs there has ended before all else goes.
  Threads openings_;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_PEER_METHODS_H_
