#include "transfer/identity/private_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace tactus::transfer {
namespace {

absl::Status Failed(absl::string_view what, const std::string& where) {
  const int error = errno;
  return absl::ErrnoToStatus(error, absl::StrCat("cannot ", what, " ", where));
}

// Whether nobody but `owner` may use what `info` is of.
absl::Status CheckPrivate(const struct stat& info, uid_t owner,
                          const std::string& where, absl::string_view mode) {
  if (info.st_uid != owner) {
    return absl::PermissionDeniedError(absl::StrCat(
        where, " belongs to user ", info.st_uid, " and not to ", owner,
        ": whoever owns it could replace it. Run as that user, or name a "
        "folder of your own"));
  }
  if ((info.st_mode & 077) != 0) {
    char octal[8];
    std::snprintf(octal, sizeof(octal), "%04o", info.st_mode & 07777u);
    return absl::PermissionDeniedError(absl::StrCat(
        where, " is open to other users (mode ", octal,
        "), so they may have read what is in it. If nobody else uses this "
        "machine: chmod ",
        mode, " ", where, ". If somebody does: remove it, and pair anew"));
  }
  return absl::OkStatus();
}

absl::Status MakeFolders(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      return Failed("make the folder", part);
    }
    if (slash == std::string::npos) return absl::OkStatus();
  }
}

bool IsPlainName(absl::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find('/') == absl::string_view::npos &&
         name.find('\0') == absl::string_view::npos;
}

}  // namespace

absl::StatusOr<PrivateFolder> PrivateFolder::Open(const std::string& path,
                                                  uid_t owner) {
  if (path.empty() || path[0] != '/') {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "' is no absolute path of a folder"));
  }
  if (absl::Status made = MakeFolders(path); !made.ok()) return made;
  const int fd =
      open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ENOTDIR || errno == ELOOP) {
      return absl::FailedPreconditionError(absl::StrCat(
          path, " is no folder, or a link to one: name the folder itself"));
    }
    return Failed("open the folder", path);
  }
  PrivateFolder folder(path, owner, fd);
  struct stat info;
  if (fstat(fd, &info) != 0) return Failed("look at", path);
  if (absl::Status is = CheckPrivate(info, owner, path, "0700"); !is.ok())
    return is;
  return folder;
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::move(other.path_)),
      owner_(other.owner_),
      fd_(std::exchange(other.fd_, -1)) {}

PrivateFolder& PrivateFolder::operator=(PrivateFolder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(owner_, other.owner_);
  std::swap(fd_, other.fd_);
  return *this;
}

PrivateFolder::~PrivateFolder() {
  if (fd_ >= 0) close(fd_);
}

std::string PrivateFolder::Where(absl::string_view name) const {
  return absl::StrCat(path_, "/", name);
}

absl::StatusOr<std::string> PrivateFolder::Read(absl::string_view name,
                                                size_t most) const {
  if (!IsPlainName(name)) {
    return absl::InvalidArgumentError("a plain file name is needed");
  }
  // Not blocking: a FIFO in the file's place would keep us waiting.
  const int fd = openat(fd_, std::string(name).c_str(),
                        O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    if (errno == ELOOP) {
      return absl::DataLossError(
          absl::StrCat(Where(name),
                       " is a link, and those are not followed: "
                       "put the file itself there"));
    }
    return Failed("open", Where(name));
  }
  const absl::Cleanup closed = [fd] { close(fd); };
  struct stat info;
  if (fstat(fd, &info) != 0) return Failed("look at", Where(name));
  if (!S_ISREG(info.st_mode)) {
    return absl::DataLossError(
        absl::StrCat(Where(name), " is no plain file: remove it"));
  }
  if (absl::Status is = CheckPrivate(info, owner_, Where(name), "0600");
      !is.ok()) {
    return is;
  }
  // One byte more than is there, so that its end is seen. Not the megabytes
  // that may be there, which the kernel would give page by page.
  std::string bytes(std::min(most, static_cast<size_t>(info.st_size)) + 1,
                    '\0');
  size_t got = 0;
  while (got <= most) {
    // It grows.
    if (got == bytes.size()) bytes.resize(std::min(most, 2 * got) + 1);
    const ssize_t n = read(fd, &bytes[got], bytes.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("read", Where(name));
    if (n == 0) break;
    got += static_cast<size_t>(n);
  }
  if (got > most) {
    return absl::DataLossError(
        absl::StrCat(Where(name), " is larger than ", most,
                     " bytes, which it never is: something else wrote it"));
  }
  bytes.resize(got);
  return bytes;
}

absl::StatusOr<int> PrivateFolder::WriteUnnamed(absl::string_view name,
                                                absl::string_view bytes) const {
  if (!IsPlainName(name)) {
    return absl::InvalidArgumentError("a plain file name is needed");
  }
  // Without a name until it is whole: a crash leaves nothing behind.
  const int fd = openat(fd_, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) return Failed("make a file in", path_);
  absl::Cleanup closed = [fd] { close(fd); };
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("write", Where(name));
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  // The mode again, in case of an odd umask.
  if (fchmod(fd, 0600) != 0 || fsync(fd) != 0) {
    return Failed("write", Where(name));
  }
  std::move(closed).Cancel();
  return fd;
}

absl::Status PrivateFolder::Sync() const {
  return fsync(fd_) == 0 ? absl::OkStatus() : Failed("sync", path_);
}

absl::Status PrivateFolder::Create(absl::string_view name,
                                   absl::string_view bytes) const {
  const absl::StatusOr<int> fd = WriteUnnamed(name, bytes);
  if (!fd.ok()) return fd.status();
  const absl::Cleanup closed = [&fd] { close(*fd); };
  const std::string unnamed = absl::StrCat("/proc/self/fd/", *fd);
  if (linkat(AT_FDCWD, unnamed.c_str(), fd_, std::string(name).c_str(),
             AT_SYMLINK_FOLLOW) != 0) {
    return Failed("create", Where(name));
  }
  return Sync();
}

absl::Status PrivateFolder::Replace(absl::string_view name,
                                    absl::string_view bytes) const {
  const absl::StatusOr<int> fd = WriteUnnamed(name, bytes);
  if (!fd.ok()) return fd.status();
  const absl::Cleanup closed = [&fd] { close(*fd); };
  // Only a rename replaces, and that needs a name to start from. One that a
  // crash left is ours to remove: the folder is nobody else's.
  const std::string passing = absl::StrCat(".", name, ".new");
  const std::string unnamed = absl::StrCat("/proc/self/fd/", *fd);
  unlinkat(fd_, passing.c_str(), 0);
  if (linkat(AT_FDCWD, unnamed.c_str(), fd_, passing.c_str(),
             AT_SYMLINK_FOLLOW) != 0 ||
      renameat(fd_, passing.c_str(), fd_, std::string(name).c_str()) != 0) {
    return Failed("replace", Where(name));
  }
  return Sync();
}

PrivateFolder::Lock::~Lock() {
  if (fd_ >= 0) close(fd_);
}

absl::StatusOr<PrivateFolder::Lock> PrivateFolder::Acquire() const {
  // A description of its own, so that threads exclude each other too.
  const int fd = openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return Failed("open the folder", path_);
  Lock lock(fd);
  constexpr int kTries = 500;
  for (int i = 0; i < kTries; ++i) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK && errno != EINTR) return Failed("lock", path_);
    absl::SleepFor(absl::Milliseconds(10));
  }
  return absl::UnavailableError(absl::StrCat(
      "another process has held ", path_,
      " for five seconds: stop the one that hangs (fuser -v ", path_, ")"));
}

}  // namespace tactus::transfer
