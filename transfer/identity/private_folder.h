// A folder that holds secrets: nobody but its owner may enter it, and files in
// it are whole or not there.
//
// Use it for what a stranger must neither read nor replace: the device's key,
// the list of pinned peers. A folder or a file that others may use, or that
// belongs to somebody else, is refused with what to do; nothing is mended
// silently, since whoever could read the key may have read it.
//
// Example:
//
//   absl::StatusOr<PrivateFolder> folder =
//       PrivateFolder::Open("/var/lib/tactus");
//   absl::Status made = folder->Create("identity.pem", pem);   // or it exists
//   absl::StatusOr<std::string> pem = folder->Read("identity.pem", 16 << 10);
//
// Names are plain file names, never paths; links are not followed. A file
// appears under its name only after its bytes are on disk (fsync), so that
// power lost at any time leaves the old file or the new one.
#ifndef TACTUS_TRANSFER_IDENTITY_PRIVATE_FOLDER_H_
#define TACTUS_TRANSFER_IDENTITY_PRIVATE_FOLDER_H_

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::transfer {

class PrivateFolder {
 public:
  // Makes the folder, 0700, and what of its parents is missing.
  // PermissionDenied where it is open to others or of another owner;
  // FailedPrecondition where it is no folder. `owner` is whose it and its files
  // must be.
  static absl::StatusOr<PrivateFolder> Open(const std::string& path,
                                            uid_t owner = geteuid());

  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&& other) noexcept;
  ~PrivateFolder();

  const std::string& path() const { return path_; }

  // The whole of a file. NotFound; PermissionDenied as above; DataLoss when it
  // is larger than `most` or no plain file.
  absl::StatusOr<std::string> Read(absl::string_view name, size_t most) const;

  // A new file, 0600. AlreadyExists, and the one that is there is left alone:
  // of two processes that create at once, one does.
  absl::Status Create(absl::string_view name, absl::string_view bytes) const;

  // In the place of what is there, or new; atomic. Hold a lock around reading
  // and replacing, or the change of another process is lost.
  absl::Status Replace(absl::string_view name, absl::string_view bytes) const;

  // One process and thread at a time, while the lock lives. Waits for at most
  // five seconds, which whoever holds it needs only when hung: Unavailable.
  class Lock {
   public:
    Lock(Lock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Lock& operator=(Lock&&) = delete;
    ~Lock();

   private:
    friend class PrivateFolder;
    explicit Lock(int fd) : fd_(fd) {}
    int fd_;
  };
  absl::StatusOr<Lock> Acquire() const;

 private:
  PrivateFolder(std::string path, uid_t owner, int fd)
      : path_(std::move(path)), owner_(owner), fd_(fd) {}

  std::string Where(absl::string_view name) const;
  absl::StatusOr<int> WriteUnnamed(absl::string_view name,
                                   absl::string_view bytes) const;
  absl::Status Sync() const;

  std::string path_;
  uid_t owner_;
  int fd_;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_IDENTITY_PRIVATE_FOLDER_H_
