#include "transfer/files/worker.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "transfer/sync/condition.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer::files {
namespace {

// How long a thread without a worker waits for the next one: files that follow
// each other, and soon over for a device that is to be idle.
constexpr absl::Duration kKept = absl::Seconds(1);

// The threads of all workers.
class Pool {
 public:
  // Runs it on a thread; false where the system gives none.
  bool Run(std::function<void()> run) {
    std::shared_ptr<Waiting> waiting;
    {
      MutexLock lock(&mutex_);
      if (!waiting_.empty()) {
        // The last that came, so that the others end.
        waiting = std::move(waiting_.back());
        waiting_.pop_back();
        waiting->run = std::move(run);
      }
    }
    if (waiting != nullptr) {
      waiting->told.NotifyAll();
      return true;
    }
    try {
      std::thread([this, run = std::move(run)]() mutable {
        while (run) {
          run();
          run = Next();
        }
      }).detach();
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }

 private:
  struct Waiting {
    Condition told;
    std::function<void()> run;  // under the pool's lock
  };

  // Null where the thread is to end.
  std::function<void()> Next() {
    const auto self = std::make_shared<Waiting>();
    const absl::Time until = absl::Now() + kKept;
    MutexLock lock(&mutex_);
    waiting_.push_back(self);
    while (!self->run) {
      const absl::Duration left = until - absl::Now();
      if (left <= absl::ZeroDuration()) {
        waiting_.erase(std::find(waiting_.begin(), waiting_.end(), self));
        return nullptr;
      }
      self->told.WaitFor(&mutex_, left);
    }
    return std::move(self->run);
  }

  Mutex mutex_;
  std::vector<std::shared_ptr<Waiting>> waiting_ ABSL_GUARDED_BY(mutex_);
};

// Never destroyed: its threads may outlive main().
Pool& ThePool() {
  static Pool* const pool = new Pool;
  return *pool;
}

}  // namespace

Worker::~Worker() {
  MutexLock lock(&mutex_);
  stopping_ = true;
  something_.NotifyAll();
  while (state_ == State::kRunning) {
    advanced_.WaitFor(&mutex_, absl::InfiniteDuration());
  }
}

uint64_t Worker::Post(std::function<void()> task) {
  bool without = false;
  {
    MutexLock lock(&mutex_);
    if (state_ == State::kNew) {
      state_ =
          ThePool().Run([this] { Run(); }) ? State::kRunning : State::kWithout;
    }
    without = state_ == State::kWithout;
  }
  if (without) {
    task();
    MutexLock lock(&mutex_);
    ++done_;
    return ++posted_;
  }
  uint64_t ticket;
  {
    MutexLock lock(&mutex_);
    while (tasks_.size() >= most_waiting_) {
      room_.WaitFor(&mutex_, absl::InfiniteDuration());
    }
    tasks_.push_back(std::move(task));
    ticket = ++posted_;
  }
  something_.NotifyAll();
  return ticket;
}

bool Worker::WaitFor(uint64_t ticket, absl::Duration patience) {
  const absl::Time deadline = absl::Now() + patience;
  MutexLock lock(&mutex_);
  while (done_ < ticket) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return false;
    advanced_.WaitFor(&mutex_, left);
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
        if (stopping_) {
          // The last that is touched of this.
          state_ = State::kEnded;
          advanced_.NotifyAll();
          return;
        }
        something_.WaitFor(&mutex_, absl::InfiniteDuration());
      }
      const bool full = tasks_.size() >= most_waiting_;
      task = std::move(tasks_.front());
      tasks_.pop_front();
      if (full) room_.NotifyAll();
    }
    task();
    task = nullptr;  // what it holds goes before anybody is told
    MutexLock lock(&mutex_);
    ++done_;
    advanced_.NotifyAll();
  }
}

}  // namespace tactus::transfer::files
