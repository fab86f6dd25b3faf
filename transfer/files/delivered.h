// What peers have delivered here: which file, and the root of its content.
//
// Use it to let a peer leave out what it sent before. A file that is there is
// compared with what is remembered of it, and only when it is still that is the
// peer told its hashes: what somebody else put there, or changed, is none of
// the peer's business, and hashes of short texts can be guessed.
//
// Example:
//
//   Delivered delivered;
//   delivered.Load("/srv/tactus/delivered");
//   delivered.Add(Delivered::KeyOf(peer, folder, path), root);
//   delivered.Find(key);        // the root, or nothing
//
// It is a memory aid and no truth: what it says is always held against the
// disk, so that a file of it that is old, torn or gone costs bytes and no more.
// It keeps kMost, the newest. Safe to use from any thread.
#ifndef TACTUS_TRANSFER_FILES_DELIVERED_H_
#define TACTUS_TRANSFER_FILES_DELIVERED_H_

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/unique_fd.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer::files {

class Delivered {
 public:
  // 8 MiB of memory, and twice a folder of the size that is measured.
  static constexpr size_t kMost = 100'000;

  static Hash128 KeyOf(absl::string_view peer, absl::string_view folder,
                       absl::string_view path);

  // Keeps it in that file as well, 0600, and reads what is there. Without Load,
  // or when it failed, it is kept in memory alone.
  absl::Status Load(const std::string& file);

  void Add(const Hash128& key, const Hash128& root);
  std::optional<Hash128> Find(const Hash128& key);

 private:
  void Put(const Hash128& key, const Hash128& root)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  std::map<Hash128, Hash128> roots_ ABSL_GUARDED_BY(mutex_);
  std::deque<Hash128> order_ ABSL_GUARDED_BY(mutex_);
  std::string file_ ABSL_GUARDED_BY(mutex_);
  UniqueFd fd_ ABSL_GUARDED_BY(mutex_);
  size_t written_ ABSL_GUARDED_BY(mutex_) = 0;  // records in the file
};

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_DELIVERED_H_
