// Streams over TLS 1.3 and TCP, each a connection of its own from a warm pool.
//
// Use it as the Transport of a daemon: it listens, keeps connections to peers
// open before anybody needs them, finds peers again after the network was gone,
// and lets nobody in whose key is not pinned.
//
// Example:
//
//   auto transport = TlsTransport::Create(identity, peers, {});
//   absl::StatusOr<std::string> where = (*transport)->Listen("0.0.0.0:7411");
//   auto stream = (*transport)->Open(peer, {.kind = StreamKind::kFile},
//   deadline);
//
// How it works. One thread of its own accepts, connects, shakes hands and
// watches what is idle; it never touches a stream that was handed out, whose
// bytes go between the socket and the caller's thread. Opening a stream takes a
// warm connection, which wakes no thread, and another is made in its place. A
// connection is warm when the peer has said that it lets this device in.
//
// A warm connection is asked every `probe` whether the peer answers, and is
// given up when it does not within `patience`: that is how soon a dead peer, or
// a network that swallows everything, is noticed (25 s as the options stand). A
// stream in use notices a machine that acknowledges nothing within twice that;
// a peer that lives and does not read is waited for until the caller's
// deadline. After this machine slept all that was warm is given up.
//
// Addresses are read from PinnedPeers at each attempt: a changed one is used
// from then on. All addresses of a peer are tried, a quarter of a second apart
// (RFC 8305); who proves the pinned key first is taken.
#ifndef TACTUS_TRANSFER_TLS_TRANSPORT_H_
#define TACTUS_TRANSFER_TLS_TRANSPORT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/identity.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/pairing/connection.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"
#include "transfer/tls/backoff.h"
#include "transfer/tls/socket.h"

namespace tactus::transfer {

struct TlsOptions {
  // Connections to each peer that are open before they are needed: one for what
  // comes next and one for what comes with it. 0 keeps none.
  size_t warm = 2;
  // For connecting, for a handshake, and for a header once it has begun. Slow
  // strangers are gone after it.
  absl::Duration patience = absl::Seconds(5);
  // How connections are probed, by this and by the kernel.
  SocketOptions socket = {};
  BackoffOptions backoff = {};
  // Handshakes at a time; one more ends the oldest, so that strangers who
  // dawdle lock nobody out.
  size_t most_handshakes = 64;
  // Warm connections that a peer may hold here; one more ends its oldest.
  size_t most_idle = 16;
  // Streams that a peer opened and that are in use; one more is refused.
  size_t most_streams = 256;
  // Streams that nobody has accepted yet; one more is refused.
  size_t most_waiting = 64;
  // From 0 to below 1; null is the system's randomness.
  std::function<double()> random = nullptr;
  // How long this machine has slept since it was started; null asks the kernel.
  std::function<absl::Duration()> slept = nullptr;
};

// How it stands with one peer.
struct TlsPeerStatus {
  DeviceId id;
  size_t warm = 0;     // connections that are open and idle
  size_t streams = 0;  // in use, either side's
  std::string path;    // the address that answered last; empty: none yet
  absl::Duration round_trip = absl::ZeroDuration();  // zero: not measured
  absl::Status trouble;  // why it could not be reached last, or OK
};

class TlsTransport : public Transport {
 public:
  // `peers` must outlive this. Unavailable when the system gives no thread.
  static absl::StatusOr<std::unique_ptr<TlsTransport>> Create(
      const Identity& identity, const PinnedPeers& peers, TlsOptions options);
  ~TlsTransport() override;

  // Accepts connections at "HOST:PORT" from now on, and says where that is when
  // the port was 0. HOST is a number. May be called several times.
  absl::StatusOr<std::string> Listen(const std::string& address);

  // Keeps connections to a peer warm from now on, as Open does.
  void KeepWarm(const DeviceId& peer);

  // What is warm may be dead: give it up and connect anew, at once. To be
  // called when addresses of this machine have changed.
  void NetworkChanged();

  // Of each peer that was opened to or that has streams here.
  std::vector<TlsPeerStatus> PeerStatus() const;

  // Handshakes that were refused or given up, since the start: strangers.
  size_t refused() const;

  // Whether strangers may connect to pair. At most one does at a time.
  void AllowPairing(bool allow);
  absl::StatusOr<PairingConnection> AcceptPairing(absl::Time deadline);
  absl::StatusOr<PairingConnection> OpenPairing(const std::string& address,
                                                absl::Time deadline);

  absl::StatusOr<std::unique_ptr<Stream>> Open(const DeviceId& peer,
                                               const StreamHeader& header,
                                               absl::Time deadline) override;
  absl::StatusOr<std::unique_ptr<Stream>> Accept(absl::Time deadline) override;
  void Forget(const DeviceId& peer) override;
  void Shutdown() override;

 private:
  class Engine;
  explicit TlsTransport(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_TLS_TRANSPORT_H_
