// What opens streams to paired devices and accepts theirs.
//
// Use it wherever two devices talk, and never name what is behind it: TLS over
// TCP (transfer/tls), or memory, where time, cuts and the order of events are a
// test's to choose (transfer/memory).
//
// Example:
//
//   // One device,
//   auto stream = transport.Open(peer, {.kind = StreamKind::kFile}, deadline);
//   // and the other.
//   auto stream = transport.Accept(deadline);
//   if ((*stream)->header().kind == StreamKind::kFile) ...
//
// Streams do not wait for each other: a bulk one delays no message. Whether a
// peer may do what a stream is for is not decided here: a stream that Accept
// gave is of a device that is paired, and of nothing more.
//
// Safe to call from any thread. Streams must be destroyed before the transport.
#ifndef TACTUS_TRANSFER_STREAM_TRANSPORT_H_
#define TACTUS_TRANSFER_STREAM_TRANSPORT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer {

class Transport {
 public:
  virtual ~Transport() = default;

  // A stream to `peer`. The header goes out with the first Write, Read or
  // CloseWrite, so that opening and the first message are one packet; until
  // then the peer knows nothing of the stream.
  //
  // NotFound when it is not paired; Unavailable when it cannot be reached now;
  // PermissionDenied when it does not let this device in, or is not who was
  // paired; InvalidArgument for a bad header; DeadlineExceeded; Cancelled after
  // Shutdown.
  virtual absl::StatusOr<std::unique_ptr<Stream>> Open(
      const DeviceId& peer, const StreamHeader& header,
      absl::Time deadline) = 0;

  // The next stream that a peer opened. DeadlineExceeded; Cancelled after
  // Shutdown.
  virtual absl::StatusOr<std::unique_ptr<Stream>> Accept(
      absl::Time deadline) = 0;

  // The pairing with `peer` has ended: every stream with it is cancelled before
  // this returns, and what would let it in again without a new proof of its key
  // is destroyed. Take it off the list of peers first, or it connects anew.
  virtual void Forget(const DeviceId& peer) = 0;

  // Cancels everything, now and from now on.
  virtual void Shutdown() = 0;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_STREAM_TRANSPORT_H_
