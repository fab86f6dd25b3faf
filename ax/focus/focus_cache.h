// A resident cache of the focused element.
//
// Use it in a process that stays: with it a snapshot needs no search, so it is
// two waits instead of four or more. Events feed it, on a connection of its
// own; after each burst it reads what the last focused elements say of
// themselves and keeps the best, and behind it what makes that a guess or keys
// a risk: equal claims, and secure ones. Its answer is still only a hint: the
// first flight of a snapshot, which is read anyway, confirms that the element
// has the focus and that its window is active, and where it does not the routes
// are asked as if there were no cache.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<FocusCache>> cache =
//       FocusCache::Create(*std::move(server_of_its_own), deadline);
//   (*cache)->Start();
//   absl::StatusOr<Snapshot> snapshot =
//       SnapshotFocused(server, options, cache->get());
//
// Hint and Refute may be called from any thread. The server given to Create is
// used by the cache's thread alone.
#ifndef TACTUS_AX_FOCUS_FOCUS_CACHE_H_
#define TACTUS_AX_FOCUS_FOCUS_CACHE_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/focus/tracker.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/sync/mutex.h"
#include "ax/types/types.h"

namespace tactus::ax {

class FocusCache : public FocusHints {
 public:
  // Starts to listen and makes a first search. Errors: those of Observe. That
  // nothing has the focus yet is none.
  static absl::StatusOr<std::unique_ptr<FocusCache>> Create(
      std::unique_ptr<Server> server, absl::Time deadline);
  ~FocusCache() override;

  // Follows events on a thread of its own until destroyed. Once only. `on_end`
  // is called by that thread when no event will ever come again: the connection
  // is lost, and whoever connects anew makes another cache. It must not destroy
  // this one.
  void Start(std::function<void()> on_end = {});

  // One step of that thread: waits for an event until `deadline`, takes what
  // has come, and refreshes the hint. For tests, and for a caller that has a
  // loop of its own; not together with Start. DeadlineExceeded when nothing
  // came, Unavailable when no event will ever come again.
  absl::Status Step(absl::Time deadline);

  absl::StatusOr<Target> Hint() override;
  void Refute(const Target& target) override;

 private:
  FocusCache(std::unique_ptr<Server> server,
             std::unique_ptr<EventSource> events);

  void Run(const std::function<void()>& on_end);
  void Refresh();
  // The best of what the tracker remembers, then its rivals
  // (ax/score/claims.h); NotFound when nothing serves.
  absl::StatusOr<Target> Confirm(const FocusTracker::Guess& guess,
                                 absl::Time deadline);
  absl::StatusOr<Target> Search(absl::Time deadline);
  void Publish(absl::StatusOr<Target> hint);

  std::unique_ptr<Server> server_;
  std::unique_ptr<EventSource> events_;
  FocusTracker tracker_;
  absl::flat_hash_map<std::string, Application> applications_;

  Mutex mutex_;
  absl::StatusOr<Target> hint_ ABSL_GUARDED_BY(mutex_);
  bool refuted_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tactus::ax

#endif  // TACTUS_AX_FOCUS_FOCUS_CACHE_H_
