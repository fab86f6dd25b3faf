// Work of the daemon that waits for applications, one piece after the other.
//
// A lane belongs to one connection to accessibility, which one thread may use:
// reads have one and edits another, so that a snapshot never waits for an edit.
// Pieces wait in a queue with a bound; one that has begun is never broken off,
// since an edit that was sent is to be read back.
//
// Example:
//
//   Lane lane;
//   std::thread thread([&] { lane.Run(); });
//   if (!lane.Submit({.client = 3, .id = "7", .run = [] { ... },
//                     .drop = [](Lane::Why why) { ... }})) TellBusy();
//   lane.Stop();          // drops what waits; what has begun ends
//   thread.join();
//
// Exactly one of `run` and `drop` is called of each piece that was taken, `run`
// by the lane's thread, `drop` by whoever caused it. All functions may be
// called from any thread; Run and RunOne by one of them alone.
#ifndef TACTUS_TOOLS_TACTUSD_LANE_H_
#define TACTUS_TOOLS_TACTUSD_LANE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "ax/sync/condition.h"
#include "ax/sync/mutex.h"

namespace tactus::daemon {

class Lane {
 public:
  // Pieces that wait, of all clients together: what comes later would be late
  // for its deadline anyway.
  static constexpr size_t kMostWaiting = 64;

  enum class Why { kCancelled, kSuperseded, kClosed, kStopping };

  struct Piece {
    int64_t client = 0;
    std::string id;  // of the request
    // A later text of the same client takes its place while it waits.
    bool partial = false;
    // Of the daemon itself, which submits one for each that clients streamed:
    // it is taken when the lane is full too, and never dropped.
    bool always = false;
    std::function<void()> run;
    std::function<void(Why)> drop;
  };

  // False when the lane is full or stopping; nothing is called then. A partial
  // of the same client that waits last among that client's pieces is superseded
  // when `supersedes`.
  bool Submit(Piece piece, bool supersedes = false);

  // Drops a piece that waits. False when it has begun, or is not known.
  bool Cancel(int64_t client, const std::string& id);
  // Drops all that waits of one client.
  void Close(int64_t client);

  // Does what comes until Stop, and what was begun.
  void Run();
  // Does one piece, where one waits. For tests, and not together with Run.
  bool RunOne();
  // Called by the lane's thread whenever it has done all there was.
  void set_idle(std::function<void()> idle) { idle_ = std::move(idle); }
  void Stop();

  size_t waiting();
  // Something is being done.
  bool busy();

 private:
  bool Take(bool wait, Piece* piece);

  ax::Mutex mutex_;
  ax::Condition changed_;
  std::deque<Piece> queue_ ABSL_GUARDED_BY(mutex_);
  bool busy_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::function<void()> idle_;  // before Run alone
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_LANE_H_
