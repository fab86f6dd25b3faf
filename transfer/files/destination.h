// The folder that a transfer is received into, and nothing outside of it.
//
// Use it for all that a receiver does to a disk. Every path goes through
// CheckPath (path.h) and is opened by OpenBeneath (beneath.h) alone.
//
// Example:
//
//   auto destination = Destination::Open("/srv/Inbox", "holiday", {});
//   auto partial = (*destination)->OpenPartial("photos/1.jpg", "ann's phone");
//   pwrite(partial->fd(), ...);
//   absl::StatusOr<bool> replaced = partial->Commit(size, 0644, mtime);
//
// What is promised of files:
//
//   whole     a file is written beside its place under a name of its own
//             (PartialName), 0600, and renamed into its place when it is whole;
//             whoever opens it sees the old one or the new one
//   modes     as the sender's, less the umask, less what a file in its place
//             did not grant; never set-user-id, set-group-id or sticky
//   replaced  a file or a link in its place is replaced, as scp and rsync do,
//             and it is said that it was; a folder never is
//   on disk   a file that takes another's place is there (fdatasync) before it
//             does; all the rest after Sync. Without Sync a power cut may leave
//             new files that are empty
//   links     relative, leading inside (StaysInside); never followed
//
// Not thread-safe.
#ifndef TACTUS_TRANSFER_FILES_DESTINATION_H_
#define TACTUS_TRANSFER_FILES_DESTINATION_H_

#include <sys/stat.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "transfer/files/unique_fd.h"

namespace tactus::transfer::files {

struct FileTime {
  int64_t seconds = 0;
  uint32_t nanoseconds = 0;
};

// A file that is not whole yet. Locked, so that one transfer writes it. When it
// goes without Commit it stays for a later try, if it holds anything.
class PartialFile {
 public:
  PartialFile(PartialFile&&) noexcept;
  PartialFile& operator=(PartialFile&&) = delete;
  ~PartialFile();

  int fd() const { return fd_.get(); }
  // Its size when it was opened: what an earlier try left.
  uint64_t old_size() const { return old_size_; }

  // Cuts it to `size` and puts it in its place. Says whether a file was
  // replaced.
  absl::StatusOr<bool> Commit(uint64_t size, mode_t mode, FileTime mtime);
  // It is not to stay.
  void Discard();

 private:
  friend class Destination;
  PartialFile() = default;

  std::shared_ptr<UniqueFd> parent_;
  std::string path_;     // for messages
  std::string name_;     // what it is to be called
  std::string partial_;  // what it is called
  UniqueFd fd_;
  uint64_t old_size_ = 0;
  mode_t umask_ = 0;
  bool keep_ = true;
};

struct DestinationOptions {
  // What files do not get; -1 asks the system, which has it for new files.
  int umask = -1;
};

class Destination {
 public:
  // `folder` is this device's own choice, and exists. `beneath` is the peer's,
  // empty or a path; what of it is missing is made.
  static absl::StatusOr<std::unique_ptr<Destination>> Open(
      const std::string& folder, const std::string& beneath,
      DestinationOptions options = {});

  // Makes it, or finds that it is there. A new one has the mode at once, and
  // its owner's access on top. FailedPrecondition when a file is in its place.
  absl::Status MakeFolder(const std::string& path, mode_t mode);
  // Nothing comes into it any more. The owner's access that the sender's folder
  // did not have is taken from one that MakeFolder made; otherwise the mode of
  // a folder is left as it is.
  absl::Status FinishFolder(const std::string& path, mode_t mode,
                            FileTime mtime);
  // False where the link would lead outside: nothing was made.
  absl::StatusOr<bool> MakeLink(const std::string& path,
                                const std::string& target, FileTime mtime);

  // `sender` is part of the name, so that a sender finds what it sent itself.
  // NotFound where there is none and it is not to be `made`. Of one that
  // another transfer has locked a second one is made, which does not stay.
  absl::StatusOr<PartialFile> OpenPartial(const std::string& path,
                                          absl::string_view sender,
                                          bool made = true);

  // A plain file that is there, to be read.
  absl::StatusOr<UniqueFd> OpenFile(const std::string& path);
  // Sets what Commit would, of a file that already holds what it should.
  absl::Status Adopt(int fd, const std::string& path, mode_t mode,
                     FileTime mtime);

  // Whether there is something at `path`, or an unfinished file for it.
  bool Exists(const std::string& path, absl::string_view sender);

  // What was written is on the disk when it returns; takes as long as the disk.
  absl::Status Sync();

  // Names this folder, whatever path it was opened by.
  std::string Identity() const;

 private:
  Destination(UniqueFd root, mode_t umask)
      : root_(std::move(root)), umask_(umask) {}

  absl::StatusOr<std::shared_ptr<UniqueFd>> Parent(const std::string& path);

  UniqueFd root_;
  const mode_t umask_;
  // Files of one folder come one after the other.
  std::string last_folder_;
  std::shared_ptr<UniqueFd> last_;
};

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_DESTINATION_H_
