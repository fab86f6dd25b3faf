// Ordered bytes both ways between two devices: what everything that devices say
// to each other is written on, whatever carries it.
//
// Use it from any thread: one may read while another writes, and a third may
// cancel. Operations block until they are done or their deadline has passed;
// they are not callbacks or coroutines, because who moves files or carries MCP
// blocks on disks and pipes anyway, because a thread that reads the socket
// itself answers sooner than one that is woken to, and because Boost.Asio's
// coroutines cost whoever includes them some ten seconds of compiling
// (docs/architecture.md says what was weighed). Deadlines are on Clock
// (transfer/ clock); absl::InfiniteFuture() is none, and wants a reason.
//
// Example, a question and its answer:
//
//   absl::StatusOr<std::unique_ptr<Stream>> stream =
//       transport.Open(peer, {.kind = StreamKind::kMessage}, deadline);
//   absl::Status asked = (*stream)->Write("ping", deadline);
//   char answer[4];
//   absl::StatusOr<size_t> got = (*stream)->Read(absl::MakeSpan(answer),
//   deadline);
//
// How operations fail, the same for every transport:
//
//   DeadlineExceeded   the time has passed; a Read may be tried again
//   Cancelled          Cancel() here, or the transport forgot the peer or
//   closes Unavailable        the connection is cut: try on a new stream. What
//   was
//                      written last may have arrived or not
//   PermissionDenied   the peer does not let this device in: what to do is said
//   DataLoss           the peer sent what TLS does not allow
//   FailedPrecondition a Write after CloseWrite
//
// But for the deadline of a Read, a failure is final: later operations fail
// alike. A stream that ends well ends by both sides' CloseWrite. Destroying one
// sooner cuts it, and the peer is told so and never takes it for an end.
//
// Caveat: that a Write returned means that this machine has the bytes. Whoever
// must know that they arrived has the peer say so.
#ifndef TACTUS_TRANSFER_STREAM_STREAM_H_
#define TACTUS_TRANSFER_STREAM_STREAM_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/header.h"

namespace tactus::transfer {

class Stream {
 public:
  virtual ~Stream() = default;

  // Waits for at least one byte and reads what is there, `into.size()` at most;
  // `into` is not empty. 0 when the peer has closed its side and all of it was
  // read. One thread at a time.
  virtual absl::StatusOr<size_t> Read(absl::Span<char> into,
                                      absl::Time deadline) = 0;

  // Writes all of `bytes`, or fails; then part may have been sent, and nothing
  // more can be written. What is written at once leaves at once: one call a
  // message, and large calls for bulk. Waits while the peer does not read
  // (back-pressure); no more is buffered than the transport's header says. One
  // thread at a time.
  virtual absl::Status Write(absl::string_view bytes, absl::Time deadline) = 0;

  // Says that nothing more will be written. The peer reads what was written and
  // then the end; reading goes on. A second call does nothing.
  virtual absl::Status CloseWrite(absl::Time deadline) = 0;

  // Cuts the stream: operations in progress and later ones end with Cancelled.
  // From any thread, as often as you like, while the stream lives.
  virtual void Cancel() = 0;

  // The device at the other end, as it proved to be.
  virtual const DeviceId& peer() const = 0;

  // What the stream was opened with.
  virtual const StreamHeader& header() const = 0;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_STREAM_STREAM_H_
