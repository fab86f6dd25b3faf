// Whether the screen of this user's desktop is locked: then nobody sits there,
// and what peers want of the focused text is refused.
//
// logind is asked for the user's graphical session (LockedHint), and the
// desktop for its screen saver (org.freedesktop.ScreenSaver,
// org.gnome.ScreenSaver). One that says yes is enough. What is not there, or
// has no such thing, is not started and says nothing: a desktop that has
// neither is never known to be locked, as docs/security.md tells. Of one that
// is there and does not answer, or answers something else, nobody knows, and
// whoever asks is to take it for locked.
//
// Example:
//
//   ScreenLock lock({});
//   absl::StatusOr<bool> locked = lock.Locked();
//   if (!locked.ok() || *locked) return Refuse();
//
// Source: org.freedesktop.login1(5); the Idle Inhibition Service specification.
#ifndef TACTUS_TOOLS_TACTUSD_SCREEN_LOCK_H_
#define TACTUS_TOOLS_TACTUSD_SCREEN_LOCK_H_

#include <systemd/sd-bus.h>

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"

namespace tactus::daemon {

struct ScreenLockOptions {
  // Addresses of buses; empty: the usual ones.
  std::string session_bus;
  std::string system_bus;
};

class ScreenLock {
 public:
  // For each who is asked: they answer from memory, in well under a
  // millisecond.
  static constexpr absl::Duration kPatience = absl::Seconds(1);

  // A connection that is kept, and opened anew when it was lost.
  struct Bus {
    std::string address;
    bool system = false;
    sd_bus* held = nullptr;
  };

  explicit ScreenLock(const ScreenLockOptions& options);
  ~ScreenLock();
  ScreenLock(const ScreenLock&) = delete;
  ScreenLock& operator=(const ScreenLock&) = delete;

  // DeadlineExceeded where one is there that does not answer, Unavailable where
  // a bus or one on it cannot be asked. Any thread; one after the other.
  absl::StatusOr<bool> Locked();

 private:
  absl::StatusOr<bool> AskLogind() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<bool> AskScreenSaver(const char* name, const char* path)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  ax::Mutex mutex_;
  Bus session_ ABSL_GUARDED_BY(mutex_);
  Bus system_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_SCREEN_LOCK_H_
