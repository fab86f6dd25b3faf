// TLS on a socket that does not block: handshake, bytes, the end, each as far
// as it goes now.
//
// Use it under what waits: TlsStream waits in the thread that calls it, the
// transport's own thread waits for many. It stands in the place of OpenSSL's
// socket BIO, since that one raises SIGPIPE, and sends each record by itself
// where bulk goes out in batches here.
//
// Example:
//
//   absl::StatusOr<Channel::Progress> read = channel.TryRead(into);
//   if (read.ok() && read->want == Channel::Want::kRead) poll(channel.fd()...);
//
// What it buffers: one batch of records to be sent (64 KiB), and as much that
// came and was not decrypted. A batch is sent before another is taken.
//
// Safe to call from any thread; see Stream for who may read and write at once.
#ifndef TACTUS_TRANSFER_TLS_CHANNEL_H_
#define TACTUS_TRANSFER_TLS_CHANNEL_H_

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "transfer/identity/device_id.h"
#include "transfer/sync/mutex.h"
#include "transfer/tls/context.h"

namespace tactus::transfer {

class Channel {
 public:
  // What has to happen before trying again is of any use.
  enum class Want { kNothing, kRead, kWrite };

  struct Progress {
    size_t bytes = 0;
    Want want = Want::kNothing;
    bool end = false;  // of a read: the peer said that nothing follows
  };

  // Takes the socket, which is connected and does not block, and closes it.
  Channel(std::shared_ptr<TlsContext> context, SslPtr ssl, int fd);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  int fd() const { return fd_; }

  // kNothing when it is finished and the peer is who it may be; its key is
  // peer() then. Errors as in Stream, here and below; each is final.
  absl::StatusOr<Want> TryHandshake();
  const KeyDigest& peer() const { return peer_; }

  // At least one byte, or the end, or what to wait for.
  absl::StatusOr<Progress> TryRead(absl::Span<char> into);
  // Whether a read should be tried before waiting: there is something, or there
  // was the last time.
  bool MayHaveMore();

  // Takes some of `bytes` and sends them and what was taken before. Done when
  // all are taken and nothing is wanted.
  absl::StatusOr<Progress> TryWrite(absl::string_view bytes);

  // Tells the peer that nothing follows; done when nothing is wanted.
  absl::StatusOr<Want> TryCloseWrite();

  // Cuts the connection: `why` is what all operations return from now on, those
  // in progress too.
  void Cut(const absl::Status& why);

  // Of the last operation's errors, and nothing once: OK while all is well.
  absl::Status status();

  bool pairing() const { return TlsContext::IsPairing(ssl_.get()); }
  absl::StatusOr<std::string> Export(absl::string_view label, size_t size);

 private:
  static BIO_METHOD* Method();
  // Run inside of OpenSSL's calls, which the lock is held around.
  static int BioWrite(BIO* bio, const char* data,
                      int size) ABSL_NO_THREAD_SAFETY_ANALYSIS;
  static int BioRead(BIO* bio, char* data,
                     int size) ABSL_NO_THREAD_SAFETY_ANALYSIS;
  static long BioControl(BIO* bio, int command, long number,
                         void* pointer) ABSL_NO_THREAD_SAFETY_ANALYSIS;

  // Sends what is waiting; kWrite when the socket takes no more.
  absl::StatusOr<Want> Flush() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What `result` of an OpenSSL call means.
  absl::StatusOr<Progress> Judge(int result)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Fail(const absl::Status& why)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status FailErrno(const char* what)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<TlsContext> context_;
  const int fd_;
  KeyDigest peer_;
  Mutex mutex_;
  // Calls on it need the lock; what never changes does not.
  const SslPtr ssl_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  std::string out_ ABSL_GUARDED_BY(mutex_);      // records to be sent
  size_t sent_ ABSL_GUARDED_BY(mutex_) = 0;      // of out_
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;  // the end is in out_, or sent
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;   // the peer's socket is closed
  bool drained_ ABSL_GUARDED_BY(mutex_) = false;
  int error_ ABSL_GUARDED_BY(mutex_) = 0;  // errno of the socket
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_TLS_CHANNEL_H_
