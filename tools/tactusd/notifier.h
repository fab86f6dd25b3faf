// Tells a person on the desktop that a question waits (approvals.h), by a
// notification, which takes no focus: what has the keyboard keeps it.
//
// It says who asks and for what, and never a text of anybody's. A question for
// an MCP server, or to measure, can be answered on it; of files it says where
// to look, since their names are the peer's own words. It goes when the
// question is answered.
//
// Example:
//
//   Notifier notifier({.answer = [&](int64_t id, bool approved) {
//     approvals.Answer(id, approved).IgnoreError();
//   }});
//   approvals.Observe(&notifier);
//   ...
//   notifier.Stop();
//
// One thread, which begins with the first question; nothing is started for it:
// where no notification server runs nothing is shown.
//
// Source: the Desktop Notifications Specification, 1.2.
#ifndef TACTUS_TOOLS_TACTUSD_NOTIFIER_H_
#define TACTUS_TOOLS_TACTUSD_NOTIFIER_H_

#include <systemd/sd-bus.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "ax/sync/mutex.h"
#include "tools/tactusd/approvals.h"

namespace tactus::daemon {

struct NotifierOptions {
  std::string session_bus;  // its address; empty: the usual one
  // What a person has chosen on a notification. By its thread.
  std::function<void(int64_t id, bool approved)> answer;
};

class Notifier : public ApprovalsObserver {
 public:
  // Of one call: a server that hangs is to hold up no more than the next.
  static constexpr absl::Duration kPatience = absl::Seconds(2);

  explicit Notifier(NotifierOptions options);
  ~Notifier() override;
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  void Asked(const WaitingQuestion& question) override;
  void Ended(int64_t id) override;

  // Nothing is shown afterwards.
  void Stop();

 private:
  struct Post {
    bool ended = false;
    WaitingQuestion question;  // its id alone where it has ended
  };

  void Put(Post post);
  void Run();
  void Show(const WaitingQuestion& question);
  void Withdraw(int64_t id);
  bool Open();
  static int OnAction(sd_bus_message* message, void* self, sd_bus_error*);

  const NotifierOptions options_;
  const int wake_;
  // By the thread alone.
  sd_bus* bus_ = nullptr;
  std::map<uint32_t, int64_t> shown_;  // the question of each notification

  ax::Mutex mutex_;
  std::vector<Post> posts_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_NOTIFIER_H_
