#include "transfer/tls/channel.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "transfer/identity/device_id.h"
#include "transfer/sync/mutex.h"
#include "transfer/sync/unshared.h"
#include "transfer/tls/context.h"

namespace tactus::transfer {
namespace {

// TLS's largest record (RFC 8446 section 5.1).
constexpr size_t kRecord = 16 << 10;
// Records for one send: fewer calls, and all of it still in the cache.
constexpr size_t kBatch = 4 * kRecord;

absl::Status CutOff() {
  return absl::UnavailableError(
      "the connection is cut, amid the stream: try a new one");
}

// What the peer's alert says of this device; OK when it is of another kind.
absl::Status RefusedByAlert(int alert) {
  switch (alert) {
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_ACCESS_DENIED:
    case SSL_AD_CERTIFICATE_REQUIRED:
      return absl::PermissionDeniedError(
          "the peer does not know this device's key: pair again. If you did "
          "not forget it there, something answers in its place");
    case SSL_AD_NO_APPLICATION_PROTOCOL:
    case SSL_AD_PROTOCOL_VERSION:
      return absl::FailedPreconditionError(
          "the other side does not speak this protocol, or not now: is it a "
          "Tactus, of the same version, and pairing if you pair?");
    default:
      return absl::OkStatus();
  }
}

}  // namespace

BIO_METHOD* Channel::Method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made =
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "channel");
    BIO_meth_set_write(made, BioWrite);
    BIO_meth_set_read(made, BioRead);
    BIO_meth_set_ctrl(made, BioControl);
    return made;
  }();
  return method;
}

Channel::Channel(std::shared_ptr<TlsContext> context, SslPtr ssl, int fd)
    : context_(std::move(context)), fd_(fd), ssl_(std::move(ssl)) {
  BIO* bio = BIO_new(Method());
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
}

// Nothing is said: who ended well has closed both sides before.
Channel::~Channel() { close(fd_); }

int Channel::BioWrite(BIO* bio, const char* data, int size) {
  auto* self = static_cast<Channel*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  self->out_.append(data, static_cast<size_t>(size));
  return size;
}

int Channel::BioRead(BIO* bio, char* data, int size) {
  auto* self = static_cast<Channel*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  ssize_t got;
  do {
    got = recv(self->fd_, data, static_cast<size_t>(size), 0);
  } while (got < 0 && errno == EINTR);
  self->drained_ = got < size;
  if (got > 0) return static_cast<int>(got);
  if (got == 0) {
    self->ended_ = true;
  } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
    BIO_set_retry_read(bio);
  } else {
    self->error_ = errno;
  }
  return got == 0 ? 0 : -1;
}

long Channel::BioControl(BIO* bio, int command, long number, void* pointer) {
  switch (command) {
    case BIO_CTRL_FLUSH:
      return 1;  // we flush after each call
    case BIO_CTRL_EOF:
      return static_cast<Channel*>(BIO_get_data(bio))->ended_ ? 1 : 0;
    default:
      return 0;
  }
}

absl::Status Channel::Fail(const absl::Status& why) {
  if (status_.ok()) status_ = Unshared(why);
  return Unshared(status_);
}

absl::Status Channel::FailErrno(const char* what) {
  const int error = error_ != 0 ? error_ : errno;
  return Fail(absl::UnavailableError(absl::StrCat(
      what, ": ", absl::ErrnoToStatus(error, "the connection is cut").message(),
      " (try a new one)")));
}

absl::StatusOr<Channel::Want> Channel::Flush() {
  while (sent_ < out_.size()) {
    const ssize_t n =
        send(fd_, &out_[sent_], out_.size() - sent_, MSG_NOSIGNAL);
    if (n >= 0) {
      sent_ += static_cast<size_t>(n);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return Want::kWrite;
    } else if (errno != EINTR) {
      error_ = errno;
      return FailErrno("cannot send");
    }
  }
  out_.clear();
  sent_ = 0;
  return Want::kNothing;
}

absl::StatusOr<Channel::Progress> Channel::Judge(int result) {
  const int error = SSL_get_error(ssl_.get(), result);
  if (error == SSL_ERROR_WANT_READ) return Progress{.want = Want::kRead};
  if (error == SSL_ERROR_WANT_WRITE) return Progress{.want = Want::kWrite};
  if (error == SSL_ERROR_ZERO_RETURN) return Progress{.end = true};
  const absl::Status refusal = TlsContext::Refusal(ssl_.get());
  const auto code = ERR_peek_error();
  const int reason = ERR_GET_REASON(code);
  char text[256];
  ERR_error_string_n(code, text, sizeof(text));
  ERR_clear_error();
  if (!refusal.ok()) return Fail(refusal);
  if (error_ != 0) return FailErrno("cannot receive");
  if (ended_) return Fail(CutOff());
  if (reason > SSL_AD_REASON_OFFSET) {
    if (absl::Status why = RefusedByAlert(reason - SSL_AD_REASON_OFFSET);
        !why.ok()) {
      return Fail(why);
    }
  }
  return Fail(absl::DataLossError(
      absl::StrCat("what the peer sent is not TLS as it should be: ", text)));
}

