// The devices that this one is paired with, as the daemon has them: its key,
// the list of theirs, and the transport to them.
//
// Use it to serve the streams that peers open (Handle), and to open streams to
// them (transport). What a peer may do is not decided here: whoever serves a
// stream asks the configuration and the person.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<Peers>> peers =
//       Peers::Open({.folder = StateFolder(), .log = Log});
//   (*peers)->Handle(transfer::StreamKind::kFile, [&](auto stream) { ... });
//   (*peers)->Start();
//   absl::StatusOr<transfer::PinnedPeer> laptop =
//       (*peers)->pinned().Find("laptop");
//   (*peers)->transport().Open(laptop->id(), {...}, deadline);
//   (*peers)->Stop();
//
// It listens once there is somebody to listen to: at Start where a device is
// paired, and from the first offer to pair on; until then no port is open.
// Deadlines are on transfer::Clock. Safe to call from any thread.
#ifndef TACTUS_TOOLS_TACTUSD_PEERS_H_
#define TACTUS_TOOLS_TACTUSD_PEERS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ax/sync/mutex.h"
#include "tools/tactusd/stream_router.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/identity.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/identity/private_folder.h"
#include "transfer/stream/header.h"
#include "transfer/tls/transport.h"

namespace tactus::daemon {

struct PeersOptions {
  std::string folder;  // made where it is not there
  // "HOST:PORT" each; none: never listens.
  std::vector<std::string> listen = {"[::]:7411", "0.0.0.0:7411"};
  transfer::TlsOptions tls = {};
  std::function<void(const std::string&)> log;
};

class Peers {
 public:
  using Handler = StreamRouter::Handler;

  // Makes the device's key where there is none. FailedPrecondition where
  // `folder` is empty; otherwise what PrivateFolder, Identity and PinnedPeers
  // say, with what to do.
  static absl::StatusOr<std::unique_ptr<Peers>> Open(PeersOptions options);
  ~Peers();

  // Who serves the streams of a kind that peers open; see StreamRouter. Before
  // Start, once a kind.
  void Handle(transfer::StreamKind kind, Handler handler,
              size_t most = StreamRouter::kMostOfAPeer);

  // From now on streams are taken, those who are paired are kept warm, and,
  // where somebody is, it listens. That it cannot listen is logged, and no
  // failure: it can still open streams.
  absl::Status Start();

  // Listens, where it does not yet, and says where. FailedPrecondition where
  // the configuration says nowhere; the system's error where no address can be
  // had.
  absl::StatusOr<std::vector<std::string>> Listen();
  // Empty: it does not listen.
  std::vector<std::string> listening();

  // Takes the peer off the list and then its connections, streams and tickets.
  // By its name or its id. NotFound says which peers there are.
  absl::StatusOr<transfer::PinnedPeer> Forget(absl::string_view name_or_id);

  const transfer::Identity& identity() const { return identity_; }
  transfer::PinnedPeers& pinned() { return *pinned_; }
  transfer::TlsTransport& transport() { return *transport_; }

  // Cancels every stream, and returns when all handlers have. Nothing comes
  // after it.
  void Stop();

 private:
  Peers(PeersOptions options, transfer::PrivateFolder folder,
        transfer::Identity identity);

  const PeersOptions options_;
  const transfer::PrivateFolder folder_;
  const transfer::Identity identity_;
  std::unique_ptr<transfer::PinnedPeers> pinned_;
  std::unique_ptr<transfer::TlsTransport> transport_;
  std::unique_ptr<StreamRouter> router_;
  ax::Mutex mutex_;
  std::vector<std::string> listening_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_PEERS_H_
