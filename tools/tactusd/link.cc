#include "tools/tactusd/link.h"

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/sync/mutex.h"
#include "tools/tactusd/desk.h"

namespace tactus::daemon {

using ax::MutexLock;

namespace {

absl::Time Now() { return ax::Clock::Real().Now(); }

// For the question whether a desk is gone.
constexpr absl::Duration kDoubt = absl::Milliseconds(500);

absl::Status Paused() {
  return absl::CancelledError("paused: `tactus resume` goes on");
}

}  // namespace

Link::Link(LinkOptions options)
    : options_(std::move(options)), thread_([this] { Run(); }) {}

Link::~Link() {
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  thread_.join();
}

LinkState Link::StateNow() {
  LinkState state;
  state.attempts = attempts_;
  if (paused_) {
    state.kind = LinkState::Kind::kPaused;
  } else if (desk_ != nullptr) {
    state.kind = LinkState::Kind::kConnected;
    state.bus = desk_->bus();
    state.display = desk_->display();
  } else if (code_ == absl::StatusCode::kOk) {
    state.kind = LinkState::Kind::kConnecting;
  } else {
    state.kind = LinkState::Kind::kDisconnected;
    state.why = why_;
  }
  return state;
}

void Link::Bury() {
  std::vector<std::shared_ptr<Desk>> gone;
  gone.swap(gone_);
  mutex_.Unlock();
  gone.clear();
  mutex_.Lock();
}

void Link::Run() {
  absl::Duration pause = kFirstPause;
  for (;;) {
    int generation = 0;
    {
      MutexLock lock(&mutex_);
      for (;;) {
        while (!gone_.empty()) Bury();
        if (stopping_) return;
        if (desk_ != nullptr || paused_) {
          pause = kFirstPause;
          changed_.Wait(&mutex_);
          continue;
        }
        const absl::Duration waited = Now() - last_attempt_;
        const absl::Duration wanted = attempts_ == 0
                                          ? absl::ZeroDuration()
                                          : (hurry_ ? kLeastPause : pause);
        if (waited >= wanted) break;
        changed_.WaitFor(&mutex_, wanted - waited);
      }
      hurry_ = false;
      connecting_ = true;
      last_attempt_ = Now();
      generation = ++generation_;
    }
    absl::StatusOr<std::shared_ptr<Desk>> desk = options_.open(
        Now() + kPatience, [this, generation] { Lost(generation); });
    LinkState state;
    {
      MutexLock lock(&mutex_);
      connecting_ = false;
      ++attempts_;
      pause = attempts_ == 1 ? kFirstPause : std::min(2 * pause, kLongestPause);
      // It may have been lost, or paused, while it was made.
      const bool current = generation == generation_ && !paused_ && !stopping_;
      if (desk.ok() && current) {
        desk_ = *std::move(desk);
        code_ = absl::StatusCode::kOk;
        why_.clear();
        attempts_ = 0;
      } else if (desk.ok()) {
        gone_.push_back(*std::move(desk));
      } else {
        code_ = desk.status().code();
        why_ = std::string(desk.status().message());
      }
      state = StateNow();
      changed_.NotifyAll();
    }
    if (options_.changed) options_.changed(state);
  }
}

void Link::Lost(int generation) {
  LinkState state;
  {
    MutexLock lock(&mutex_);
    if (generation != generation_) return;
    // What is being made is lost before it was there.
    ++generation_;
    if (desk_ == nullptr) return;
    gone_.push_back(std::exchange(desk_, nullptr));
    code_ = absl::StatusCode::kUnavailable;
    why_ = "the accessibility bus ended";
    attempts_ = 0;
    last_attempt_ = Now();
    state = StateNow();
    changed_.NotifyAll();
  }
  if (options_.changed) options_.changed(state);
}

absl::StatusOr<std::shared_ptr<Desk>> Link::Get(absl::Time deadline) {
  MutexLock lock(&mutex_);
  bool asked = false;
  for (;;) {
    if (paused_) return Paused();
    if (desk_ != nullptr) return desk_;
    const bool first = attempts_ == 0 && code_ == absl::StatusCode::kOk;
    // What was tried since this was asked stands; before that, once more.
    if (!first && !connecting_ && asked && !hurry_) {
      return absl::Status(code_, why_);
    }
    if (!asked) {
      asked = true;
      hurry_ = !connecting_;
      changed_.NotifyAll();
    }
    const absl::Duration left = deadline - Now();
    if (left <= absl::ZeroDuration()) {
      if (first) {
        return absl::DeadlineExceededError(
            "still connecting to the accessibility bus");
      }
      return absl::Status(code_, why_);
    }
    changed_.WaitFor(&mutex_, left);
  }
}

absl::StatusOr<WatchedServer> Link::OpenWatch(const ax::ObserveOptions& options,
                                              absl::Time deadline) {
  {
    MutexLock lock(&mutex_);
    if (paused_) return Paused();
  }
  return options_.open_watch(options, deadline);
}

void Link::Doubt(const std::shared_ptr<Desk>& desk, ax::Server& server) {
  int generation = 0;
  {
    MutexLock lock(&mutex_);
    if (desk != desk_) return;
    generation = generation_;
  }
  if (options_.is_lost(server, Now() + kDoubt)) Lost(generation);
}

void Link::Pause() {
  MutexLock lock(&mutex_);
  paused_ = true;
  ++generation_;
  if (desk_ != nullptr) gone_.push_back(std::exchange(desk_, nullptr));
  code_ = absl::StatusCode::kOk;
  why_.clear();
  attempts_ = 0;
  changed_.NotifyAll();
}

void Link::Resume() {
  MutexLock lock(&mutex_);
  paused_ = false;
  changed_.NotifyAll();
}

LinkState Link::state() {
  MutexLock lock(&mutex_);
  return StateNow();
}

}  // namespace tactus::daemon
