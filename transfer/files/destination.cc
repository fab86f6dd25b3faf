#include "transfer/files/destination.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "transfer/files/beneath.h"
#include "transfer/files/frame.h"
#include "transfer/files/path.h"
#include "transfer/files/unique_fd.h"

namespace tactus::transfer::files {
namespace {

constexpr mode_t kOwner = 0700;
constexpr mode_t kAll = 0777;

// umask(2) can only be read by changing it, for all threads.
absl::StatusOr<mode_t> SystemUmask() {
  FILE* status = fopen("/proc/self/status", "re");
  if (status == nullptr) {
    return absl::FailedPreconditionError(
        "the umask cannot be read: /proc is not there");
  }
  char line[256];
  uint64_t mask = 0;
  bool found = false;
  while (!found && fgets(line, sizeof(line), status) != nullptr) {
    absl::string_view text = line;
    if (!absl::ConsumePrefix(&text, "Umask:")) continue;
    for (const char c : text) {
      if (c >= '0' && c <= '7')
        mask = mask * 8 + static_cast<uint64_t>(c - '0');
    }
    found = true;
  }
  fclose(status);
  if (!found) return absl::InternalError("/proc tells no umask");
  return static_cast<mode_t>(mask) & kAll;
}

void Times(FileTime mtime, timespec times[2]) {
  times[0] = {.tv_sec = 0, .tv_nsec = UTIME_OMIT};
  times[1] = {.tv_sec = static_cast<time_t>(mtime.seconds),
              .tv_nsec = static_cast<long>(mtime.nanoseconds)};
}

// A time that the file system cannot say is no reason to lose a file.
absl::Status SetTime(int fd, FileTime mtime, absl::string_view path) {
  timespec times[2];
  Times(mtime, times);
  if (futimens(fd, times) == 0 || errno == EINVAL || errno == EOVERFLOW) {
    return absl::OkStatus();
  }
  return ErrnoOf(errno, "cannot set the time of", path);
}

absl::Status InTheWay(absl::string_view what, absl::string_view path) {
  return absl::FailedPreconditionError(
      absl::StrCat(what, " is in the place of '", absl::Utf8SafeCEscape(path),
                   "': move it away"));
}

}  // namespace

PartialFile::PartialFile(PartialFile&& other) noexcept
    : parent_(std::move(other.parent_)),
      path_(std::move(other.path_)),
      name_(std::move(other.name_)),
      partial_(std::move(other.partial_)),
      fd_(std::move(other.fd_)),
      old_size_(other.old_size_),
      umask_(other.umask_),
      keep_(other.keep_) {}

PartialFile::~PartialFile() {
  if (!fd_.valid()) return;
  struct stat info;
  if (!keep_ || (fstat(fd_.get(), &info) == 0 && info.st_size == 0)) {
    unlinkat(parent_->get(), partial_.c_str(), 0);
  }
}

void PartialFile::Discard() { keep_ = false; }

absl::StatusOr<bool> PartialFile::Commit(uint64_t size, mode_t mode,
                                         FileTime mtime) {
  struct stat there;
  const bool replaces =
      fstatat(parent_->get(), name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0;
  if (replaces && S_ISDIR(there.st_mode)) return InTheWay("a folder", path_);
  mode &= kAll & ~umask_;
  if (replaces && S_ISREG(there.st_mode)) mode &= there.st_mode;
  if (old_size_ > size && ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) {
    return ErrnoOf(errno, "cannot cut", path_);
  }
  struct stat mine;
  if (fstat(fd_.get(), &mine) != 0) return ErrnoOf(errno, "cannot see", path_);
  // A hole at its end was not written.
  if (static_cast<uint64_t>(mine.st_size) != size &&
      ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) {
    return ErrnoOf(errno, "cannot lengthen", path_);
  }
  if (fchmod(fd_.get(), mode) != 0) {
    return ErrnoOf(errno, "cannot set the mode of", path_);
  }
  if (absl::Status set = SetTime(fd_.get(), mtime, path_); !set.ok()) {
    return set;
  }
  if (replaces && fdatasync(fd_.get()) != 0) {
    return ErrnoOf(errno, "cannot write to the disk", path_);
  }
  if (renameat(parent_->get(), partial_.c_str(), parent_->get(),
               name_.c_str()) != 0) {
    return ErrnoOf(errno, "cannot put in its place", path_);
  }
  fd_.Reset();
  return replaces;
}

absl::StatusOr<std::unique_ptr<Destination>> Destination::Open(
    const std::string& folder, const std::string& beneath,
    DestinationOptions options) {
  mode_t mask = static_cast<mode_t>(options.umask);
  if (options.umask < 0) {
    // Once: to have the kernel write all of that file takes as long as a small
    // file does.
    static const absl::StatusOr<mode_t> system = SystemUmask();
    if (!system.ok()) return system.status();
    mask = *system;
  }
  UniqueFd root(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return ErrnoOf(errno, "cannot open the folder", folder);
  std::unique_ptr<Destination> destination(
      new Destination(std::move(root), mask));
  if (beneath.empty()) return destination;
  if (absl::Status good = CheckPath(beneath); !good.ok()) return good;
  for (size_t slash = beneath.find('/');;
       slash = beneath.find('/', slash + 1)) {
    const std::string part = beneath.substr(0, slash);
    absl::Status made = destination->MakeFolder(part, kAll);
    if (!made.ok()) return made;
    if (slash == std::string::npos) break;
  }
  absl::StatusOr<UniqueFd> inner =
      OpenBeneath(destination->root_.get(), beneath, O_RDONLY | O_DIRECTORY, 0);
  if (!inner.ok()) return inner.status();
  destination->root_ = *std::move(inner);
  destination->last_.reset();
  return destination;
}

absl::StatusOr<std::shared_ptr<UniqueFd>> Destination::Parent(
    const std::string& path) {
  if (absl::Status good = CheckPath(path); !good.ok()) return good;
  const std::string folder(FolderOf(path));
  if (last_ != nullptr && folder == last_folder_) return last_;
  absl::StatusOr<UniqueFd> fd = OpenBeneath(
      root_.get(), folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY, 0);
  if (!fd.ok()) return fd.status();
  last_ = std::make_shared<UniqueFd>(*std::move(fd));
  last_folder_ = folder;
  return last_;
}

absl::Status Destination::MakeFolder(const std::string& path, mode_t mode) {
  const auto parent = Parent(path);
  if (!parent.ok()) return parent.status();
  const std::string name(NameOf(path));
  // The kernel takes the umask off.
  if (mkdirat((*parent)->get(), name.c_str(), (mode & kAll) | kOwner) == 0) {
    return absl::OkStatus();
  }
  if (errno != EEXIST) return ErrnoOf(errno, "cannot make the folder", path);
  struct stat there;
  if (fstatat((*parent)->get(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) !=
      0) {
    return ErrnoOf(errno, "cannot see", path);
  }
  if (S_ISDIR(there.st_mode)) return absl::OkStatus();
  return InTheWay(S_ISLNK(there.st_mode) ? "a link" : "a file", path);
}

absl::Status Destination::FinishFolder(const std::string& path, mode_t mode,
                                       FileTime mtime) {
  if (absl::Status good = CheckPath(path); !good.ok()) return good;
  const absl::StatusOr<UniqueFd> fd =
      OpenBeneath(root_.get(), path, O_RDONLY | O_DIRECTORY, 0);
  if (!fd.ok()) return fd.status();
  struct stat there;
  if (fstat(fd->get(), &there) != 0) return ErrnoOf(errno, "cannot see", path);
  const mode_t made = ((mode & kAll) | kOwner) & ~umask_;
  const mode_t wanted = mode & kAll & ~umask_;
  if ((there.st_mode & 07777) == made && wanted != made &&
      fchmod(fd->get(), wanted) != 0) {
    return ErrnoOf(errno, "cannot set the mode of", path);
  }
  return SetTime(fd->get(), mtime, path);
}

absl::StatusOr<bool> Destination::MakeLink(const std::string& path,
                                           const std::string& target,
                                           FileTime mtime) {
  const auto parent = Parent(path);
  if (!parent.ok()) return parent.status();
  if (!StaysInside(path, target)) return false;
  const std::string name(NameOf(path));
  struct stat there;
  if (fstatat((*parent)->get(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) ==
          0 &&
      S_ISDIR(there.st_mode)) {
    return InTheWay("a folder", path);
  }
  const std::string partial = PartialName(TransferId::Random().Hex(), name);
  if (symlinkat(target.c_str(), (*parent)->get(), partial.c_str()) != 0) {
    return ErrnoOf(errno, "cannot make the link", path);
  }
  timespec times[2];
  Times(mtime, times);
  (void)utimensat((*parent)->get(), partial.c_str(), times,
                  AT_SYMLINK_NOFOLLOW);
  if (renameat((*parent)->get(), partial.c_str(), (*parent)->get(),
               name.c_str()) != 0) {
    const int error = errno;
    unlinkat((*parent)->get(), partial.c_str(), 0);
    return ErrnoOf(error, "cannot put in its place", path);
  }
  return true;
}

absl::StatusOr<PartialFile> Destination::OpenPartial(const std::string& path,
                                                     absl::string_view sender,
                                                     bool made) {
  const auto parent = Parent(path);
  if (!parent.ok()) return parent.status();
  PartialFile partial;
  partial.parent_ = *parent;
  partial.path_ = path;
  partial.name_ = std::string(NameOf(path));
  partial.partial_ = PartialName(sender, partial.name_);
  partial.umask_ = umask_;
  int flags = O_RDWR | O_NONBLOCK | (made ? O_CREAT : 0);
  // What else has that name is put out of the way, once or twice.
  for (int i = 0; i < 4; ++i) {
    absl::StatusOr<UniqueFd> fd =
        OpenBeneath((*parent)->get(), partial.partial_, flags, 0600);
    if (!fd.ok()) {
      if (made && absl::IsPermissionDenied(fd.status()) &&
          unlinkat((*parent)->get(), partial.partial_.c_str(), 0) == 0) {
        continue;  // a link, or a file that is not ours to write
      }
      return fd.status();
    }
    struct stat mine;
    struct stat named;
    if (fstat(fd->get(), &mine) != 0) {
      return ErrnoOf(errno, "cannot see", path);
    }
    if (!S_ISREG(mine.st_mode) || mine.st_nlink > 1 ||
        mine.st_uid != geteuid()) {
      if (unlinkat((*parent)->get(), partial.partial_.c_str(), 0) != 0) {
        return ErrnoOf(errno, "cannot put out of the way what is beside", path);
      }
      if (!made) return absl::NotFoundError("there is no unfinished file");
      continue;
    }
    if (flock(fd->get(), LOCK_EX | LOCK_NB) != 0) {
      if (!made) return absl::NotFoundError("another transfer writes it");
      partial.partial_ = PartialName(TransferId::Random().Hex(), partial.name_);
      partial.keep_ = false;
      flags |= O_EXCL;
      continue;
    }
    // Whoever had the lock before may have put it in its place.
    if (fstatat((*parent)->get(), partial.partial_.c_str(), &named,
                AT_SYMLINK_NOFOLLOW) != 0 ||
        named.st_ino != mine.st_ino || named.st_dev != mine.st_dev) {
      continue;
    }
    if ((mine.st_mode & 07777) != 0600 && fchmod(fd->get(), 0600) != 0) {
      return ErrnoOf(errno, "cannot set the mode of", path);
    }
    partial.old_size_ = static_cast<uint64_t>(mine.st_size);
    partial.fd_ = *std::move(fd);
    return partial;
  }
  return absl::AbortedError(
      absl::StrCat("something takes away the unfinished '",
                   absl::Utf8SafeCEscape(path), "'"));
}

absl::StatusOr<UniqueFd> Destination::OpenFile(const std::string& path) {
  const auto parent = Parent(path);
  if (!parent.ok()) return parent.status();
  absl::StatusOr<UniqueFd> fd = OpenBeneath(
      (*parent)->get(), std::string(NameOf(path)), O_RDONLY | O_NONBLOCK, 0);
  if (!fd.ok()) return fd;
  struct stat info;
  if (fstat(fd->get(), &info) != 0) return ErrnoOf(errno, "cannot see", path);
  if (!S_ISREG(info.st_mode)) return absl::NotFoundError("it is no plain file");
  return fd;
}

absl::Status Destination::Adopt(int fd, const std::string& path, mode_t mode,
                                FileTime mtime) {
  struct stat there;
  if (fstat(fd, &there) != 0) return ErrnoOf(errno, "cannot see", path);
  mode &= kAll & ~umask_ & there.st_mode;
  if ((there.st_mode & 07777) != mode && fchmod(fd, mode) != 0) {
    return ErrnoOf(errno, "cannot set the mode of", path);
  }
  return SetTime(fd, mtime, path);
}

bool Destination::Exists(const std::string& path, absl::string_view sender) {
  const auto parent = Parent(path);
  if (!parent.ok()) return false;
  const std::string name(NameOf(path));
  struct stat there;
  return fstatat((*parent)->get(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) ==
             0 ||
         fstatat((*parent)->get(), PartialName(sender, name).c_str(), &there,
                 AT_SYMLINK_NOFOLLOW) == 0;
}

absl::Status Destination::Sync() {
  if (syncfs(root_.get()) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "the disk did not take what was written");
}

std::string Destination::Identity() const {
  struct stat info;
  if (fstat(root_.get(), &info) != 0) return "";
  return absl::StrCat(info.st_dev, ":", info.st_ino);
}

}  // namespace tactus::transfer::files
