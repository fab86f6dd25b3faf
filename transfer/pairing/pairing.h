// Two devices become peers: one shows a code, a person types it on the other,
// and each proves to the other that it has the same one before it is believed
// anything.
//
// Use it on a connection that a transport made for pairing. The host is who
// shows the code and listens, the guest is who was given it and connects.
// docs/protocol.md has the messages, docs/security.md what they are worth.
//
// Example, the guest:
//
//   absl::StatusOr<PairingCode> code = PairingCode::Parse(typed);
//   auto connection = transport.OpenPairing("192.168.1.7:7411", deadline);
//   PairingResult result = PairAsGuest(*connection, *code,
//       {.name = "laptop", .port = 7411}, store, deadline);
//   if (!result.status.ok()) Tell(result.status);
//
// How it goes. Both run CPace on the code, with the digests of both keys and
// the binding of the connection in it: with a wrong code, or somebody in
// between, they have different keys. The guest proves its key first, so that
// who only guesses has spent the offer before anything can be learned from the
// host. Then each tells its name, under the key; the host keeps the guest, says
// so, and the guest keeps the host. So a guest that kept its host was kept by
// it; the other way round the host is told, or says that it does not know
// (`confirmed`).
#ifndef TACTUS_TRANSFER_PAIRING_PAIRING_H_
#define TACTUS_TRANSFER_PAIRING_PAIRING_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "transfer/identity/device_id.h"
#include "transfer/pairing/code.h"
#include "transfer/pairing/connection.h"

namespace tactus::transfer {

// What a device says of itself.
struct PairingSelf {
  std::string name;   // as PinnedPeer::name
  uint16_t port = 0;  // where it listens; 0: it does not
};

// What is known of the peer once it has proved the code.
struct PairingPeer {
  std::string name;  // what it calls itself
  KeyDigest key;
  uint16_t port = 0;
  std::string host;  // as PairingConnection::peer_host

  friend bool operator==(const PairingPeer&, const PairingPeer&) = default;
};

// Where peers are kept; the caller's list.
class PairingStore {
 public:
  virtual ~PairingStore() = default;
  // Whether Keep would succeed, as far as can be told. The error is for this
  // device's person; the peer is told only that it was not kept.
  virtual absl::Status Check(const PairingPeer& peer) = 0;
  virtual absl::Status Keep(const PairingPeer& peer) = 0;
  // Takes back what Keep did: the peer says that it did not keep this device.
  virtual void Drop(const PairingPeer& peer) = 0;
};

struct PairingResult {
  // OK: the peer is kept. PermissionDenied: the codes differ, or somebody is in
  // between. What Check or Keep returned. FailedPrecondition: the peer does not
  // keep this device. Unavailable, DeadlineExceeded, DataLoss, Cancelled: the
  // connection, before anything was kept.
  absl::Status status;
  PairingPeer peer = {};  // where `status` is OK
  // Of the host: the peer's proof has come, right or wrong, and so the code is
  // spent. Nobody can have learned whether a guess is right before that.
  bool code_spent = false;
  // The peer has said that it keeps this device. False with an OK status: the
  // connection was lost before; the peer may not have kept it.
  bool confirmed = false;
};

// Both block until `deadline`. They close the stream's writing side, and leave
// the stream to the caller.
PairingResult PairAsHost(PairingConnection& connection, const PairingCode& code,
                         const PairingSelf& self, PairingStore& store,
                         absl::Time deadline);
PairingResult PairAsGuest(PairingConnection& connection,
                          const PairingCode& code, const PairingSelf& self,
                          PairingStore& store, absl::Time deadline);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_PAIRING_PAIRING_H_
