#include "tools/tactusd/peers.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ax/sync/mutex.h"
#include "tools/tactusd/stream_router.h"
#include "tools/tactusd/threads.h"
#include "transfer/identity/identity.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/identity/private_folder.h"
#include "transfer/stream/header.h"
#include "transfer/tls/transport.h"

namespace tactus::daemon {

using ax::MutexLock;
using transfer::Identity;
using transfer::PinnedPeer;
using transfer::PinnedPeers;
using transfer::PrivateFolder;
using transfer::TlsTransport;

Peers::Peers(PeersOptions options, PrivateFolder folder, Identity identity)
    : options_(std::move(options)),
      folder_(std::move(folder)),
      identity_(std::move(identity)) {}

Peers::~Peers() { Stop(); }

absl::StatusOr<std::unique_ptr<Peers>> Peers::Open(PeersOptions options) {
  if (options.folder.empty()) {
    return absl::FailedPreconditionError(
        "neither XDG_STATE_HOME nor HOME is set: there is no folder for this "
        "device's key");
  }
  absl::StatusOr<PrivateFolder> folder = PrivateFolder::Open(options.folder);
  if (!folder.ok()) return folder.status();
  absl::StatusOr<Identity> identity = Identity::LoadOrCreate(*folder);
  if (!identity.ok()) return identity.status();
  std::unique_ptr<Peers> peers(
      new Peers(std::move(options), *std::move(folder), *std::move(identity)));
  absl::StatusOr<std::unique_ptr<PinnedPeers>> pinned =
      PinnedPeers::Open(peers->folder_);
  if (!pinned.ok()) return pinned.status();
  peers->pinned_ = *std::move(pinned);
  absl::StatusOr<std::unique_ptr<TlsTransport>> transport =
      TlsTransport::Create(peers->identity_, *peers->pinned_,
                           peers->options_.tls);
  if (!transport.ok()) return transport.status();
  peers->transport_ = *std::move(transport);
  peers->router_ = std::make_unique<StreamRouter>(
      peers->transport_.get(), Threads::OfTheSystem(), peers->options_.log);
  return peers;
}

void Peers::Handle(transfer::StreamKind kind, Handler handler, size_t most) {
  router_->Handle(kind, std::move(handler), most);
}

absl::Status Peers::Start() {
  if (!router_->Start()) {
    return absl::UnavailableError("the system gives no thread");
  }
  const std::vector<PinnedPeer> all = pinned_->List();
  if (all.empty()) return absl::OkStatus();
  if (!options_.listen.empty()) {
    if (const auto where = Listen(); !where.ok()) {
      options_.log(
          absl::StrCat("no peer can connect: ", where.status().message()));
    }
  }
  for (const PinnedPeer& peer : all) {
    if (!peer.addresses.empty()) transport_->KeepWarm(peer.id());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> Peers::Listen() {
  // Held all the while, so that two who ask at once do not both listen.
  MutexLock lock(&mutex_);
  if (!listening_.empty()) return listening_;
  if (options_.listen.empty()) {
    return absl::FailedPreconditionError(
        "the configuration says to listen nowhere (\"listen\": []): no peer "
        "can connect here");
  }
  absl::Status trouble;
  for (const std::string& address : options_.listen) {
    absl::StatusOr<std::string> where = transport_->Listen(address);
    if (where.ok()) {
      listening_.push_back(*std::move(where));
      continue;
    }
    trouble = absl::Status(where.status().code(),
                           absl::StrCat("cannot listen on ", address, ": ",
                                        where.status().message(),
                                        " (\"listen\" in the configuration "
                                        "can name others)"));
    // A machine without IPv6 is none to complain of twice.
    options_.log(std::string(trouble.message()));
  }
  if (listening_.empty()) return trouble;
  options_.log(absl::StrCat("listening on ", absl::StrJoin(listening_, ", ")));
  return listening_;
}

std::vector<std::string> Peers::listening() {
  MutexLock lock(&mutex_);
  return listening_;
}

absl::StatusOr<PinnedPeer> Peers::Forget(absl::string_view name_or_id) {
  absl::StatusOr<PinnedPeer> peer = pinned_->Find(name_or_id);
  if (!peer.ok()) return peer.status();
  // In this order, or it connects anew between the two.
  if (absl::Status removed = pinned_->Remove(peer->id()); !removed.ok()) {
    return removed;
  }
  transport_->Forget(peer->id());
  return peer;
}

void Peers::Stop() {
  if (transport_ == nullptr) return;
  transport_->Shutdown();
  if (router_ != nullptr) router_->Stop();
}

}  // namespace tactus::daemon
