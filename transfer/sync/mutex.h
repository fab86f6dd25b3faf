// A std::mutex that clang's thread-safety analysis understands.
//
// Lock with this and not with absl::Mutex: the packaged Abseil is not built for
// ThreadSanitizer, which then reports races that are none.
//
// Example:
//
//   Mutex mutex_;
//   int count_ ABSL_GUARDED_BY(mutex_) = 0;
//   ...
//   MutexLock lock(&mutex_);
//   ++count_;
#ifndef TACTUS_TRANSFER_SYNC_MUTEX_H_
#define TACTUS_TRANSFER_SYNC_MUTEX_H_

#include <mutex>

#include "absl/base/thread_annotations.h"

namespace tactus::transfer {

class ABSL_LOCKABLE Mutex {
 public:
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex)
      : mutex_(mutex) {
    mutex_->Lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* mutex_;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_SYNC_MUTEX_H_
