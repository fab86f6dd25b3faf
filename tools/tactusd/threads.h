// Work that waits for people and for other machines, each piece on a thread of
// its own, and no more of them than a bound.
//
// Use it for what may wait long and not in a queue: streams that peers opened,
// requests that move files. What is short and comes one after the other is a
// Lane's.
//
// Example:
//
//   Threads threads(32, Watches::Threads());
//   if (!threads.Start([] { ... })) TellBusy();
//   threads.Join();      // once all have been told to end
//
// A thread that has done its work waits for more for kKept: of requests that
// follow each other each would start a thread otherwise, which takes longer
// than many of them.
//
// Safe to call from any thread; its own may start others, and not wait for
// them.
#ifndef TACTUS_TOOLS_TACTUSD_THREADS_H_
#define TACTUS_TOOLS_TACTUSD_THREADS_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "ax/sync/condition.h"
#include "ax/sync/mutex.h"

namespace tactus::daemon {

class Threads {
 public:
  // Runs its argument: on a thread, or at once in a test.
  using Spawn = std::function<std::thread(std::function<void()>)>;
  // Long for a program that asks one thing after the other, and soon over for a
  // daemon that is to be idle.
  static constexpr absl::Duration kKept = absl::Seconds(1);

  // One of the system's; not joinable where it gives none.
  static Spawn OfTheSystem();

  Threads(size_t most, Spawn spawn);
  // Joins.
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // False where `most` run already or the system gives no thread, and after
  // Join: `run` is not called then.
  bool Start(std::function<void()> run);

  // Waits for all that run, and starts nothing more.
  void Join();

  size_t running();

 private:
  // A thread that waits. Each has a condition of its own: to wake all for one
  // would cost more than to start one.
  struct Waiting {
    ax::Condition told;
    std::function<void()> run;  // under the mutex of State
  };

  // What a thread that is ending still touches.
  struct State {
    ax::Mutex mutex;
    ax::Condition changed;
    size_t running ABSL_GUARDED_BY(mutex) = 0;
    // Those that have been given nothing, who came last at the end: it is given
    // the next piece, so that the others end.
    std::vector<std::shared_ptr<Waiting>> waiting ABSL_GUARDED_BY(mutex);
    bool joining ABSL_GUARDED_BY(mutex) = false;
  };

  // The end of a piece of work; `stays` to wait for another one, which is
  // returned. Null where the thread is to end.
  static std::function<void()> Next(State& state, bool stays);

  const size_t most_;
  const Spawn spawn_;
  const std::shared_ptr<State> state_;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_THREADS_H_
