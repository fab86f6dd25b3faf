#include "tools/tactusd/stream_router.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"
#include "tools/tactusd/threads.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"

namespace tactus::daemon {

using ax::MutexLock;
using transfer::Stream;

StreamRouter::StreamRouter(transfer::Transport* transport, Threads::Spawn spawn,
                           std::function<void(const std::string&)> log)
    : transport_(*transport),
      log_(std::move(log)),
      // And those that wait for the next.
      threads_(kMost + kWaiting, std::move(spawn)) {}

StreamRouter::~StreamRouter() { Stop(); }

void StreamRouter::Handle(transfer::StreamKind kind, Handler handler,
                          size_t most) {
  handlers_[kind] = {std::move(handler), most};
}

bool StreamRouter::Start() {
  return threads_.Start([this] { Lead(); });
}

void StreamRouter::Lead() {
  for (;;) {
    {
      MutexLock lock(&mutex_);
      if (waiting_ == kWaiting) return;
      ++waiting_;
    }
    // Without an end: it has nothing to do until a peer comes or all is over.
    absl::StatusOr<std::unique_ptr<Stream>> stream =
        transport_.Accept(absl::InfiniteFuture());
    bool alone = false;
    {
      MutexLock lock(&mutex_);
      alone = --waiting_ == 0;
    }
    if (!stream.ok()) return;
    const Key key((*stream)->peer(), (*stream)->header().kind);
    const Handler* const handler = Admit(key);
    if (handler == nullptr) continue;
    if (alone && !threads_.Start([this] { Lead(); })) {
      Leave(key);
      Refuse(key, "too many are served already");
      continue;
    }
    (*handler)(*std::move(stream));
    Leave(key);
  }
}

const StreamRouter::Handler* StreamRouter::Admit(const Key& key) {
  const auto handler = handlers_.find(key.second);
  if (handler == handlers_.end()) {
    Refuse(key, "nobody serves its kind here");
    return nullptr;
  }
  MutexLock lock(&mutex_);
  const auto found = count_.find(key);
  const size_t count = found == count_.end() ? 0 : found->second;
  if (count >= handler->second.most) {
    Refuse(key, "the peer has too many");
    return nullptr;
  }
  if (served_ >= kMost) {
    Refuse(key, "too many are served already");
    return nullptr;
  }
  if (served_ >= kMost - kSpare && count >= kFewOfAPeer) {
    Refuse(key, "what is left is for those who have few");
    return nullptr;
  }
  ++served_;
  ++count_[key];
  return &handler->second.handler;
}

void StreamRouter::Leave(const Key& key) {
  MutexLock lock(&mutex_);
  const auto found = count_.find(key);
  if (--found->second == 0) count_.erase(found);
  --served_;
}

void StreamRouter::Refuse(const Key& key, const char* why) {
  log_(absl::StrCat("a stream of ", key.first.text(), " was cut (",
                    transfer::StreamKindName(key.second), "): ", why));
}

void StreamRouter::Stop() { threads_.Join(); }

}  // namespace tactus::daemon
