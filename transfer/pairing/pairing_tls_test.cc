// Over TLS and loopback, where keys and bindings are real.

#include <stdlib.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "transfer/clock/clock.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/identity.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/identity/private_folder.h"
#include "transfer/pairing/code.h"
#include "transfer/pairing/connection.h"
#include "transfer/pairing/offer.h"
#include "transfer/pairing/pairing.h"
#include "transfer/stream/stream.h"
#include "transfer/tls/transport.h"

namespace tactus::transfer {
namespace {

absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(60); }

struct Device : public PairingStore {
  Device()
      : folder(*PrivateFolder::Open(NewPath())),
        identity(*Identity::LoadOrCreate(folder)),
        peers(*PinnedPeers::Open(folder)),
        transport(*TlsTransport::Create(identity, *peers, {.warm = 0})),
        address(*transport->Listen("127.0.0.1:0")) {
    transport->AllowPairing(true);
  }
  static std::string NewPath() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/device.XXXXXX");
    return absl::StrCat(mkdtemp(pattern.data()), "/state");
  }

  uint16_t port() const {
    return static_cast<uint16_t>(
        std::stoi(address.substr(address.rfind(':') + 1)));
  }

  // Store:
  absl::Status Check(const PairingPeer& peer) override {
    return absl::OkStatus();
  }
  absl::Status Keep(const PairingPeer& peer) override {
    return peers->Add({.name = peer.name,
                       .key = peer.key,
                       .addresses = {absl::StrCat(peer.host, ":", peer.port)}});
  }
  void Drop(const PairingPeer& peer) override {
    (void)peers->Remove(DeviceId(peer.key));
  }

  PairingResult Offer(const PairingCode& code) {
    return ServeOffer(
        code, {.name = "desk", .port = port()}, *this,
        [this](absl::Time until) { return transport->AcceptPairing(until); },
        Clock::Real(), {.deadline = Soon()});
  }
  PairingResult PairAt(const std::string& where, const PairingCode& code) {
    absl::StatusOr<PairingConnection> connection =
        transport->OpenPairing(where, Soon());
    if (!connection.ok()) {
      PairingResult failed;
      failed.status = connection.status();
      return failed;
    }
    return PairAsGuest(*connection, code, {.name = "laptop", .port = port()},
                       *this, Soon());
  }

  PrivateFolder folder;
  Identity identity;
  std::unique_ptr<PinnedPeers> peers;
  std::unique_ptr<TlsTransport> transport;
  std::string address;
};

TEST(PairingOverTls, PairedDevicesOpenStreamsToEachOtherBothWays) {
  Device desk;
  Device laptop;
  const PairingCode code = *PairingCode::Parse("417-maple-otter");
  PairingResult host;
  std::thread offering([&] { host = desk.Offer(code); });
  const PairingResult guest = laptop.PairAt(desk.address, code);
  offering.join();
  ASSERT_TRUE(host.status.ok()) << host.status;
  ASSERT_TRUE(guest.status.ok()) << guest.status;
  EXPECT_TRUE(host.confirmed);
  EXPECT_EQ(host.peer.name, "laptop");
  EXPECT_EQ(host.peer.key, laptop.identity.digest());
  EXPECT_EQ(host.peer.host, "127.0.0.1");
  EXPECT_EQ(host.peer.port, laptop.port());
  EXPECT_EQ(guest.peer.key, desk.identity.digest());

  for (Device* from : {&desk, &laptop}) {
    Device& to = from == &desk ? laptop : desk;
    auto stream = from->transport->Open(to.identity.id(), {}, Soon());
    ASSERT_TRUE(stream.ok()) << stream.status();
    ASSERT_TRUE((*stream)->Write("hello", Soon()).ok());
    auto accepted = to.transport->Accept(Soon());
    ASSERT_TRUE(accepted.ok()) << accepted.status();
    EXPECT_EQ((*accepted)->peer(), from->identity.id());
  }
}

// Bytes that come on one go out on the other, until an end.
void PassOn(Stream& from, Stream& to) {
  char part[1024];
  while (true) {
    const absl::StatusOr<size_t> n = from.Read(absl::MakeSpan(part), Soon());
    if (!n.ok() || *n == 0) break;
    if (!to.Write({part, *n}, Soon()).ok()) break;
  }
  (void)to.CloseWrite(Soon());
}

TEST(PairingOverTls, MachineInTheMiddleThatPassesAllOnPairsWithNobody) {
  Device desk;
  Device laptop;
  Device middle;
  const PairingCode code = *PairingCode::Parse("417-maple-otter");
  PairingResult host;
  std::thread offering([&] { host = desk.Offer(code); });
  std::thread between([&] {
    auto guest_end = middle.transport->AcceptPairing(Soon());
    auto host_end = middle.transport->OpenPairing(desk.address, Soon());
    ASSERT_TRUE(guest_end.ok() && host_end.ok());
    std::thread back([&] { PassOn(*host_end->stream, *guest_end->stream); });
    PassOn(*guest_end->stream, *host_end->stream);
    back.join();
  });
  const PairingResult guest = laptop.PairAt(middle.address, code);
  offering.join();
  between.join();
  EXPECT_TRUE(absl::IsPermissionDenied(host.status)) << host.status;
  EXPECT_TRUE(host.code_spent);
  EXPECT_TRUE(absl::IsPermissionDenied(guest.status)) << guest.status;
  EXPECT_TRUE(desk.peers->List().empty());
  EXPECT_TRUE(laptop.peers->List().empty());
}

}  // namespace
}  // namespace tactus::transfer
