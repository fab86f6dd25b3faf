#include "ax/focus/focus_cache.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/focus/tracker.h"
#include "ax/read/read.h"
#include "ax/resolve/resolve.h"
#include "ax/score/claims.h"
#include "ax/server/server.h"
#include "ax/sync/mutex.h"
#include "ax/types/types.h"

namespace tactus::ax {
namespace {

// Longest that refreshing the hint may take. A focused application that hangs
// must not keep the cache from hearing that the user has left it.
constexpr absl::Duration kPatience = absl::Milliseconds(250);
// Events taken before the hint is refreshed. A window switch sends five.
constexpr int kBurst = 256;

}  // namespace

FocusCache::FocusCache(std::unique_ptr<Server> server,
                       std::unique_ptr<EventSource> events)
    : server_(std::move(server)),
      events_(std::move(events)),
      hint_(absl::NotFoundError("nothing is known of the focus yet")) {}

absl::StatusOr<std::unique_ptr<FocusCache>> FocusCache::Create(
    std::unique_ptr<Server> server, absl::Time deadline) {
  absl::StatusOr<std::unique_ptr<EventSource>> events =
      server->Observe({}, deadline);
  if (!events.ok()) return events.status();
  std::unique_ptr<FocusCache> cache(
      new FocusCache(std::move(server), *std::move(events)));
  cache->Refresh();
  return cache;
}

FocusCache::~FocusCache() {
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
  }
  if (thread_.joinable()) {
    events_->Cancel();
    thread_.join();
  }
}

void FocusCache::Start(std::function<void()> on_end) {
  thread_ = std::thread([this, on_end = std::move(on_end)] { Run(on_end); });
}

void FocusCache::Run(const std::function<void()>& on_end) {
  for (;;) {
    const absl::Status status = Step(absl::InfiniteFuture());
    {
      MutexLock lock(&mutex_);
      if (stopping_) return;
    }
    if (absl::IsUnavailable(status)) {
      Publish(status);
      if (on_end) on_end();
      return;
    }
  }
}

absl::Status FocusCache::Step(absl::Time deadline) {
  bool changed = false;
  absl::StatusOr<Event> event = events_->Next(deadline);
  if (absl::IsCancelled(event.status())) {
    // Woken by Refute, or to stop.
    MutexLock lock(&mutex_);
    if (stopping_) return event.status();
    changed = std::exchange(refuted_, false);
    if (changed) tracker_.Clear();
  } else if (!event.ok()) {
    return event.status();
  }
  // Toolkits tell of one change in a burst; what stands at its end counts. A
  // flood without an end must not keep the hint from being refreshed.
  for (int i = 0; event.ok() && i < kBurst; ++i) {
    changed |= tracker_.Take(*event);
    if (event->kind == Event::Kind::kApplicationGone) {
      applications_.erase(event->element.application);
    }
    event = events_->Next(server_->clock().Now());
  }
  if (changed) Refresh();
  return absl::OkStatus();
}

void FocusCache::Refresh() {
  const absl::Time deadline = server_->clock().Now() + kPatience;
  const std::optional<FocusTracker::Guess> guess = tracker_.guess();
  absl::StatusOr<Target> target = absl::NotFoundError("no guess");
  if (guess.has_value() && !guess->candidates.empty()) {
    target = Confirm(*guess, deadline);
  }
  if (!target.ok()) target = Search(deadline);
  Publish(std::move(target));
}

absl::StatusOr<Target> FocusCache::Confirm(const FocusTracker::Guess& guess,
                                           absl::Time deadline) {
  const auto application = applications_.find(guess.application);
  if (application == applications_.end()) {
    return absl::NotFoundError("an application not met before");
  }
  constexpr Attribute kAsked[] = {Attribute::kRole, Attribute::kSubrole,
                                  Attribute::kStates};
  std::vector<ReadRequest> requests;
  for (const Element& candidate : guess.candidates) {
    for (const Attribute attribute : kAsked) {
      requests.push_back({candidate, attribute});
    }
  }
  const ReadResult result = ReadAll(*server_, requests, deadline);
  std::vector<Claim> claims;
  for (size_t i = 0; i < guess.candidates.size(); ++i) {
    const Reading* reading = &result.readings[i * std::size(kAsked)];
    Claim claim = {.element = guess.candidates[i],
                   .role = Get<RoleValue>(reading[0]),
                   .subrole = Get<RoleValue>(reading[1]),
                   .states = Get<int64_t>(reading[2])};
    if (absl::IsUnavailable(claim.states.status())) {
      tracker_.Forget(guess.candidates[i]);
    }
    // What had the focus once claims nothing for that.
    if (claim.states.ok() && !(*claim.states & kStateFocused)) continue;
    claims.push_back(std::move(claim));
  }
  const Choice choice = Choose(claims);
  if (!choice.best.has_value()) {
    return absl::NotFoundError("no candidate has the focus any longer");
  }
  Target target;
  target.application = application->second;
  // The snapshot weighs the rivals anew: were they left out here, it could not
  // know that this claim is a guess, or that a key could reach a secure one.
  target.candidates = {claims[*choice.best].element};
  for (const size_t rival : choice.rivals) {
    target.candidates.push_back(claims[rival].element);
  }
  target.route = Route::kCache;
  target.window = guess.window;
  return target;
}

absl::StatusOr<Target> FocusCache::Search(absl::Time deadline) {
  absl::StatusOr<Target> target = Resolve(*server_, deadline);
  if (!target.ok()) return target;
  applications_[target->application.id] = target->application;
  const Reading reading =
      server_->Read({target->candidates.front(), Attribute::kWindow}, deadline);
  absl::StatusOr<Element> window = Get<Element>(reading);
  // Without its window a hint could not be confirmed, so there is none.
  if (!window.ok()) return window.status();
  // Likeliest last, so that it is the first of the guess.
  for (auto it = target->candidates.rbegin(); it != target->candidates.rend();
       ++it) {
    tracker_.Learn(*window, *it);
  }
  const std::optional<FocusTracker::Guess> guess = tracker_.guess();
  if (!guess.has_value()) return absl::NotFoundError("the focus has moved");
  return Confirm(*guess, deadline);
}

void FocusCache::Publish(absl::StatusOr<Target> hint) {
  MutexLock lock(&mutex_);
  hint_ = std::move(hint);
}

absl::StatusOr<Target> FocusCache::Hint() {
  MutexLock lock(&mutex_);
  return hint_;
}

void FocusCache::Refute(const Target& target) {
  MutexLock lock(&mutex_);
  // The thread may have found a better one meanwhile: that one stands.
  if (!hint_.ok() || !(hint_->candidates == target.candidates)) return;
  hint_ = absl::NotFoundError("the last known focus has moved");
  refuted_ = true;
  events_->Cancel();
}

}  // namespace tactus::ax
