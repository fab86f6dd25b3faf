// The protocol of `tactus mcp serve`: a line from an agent in, what it is
// answered out. It knows no descriptors; serve.h has those.
//
// Both revisions are spoken, told apart for each message: 2025-11-25 and
// 2025-06-18, which begin with `initialize`, and 2026-07-28, where each request
// carries its version and `server/discover` is there.
//
// Example:
//
//   Server server({.backend = &backend, .version = "0.1.0", .send = Send});
//   std::thread calls([&] { server.Run(); });
//   server.Line(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
//   server.End();      // what waits is done
//   calls.join();
//
// Calls of tools are carried out one after the other, in the order in which
// they came, so that an agent may send a reading and an edit at once. All else
// is answered at once, also while a call is under way. A call that waits can be
// cancelled and is never answered then; one that has begun ends as it ends and
// is answered, since an edit whose outcome nobody hears is worse than one.
//
// Line, LongLine, End and Stop are for one thread, Run or RunOne for one other.
// `send` is called by both, never within another call of it, and may wait.
#ifndef TACTUS_TOOLS_MCP_SERVER_H_
#define TACTUS_TOOLS_MCP_SERVER_H_

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "ax/sync/mutex.h"
#include "tools/mcp/backend.h"
#include "tools/mcp/message.h"
#include "tools/tactusd/lane.h"

namespace tactus::mcp {

inline constexpr char kStateless[] = "2026-07-28";
// Those that begin with `initialize`, the newest first.
inline constexpr const char* kInitialized[] = {"2025-11-25", "2025-06-18"};

struct ServerOptions {
  Backend* backend = nullptr;
  std::string version;
  std::function<void(const std::string& line)> send;
  // Whether there are tools that edit; without them they are neither listed nor
  // carried out.
  bool writes = true;
};

class Server {
 public:
  // Calls that are not answered yet. An agent that has more under way does not
  // read its answers.
  static constexpr size_t kMostPending = 32;

  explicit Server(ServerOptions options);

  // Without its end; a carriage return before it is no part of it.
  void Line(absl::string_view line);
  // One that was longer than kMostLine, and was dropped.
  void LongLine();
  // No more lines will come: Run returns when what waits is done.
  void End();
  // Refuses what waits; Run returns when what has begun is done.
  void Stop();

  // Carries calls out. RunOne is for tests: one, where one waits.
  void Run() { lane_.Run(); }
  bool RunOne() { return lane_.RunOne(); }

 private:
  // Which revision a request is of.
  enum class Era { kStateless, kInitialized };

  void Request(const Message& message);
  void Initialize(const Message& message);
  void Discover(const Message& message);
  void ListTools(const Message& message, Era era);
  void CallATool(const Message& message, Era era);
  void Cancel(const Message& message);
  // Answers a call that was taken.
  void Answer(const std::string& id, const std::string& line);
  void Fail(const std::string& id, int code, const std::string& message,
            const std::string& data = "");
  void Send(const std::string& line);

  const ServerOptions options_;
  daemon::Lane lane_;
  bool initialized_ = false;  // by the thread of lines alone

  ax::Mutex sending_;
  ax::Mutex mutex_;
  std::set<std::string> pending_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tactus::mcp

#endif  // TACTUS_TOOLS_MCP_SERVER_H_
