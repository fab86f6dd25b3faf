#include "tools/tactusd/watch_feed.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ax/sync/mutex.h"
#include "tools/control/json_rpc.h"
#include "tools/tactus/json.h"
#include "tools/tactus/watch.h"

namespace tactus::daemon {
namespace {

using cli::Change;

// What the line of two changes is to be called: another field outweighs another
// text, and that another caret.
Change::Kind Sum(Change::Kind before, Change::Kind now) {
  if (now == Change::Kind::kNoFocus) return now;
  if (before == Change::Kind::kNoFocus) return Change::Kind::kFocus;
  return before < now ? before : now;
}
static_assert(Change::Kind::kFocus < Change::Kind::kText);
static_assert(Change::Kind::kText < Change::Kind::kSelection);

std::string Told(int64_t watch, std::string change, int64_t merged) {
  change.pop_back();  // the end of its line
  return control::NotificationLine(
      "text.changed", absl::StrCat("{\"watch\":", watch, ",\"merged\":", merged,
                                   ",\"change\":", change, "}"));
}

}  // namespace

void WatchFeed::Push(const Change& change) {
  ax::MutexLock lock(&mutex_);
  if (change.kind == Change::Kind::kLost) {
    lost_ = cli::ChangeJson(change);
    return;
  }
  Change told = change;
  Waiting next;
  if (waiting_.has_value()) {
    told.kind = Sum(waiting_->kind, change.kind);
    told.events += waiting_->events;
    next.merged = waiting_->merged + 1;
  }
  next.kind = told.kind;
  next.events = told.events;
  next.json = cli::ChangeJson(told);
  waiting_ = std::move(next);
}

void WatchFeed::End(const absl::Status& status) {
  std::string line = control::NotificationLine(
      "text.watch_ended", absl::StrCat("{\"watch\":", watch_, ",\"status\":",
                                       control::StatusJson(status), "}"));
  ax::MutexLock lock(&mutex_);
  end_ = std::move(line);
}

std::optional<std::string> WatchFeed::Take() {
  ax::MutexLock lock(&mutex_);
  if (lost_.has_value()) {
    std::string lost = *std::exchange(lost_, std::nullopt);
    return Told(watch_, std::move(lost), 0);
  }
  if (waiting_.has_value()) {
    Waiting waiting = *std::exchange(waiting_, std::nullopt);
    return Told(watch_, std::move(waiting.json), waiting.merged);
  }
  return std::exchange(end_, std::nullopt);
}

}  // namespace tactus::daemon
