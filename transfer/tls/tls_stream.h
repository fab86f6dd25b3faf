// A Stream over one TLS connection: the thread that calls it waits on the
// socket itself, so that between the wire and the caller there is no other
// thread.
//
// The transport makes these. Beside what Channel buffers it holds nothing: a
// peer that does not read stalls the writer after one batch, once the kernel's
// buffers are full.
#ifndef TACTUS_TRANSFER_TLS_TLS_STREAM_H_
#define TACTUS_TRANSFER_TLS_TLS_STREAM_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"
#include "transfer/sync/mutex.h"
#include "transfer/tls/channel.h"

namespace tactus::transfer {

class TlsStream : public Stream {
 public:
  // `channel` has finished its handshake. `unsent` goes out before anything
  // else, with what is written first. Of what comes, `skip` bytes that are all
  // zero come first and are not the stream's: answers to probes under way.
  // `begun` is called once, by whoever writes first, when `unsent` is out, or
  // when the stream ends before; it must be brief.
  TlsStream(std::shared_ptr<Channel> channel, StreamHeader header,
            std::string unsent, size_t skip,
            std::function<void()> begun = nullptr);
  ~TlsStream() override;

  absl::StatusOr<size_t> Read(absl::Span<char> into,
                              absl::Time deadline) override;
  absl::Status Write(absl::string_view bytes, absl::Time deadline) override;
  absl::Status CloseWrite(absl::Time deadline) override;
  void Cancel() override;
  const DeviceId& peer() const override { return peer_; }
  const StreamHeader& header() const override { return header_; }

  const std::shared_ptr<Channel>& channel() const { return channel_; }

 private:
  absl::Status WriteAll(absl::string_view bytes, absl::Time deadline);
  absl::Status SendHeader(absl::Time deadline);
  void Begun();
  // What a failed Write leaves: a part may be out, so nothing may follow.
  absl::Status BreakWrites(absl::Status why);

  const std::shared_ptr<Channel> channel_;
  const DeviceId peer_;
  const StreamHeader header_;
  size_t skip_;  // of the reading thread
  Mutex unsent_mutex_;
  std::string unsent_ ABSL_GUARDED_BY(unsent_mutex_);
  std::function<void()> begun_ ABSL_GUARDED_BY(unsent_mutex_);
  absl::Status write_failed_ ABSL_GUARDED_BY(unsent_mutex_);
};

// Waits until the socket can do what is wanted, or something is wrong with it.
// DeadlineExceeded.
absl::Status WaitFor(int fd, Channel::Want want, absl::Time deadline);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_TLS_TLS_STREAM_H_
