// A std::condition_variable for transfer/sync/mutex.h.
//
// Example:
//
//   MutexLock lock(&mutex_);
//   while (!done_ && clock.Now() < deadline) {
//     changed_.WaitFor(&mutex_, deadline - clock.Now());
//   }
//
// It wakes without a reason at times, so wait in a loop.
#ifndef TACTUS_TRANSFER_SYNC_CONDITION_H_
#define TACTUS_TRANSFER_SYNC_CONDITION_H_

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer {

class Condition {
 public:
  // Unlocks `mutex`, waits at most `duration` for NotifyAll, locks it again.
  void WaitFor(Mutex* mutex, absl::Duration duration)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    std::unique_lock<std::mutex> lock(mutex->mutex_, std::adopt_lock);
    // An infinite duration would overflow the clock's arithmetic.
    condition_.wait_for(
        lock, absl::ToChronoNanoseconds(std::min(duration, absl::Hours(1))));
    lock.release();
  }

  void NotifyAll() { condition_.notify_all(); }
  // Where all that wait wait for the same, and one can take it.
  void NotifyOne() { condition_.notify_one(); }

 private:
  // Not condition_variable_any, which has a lock of its own: who is woken would
  // wait for whoever woke him.
  std::condition_variable condition_;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_SYNC_CONDITION_H_
