#include "transfer/files/delivered.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "transfer/files/beneath.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/unique_fd.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer::files {
namespace {

// A key and a root, one after the other: no record needs another one.
constexpr size_t kRecord = 32;

std::string RecordOf(const Hash128& key, const Hash128& root) {
  std::string record(kRecord, '\0');
  std::memcpy(record.data(), key.bytes.data(), 16);
  std::memcpy(&record[16], root.bytes.data(), 16);
  return record;
}

}  // namespace

Hash128 Delivered::KeyOf(absl::string_view peer, absl::string_view folder,
                         absl::string_view path) {
  const absl::string_view nul("\0", 1);
  return HashOf(absl::StrCat(peer, nul, folder, nul, path));
}

absl::Status Delivered::Load(const std::string& file) {
  MutexLock lock(&mutex_);
  UniqueFd fd(open(file.c_str(),
                   O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return ErrnoOf(errno, "cannot open", file);
  struct stat info;
  if (fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError("it is no plain file");
  }
  const off_t whole = info.st_size - info.st_size % off_t{kRecord};
  // A torn record would shift all that follow it.
  if (whole != info.st_size && ftruncate(fd.get(), whole) != 0) {
    return ErrnoOf(errno, "cannot mend", file);
  }
  const off_t most = off_t{kMost} * off_t{kRecord};
  std::string bytes(static_cast<size_t>(std::min(whole, most)), '\0');
  const ssize_t got = pread(fd.get(), bytes.data(), bytes.size(),
                            whole - static_cast<off_t>(bytes.size()));
  if (got < 0) return ErrnoOf(errno, "cannot read", file);
  for (size_t at = 0; at + kRecord <= static_cast<size_t>(got); at += kRecord) {
    Hash128 key;
    Hash128 root;
    std::memcpy(key.bytes.data(), &bytes[at], 16);
    std::memcpy(root.bytes.data(), &bytes[at + 16], 16);
    Put(key, root);
  }
  file_ = file;
  fd_ = std::move(fd);
  written_ = static_cast<size_t>(whole) / kRecord;
  return absl::OkStatus();
}

void Delivered::Put(const Hash128& key, const Hash128& root) {
  const auto [at, fresh] = roots_.insert_or_assign(key, root);
  if (!fresh) return;
  order_.push_back(key);
  if (order_.size() > kMost) {
    roots_.erase(order_.front());
    order_.pop_front();
  }
}

void Delivered::Add(const Hash128& key, const Hash128& root) {
  MutexLock lock(&mutex_);
  Put(key, root);
  if (!fd_.valid()) return;
  // Twice what is kept: begin it anew with that.
  if (written_ >= 2 * kMost && ftruncate(fd_.get(), 0) == 0) {
    std::string all;
    for (const Hash128& one : order_) all += RecordOf(one, roots_[one]);
    written_ = order_.size();
    (void)!write(fd_.get(), all.data(), all.size());
    return;
  }
  const std::string record = RecordOf(key, root);
  (void)!write(fd_.get(), record.data(), record.size());
  ++written_;
}

std::optional<Hash128> Delivered::Find(const Hash128& key) {
  MutexLock lock(&mutex_);
  const auto found = roots_.find(key);
  if (found == roots_.end()) return std::nullopt;
  return found->second;
}

}  // namespace tactus::transfer::files
