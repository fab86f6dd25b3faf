// The watches of the daemon: each follows the focus on a thread and a
// connection of its own, which sleep while nothing happens.
//
// Example:
//
//   Watches watches(&source, &sink, Watches::Threads());
//   watches.Start({.client = 3, .call = call, .answered = ...});
//   watches.Stop(3, watch);
//
// Called from one thread, but for what Start was given, which is called by the
// watch's own.
#ifndef TACTUS_TOOLS_TACTUSD_WATCHES_H_
#define TACTUS_TOOLS_TACTUSD_WATCHES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/control/calls.h"
#include "tools/tactusd/desk.h"
#include "tools/tactusd/sink.h"

namespace tactus::daemon {

class Watches {
 public:
  // Each costs a thread and two connections to the bus.
  static constexpr size_t kMost = 16;

  // Runs its argument: on a thread, or at once in a test.
  using Spawn = std::function<std::thread(std::function<void()>)>;
  static Spawn Threads();

  struct Order {
    int64_t client = 0;
    control::WatchCall call;
    absl::Time received;
    // The number of the watch, before its first line; or why there is none.
    std::function<void(const absl::StatusOr<int64_t>&)> answered;
    // After its last line.
    std::function<void()> over;
  };

  Watches(DeskSource* source, Sink* sink, Spawn spawn)
      : source_(*source), sink_(*sink), spawn_(std::move(spawn)) {}
  ~Watches();

  // False where there are kMost already or the system gives no thread; nothing
  // is called then.
  bool Start(Order order);
  // False where the client has no such watch, or it is over.
  bool Stop(int64_t client, int64_t watch);
  void StopOf(int64_t client);
  // All of them, and why.
  void StopAll(const absl::Status& why);

  size_t count();
  size_t CountOf(int64_t client);

 private:
  struct Watch;

  void Run(Watch& watch);
  // Joins those that are over.
  void Reap();

  DeskSource& source_;
  Sink& sink_;
  const Spawn spawn_;
  std::list<std::shared_ptr<Watch>> watches_;
  int64_t next_ = 1;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_WATCHES_H_
