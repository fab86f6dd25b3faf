// The devices that this one is paired with: their names, the keys that they
// must prove, where they were found, what they may do.
//
// Use it to decide who may connect, and to show and change that list. It is one
// JSON file, which other processes may change too: each change reads it anew
// under a lock and replaces it whole. A list that does not parse is refused and
// left alone, since an empty one would look like "nobody is paired".
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<PinnedPeers>> peers =
//       PinnedPeers::Open(folder);
//   (*peers)->Add({.name = "laptop", .key = digest});
//   std::optional<PinnedPeer> peer = (*peers)->FindByKey(presented);
//
// Everything that a peer may do is denied until it is granted by name; what
// names there are is decided by whoever asks for them. Safe to call from any
// thread.
#ifndef TACTUS_TRANSFER_IDENTITY_PINNED_PEERS_H_
#define TACTUS_TRANSFER_IDENTITY_PINNED_PEERS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/private_folder.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer {

struct PinnedPeer {
  // One to 64 of A-Z a-z 0-9 . _ -, and no dash first: it is typed in commands.
  std::string name;
  // What the peer must prove to hold, at every handshake.
  KeyDigest key;
  // "HOST:PORT", the one tried first in front; at most 8.
  std::vector<std::string> addresses = {};
  // The names of what it may do; at most 64.
  std::set<std::string> granted = {};

  DeviceId id() const { return DeviceId(key); }
};

class PinnedPeers {
 public:
  static constexpr absl::string_view kFileName = "peers.json";
  // A person's devices, and to spare; it bounds the file that is parsed.
  static constexpr size_t kMost = 256;

  // DataLoss with what to do when the file does not parse. `folder` must
  // outlive this.
  static absl::StatusOr<std::unique_ptr<PinnedPeers>> Open(
      const PrivateFolder& folder);

  // Reads the file again, which another process may have changed. On an error
  // the list stays what it was.
  absl::Status Reload();

  // In the order of their names.
  std::vector<PinnedPeer> List() const;
  std::optional<PinnedPeer> FindByKey(const KeyDigest& key) const;
  std::optional<PinnedPeer> FindById(const DeviceId& id) const;
  // By its name or its id, as people type either. NotFound says which peers
  // there are.
  absl::StatusOr<PinnedPeer> Find(absl::string_view name_or_id) const;

  // AlreadyExists, with what to do, for a name or a key that is there: a key
  // that changed is never taken in silence. InvalidArgument for a bad name.
  absl::Status Add(const PinnedPeer& peer);

  // NotFound when it is not there, as for the next two.
  absl::Status Remove(const DeviceId& id);
  absl::Status SetAddresses(const DeviceId& id,
                            const std::vector<std::string>& addresses);
  absl::Status Grant(const DeviceId& id, const std::string& permission,
                     bool granted);

 private:
  explicit PinnedPeers(const PrivateFolder* folder) : folder_(*folder) {}

  absl::StatusOr<std::vector<PinnedPeer>> ReadFile() const;
  absl::Status Change(
      absl::FunctionRef<absl::Status(std::vector<PinnedPeer>&)> change);

  const PrivateFolder& folder_;
  mutable Mutex mutex_;
  std::vector<PinnedPeer> peers_ ABSL_GUARDED_BY(mutex_);
};

// Whether `presented` is the key of `peer`. Otherwise PermissionDenied, with
// what its owner can do about it.
absl::Status CheckPin(const PinnedPeer& peer, const KeyDigest& presented);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_IDENTITY_PINNED_PEERS_H_
