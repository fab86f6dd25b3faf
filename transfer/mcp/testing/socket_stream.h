// A stream over a pair of sockets in this process, for tests of what must have
// real time and processes of its own; all else is tested in transfer/memory.
//
//   auto [a, b] = SocketStreams();
//   a->Write("x", absl::InfiniteFuture()).IgnoreError();
//   a->Cut();                    // as if the other device had gone
#ifndef TACTUS_TRANSFER_MCP_TESTING_SOCKET_STREAM_H_
#define TACTUS_TRANSFER_MCP_TESTING_SOCKET_STREAM_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer {

class SocketStream : public Stream {
 public:
  explicit SocketStream(int fd);
  ~SocketStream() override;

  absl::StatusOr<size_t> Read(absl::Span<char> into,
                              absl::Time deadline) override;
  absl::Status Write(absl::string_view bytes, absl::Time deadline) override;
  absl::Status CloseWrite(absl::Time deadline) override;
  void Cancel() override;
  const DeviceId& peer() const override { return peer_; }
  const StreamHeader& header() const override { return header_; }

  // The connection is lost: both ends fail from now on.
  void Cut();

 private:
  const int fd_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> closed_ = false;  // by CloseWrite
  const DeviceId peer_;
  const StreamHeader header_{.kind = StreamKind::kMcp, .label = "test"};

  friend std::pair<std::unique_ptr<SocketStream>, std::unique_ptr<SocketStream>>
  SocketStreams();
  std::shared_ptr<std::atomic<bool>> lost_;
};

std::pair<std::unique_ptr<SocketStream>, std::unique_ptr<SocketStream>>
SocketStreams();

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MCP_TESTING_SOCKET_STREAM_H_
