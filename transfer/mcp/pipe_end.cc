#include "transfer/mcp/pipe_end.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/clock/clock.h"

namespace tactus::transfer {
namespace {

// What can take anything can take as much, if it is a pipe (PIPE_BUF, pipe(7)).
constexpr size_t kAtomic = 4096;

// How many are ready; 0 when none was by the deadline.
int Poll(absl::Span<pollfd> fds, absl::Time deadline) {
  for (;;) {
    const absl::Time now = Clock::Real().Now();
    const timespec wait = absl::ToTimespec(
        std::clamp(deadline - now, absl::ZeroDuration(), absl::Hours(1)));
    const int ready = ppoll(fds.data(), fds.size(), &wait, nullptr);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return ready;
    if (Clock::Real().Now() >= deadline) return 0;
  }
}

// The pipe behind `fd` once more, with a mode of its own: that of `fd` is
// shared with whoever else has it. -1 where it is no pipe.
int OpenAgain(int fd, int mode) {
  struct stat found;
  if (fstat(fd, &found) != 0 || !S_ISFIFO(found.st_mode)) return -1;
  return open(absl::StrCat("/proc/self/fd/", fd).c_str(),
              mode | O_NONBLOCK | O_CLOEXEC);
}

}  // namespace

FdSource::FdSource(int fd)
    : fd_(fd),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      own_(OpenAgain(fd, O_RDONLY)) {}

FdSource::~FdSource() {
  for (const int fd : {wake_, own_}) {
    if (fd >= 0) close(fd);
  }
}

absl::StatusOr<size_t> FdSource::Read(absl::Span<char> into,
                                      absl::Time deadline) {
  for (;;) {
    pollfd fds[] = {{fd_, POLLIN, 0}, {wake_, POLLIN, 0}};
    const int ready = Poll(absl::MakeSpan(fds), deadline);
    if (ready == 0) return absl::DeadlineExceededError("nothing came in time");
    if (ready < 0) return absl::ErrnoToStatus(errno, "cannot wait");
    if (fds[1].revents != 0) {
      uint64_t count = 0;
      (void)!read(wake_, &count, sizeof(count));
      return absl::CancelledError("woken");
    }
    // Somebody else may have read it in between.
    ssize_t n = own_ >= 0 ? read(own_, into.data(), into.size())
                          : recv(fd_, into.data(), into.size(), MSG_DONTWAIT);
    if (n < 0 && errno == ENOTSOCK) n = read(fd_, into.data(), into.size());
    if (n >= 0) return static_cast<size_t>(n);
    if (errno != EINTR && errno != EAGAIN) {
      return absl::ErrnoToStatus(errno, "cannot read");
    }
  }
}

void FdSource::Wake() {
  const uint64_t one = 1;
  (void)!write(wake_, &one, sizeof(one));
}

FdSink::FdSink(int fd)
    : fd_(fd),
      abandoned_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      own_(OpenAgain(fd, O_WRONLY)) {}

FdSink::~FdSink() {
  for (const int fd : {abandoned_, own_}) {
    if (fd >= 0) close(fd);
  }
}

void FdSink::Abandon() {
  const uint64_t one = 1;
  (void)!write(abandoned_, &one, sizeof(one));
}

ssize_t FdSink::Some(absl::string_view bytes) const {
  if (own_ >= 0) return write(own_, bytes.data(), bytes.size());
  const ssize_t n =
      send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n >= 0 || errno != ENOTSOCK) return n;
  // Such may block, and no more than this is taken for certain.
  pollfd fd = {fd_, POLLOUT, 0};
  if (poll(&fd, 1, 0) == 0) {
    errno = EAGAIN;
    return -1;
  }
  return write(fd_, bytes.data(), std::min(bytes.size(), kAtomic));
}

absl::Status FdSink::Write(absl::string_view bytes, absl::Time deadline) {
  while (!bytes.empty()) {
    const ssize_t n = Some(bytes);
    if (n > 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) {
      return absl::UnavailableError("nobody reads any more");
    }
    pollfd fds[] = {{fd_, POLLOUT, 0}, {abandoned_, POLLIN, 0}};
    const int ready = Poll(absl::MakeSpan(fds), deadline);
    if (ready == 0) return absl::DeadlineExceededError("nobody reads in time");
    if (ready > 0 && fds[0].revents == 0) {
      return absl::CancelledError("nobody waits for who reads");
    }
    if (ready < 0 || (fds[0].revents & POLLOUT) == 0) {
      return absl::UnavailableError("nobody reads any more");
    }
  }
  return absl::OkStatus();
}

}  // namespace tactus::transfer
