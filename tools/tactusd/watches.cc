#include "tools/tactusd/watches.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/server/server.h"
#include "ax/sync/mutex.h"
#include "tools/tactus/watch.h"
#include "tools/tactusd/desk.h"
#include "tools/tactusd/sink.h"
#include "tools/tactusd/threads.h"
#include "tools/tactusd/watch_feed.h"

namespace tactus::daemon {

using ax::MutexLock;

struct Watches::Watch {
  Watch(int64_t n, Order o)
      : number(n), order(std::move(o)), feed(std::make_shared<WatchFeed>(n)) {}

  const int64_t number;
  const Order order;
  const std::shared_ptr<WatchFeed> feed;
  std::thread thread;

  ax::Mutex mutex;
  ax::EventSource* events ABSL_GUARDED_BY(mutex) = nullptr;
  bool stopped ABSL_GUARDED_BY(mutex) = false;
  // Why it was stopped; empty when its client wanted it.
  std::string why ABSL_GUARDED_BY(mutex);
  bool over ABSL_GUARDED_BY(mutex) = false;

  void Stop(const absl::Status& reason) {
    MutexLock lock(&mutex);
    if (stopped || over) return;
    stopped = true;
    why = std::string(reason.message());
    if (events != nullptr) events->Cancel();
  }
  bool IsOver() {
    MutexLock lock(&mutex);
    return over;
  }
};

Watches::Spawn Watches::Threads() { return daemon::Threads::OfTheSystem(); }

Watches::~Watches() {
  StopAll(absl::OkStatus());
  for (const std::shared_ptr<Watch>& watch : watches_) {
    if (watch->thread.joinable()) watch->thread.join();
  }
}

void Watches::Reap() {
  for (auto it = watches_.begin(); it != watches_.end();) {
    if (!(*it)->IsOver()) {
      ++it;
      continue;
    }
    if ((*it)->thread.joinable()) (*it)->thread.join();
    it = watches_.erase(it);
  }
}

bool Watches::Start(Order order) {
  Reap();
  if (watches_.size() >= kMost) return false;
  const auto watch = std::make_shared<Watch>(next_++, std::move(order));
  watches_.push_back(watch);
  watch->thread = spawn_([this, watch] { Run(*watch); });
  // In a test it has run here.
  if (watch->thread.joinable() || watch->IsOver()) return true;
  watches_.pop_back();
  return false;
}

void Watches::Run(Watch& watch) {
  const control::WatchCall& call = watch.order.call;
  absl::StatusOr<WatchedServer> opened = source_.OpenWatch(
      {.text = call.text}, watch.order.received + call.deadline);
  if (!opened.ok()) {
    watch.order.answered(opened.status());
  } else {
    bool stopped = false;
    {
      MutexLock lock(&watch.mutex);
      watch.events = opened->events.get();
      stopped = watch.stopped;
    }
    watch.order.answered(watch.number);
    absl::Status status;
    if (!stopped) {
      status = cli::Watch(*opened->server, *opened->events,
                          {.text = call.text,
                           .run_for = call.run_for,
                           .deadline = call.deadline,
                           .max_text = call.max_text},
                          [&](const cli::Change& change) {
                            watch.feed->Push(change);
                            sink_.Ready(watch.order.client, watch.feed);
                            return absl::OkStatus();
                          });
    }
    {
      MutexLock lock(&watch.mutex);
      watch.events = nullptr;
      if (watch.stopped && !watch.why.empty()) {
        status = absl::CancelledError(watch.why);
      }
    }
    watch.feed->End(status);
    sink_.Ready(watch.order.client, watch.feed);
  }
  {
    MutexLock lock(&watch.mutex);
    watch.over = true;
  }
  watch.order.over();
}

bool Watches::Stop(int64_t client, int64_t watch) {
  for (const std::shared_ptr<Watch>& one : watches_) {
    if (one->number != watch || one->order.client != client || one->IsOver()) {
      continue;
    }
    one->Stop(absl::OkStatus());
    return true;
  }
  return false;
}

void Watches::StopOf(int64_t client) {
  for (const std::shared_ptr<Watch>& one : watches_) {
    if (one->order.client == client) one->Stop(absl::OkStatus());
  }
}

void Watches::StopAll(const absl::Status& why) {
  for (const std::shared_ptr<Watch>& one : watches_) one->Stop(why);
}

size_t Watches::count() {
  Reap();
  return watches_.size();
}

size_t Watches::CountOf(int64_t client) {
  size_t count = 0;
  for (const std::shared_ptr<Watch>& one : watches_) {
    if (one->order.client == client && !one->IsOver()) ++count;
  }
  return count;
}

}  // namespace tactus::daemon
