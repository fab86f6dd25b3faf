#include "tools/control/address.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tactus::control {
namespace {

// Connections that wait to be accepted: more than there may be clients.
constexpr int kBacklog = 64;

absl::Status Failed(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", what, " ", path));
}

// Where `path` ends, "" for a path without a folder.
std::string Parent(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

absl::StatusOr<sockaddr_un> Address(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::FailedPreconditionError(
        absl::StrCat(path,
                     " is too long for the name of a socket: set "
                     "XDG_RUNTIME_DIR to a shorter path"));
  }
  memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

absl::StatusOr<int> Socket() {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return absl::ErrnoToStatus(errno, "cannot make a socket");
  return fd;
}

// Connects without a look at who owns what.
absl::StatusOr<int> Dial(const std::string& path) {
  const absl::StatusOr<sockaddr_un> address = Address(path);
  if (!address.ok()) return address.status();
  const absl::StatusOr<int> fd = Socket();
  if (!fd.ok()) return fd;
  auto closed = absl::MakeCleanup([&fd] { close(*fd); });
  if (connect(*fd, reinterpret_cast<const sockaddr*>(&*address),
              sizeof(*address)) != 0) {
    if (errno == ENOENT || errno == ECONNREFUSED) {
      return absl::NotFoundError("no daemon runs");
    }
    if (errno == EAGAIN) {
      return absl::UnavailableError(
          absl::StrCat("too many clients wait for the daemon at ", path));
    }
    return Failed("connect to", path);
  }
  std::move(closed).Cancel();
  return *fd;
}

}  // namespace

std::string DefaultFolder() {
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  if (runtime == nullptr || runtime[0] != '/') return "";
  return absl::StrCat(runtime, "/tactus");
}

std::string SocketPath(const std::string& folder) {
  return absl::StrCat(folder, "/control.sock");
}

absl::Status CheckFolder(const std::string& folder) {
  struct stat found;
  if (lstat(folder.c_str(), &found) != 0) {
    return errno == ENOENT || errno == ENOTDIR
               ? absl::NotFoundError(absl::StrCat("there is no ", folder))
               : Failed("look at", folder);
  }
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid() ||
      (found.st_mode & 077) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        folder,
        " is not a folder of yours alone; remove it, or chmod it to 700"));
  }
  // Who can write above it can put another in its place, unless the folder is
  // sticky as /tmp is.
  const std::string above = Parent(folder);
  if (stat(above.c_str(), &found) != 0) return Failed("look at", above);
  const bool owned = found.st_uid == geteuid() || found.st_uid == 0;
  const bool open = (found.st_mode & 022) != 0 && !(found.st_mode & S_ISVTX);
  if (!owned || open) {
    return absl::FailedPreconditionError(absl::StrCat(
        above, " can be changed by others, so ", folder,
        " is not safe there: set XDG_RUNTIME_DIR to a folder of yours alone"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Peer> PeerOf(int fd) {
  ucred credentials = {};
  socklen_t size = sizeof(credentials);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return absl::ErrnoToStatus(errno, "cannot ask who is at the other end");
  }
  return Peer{credentials.uid, credentials.pid};
}

absl::StatusOr<int> Connect(const std::string& folder) {
  if (folder.empty()) {
    return absl::NotFoundError("no daemon: XDG_RUNTIME_DIR is not set");
  }
  if (absl::Status safe = CheckFolder(folder); !safe.ok()) return safe;
  absl::StatusOr<int> fd = Dial(SocketPath(folder));
  if (!fd.ok()) return fd;
  const absl::StatusOr<Peer> peer = PeerOf(*fd);
  if (!peer.ok() || peer->user != geteuid()) {
    close(*fd);
    if (!peer.ok()) return peer.status();
    return absl::FailedPreconditionError(
        absl::StrCat(SocketPath(folder), " is held by process ", peer->process,
                     " of another user: end it, or remove the socket"));
  }
  return fd;
}

InstanceLock::~InstanceLock() {
  if (fd_ >= 0) close(fd_);
}

absl::Status InstanceLock::Take(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return Failed("make", folder);
  }
  if (absl::Status safe = CheckFolder(folder); !safe.ok()) return safe;
  const std::string path = absl::StrCat(folder, "/tactusd.lock");
  fd_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd_ < 0) return Failed("open", path);
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(fd_, F_SETLK, &lock) == 0) return absl::OkStatus();
  if (errno != EACCES && errno != EAGAIN) return Failed("lock", path);
  lock.l_type = F_WRLCK;
  const bool known = fcntl(fd_, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  return absl::FailedPreconditionError(
      absl::StrCat("a daemon runs already",
                   known ? absl::StrCat(": process ", lock.l_pid) : "",
                   ". `tactus status` tells of it"));
}

absl::StatusOr<int> Listen(const std::string& folder) {
  const std::string path = SocketPath(folder);
  const absl::StatusOr<sockaddr_un> address = Address(path);
  if (!address.ok()) return address.status();
  absl::StatusOr<int> other = Dial(path);
  if (other.ok()) {
    const absl::StatusOr<Peer> peer = PeerOf(*other);
    close(*other);
    return absl::FailedPreconditionError(absl::StrCat(
        path, " is listened on already",
        peer.ok() ? absl::StrCat(", by process ", peer->process) : "",
        ": where that is systemd, use `systemctl --user start tactusd`"));
  }
  if (absl::IsUnavailable(other.status())) return other.status();
  // Left by a daemon that was killed: nobody answers there.
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    return Failed("remove", path);
  }
  const absl::StatusOr<int> fd = Socket();
  if (!fd.ok()) return fd;
  auto closed = absl::MakeCleanup([&fd] { close(*fd); });
  // The folder lets nobody else in, so there is no moment in which the mode
  // matters.
  if (bind(*fd, reinterpret_cast<const sockaddr*>(&*address),
           sizeof(*address)) != 0) {
    return Failed("bind", path);
  }
  if (chmod(path.c_str(), 0600) != 0) return Failed("chmod", path);
  if (listen(*fd, kBacklog) != 0) return Failed("listen on", path);
  std::move(closed).Cancel();
  return *fd;
}

}  // namespace tactus::control