absl::StatusOr<Channel::Want> Channel::TryHandshake() {
  MutexLock lock(&mutex_);
  if (!status_.ok()) return Unshared(status_);
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  absl::StatusOr<Progress> judged = result == 1 ? Progress() : Judge(result);
  // The alert that says why goes out too, as far as it can.
  const absl::StatusOr<Want> flushed = Flush();
  if (!judged.ok()) return judged.status();
  if (!flushed.ok()) return flushed.status();
  if (*flushed != Want::kNothing) return *flushed;
  if (judged->want != Want::kNothing) return judged->want;
  if (judged->end) return Fail(CutOff());
  const absl::StatusOr<KeyDigest> peer = context_->CheckPeer(ssl_.get());
  if (!peer.ok()) return Fail(peer.status());
  peer_ = *peer;
  return Want::kNothing;
}

absl::StatusOr<Channel::Progress> Channel::TryRead(absl::Span<char> into) {
  MutexLock lock(&mutex_);
  if (!status_.ok()) return Unshared(status_);
  ERR_clear_error();
  size_t got = 0;
  const int result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &got);
  const absl::StatusOr<Progress> judged =
      result == 1 ? Progress{.bytes = got} : Judge(result);
  // What TLS answers by itself, a changed key for one.
  if (judged.ok() && !out_.empty()) {
    const absl::StatusOr<Want> flushed = Flush();
    if (!flushed.ok()) return flushed.status();
  }
  return judged;
}

bool Channel::MayHaveMore() {
  MutexLock lock(&mutex_);
  return !status_.ok() || !drained_ || ended_ ||
         SSL_has_pending(ssl_.get()) != 0;
}

absl::StatusOr<Channel::Progress> Channel::TryWrite(absl::string_view bytes) {
  MutexLock lock(&mutex_);
  if (!status_.ok()) return Unshared(status_);
  if (closed_) {
    return absl::FailedPreconditionError("this side of the stream is closed");
  }
  Progress progress;
  while (true) {
    const absl::StatusOr<Want> flushed = Flush();
    if (!flushed.ok()) return flushed.status();
    progress.want = *flushed;
    if (*flushed != Want::kNothing || bytes.empty()) return progress;
    absl::string_view batch = bytes.substr(0, kBatch);
    bytes.remove_prefix(batch.size());
    progress.bytes += batch.size();
    while (!batch.empty()) {
      ERR_clear_error();
      size_t written = 0;
      const int result = SSL_write_ex(
          ssl_.get(), batch.data(), std::min(batch.size(), kRecord), &written);
      if (result != 1) {
        const absl::StatusOr<Progress> judged = Judge(result);
        if (!judged.ok()) return judged.status();
        // Our BIO takes everything, and the handshake is over.
        return Fail(absl::InternalError("TLS does not take a record"));
      }
      batch.remove_prefix(written);
    }
  }
}

absl::StatusOr<Channel::Want> Channel::TryCloseWrite() {
  MutexLock lock(&mutex_);
  if (!status_.ok()) return Unshared(status_);
  if (!closed_) {
    closed_ = true;
    ERR_clear_error();
    // 0 and 1 both say that the end is written; the peer's is its own.
    if (const int result = SSL_shutdown(ssl_.get()); result < 0) {
      const absl::StatusOr<Progress> judged = Judge(result);
      if (!judged.ok()) return judged.status();
    }
  }
  return Flush();
}

void Channel::Cut(const absl::Status& why) {
  {
    MutexLock lock(&mutex_);
    if (status_.ok()) status_ = Unshared(why);
  }
  // Wakes who waits for the socket, here and at the other end.
  shutdown(fd_, SHUT_RDWR);
}

absl::Status Channel::status() {
  MutexLock lock(&mutex_);
  return Unshared(status_);
}

absl::StatusOr<std::string> Channel::Export(absl::string_view label,
                                            size_t size) {
  MutexLock lock(&mutex_);
  return TlsContext::Export(ssl_.get(), label, size);
}

}  // namespace tactus::transfer
