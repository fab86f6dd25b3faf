// The end of a carried MCP connection where the agent is: its lines go to the
// other device, and what the server says comes back, as the very bytes.
//
// It never parses and prints, answers nothing of its own while the server is
// there, and holds no line: what of it has come goes on, so that a line may
// have any length up to kLongestLine and memory is a few buffers. Beside the
// bytes it keeps which requests are under way. When the connection or the
// server ends, each of them that is unanswered ends exactly once, with an error
// that says what happened; nothing is ever sent again.
//
// Example, on two threads of the caller's:
//
//   Bridge bridge({.link = stream.get(), .from_agent = &input,
//                  .to_agent = &output, .clock = &Clock::Real()});
//   std::thread back([&] { bridge.ToAgent(); });
//   bridge.FromAgent();
//   back.join();
//   BridgeEnd end = bridge.Finish();
#ifndef TACTUS_TRANSFER_MCP_BRIDGE_H_
#define TACTUS_TRANSFER_MCP_BRIDGE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "transfer/clock/clock.h"
#include "transfer/mcp/frame.h"
#include "transfer/mcp/id_scanner.h"
#include "transfer/mcp/pending.h"
#include "transfer/mcp/pipe_end.h"
#include "transfer/stream/stream.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer {

// Of a line in either direction: a large resource or image, encoded. Beyond it
// the connection ends, since what never ends a line is no server or agent.
inline constexpr uint64_t kLongestLine = uint64_t{64} << 20;

struct BridgeOptions {
  Stream* link = nullptr;
  ByteSource* from_agent = nullptr;
  ByteSink* to_agent = nullptr;
  Clock* clock = nullptr;  // that of the deadlines of all three
  // What the server wrote to its standard error; by the thread of ToAgent.
  std::function<void(absl::string_view text)> on_errors = {};
};

struct BridgeEnd {
  enum class Kind {
    kServerEnded,  // `note` says how
    kLinkLost,     // `status` says why
    kAgentGone,    // it reads no more
    kLineTooLong,
  };
  Kind kind = Kind::kServerEnded;
  std::optional<EndNote> note = {};
  absl::Status status = {};
  // One sentence, without what an agent or a server has said.
  std::string message = {};
  int64_t ended_requests = 0;  // that were ended with an error
};

class Bridge {
 public:
  // When all has ended, to learn which request an agent is in the midst of
  // sending.
  static constexpr absl::Duration kDrain = absl::Seconds(1);

  explicit Bridge(BridgeOptions options) : options_(std::move(options)) {}

  // Each returns when its direction has ended; at once, in two threads.
  void FromAgent();
  void ToAgent();

  // After both: ends what is pending.
  BridgeEnd Finish();

 private:
  // The first one told is what happened.
  void Over(BridgeEnd end);
  bool over();
  void Sent(const ScannedLine& line, PendingRequests::Sent sent);
  // Reads what the agent has said and nobody is told any more.
  void Drain();
  // Of what the server said; false when nothing more is to be read.
  bool Forward(absl::string_view bytes);

  const BridgeOptions options_;
  IdScanner agent_lines_;   // by FromAgent
  IdScanner server_lines_;  // by ToAgent
  std::optional<EndNote> note_;

  Mutex mutex_;
  PendingRequests pending_ ABSL_GUARDED_BY(mutex_);
  std::optional<BridgeEnd> end_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MCP_BRIDGE_H_
