#include "ax/macos/bounder.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/sync/condition.h"
#include "ax/sync/mutex.h"

namespace tactus::ax::macos {
namespace {

// Shared by the bounder and one thread, so that either may go first.
class Worker {
 public:
  // Begins `call`; it must not have one.
  void Give(std::function<void()> call) {
    MutexLock lock(&mutex_);
    call_ = std::move(call);
    busy_ = true;
    changed_.NotifyAll();
  }
  bool WaitUntil(absl::Time deadline, Clock& clock) {
    MutexLock lock(&mutex_);
    while (busy_ && clock.Now() < deadline) {
      changed_.WaitFor(&mutex_, deadline - clock.Now());
    }
    return !busy_;
  }
  void End() {
    MutexLock lock(&mutex_);
    ended_ = true;
    changed_.NotifyAll();
  }

  void Serve() {
    while (true) {
      std::function<void()> call;
      {
        MutexLock lock(&mutex_);
        while (!busy_ && !ended_) changed_.Wait(&mutex_);
        if (!busy_) return;
        call = std::move(call_);
      }
      call();
      call = nullptr;  // what it owns goes before it counts as returned
      MutexLock lock(&mutex_);
      busy_ = false;
      changed_.NotifyAll();
    }
  }

 private:
  Mutex mutex_;
  Condition changed_;
  std::function<void()> call_ ABSL_GUARDED_BY(mutex_);
  bool busy_ ABSL_GUARDED_BY(mutex_) = false;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

class ThreadBounder : public Bounder {
 public:
  explicit ThreadBounder(Clock& clock)
      : clock_(clock), left_behind_(std::make_shared<std::atomic<int>>(0)) {}
  ~ThreadBounder() override { Rest(); }

  bool Run(std::function<void()> call, absl::Time deadline) override {
    // Looked at now and then: what hangs does so for seconds.
    constexpr absl::Duration kLook = absl::Milliseconds(5);
    while (left_behind_->load() >= kMostLeftBehind) {
      const absl::Time now = clock_.Now();
      if (now >= deadline) return false;
      clock_.SleepUntil(std::min(now + kLook, deadline));
    }
    if (worker_ == nullptr) {
      worker_ = std::make_shared<Worker>();
      std::thread([worker = worker_] { worker->Serve(); }).detach();
    }
    const std::shared_ptr<std::atomic<int>> left_behind = left_behind_;
    const auto given_up = std::make_shared<std::atomic<int>>(kWaited);
    worker_->Give([call = std::move(call), left_behind, given_up]() mutable {
      call();
      call = nullptr;
      if (given_up->exchange(kReturned) == kGivenUp) --*left_behind;
    });
    if (worker_->WaitUntil(deadline, clock_)) return true;
    ++*left_behind_;
    // It returned just now: it is not left behind after all.
    if (given_up->exchange(kGivenUp) == kReturned) --*left_behind_;
    Rest();
    return false;
  }

 private:
  enum { kWaited, kReturned, kGivenUp };

  // Its thread ends when it has nothing more to do.
  void Rest() {
    if (worker_ != nullptr) worker_->End();
    worker_ = nullptr;
  }

  Clock& clock_;
  std::shared_ptr<Worker> worker_;
  const std::shared_ptr<std::atomic<int>> left_behind_;
};

}  // namespace

std::unique_ptr<Bounder> MakeThreadBounder(Clock& clock) {
  return std::make_unique<ThreadBounder>(clock);
}

}  // namespace tactus::ax::macos
