// The long requests that are under way (methods.h), each on a thread of its
// own.
//
// Example:
//
//   LongCalls calls(&sink, Threads::OfTheSystem());
//   calls.Start({.client = 3, .id = "7", .params = request.params,
//                .run = method, .answered = [&](const Reply& reply) { ... }});
//   calls.Cancel(3, "7");
//
// Safe to call from any thread.
#ifndef TACTUS_TOOLS_TACTUSD_LONG_CALLS_H_
#define TACTUS_TOOLS_TACTUSD_LONG_CALLS_H_

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "ax/sync/mutex.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/sink.h"
#include "tools/tactusd/threads.h"
#include "transfer/files/unique_fd.h"

namespace tactus::daemon {

class LongCalls {
 public:
  // Each has a thread and mostly a stream to a peer. These are the agents that
  // are carried (McpMethods::kMostCarried), and as much besides as one client
  // may ask for at a time.
  static constexpr size_t kMost = 160;

  struct Order {
    int64_t client = 0;
    std::string id;
    std::shared_ptr<const boost::json::object> params;
    Methods::Long run;
    // Copyable, as what is run must be.
    std::shared_ptr<std::vector<transfer::files::UniqueFd>> descriptors = {};
    // Called once, by the thread of the call, when it has ended.
    std::function<void(const Reply&)> answered;
  };

  // `sink` must outlive it.
  LongCalls(Sink* sink, Threads::Spawn spawn);
  // Cancels all, and waits for them.
  ~LongCalls();

  // False where there are kMost already; nothing is called then.
  bool Start(Order order);

  // Asks them to end; who answers is the method. False where there is none.
  bool Cancel(int64_t client, const std::string& id);
  void Close(int64_t client);
  void StopAll();

  size_t count() { return threads_.running(); }

 private:
  class Call;

  void CancelWhere(const std::function<bool(const Call&)>& which,
                   const char* why);

  Sink& sink_;
  ax::Mutex mutex_;
  std::list<std::shared_ptr<Call>> calls_ ABSL_GUARDED_BY(mutex_);
  Threads threads_;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_LONG_CALLS_H_
