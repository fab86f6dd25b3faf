// A thread, where the system gives one: std::thread throws where it does not,
// and a peer that has many of them started can bring that about.
//
// Example:
//
//   absl::StatusOr<std::thread> thread = StartThread([this] { Run(); });
//   if (!thread.ok()) return thread.status();
#ifndef TACTUS_TRANSFER_SYNC_THREAD_H_
#define TACTUS_TRANSFER_SYNC_THREAD_H_

#include <functional>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tactus::transfer {

// Unavailable: `run` is not called then.
inline absl::StatusOr<std::thread> StartThread(std::function<void()> run) {
  try {
    return std::thread(std::move(run));
  } catch (const std::system_error&) {
    return absl::UnavailableError("the system gives no thread");
  }
}

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_SYNC_THREAD_H_
