#include "transfer/tls/tls_stream.h"

#include <poll.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/clock/clock.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/header.h"
#include "transfer/sync/mutex.h"
#include "transfer/sync/unshared.h"
#include "transfer/tls/channel.h"
#include "transfer/tls/socket.h"

namespace tactus::transfer {
namespace {

// A header and what is written first share a record up to this: beyond it the
// message is bulk, and copying it costs more than a record of its own.
constexpr size_t kCopyMost = 16 << 10;

// When a wait looks whether the other machine is there, and how often while
// data is under way. Not at first: nearly every wait is shorter.
constexpr absl::Duration kFirstLook = absl::Seconds(2);
constexpr absl::Duration kLook = absl::Seconds(5);

}  // namespace

absl::Status WaitFor(int fd, Channel::Want want, absl::Time deadline) {
  pollfd one = {.fd = fd,
                .events = static_cast<short>(
                    want == Channel::Want::kWrite ? POLLOUT : POLLIN),
                .revents = 0};
  absl::Time now = Clock::Real().Now();
  absl::Time look = std::min(deadline, now + kFirstLook);
  while (true) {
    const bool forever = look == absl::InfiniteFuture();
    const timespec patience =
        forever ? timespec{}
                : absl::ToTimespec(std::max(look - now, absl::ZeroDuration()));
    const int ready = ppoll(&one, 1, forever ? nullptr : &patience, nullptr);
    if (ready > 0) return absl::OkStatus();
    if (ready < 0 && errno != EINTR) {
      return absl::ErrnoToStatus(errno, "cannot wait for the socket");
    }
    now = Clock::Real().Now();
    if (now >= deadline) {
      return absl::DeadlineExceededError(
          want == Channel::Want::kWrite ? "the peer took nothing more in time"
                                        : "the peer said nothing in time");
    }
    if (now < look) continue;
    // The kernel's own probes rest while data is under way, so we look. An idle
    // stream has none, and is not woken again.
    const absl::StatusOr<bool> under_way = DataUnderWay(fd);
    if (!under_way.ok()) return under_way.status();
    look = *under_way ? std::min(deadline, now + kLook) : deadline;
  }
}

TlsStream::TlsStream(std::shared_ptr<Channel> channel, StreamHeader header,
                     std::string unsent, size_t skip,
                     std::function<void()> begun)
    : channel_(std::move(channel)),
      peer_(channel_->peer()),
      header_(std::move(header)),
      skip_(skip),
      unsent_(std::move(unsent)),
      begun_(std::move(begun)) {}

TlsStream::~TlsStream() {
  channel_->Cut(absl::CancelledError("the stream was destroyed"));
  Begun();
}

void TlsStream::Begun() {
  std::function<void()> begun;
  {
    MutexLock lock(&unsent_mutex_);
    begun = std::exchange(begun_, nullptr);
  }
  if (begun) begun();
}

absl::Status TlsStream::BreakWrites(absl::Status why) {
  MutexLock lock(&unsent_mutex_);
  if (write_failed_.ok()) write_failed_ = Unshared(why);
  return why;
}

absl::Status TlsStream::WriteAll(absl::string_view bytes, absl::Time deadline) {
  while (true) {
    const absl::StatusOr<Channel::Progress> wrote = channel_->TryWrite(bytes);
    if (!wrote.ok()) return BreakWrites(wrote.status());
    bytes.remove_prefix(wrote->bytes);
    if (wrote->want == Channel::Want::kNothing) return absl::OkStatus();
    if (absl::Status ready = WaitFor(channel_->fd(), wrote->want, deadline);
        !ready.ok()) {
      return BreakWrites(std::move(ready));
    }
  }
}

absl::Status TlsStream::Write(absl::string_view bytes, absl::Time deadline) {
  bool begins = false;
  while (true) {
    Channel::Want want;
    {
      // Held while the header is handed over, which does not block: a thread
      // that reads first and one that writes first must not change places.
      MutexLock lock(&unsent_mutex_);
      if (!write_failed_.ok()) return Unshared(write_failed_);
      if (unsent_.empty()) break;
      const absl::string_view shared =
          bytes.substr(0, kCopyMost - std::min(kCopyMost, unsent_.size()));
      const std::string first = absl::StrCat(unsent_, shared);
      const absl::StatusOr<Channel::Progress> wrote = channel_->TryWrite(first);
      if (!wrote.ok()) {
        write_failed_ = Unshared(wrote.status());
        return wrote.status();
      }
      if (wrote->bytes > 0) {
        // Less than a batch is taken whole or not at all.
        unsent_.clear();
        bytes.remove_prefix(shared.size());
        begins = true;
        break;
      }
      want = wrote->want;
    }
    if (absl::Status ready = WaitFor(channel_->fd(), want, deadline);
        !ready.ok()) {
      return BreakWrites(std::move(ready));
    }
  }
  // A part of what was taken may wait for room, with nothing behind it.
  const absl::Status written = WriteAll(bytes, deadline);
  if (begins) Begun();
  return written;
}

absl::Status TlsStream::SendHeader(absl::Time deadline) {
  {
    MutexLock lock(&unsent_mutex_);
    if (unsent_.empty()) return absl::OkStatus();
  }
  return Write("", deadline);
}

absl::StatusOr<size_t> TlsStream::Read(absl::Span<char> into,
                                       absl::Time deadline) {
  if (absl::Status sent = SendHeader(deadline); !sent.ok()) return sent;
  while (true) {
    // After a read that emptied the socket another one would fail: wait first.
    if (!channel_->MayHaveMore()) {
      absl::Status ready =
          WaitFor(channel_->fd(), Channel::Want::kRead, deadline);
      if (!ready.ok()) return ready;
    }
    const absl::StatusOr<Channel::Progress> read =
        channel_->TryRead(skip_ > 0 ? into.subspan(0, 1) : into);
    if (!read.ok()) return read.status();
    if (read->end) return 0;
    if (read->bytes > 0) {
      if (skip_ == 0) return read->bytes;
      --skip_;
      if (into[0] != '\0') {
        absl::Status wrong = absl::DataLossError(
            "the peer answered a probe with something else");
        channel_->Cut(wrong);
        return wrong;
      }
      continue;
    }
    if (absl::Status ready = WaitFor(channel_->fd(), read->want, deadline);
        !ready.ok()) {
      return ready;
    }
  }
}

absl::Status TlsStream::CloseWrite(absl::Time deadline) {
  if (absl::Status sent = SendHeader(deadline); !sent.ok()) return sent;
  {
    MutexLock lock(&unsent_mutex_);
    if (!write_failed_.ok()) return Unshared(write_failed_);
  }
  while (true) {
    const absl::StatusOr<Channel::Want> closed = channel_->TryCloseWrite();
    if (!closed.ok()) return BreakWrites(closed.status());
    if (*closed == Channel::Want::kNothing) return absl::OkStatus();
    if (absl::Status ready = WaitFor(channel_->fd(), *closed, deadline);
        !ready.ok()) {
      return BreakWrites(std::move(ready));
    }
  }
}

void TlsStream::Cancel() {
  channel_->Cut(absl::CancelledError("the stream was cancelled"));
}

}  // namespace tactus::transfer
