#include "ax/atspi/observer.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/atspi/bus.h"
#include "ax/atspi/protocol.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::atspi {
namespace {

// Events that nobody has taken yet. A reader this far behind has lost track of
// the desktop anyway, and is told so.
constexpr size_t kMaxQueued = 1024;

class Observer : public EventSource {
 public:
  explicit Observer(std::unique_ptr<Bus> bus)
      : bus_(std::move(bus)), wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Observer() override {
    slots_.clear();
    if (wake_ >= 0) close(wake_);
  }

  absl::Status Listen(const ObserveOptions& options, Traffic* traffic,
                      absl::Time deadline) {
    if (wake_ < 0) return absl::ResourceExhaustedError("no more descriptors");
    std::vector<std::string> rules = {
        "type='signal',interface='org.a11y.atspi.Event.Object',"
        "member='StateChanged',arg0='focused'",
        "type='signal',interface='org.a11y.atspi.Event.Object',"
        "member='StateChanged',arg0='active'",
        "type='signal',interface='org.a11y.atspi.Event.Window',"
        "member='Activate'",
        "type='signal',interface='org.a11y.atspi.Event.Window',"
        "member='Deactivate'",
        // GTK 4 spells them so.
        "type='signal',interface='org.a11y.atspi.Event.Window',"
        "member='activate'",
        "type='signal',interface='org.a11y.atspi.Event.Window',"
        "member='deactivate'",
        "type='signal',sender='org.freedesktop.DBus',"
        "interface='org.freedesktop.DBus',member='NameOwnerChanged',arg2=''"};
    std::vector<const char*> registered = {
        "object:state-changed:focused", "object:state-changed:active",
        "window:activate", "window:deactivate"};
    if (options.text) {
      for (const char* member :
           {"TextChanged", "TextCaretMoved", "TextSelectionChanged"}) {
        rules.push_back(absl::StrCat(
            "type='signal',interface='org.a11y.atspi.Event.Object',member='",
            member, "'"));
      }
      registered.insert(registered.end(),
                        {"object:text-changed", "object:text-caret-moved",
                         "object:text-selection-changed"});
    }
    for (const std::string& rule : rules) {
      sd_bus_slot* slot = nullptr;
      const int r = sd_bus_add_match_async(bus_->get(), &slot, rule.c_str(),
                                           &Observer::OnSignal, nullptr, this);
      if (r < 0) {
        return absl::UnavailableError(absl::StrCat(
            "cannot listen on the accessibility bus: ", strerror(-r)));
      }
      slots_.emplace_back(slot);
    }
    Flight flight(traffic);
    const std::string registry = "org.a11y.atspi.Registry";
    const std::string path = "/org/a11y/atspi/registry";
    std::vector<int> calls;
    for (const char* event : registered) {
      calls.push_back(
          flight.Add(*bus_, Call{registry, path, kRegistry, "RegisterEvent"},
                     // No properties: with Text.* among them applications abort
                     // when another kind of object emits the event.
                     [event](sd_bus_message* m) {
                       return sd_bus_message_append(m, "sass", event, 0, "");
                     }));
    }
    flight.Run(deadline);
    for (int call : calls) {
      if (absl::IsDeadlineExceeded(flight.status(call))) {
        return flight.status(call);
      }
      // No registry at all: applications that speak AT-SPI themselves are still
      // heard.
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Event> Next(absl::Time deadline) override {
    for (;;) {
      if (cancelled_.exchange(false, std::memory_order_acq_rel)) {
        uint64_t drained = 0;
        [[maybe_unused]] const ssize_t n =
            read(wake_, &drained, sizeof(drained));
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
        return event;
      }
      const int r = sd_bus_process(bus_->get(), nullptr);
      if (r < 0) {
        return absl::UnavailableError("the accessibility bus ended");
      }
      if (r > 0) continue;
      if (Clock::Real().Now() >= deadline) {
        return absl::DeadlineExceededError("no event");
      }
      WaitFor(*bus_, wake_, deadline);
    }
  }

  void Cancel() override {
    cancelled_.store(true, std::memory_order_release);
    const uint64_t one = 1;
    // Full means that a wake-up is pending already.
    [[maybe_unused]] const ssize_t n = write(wake_, &one, sizeof(one));
  }

 private:
  static int OnSignal(sd_bus_message* m, void* userdata, sd_bus_error*) {
    static_cast<Observer*>(userdata)->Take(m);
    return 0;
  }

  void Push(Event::Kind kind, sd_bus_message* m) {
    const char* sender = sd_bus_message_get_sender(m);
    const char* path = sd_bus_message_get_path(m);
    if (sender == nullptr || path == nullptr) return;
    Push(Event{kind, Element{sender, path}});
  }

  void Push(Event event) {
    if (queue_.size() >= kMaxQueued) {
      lost_ = true;
      return;
    }
    queue_.push_back(std::move(event));
  }

  void Take(sd_bus_message* m) {
    const char* interface = sd_bus_message_get_interface(m);
    const char* member = sd_bus_message_get_member(m);
    if (interface == nullptr || member == nullptr) return;
    if (strcmp(interface, "org.freedesktop.DBus") == 0) {
      const char* name = nullptr;
      if (sd_bus_message_read_basic(m, 's', &name) > 0 && name[0] == ':') {
        Push(Event{Event::Kind::kApplicationGone, Element{name, ""}});
      }
      return;
    }
    if (strcmp(interface, "org.a11y.atspi.Event.Window") == 0) {
      Push(absl::AsciiStrToLower(member) == "activate"
               ? Event::Kind::kWindowActivated
               : Event::Kind::kWindowDeactivated,
           m);
      return;
    }
    if (strcmp(member, "StateChanged") == 0) {
      const char* state = nullptr;
      int32_t on = 0;
      if (sd_bus_message_read(m, "si", &state, &on) <= 0) return;
      if (strcmp(state, "focused") == 0) {
        if (on != 0) Push(Event::Kind::kFocused, m);
      } else {
        Push(on != 0 ? Event::Kind::kWindowActivated
                     : Event::Kind::kWindowDeactivated,
             m);
      }
      return;
    }
    Push(strcmp(member, "TextChanged") == 0 ? Event::Kind::kTextChanged
                                            : Event::Kind::kSelectionChanged,
         m);
  }

  std::unique_ptr<Bus> bus_;
  int wake_;
  std::atomic<bool> cancelled_ = false;
  std::vector<Slot> slots_;
  std::deque<Event> queue_;
  bool lost_ = false;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EventSource>> OpenObserver(
    const std::string& bus_address, const ObserveOptions& options,
    Traffic* traffic, absl::Time deadline) {
  absl::StatusOr<std::unique_ptr<Bus>> bus =
      Bus::Connect(bus_address, Bus::Kind::kDaemon, deadline);
  if (!bus.ok()) return bus.status();
  ++traffic->connections;
  auto observer = std::make_unique<Observer>(*std::move(bus));
  if (absl::Status status = observer->Listen(options, traffic, deadline);
      !status.ok()) {
    return status;
  }
  return observer;
}

}  // namespace tactus::ax::atspi
