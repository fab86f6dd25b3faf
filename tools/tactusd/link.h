// Keeps the daemon connected to accessibility: connects, notices the loss,
// connects again with back-off, and lets go while paused.
//
// Example:
//
//   Link link({.open = OpenAtspiDesk, ...}, ax::Clock::Real());
//   link.Get(deadline);
//
// One thread of its own, which sleeps without an end while connected or paused:
// it is told of a loss by the desk. While disconnected it tries again after
// kFirstPause, doubled each time up to kLongestPause; a request that comes
// meanwhile is reason to try at once.
#ifndef TACTUS_TOOLS_TACTUSD_LINK_H_
#define TACTUS_TOOLS_TACTUSD_LINK_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/sync/condition.h"
#include "ax/sync/mutex.h"
#include "tools/tactusd/desk.h"

namespace tactus::daemon {

struct LinkOptions {
  // Connects; `lost` may be called once from any thread but not within `open`.
  std::function<absl::StatusOr<std::shared_ptr<Desk>>(
      absl::Time deadline, std::function<void()> lost)>
      open;
  std::function<absl::StatusOr<WatchedServer>(const ax::ObserveOptions&,
                                              absl::Time deadline)>
      open_watch;
  // Whether the connection of `server` is gone for good: one question, by the
  // deadline.
  std::function<bool(ax::Server& server, absl::Time deadline)> is_lost;
  // Told when the state has changed; from any thread.
  std::function<void(const LinkState&)> changed = {};
};

class Link : public DeskSource {
 public:
  static constexpr absl::Duration kFirstPause = absl::Milliseconds(100);
  // A desktop that starts takes seconds; a bus that is gone for good costs two
  // attempts a minute.
  static constexpr absl::Duration kLongestPause = absl::Seconds(30);
  // Of one attempt.
  static constexpr absl::Duration kPatience = absl::Seconds(5);
  // Between attempts that requests ask for.
  static constexpr absl::Duration kLeastPause = absl::Milliseconds(250);

  explicit Link(LinkOptions options);
  ~Link() override;

  absl::StatusOr<std::shared_ptr<Desk>> Get(absl::Time deadline) override;
  absl::StatusOr<WatchedServer> OpenWatch(const ax::ObserveOptions& options,
                                          absl::Time deadline) override;
  void Doubt(const std::shared_ptr<Desk>& desk, ax::Server& server) override;
  void Pause() override;
  void Resume() override;
  LinkState state() override;

 private:
  void Run();
  void Lost(int generation);
  // Destroys what was let go of; unlocked, and before it is waited for more.
  void Bury() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  LinkState StateNow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const LinkOptions options_;
  ax::Mutex mutex_;
  ax::Condition changed_;
  std::shared_ptr<Desk> desk_ ABSL_GUARDED_BY(mutex_);
  // What was let go of, and is destroyed by the thread: it may take long, and
  // whoever tells of a loss may be part of it.
  std::vector<std::shared_ptr<Desk>> gone_ ABSL_GUARDED_BY(mutex_);
  int generation_ ABSL_GUARDED_BY(mutex_) = 0;
  bool connecting_ ABSL_GUARDED_BY(mutex_) = true;
  bool paused_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool hurry_ ABSL_GUARDED_BY(mutex_) = false;
  int attempts_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time last_attempt_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  // Why the last attempt failed. Not a status, whose copies share memory that
  // ThreadSanitizer does not see counted.
  absl::StatusCode code_ ABSL_GUARDED_BY(mutex_) = absl::StatusCode::kOk;
  std::string why_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_LINK_H_
