#include "ax/macos/observer.h"

#include <ApplicationServices/ApplicationServices.h>
#include <CoreFoundation/CoreFoundation.h>
#include <sys/types.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/macos/applications.h"
#include "ax/macos/bounder.h"
#include "ax/macos/calls.h"
#include "ax/macos/elements.h"
#include "ax/macos/ref.h"
#include "ax/macos/values.h"
#include "ax/server/server.h"
#include "ax/sync/mutex.h"
#include "ax/types/types.h"

namespace tactus::ax::macos {
namespace {

// Events that nobody has taken yet. A reader this far behind has lost track of
// the desktop anyway, and is told so.
constexpr size_t kMaxQueued = 1024;

// For what is asked between two events, so that no application holds them up.
constexpr absl::Duration kAside = absl::Milliseconds(100);

class Observer;

// Callbacks may come after their notification was removed, with the number that
// they were registered with. It is looked up here, so that it may mean nobody.
class Registry {
 public:
  static Registry& Get() {
    static Registry& registry = *new Registry;
    return registry;
  }
  uintptr_t Add(Observer* observer) {
    MutexLock lock(&mutex_);
    observers_[++last_] = observer;
    return last_;
  }
  void Remove(uintptr_t key) {
    MutexLock lock(&mutex_);
    observers_.erase(key);
  }
  Observer* Find(uintptr_t key) {
    MutexLock lock(&mutex_);
    const auto found = observers_.find(key);
    return found == observers_.end() ? nullptr : found->second;
  }

 private:
  Mutex mutex_;
  std::map<uintptr_t, Observer*> observers_ ABSL_GUARDED_BY(mutex_);
  uintptr_t last_ ABSL_GUARDED_BY(mutex_) = 0;
};

class Observer : public EventSource {
 public:
  Observer(Clock* clock, std::shared_ptr<ElementTable> table,
           std::unique_ptr<Bounder> bounder, pid_t own_pid,
           const ObserveOptions& options)
      : clock_(*clock),
        table_(std::move(table)),
        bounder_(std::move(bounder)),
        calls_(clock, &traffic_),
        applications_(&calls_, &traffic_, bounder_.get(), own_pid),
        options_(options),
        key_(Registry::Get().Add(this)) {}

  ~Observer() override {
    Registry::Get().Remove(key_);
    while (!heard_.empty()) Leave(heard_.begin()->first);
  }

  absl::Status Start(absl::Time deadline) {
    const absl::Status status = Look(deadline, /*told=*/false);
    next_look_ = clock_.Now() + kPoll;
    return status;
  }

  const Traffic& traffic() const { return traffic_; }

  absl::StatusOr<Event> Next(absl::Time deadline) override {
    while (true) {
      if (cancelled_.exchange(false)) {
        return absl::CancelledError("the event source was cancelled");
      }
      if (lost_) {
        lost_ = false;
        queue_.clear();
        return Event{Event::Kind::kLost, {}};
      }
      if (!queue_.empty()) {
        Event event = std::move(queue_.front());
        queue_.pop_front();
        if (Complete(event)) return event;
        continue;
      }
      const absl::Time now = clock_.Now();
      if (now >= next_look_) {
        next_look_ = now + kPoll;
        Look(now + kAside, /*told=*/true).IgnoreError();
        continue;
      }
      const absl::Duration wait =
          std::min({deadline - now, next_look_ - now, kSlice});
      Listen(std::max(wait, absl::ZeroDuration()));
      if (queue_.empty() && !lost_ && clock_.Now() >= deadline) {
        return absl::DeadlineExceededError("no event");
      }
    }
  }

  void Cancel() override { cancelled_ = true; }

