#include "tools/tactusd/threads.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/sync/mutex.h"

namespace tactus::daemon {

using ax::MutexLock;

Threads::Spawn Threads::OfTheSystem() {
  return [](const std::function<void()>& run) {
    // std::thread throws where the system gives none.
    try {
      return std::thread(run);
    } catch (const std::system_error&) {
      return std::thread();
    }
  };
}

Threads::Threads(size_t most, Spawn spawn)
    : most_(most),
      spawn_(std::move(spawn)),
      state_(std::make_shared<State>()) {}

Threads::~Threads() { Join(); }

bool Threads::Start(std::function<void()> run) {
  std::shared_ptr<Waiting> waiting;
  {
    MutexLock lock(&state_->mutex);
    if (state_->joining || state_->running >= most_) return false;
    ++state_->running;
    if (!state_->waiting.empty()) {
      waiting = std::move(state_->waiting.back());
      state_->waiting.pop_back();
      waiting->run = std::move(run);
    }
  }
  if (waiting != nullptr) {
    // Without the lock, which whom it wakes wants first.
    waiting->told.NotifyAll();
    return true;
  }
  const auto begun = std::make_shared<std::atomic<bool>>(false);
  const std::thread::id here = std::this_thread::get_id();
  // Without the lock: in a test it runs here, and may ask how many there are.
  std::thread thread =
      spawn_([state = state_, begun, here, run = std::move(run)]() mutable {
        *begun = true;
        const bool stays = std::this_thread::get_id() != here;
        while (run) {
          run();
          // What it holds is gone before anybody is told that it has ended.
          run = nullptr;
          run = Next(*state, stays);
        }
      });
  // Waited for by its count: a thread that is over then leaves nothing behind.
  if (thread.joinable()) {
    thread.detach();
    return true;
  }
  if (*begun) return true;
  MutexLock lock(&state_->mutex);
  --state_->running;
  return false;
}

std::function<void()> Threads::Next(State& state, bool stays) {
  const auto self = std::make_shared<Waiting>();
  MutexLock lock(&state.mutex);
  --state.running;
  state.changed.NotifyAll();
  if (!stays || state.joining) return nullptr;
  state.waiting.push_back(self);
  const absl::Time until = ax::Clock::Real().Now() + kKept;
  while (!self->run) {
    const absl::Duration left = until - ax::Clock::Real().Now();
    if (state.joining || left <= absl::ZeroDuration()) {
      state.waiting.erase(
          std::find(state.waiting.begin(), state.waiting.end(), self));
      return nullptr;
    }
    self->told.WaitFor(&state.mutex, left);
  }
  return std::move(self->run);
}

void Threads::Join() {
  MutexLock lock(&state_->mutex);
  state_->joining = true;
  for (const auto& waiting : state_->waiting) waiting->told.NotifyAll();
  while (state_->running > 0) state_->changed.Wait(&state_->mutex);
}

size_t Threads::running() {
  MutexLock lock(&state_->mutex);
  return state_->running;
}

}  // namespace tactus::daemon
