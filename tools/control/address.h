// Where the daemon listens, and that nobody else can stand in its place.
//
// The socket is in a folder of the user's own, beneath XDG_RUNTIME_DIR, which
// the system removes when the session ends. A folder that others can write to,
// or that others own, is refused: whoever listens there reads what is typed.
// Both ends check the user of the other as well.
//
// Example:
//
//   absl::StatusOr<int> fd = Connect(DefaultFolder());
//   if (absl::IsNotFound(fd.status())) RunWithoutDaemon();
//
// Descriptors that are returned are the caller's to close; they do not block.
#ifndef TACTUS_TOOLS_CONTROL_ADDRESS_H_
#define TACTUS_TOOLS_CONTROL_ADDRESS_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tactus::control {

// $XDG_RUNTIME_DIR/tactus; empty where that is not set.
std::string DefaultFolder();

std::string SocketPath(const std::string& folder);

// FailedPrecondition, with the remedy, unless the folder and the one above it
// are safe; NotFound where it is not there.
absl::Status CheckFolder(const std::string& folder);

// NotFound where no daemon listens; FailedPrecondition for an unsafe folder or
// another user's process; Unavailable when it has too many waiting already.
absl::StatusOr<int> Connect(const std::string& folder);

// The user and the process at the other end.
struct Peer {
  uid_t user = 0;
  pid_t process = 0;
};
absl::StatusOr<Peer> PeerOf(int fd);

// Keeps a second daemon from starting: a lock that the system releases with the
// process.
class InstanceLock {
 public:
  InstanceLock() = default;
  ~InstanceLock();
  InstanceLock(const InstanceLock&) = delete;
  InstanceLock& operator=(const InstanceLock&) = delete;

  // Makes the folder where it is not there. FailedPrecondition where another
  // daemon has the lock, with its process id.
  absl::Status Take(const std::string& folder);

 private:
  int fd_ = -1;
};

// Binds the socket, 0600, in place of one that nobody listens on any more.
// FailedPrecondition where somebody does, with the process. Take the lock
// first.
absl::StatusOr<int> Listen(const std::string& folder);

}  // namespace tactus::control

#endif  // TACTUS_TOOLS_CONTROL_ADDRESS_H_
