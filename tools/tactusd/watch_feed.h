// The changes that one watch has to tell, at most one line of them waiting.
//
// A client that reads slowly is told the newest state: what changed before is
// merged into it, and how often is told.
//
// Example:
//
//   WatchFeed feed(1);
//   feed.Push(change);                        // the thread that watches
//   while (auto line = feed.Take()) Send(*line);  // whoever writes
#ifndef TACTUS_TOOLS_TACTUSD_WATCH_FEED_H_
#define TACTUS_TOOLS_TACTUSD_WATCH_FEED_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "ax/sync/mutex.h"
#include "tools/tactus/watch.h"
#include "tools/tactusd/sink.h"

namespace tactus::daemon {

class WatchFeed : public Feed {
 public:
  explicit WatchFeed(int64_t watch) : watch_(watch) {}

  void Push(const cli::Change& change);
  // No more will come; OK when it ended as it was asked to.
  void End(const absl::Status& status);

  // A `text.changed`, and last of all a `text.watch_ended`.
  std::optional<std::string> Take() override;

 private:
  struct Waiting {
    cli::Change::Kind kind = cli::Change::Kind::kFocus;
    int64_t events = 0;
    int64_t merged = 0;  // changes in it, less one
    std::string json;    // made at once, since a status must not change threads
  };

  const int64_t watch_;
  ax::Mutex mutex_;
  std::optional<std::string> lost_ ABSL_GUARDED_BY(mutex_);
  std::optional<Waiting> waiting_ ABSL_GUARDED_BY(mutex_);
  std::optional<std::string> end_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_WATCH_FEED_H_
