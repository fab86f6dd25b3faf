#include "tools/tactusd/threads.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

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
  {
    MutexLock lock(&state_->mutex);
    if (state_->joining || state_->running >= most_) return false;
    ++state_->running;
  }
  const auto begun = std::make_shared<std::atomic<bool>>(false);
  // Without the lock: in a test it runs here, and may ask how many there are.
  std::thread thread =
      spawn_([state = state_, begun, run = std::move(run)]() mutable {
        *begun = true;
        run();
        // What it holds is gone before anybody is told that it has ended.
        run = nullptr;
        MutexLock lock(&state->mutex);
        --state->running;
        state->changed.NotifyAll();
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

void Threads::Join() {
  MutexLock lock(&state_->mutex);
  state_->joining = true;
  while (state_->running > 0) state_->changed.Wait(&state_->mutex);
}

size_t Threads::running() {
  MutexLock lock(&state_->mutex);
  return state_->running;
}

}  // namespace tactus::daemon
