#include "transfer/memory/scheduler.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "transfer/memory/schedule.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer {

bool Scheduler::CanGoOn(const Program& program) const {
  if (program.done) return false;
  return stuck_ || program.holds == nullptr || (*program.holds)() ||
         now_ >= program.deadline;
}

bool Scheduler::PassTime() {
  absl::Time next = absl::InfiniteFuture();
  expected_.erase(expected_.begin(), expected_.upper_bound(now_));
  if (!expected_.empty()) next = *expected_.begin();
  for (const auto& program : programs_) {
    if (!program->done && program->holds != nullptr) {
      next = std::min(next, program->deadline);
    }
  }
  if (next == absl::InfiniteFuture()) return false;
  now_ = std::max(now_, next);
  return true;
}

Scheduler::Program* Scheduler::ChooseNext() {
  while (true) {
    std::vector<Program*> able;
    bool all_done = true;
    for (const auto& program : programs_) {
      all_done = all_done && program->done;
      if (CanGoOn(*program)) able.push_back(program.get());
    }
    if (able.size() == 1) return able[0];
    if (!able.empty()) {
      if (schedule_ != nullptr) return able[schedule_->Choose(able.size())];
      const auto same = std::find(able.begin(), able.end(), current_);
      return same != able.end() ? current_ : able[0];
    }
    if (all_done) return nullptr;
    // Everybody waits. When not even time can help, they are told.
    if (!PassTime()) stuck_ = true;
  }
}

void Scheduler::PassOn(Program* mine) {
  Program* next = ChooseNext();
  if (next == mine) return;
  MutexLock lock(&mutex_);
  mine->turn = false;
  current_ = next;
  if (next != nullptr) {
    next->turn = true;
    next->turned.NotifyAll();
  }
  if (mine->done) return;
  while (!mine->turn) mine->turned.WaitFor(&mutex_, absl::InfiniteDuration());
}

void Scheduler::Run(const std::vector<std::function<void()>>& programs) {
  programs_.clear();
  stuck_ = false;
  for (size_t i = 0; i < programs.size(); ++i) {
    programs_.push_back(std::make_unique<Program>());
  }
  if (programs.empty()) return;
  std::vector<std::thread> threads;
  threads.reserve(programs.size());
  for (size_t i = 0; i < programs.size(); ++i) {
    Program* mine = programs_[i].get();
    threads.emplace_back([this, mine, &programs, i] {
      {
        MutexLock lock(&mutex_);
        while (!mine->turn) {
          mine->turned.WaitFor(&mutex_, absl::InfiniteDuration());
        }
      }
      programs[i]();
      mine->done = true;
      PassOn(mine);
    });
  }
  {
    Program* first = ChooseNext();
    MutexLock lock(&mutex_);
    current_ = first;
    first->turn = true;
    first->turned.NotifyAll();
  }
  for (std::thread& thread : threads) thread.join();
  programs_.clear();
  current_ = nullptr;
}

void Scheduler::Yield() {
  if (current_ != nullptr) PassOn(current_);
}

absl::Status Scheduler::Block(absl::FunctionRef<bool()> holds,
                              absl::Time deadline) {
  // Outside of Run there is nobody to wait for but time.
  if (current_ == nullptr) {
    Program mine;
    while (!holds()) {
      if (now_ >= deadline) return absl::DeadlineExceededError("no time left");
      expected_.insert(deadline);
      if (*expected_.upper_bound(now_) == absl::InfiniteFuture()) {
        return absl::AbortedError("it waits for what never comes");
      }
      PassTime();
    }
    return absl::OkStatus();
  }
  Program* mine = current_;
  mine->holds = &holds;
  mine->deadline = deadline;
  PassOn(mine);
  mine->holds = nullptr;
  if (holds()) return absl::OkStatus();
  if (now_ >= deadline) return absl::DeadlineExceededError("no time left");
  return absl::AbortedError("everybody waits for what never comes");
}

void Scheduler::SleepUntil(absl::Time time) {
  (void)Block([] { return false; }, time);
}

}  // namespace tactus::transfer
