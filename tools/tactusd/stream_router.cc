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
      threads_(kMost, spawn),
      spawn_(std::move(spawn)) {}

StreamRouter::~StreamRouter() { Stop(); }

void StreamRouter::Handle(transfer::StreamKind kind, Handler handler,
                          size_t most) {
  handlers_[kind] = {std::move(handler), most};
}

bool StreamRouter::Start() {
  thread_ = spawn_([this] { Run(); });
  return thread_.joinable();
}

void StreamRouter::Run() {
  for (;;) {
    // Without an end: it has nothing to do until a peer comes or all is over.
    absl::StatusOr<std::unique_ptr<Stream>> stream =
        transport_.Accept(absl::InfiniteFuture());
    if (!stream.ok()) return;
    Take(*std::move(stream));
  }
}

void StreamRouter::Take(std::unique_ptr<Stream> stream) {
  const transfer::StreamKind kind = stream->header().kind;
  const Key key(stream->peer(), kind);
  const auto refuse = [&](const char* why) {
    log_(absl::StrCat("a stream of ", key.first.text(), " was cut (",
                      transfer::StreamKindName(kind), "): ", why));
  };
  const auto handler = handlers_.find(kind);
  if (handler == handlers_.end()) return refuse("nobody serves its kind here");
  {
    MutexLock lock(&mutex_);
    size_t& count = count_[key];
    if (count >= handler->second.most) return refuse("the peer has too many");
    ++count;
  }
  const auto leave = [this, key] {
    MutexLock lock(&mutex_);
    const auto found = count_.find(key);
    if (--found->second == 0) count_.erase(found);
  };
  // Copied into a std::function, which does not hold what cannot be copied.
  const auto held =
      std::make_shared<std::unique_ptr<Stream>>(std::move(stream));
  const bool started =
      threads_.Start([handle = &handler->second.handler, held, leave] {
        (*handle)(std::move(*held));
        leave();
      });
  if (started) return;
  leave();
  refuse("too many are served already");
}

void StreamRouter::Stop() {
  if (thread_.joinable()) thread_.join();
  threads_.Join();
}

}  // namespace tactus::daemon
