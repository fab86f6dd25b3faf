#include "transfer/files/worker.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer::files {

Worker::Worker(size_t most_waiting) : most_waiting_(most_waiting) {
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) {
    // No thread: Post sees that there is none.
  }
}

Worker::~Worker() {
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

uint64_t Worker::Post(std::function<void()> task) {
  if (!thread_.joinable()) {
    task();
    MutexLock lock(&mutex_);
    ++done_;
    return ++posted_;
  }
  MutexLock lock(&mutex_);
  while (tasks_.size() >= most_waiting_) {
    changed_.WaitFor(&mutex_, absl::InfiniteDuration());
  }
  tasks_.push_back(std::move(task));
  changed_.NotifyAll();
  return ++posted_;
}

bool Worker::WaitFor(uint64_t ticket, absl::Duration patience) {
  const absl::Time deadline = absl::Now() + patience;
  MutexLock lock(&mutex_);
  while (done_ < ticket) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return false;
    changed_.WaitFor(&mutex_, left);
  }
  return true;
}

bool Worker::Drain(absl::Duration patience) {
  uint64_t last;
  {
    MutexLock lock(&mutex_);
    last = posted_;
  }
  return WaitFor(last, patience);
}

void Worker::Run() {
  while (true) {
    std::function<void()> task;
    {
      MutexLock lock(&mutex_);
      while (tasks_.empty()) {
        if (stopping_) return;
        changed_.WaitFor(&mutex_, absl::InfiniteDuration());
      }
      task = std::move(tasks_.front());
      tasks_.pop_front();
      changed_.NotifyAll();
    }
    task();
    task = nullptr;  // what it holds goes before anybody is told
    MutexLock lock(&mutex_);
    ++done_;
    changed_.NotifyAll();
  }
}

}  // namespace tactus::transfer::files
