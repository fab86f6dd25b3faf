// Every line that a client sends ends here and is answered exactly once.
//
// It reads the request, answers what needs nobody (`status`, `pause`, what is
// wrong), and puts the rest into a lane. It knows who waits for what, so that a
// request can be cancelled and a client that goes leaves nothing behind but an
// edit that had begun.
//
// Example:
//
//   Dispatcher dispatcher({.source = &link, .sink = &server, ...});
//   dispatcher.Open(3);
//   dispatcher.Line(3, R"({"jsonrpc":"2.0","id":1,"method":"status"})");
//   dispatcher.Close(3);
//
// The lanes are run by whoever owns the dispatcher: on threads in the daemon,
// step by step in tests. What modules have added (methods.h) is answered as the
// daemon's own.
#ifndef TACTUS_TOOLS_TACTUSD_DISPATCHER_H_
#define TACTUS_TOOLS_TACTUSD_DISPATCHER_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/sync/mutex.h"
#include "tools/control/calls.h"
#include "tools/control/json_rpc.h"
#include "tools/tactus/undo_store.h"
#include "tools/tactusd/desk.h"
#include "tools/tactusd/handler.h"
#include "tools/tactusd/lane.h"
#include "tools/tactusd/long_calls.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/sink.h"
#include "tools/tactusd/text_service.h"
#include "tools/tactusd/watches.h"
#include "transfer/files/unique_fd.h"

namespace tactus::daemon {

// What `status` tells besides.
struct About {
  std::string version;
  pid_t pid = 0;
  std::string config;               // its path; empty: there is none
  std::vector<std::string> denied;  // applications
  bool activated = false;           // its socket is held by the service manager
};

struct DispatcherOptions {
  DeskSource* source = nullptr;
  ax::Clock* clock = nullptr;  // that of its servers
  Sink* sink = nullptr;
  cli::UndoStore store{""};
  Watches::Spawn spawn;
  Log log;
  About about;
  // What modules answer; null: nothing.
  const Methods* methods = nullptr;
};

class Dispatcher : public Handler {
 public:
  // Requests of one client that are not answered yet. A client that has more
  // does not read its answers, or hogs the lanes.
  static constexpr size_t kMostPending = 32;

  explicit Dispatcher(DispatcherOptions options);

  // Handler:
  void Open(int64_t client) override;
  void Descriptors(int64_t client,
                   std::vector<transfer::files::UniqueFd> descriptors) override;
  void Line(int64_t client, absl::string_view line) override;
  void LongLine(int64_t client) override;
  void End(int64_t client) override;
  // What waits is dropped; what has begun ends, and its outcome is logged.
  void Close(int64_t client) override;
  size_t Pending(int64_t client) override;
  void Stop() override;
  bool Done() override;

  // To be run by whoever owns this.
  Lane& reads() { return reads_; }
  Lane& edits() { return edits_; }

 private:
  // Belongs to the lane of edits; null inside while nothing is streamed.
  using Stream = std::shared_ptr<std::unique_ptr<StreamSession>>;
  struct Client {
    std::set<std::string> pending;
    Stream stream;
    bool streams = false;  // something was, since it was ended last
  };

  void Do(int64_t client, const std::string& id, const control::Call& call);
  // False where no module has the method.
  bool DoByModule(int64_t client, const std::string& id,
                  const control::Request& request,
                  const std::shared_ptr<std::vector<transfer::files::UniqueFd>>&
                      descriptors);
  void Submit(Lane& lane, int64_t client, const std::string& id,
              std::function<std::string()> run, bool partial = false,
              bool supersedes = false);
  // Answers a request that was taken; false when its client has gone.
  bool Answer(int64_t client, const std::string& id, std::string line);
  void Cancel(int64_t client, const std::string& id);
  void StartWatch(int64_t client, const std::string& id,
                  const control::WatchCall& call);
  // Those of all clients that have one, which is to be ended.
  std::vector<std::pair<int64_t, Stream>> TakeStreams();
  void EndStream(int64_t client, Stream stream);
  std::string StatusResult();

  const DispatcherOptions options_;
  TextService service_;
  Lane reads_;
  Lane edits_;
  const absl::Time begun_;
  bool stopping_ = false;
  // Of the line that is read next, and no later one.
  std::vector<transfer::files::UniqueFd> descriptors_;

  ax::Mutex mutex_;
  std::map<int64_t, Client> clients_ ABSL_GUARDED_BY(mutex_);

  // Last: their threads answer.
  Watches watches_;
  LongCalls long_calls_;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_DISPATCHER_H_