  // Of a callback.
  void Take(pid_t pid, AXUIElementRef element, CFStringRef notification) {
    if (element == nullptr || notification == nullptr) return;
    Event event;
    event.element.application = absl::StrCat(pid);
    const auto is = [notification](CFStringRef name) {
      return CFEqual(notification, name) != 0;
    };
    if (is(kAXApplicationActivatedNotification)) {
      // Which window it is, is asked outside of the callback.
      event.kind = Event::Kind::kWindowActivated;
    } else if (is(kAXApplicationDeactivatedNotification)) {
      event.kind = Event::Kind::kWindowDeactivated;
    } else {
      const absl::StatusOr<Ref<AXUIElementRef>> shared = ElementOf(element);
      if (!shared.ok()) return;
      // It stands for its application where nothing has the focus.
      const auto application =
          Ref<AXUIElementRef>::Take(AXUIElementCreateApplication(pid));
      if (application && CFEqual(application.get(), element) != 0) return;
      event.element = table_->NameOf(*shared, event.element.application);
      if (is(kAXFocusedUIElementChangedNotification)) {
        event.kind = Event::Kind::kFocused;
      } else if (is(kAXValueChangedNotification)) {
        event.kind = Event::Kind::kTextChanged;
      } else if (is(kAXSelectedTextChangedNotification)) {
        event.kind = Event::Kind::kSelectionChanged;
      } else {
        return;
      }
    }
    Push(std::move(event));
  }

 private:
  struct Heard {
    Ref<AXUIElementRef> application;
    Ref<AXObserverRef> observer;
    std::vector<CFStringRef> notifications;  // immortal
    bool in_loop = false;
  };

  static void OnNotification(AXObserverRef observer, AXUIElementRef element,
                             CFStringRef notification, void* refcon) {
    Observer* self = Registry::Get().Find(reinterpret_cast<uintptr_t>(refcon));
    if (self == nullptr) return;
    for (const auto& [pid, heard] : self->heard_) {
      if (heard.observer.get() == observer) {
        self->Take(pid, element, notification);
        return;
      }
    }
  }

  void Push(Event event) {
    if (queue_.size() >= kMaxQueued) {
      lost_ = true;
      return;
    }
    queue_.push_back(std::move(event));
  }

  // Fills in what the notification did not tell. False: it is no event.
  bool Complete(Event& event) {
    const bool window = event.kind == Event::Kind::kWindowActivated ||
                        event.kind == Event::Kind::kWindowDeactivated;
    if (!window) return true;
    const auto application = Ref<AXUIElementRef>::Take(
        AXUIElementCreateApplication(PidOf(event.element.application)));
    if (!application) return false;
    const Calls::Answer answer = calls_.Copy(
        application.get(), {kAXFocusedWindowAttribute, "AXFocusedWindow"},
        clock_.Now() + kAside);
    absl::StatusOr<Ref<AXUIElementRef>> element =
        answer.ok() ? ElementOf(answer->get())
                    : absl::StatusOr<Ref<AXUIElementRef>>(answer.status());
    if (!element.ok()) {
      // That something was activated is known, and not what.
      if (event.kind == Event::Kind::kWindowActivated) lost_ = true;
      return false;
    }
    event.element = table_->NameOf(*element, event.element.application);
    return true;
  }

  // Listens to who is new, and leaves who is gone.
  absl::Status Look(absl::Time deadline, bool told) {
    const absl::StatusOr<std::vector<pid_t>> pids =
        applications_.Processes(deadline);
    if (!pids.ok()) return pids.status();
    std::vector<pid_t> gone;
    for (const auto& [pid, heard] : heard_) {
      if (std::find(pids->begin(), pids->end(), pid) == pids->end()) {
        gone.push_back(pid);
      }
    }
    for (const pid_t pid : gone) {
      Leave(pid);
      if (told) {
        Push({Event::Kind::kApplicationGone, {absl::StrCat(pid), ""}});
      }
    }
    for (const pid_t pid : *pids) {
      if (heard_.contains(pid)) continue;
      const absl::Status status = Hear(pid, deadline);
      if (absl::IsPermissionDenied(status)) return status;
    }
    return absl::OkStatus();
  }

