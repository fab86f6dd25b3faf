// A std::condition_variable for ax/sync/mutex.h.
//
// Example:
//
//   MutexLock lock(&mutex_);
//   while (!done_ && clock.Now() < deadline) {
//     changed_.WaitFor(&mutex_, deadline - clock.Now());
//   }
//
// It wakes without a reason at times, so wait in a loop.
#ifndef TACTUS_AX_SYNC_CONDITION_H_
#define TACTUS_AX_SYNC_CONDITION_H_

#include <algorithm>
#include <condition_variable>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"

namespace tactus::ax {

class Condition {
 public:
  // Unlocks `mutex`, waits at most `duration` for NotifyAll, locks it again.
  void WaitFor(Mutex* mutex, absl::Duration duration)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Lockable lockable{mutex};
    // An infinite duration would overflow the clock's arithmetic.
    condition_.wait_for(lockable, absl::ToChronoNanoseconds(
                                      std::min(duration, absl::Hours(1))));
  }

  // The same without an end: for a thread that has nothing to do until it is
  // told, and is not to wake up meanwhile.
  void Wait(Mutex* mutex) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    Lockable lockable{mutex};
    condition_.wait(lockable);
  }

  void NotifyAll() { condition_.notify_all(); }

 private:
  // The names that the standard library calls.
  struct Lockable {
    void lock() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex->Lock(); }
    void unlock() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex->Unlock(); }
    Mutex* mutex;
  };

  std::condition_variable_any condition_;
};

}  // namespace tactus::ax

#endif  // TACTUS_AX_SYNC_CONDITION_H_
