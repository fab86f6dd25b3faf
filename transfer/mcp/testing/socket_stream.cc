#include "transfer/mcp/testing/socket_stream.h"

#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/clock/clock.h"
#include "transfer/identity/device_id.h"

namespace tactus::transfer {
namespace {

DeviceId AnId() {
  const uint8_t seed = 7;
  return DeviceId(KeyDigest::OfPublicKey({&seed, 1}));
}

bool WaitFor(int fd, short events, absl::Time deadline) {
  for (;;) {
    pollfd ready = {fd, events, 0};
    const timespec wait = absl::ToTimespec(std::clamp(
        deadline - Clock::Real().Now(), absl::ZeroDuration(), absl::Hours(1)));
    if (ppoll(&ready, 1, &wait, nullptr) > 0) return true;
    if (Clock::Real().Now() >= deadline) return false;
  }
}

}  // namespace

SocketStream::SocketStream(int fd) : fd_(fd), peer_(AnId()) {}

SocketStream::~SocketStream() {
  // Destroyed before both have closed it, it is cut.
  if (!closed_) *lost_ = true;
  close(fd_);
}

absl::StatusOr<size_t> SocketStream::Read(absl::Span<char> into,
                                          absl::Time deadline) {
  for (;;) {
    if (cancelled_) return absl::CancelledError("cancelled");
    if (*lost_) return absl::UnavailableError("cut");
    if (!WaitFor(fd_, POLLIN, deadline)) {
      return absl::DeadlineExceededError("nothing came in time");
    }
    const ssize_t n = recv(fd_, into.data(), into.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (cancelled_) return absl::CancelledError("cancelled");
    if (n < 0 || (n == 0 && *lost_)) return absl::UnavailableError("cut");
    return static_cast<size_t>(n);
  }
}

absl::Status SocketStream::Write(absl::string_view bytes, absl::Time deadline) {
  while (!bytes.empty()) {
    if (cancelled_) return absl::CancelledError("cancelled");
    if (*lost_) return absl::UnavailableError("cut");
    if (!WaitFor(fd_, POLLOUT, deadline)) {
      return absl::DeadlineExceededError("nobody read in time");
    }
    const ssize_t n =
        send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n < 0) {
      return cancelled_ ? absl::CancelledError("cancelled")
                        : absl::UnavailableError("cut");
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

absl::Status SocketStream::CloseWrite(absl::Time deadline) {
  closed_ = true;
  shutdown(fd_, SHUT_WR);
  return absl::OkStatus();
}

void SocketStream::Cancel() {
  cancelled_ = true;
  // Ended well where both had closed; the other end is told otherwise.
  if (!closed_) *lost_ = true;
  shutdown(fd_, SHUT_RDWR);
}

void SocketStream::Cut() {
  *lost_ = true;
  shutdown(fd_, SHUT_RDWR);
}

std::pair<std::unique_ptr<SocketStream>, std::unique_ptr<SocketStream>>
SocketStreams() {
  int fds[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) return {};
  auto a = std::make_unique<SocketStream>(fds[0]);
  auto b = std::make_unique<SocketStream>(fds[1]);
  a->lost_ = b->lost_ = std::make_shared<std::atomic<bool>>(false);
  return {std::move(a), std::move(b)};
}

}  // namespace tactus::transfer