  // An application that is just starting answers that it cannot: the next look
  // tries again.
  absl::Status Hear(pid_t pid, absl::Time deadline) {
    Heard heard;
    heard.application =
        Ref<AXUIElementRef>::Take(AXUIElementCreateApplication(pid));
    if (!heard.application) return absl::UnavailableError("no such process");
    AXObserverRef observer = nullptr;
    AXError error = AXObserverCreate(pid, &Observer::OnNotification, &observer);
    heard.observer = Ref<AXObserverRef>::Take(observer);
    if (error != kAXErrorSuccess) return StatusOf(error, "AXObserverCreate");
    if (!heard.observer) return absl::UnavailableError("no observer");
    std::vector<CFStringRef> wanted = {kAXFocusedUIElementChangedNotification,
                                       kAXApplicationActivatedNotification,
                                       kAXApplicationDeactivatedNotification};
    if (options_.text) {
      wanted.push_back(kAXValueChangedNotification);
      wanted.push_back(kAXSelectedTextChangedNotification);
    }
    absl::Status first;
    for (CFStringRef notification : wanted) {
      const float seconds = SecondsUntil(deadline, clock_.Now());
      if (seconds <= 0) {
        first = absl::DeadlineExceededError("no time to listen");
        break;
      }
      AXUIElementSetMessagingTimeout(heard.application.get(), seconds);
      traffic_.flights += 1;
      traffic_.calls += 1;
      error = AXObserverAddNotification(heard.observer.get(),
                                        heard.application.get(), notification,
                                        reinterpret_cast<void*>(key_));
      const absl::Status status = StatusOf(error, "AXObserverAddNotification");
      if (status.ok()) {
        heard.notifications.push_back(notification);
      } else if (first.ok()) {
        first = status;
      }
    }
    if (heard.notifications.empty()) return first;
    heard_[pid] = std::move(heard);
    return absl::OkStatus();
  }

  void Leave(pid_t pid) {
    Heard heard = std::move(heard_[pid]);
    heard_.erase(pid);
    for (CFStringRef notification : heard.notifications) {
      AXObserverRemoveNotification(heard.observer.get(),
                                   heard.application.get(), notification);
    }
    if (heard.in_loop) {
      CFRunLoopRemoveSource(loop_,
                            AXObserverGetRunLoopSource(heard.observer.get()),
                            kCFRunLoopDefaultMode);
    }
  }

  void Listen(absl::Duration wait) {
    loop_ = CFRunLoopGetCurrent();
    bool any = false;
    for (auto& [pid, heard] : heard_) {
      any = true;
      if (heard.in_loop) continue;
      CFRunLoopSourceRef source =
          AXObserverGetRunLoopSource(heard.observer.get());
      if (source == nullptr) continue;
      CFRunLoopAddSource(loop_, source, kCFRunLoopDefaultMode);
      heard.in_loop = true;
    }
    const absl::Time begun = clock_.Now();
    if (any) {
      const auto result = CFRunLoopRunInMode(kCFRunLoopDefaultMode,
                                             absl::ToDoubleSeconds(wait), 1);
      if (result != kCFRunLoopRunFinished) return;
    }
    // A loop without a source ends at once.
    clock_.SleepUntil(begun + wait);
  }

  Clock& clock_;
  const std::shared_ptr<ElementTable> table_;
  const std::unique_ptr<Bounder> bounder_;
  Traffic traffic_;
  Calls calls_;
  Applications applications_;
  const ObserveOptions options_;
  const uintptr_t key_;
  std::map<pid_t, Heard> heard_;
  CFRunLoopRef loop_ = nullptr;
  absl::Time next_look_;
  std::atomic<bool> cancelled_ = false;
  std::deque<Event> queue_;
  bool lost_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EventSource>> OpenObserver(
    Clock* clock, std::shared_ptr<ElementTable> table,
    std::unique_ptr<Bounder> bounder, pid_t own_pid,
    const ObserveOptions& options, Traffic* traffic, absl::Time deadline) {
  auto observer = std::make_unique<Observer>(
      clock, std::move(table), std::move(bounder), own_pid, options);
  const absl::Status status = observer->Start(deadline);
  *traffic += observer->traffic();
  if (!status.ok()) return status;
  return observer;
}

}  // namespace tactus::ax::macos
