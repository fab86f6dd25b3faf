// A copy of a status that shares nothing with it.
//
// Use it where a status is kept by one thread and given to another. The copies
// that absl makes share a count of references, which the packaged Abseil keeps
// correctly but out of ThreadSanitizer's sight: it then reports races that are
// none, as with absl::Mutex.
//
// Example:
//
//   MutexLock lock(&mutex_);
//   return Unshared(status_);
#ifndef TACTUS_TRANSFER_SYNC_UNSHARED_H_
#define TACTUS_TRANSFER_SYNC_UNSHARED_H_

#include "absl/status/status.h"

namespace tactus::transfer {

inline absl::Status Unshared(const absl::Status& status) {
  return absl::Status(status.code(), status.message());
}

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_SYNC_UNSHARED_H_
