// A second thread that does what it is given, in order.
//
// Its thread is taken when something is posted first, and comes from those that
// other workers have left within the last second: to start one takes longer
// than many a small file.
//
// Use it beside a thread that reads or writes a stream: while that one is in
// TLS, this one hashes and is on the disk. It never touches the stream, so that
// what is written for threads runs the same in a memory network.
//
// Example:
//
//   Worker worker(/*most_waiting=*/4);
//   const uint64_t ticket = worker.Post([&] { hash = HashOf(bytes); });
//   worker.WaitFor(ticket);
//
// Where the system gives no thread, Post does the task itself.
#ifndef TACTUS_TRANSFER_FILES_WORKER_H_
#define TACTUS_TRANSFER_FILES_WORKER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "transfer/sync/condition.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer::files {

class Worker {
 public:
  explicit Worker(size_t most_waiting) : most_waiting_(most_waiting) {}
  // Does what was posted, first.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Waits while `most_waiting` tasks wait. From one thread.
  uint64_t Post(std::function<void()> task);

  // Until the task of that ticket, and all before it, are done; false when they
  // are not after `patience`, in the machine's own time.
  bool WaitFor(uint64_t ticket,
               absl::Duration patience = absl::InfiniteDuration());
  // Until all that was posted is done.
  bool Drain(absl::Duration patience = absl::InfiniteDuration());

 private:
  void Run();

  const size_t most_waiting_;
  enum class State { kNew, kRunning, kEnded, kWithout };

  Mutex mutex_;
  State state_ ABSL_GUARDED_BY(mutex_) = State::kNew;
  // Each for one kind of waiting, so that nobody is woken for another's sake.
  Condition something_;  // to do, or nothing any more
  Condition room_;       // to post
  Condition advanced_;   // a task is done, or the thread has ended
  std::deque<std::function<void()>> tasks_ ABSL_GUARDED_BY(mutex_);
  uint64_t posted_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_WORKER_H_
