// Gives each stream that a peer opens to whoever serves its kind, on a thread
// of its own.
//
// The thread that takes a stream is the one that serves it, and another one
// waits for the next in its place: who serves is woken by the peer and by
// nobody in between.
//
// Example:
//
//   StreamRouter router(&transport, Threads::OfTheSystem(), Log);
//   router.Handle(transfer::StreamKind::kFile, [&](auto stream) { ... });
//   router.Start();
//   ...
//   transport.Shutdown();   // cancels the streams
//   router.Stop();          // waits until their handlers have returned
//
// Bounds: of the streams of one peer and kind kMostOfAPeer, or what Handle was
// told, and kMost in all. The last kSpare are for those who have few: there a
// peer has no more than kFewOfAPeer of a kind, so that two who take all that
// they may keep neither another peer nor their own other kinds out. A stream
// beyond them, or of a kind that nobody serves, is cut at once, which its peer
// is told as Unavailable.
#ifndef TACTUS_TOOLS_TACTUSD_STREAM_ROUTER_H_
#define TACTUS_TOOLS_TACTUSD_STREAM_ROUTER_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "ax/sync/mutex.h"
#include "tools/tactusd/threads.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"

namespace tactus::daemon {

class StreamRouter {
 public:
  // Streams. Each has a thread, some 100 kB of it in use. A person's other
  // devices are few, and one transfer is one stream; so is one agent, of which
  // there are more (McpMethods::kMostOfAPeer).
  static constexpr size_t kMost = 256;
  static constexpr size_t kMostOfAPeer = 16;
  static constexpr size_t kSpare = 64;
  // Enough for a person who does one thing after the other.
  static constexpr size_t kFewOfAPeer = 4;

  using Handler = std::function<void(std::unique_ptr<transfer::Stream>)>;

  // `transport` must outlive it.
  StreamRouter(transfer::Transport* transport, Threads::Spawn spawn,
               std::function<void(const std::string&)> log);
  ~StreamRouter();

  // Before Start, once a kind. `handler` is called on many threads, `most` of
  // them at a time for one peer.
  void Handle(transfer::StreamKind kind, Handler handler,
              size_t most = kMostOfAPeer);

  // Takes what comes until the transport is shut down. False where the system
  // gives no thread.
  bool Start();

  // After the transport's Shutdown: waits for all handlers.
  void Stop();

 private:
  using Key = std::pair<transfer::DeviceId, transfer::StreamKind>;

  // Waits for a stream and serves it, and again. The next one is left to a
  // thread that waits already, or to a new one where none does: to wake one
  // takes as long as to serve many a stream, so it is seldom to be done first.
  void Lead();
  // Counts a stream in. Null where it is not to be served.
  const Handler* Admit(const Key& key);
  void Leave(const Key& key);
  void Refuse(const Key& key, const char* why);

  transfer::Transport& transport_;
  const std::function<void(const std::string&)> log_;
  struct Served {
    Handler handler;
    size_t most = kMostOfAPeer;
  };
  std::map<transfer::StreamKind, Served> handlers_;
  static constexpr size_t kWaiting = 2;

  ax::Mutex mutex_;
  size_t waiting_ ABSL_GUARDED_BY(mutex_) = 0;  // in Lead, for a stream
  std::map<Key, size_t> count_ ABSL_GUARDED_BY(mutex_);
  size_t served_ ABSL_GUARDED_BY(mutex_) = 0;  // in all
  Threads threads_;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_STREAM_ROUTER_H_
