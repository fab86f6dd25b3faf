#include "ax/mock/events.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/mock/hostility.h"
#include "ax/mock/kind.h"
#include "ax/mock/message.h"
#include "ax/mock/scoped.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

constexpr int64_t kMostMilliseconds = 60'000;
// Ten times what a source keeps: enough to overflow it at every message.
constexpr int64_t kMostEvents = 40'960;

bool IsLost(const TimedEvent& timed) {
  return timed.event.kind == Event::Kind::kLost;
}

// Drops every `parameter`-th event.
class EventsLost : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterEvents(World&, std::vector<TimedEvent>& events) override {
    std::vector<TimedEvent> kept;
    for (const TimedEvent& timed : events) {
      if (!HitsApplication(timed.event.element.application) || IsLost(timed) ||
          ++seen_ % parameter() != 0) {
        kept.push_back(timed);
      } else {
        Lost(timed, kept);
      }
    }
    events = kept;
  }

 protected:
  virtual void Lost(const TimedEvent& timed, std::vector<TimedEvent>& kept) {}

 private:
  int64_t seen_ = 0;
};

class EventsLostTold : public EventsLost {
 public:
  using EventsLost::EventsLost;

 protected:
  void Lost(const TimedEvent& timed, std::vector<TimedEvent>& kept) override {
    kept.push_back({timed.at, {Event::Kind::kLost, {}}});
  }
};

class EventsLate : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterEvents(World&, std::vector<TimedEvent>& events) override {
    for (TimedEvent& timed : events) {
      if (HitsApplication(timed.event.element.application)) {
        timed.at += absl::Milliseconds(parameter());
      }
    }
  }
};

// Holds every other event back until the next one has gone.
class EventsSwapped : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterEvents(World&, std::vector<TimedEvent>& events) override {
    std::vector<TimedEvent> out;
    for (const TimedEvent& timed : events) {
      if (!HitsApplication(timed.event.element.application)) {
        out.push_back(timed);
      } else if (!held_.has_value()) {
        held_ = timed;
      } else {
        out.push_back(timed);
        out.push_back({timed.at, held_->event});
        held_.reset();
      }
    }
    events = out;
  }

 private:
  std::optional<TimedEvent> held_;
};

// Each claim of the focus is followed by the claim that came before it.
class EventsStale : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterEvents(World&, std::vector<TimedEvent>& events) override {
    std::vector<TimedEvent> out;
    for (const TimedEvent& timed : events) {
      out.push_back(timed);
      if (timed.event.kind != Event::Kind::kFocused ||
          !HitsApplication(timed.event.element.application)) {
        continue;
      }
      if (last_.has_value()) {
        out.push_back({timed.at + absl::Milliseconds(parameter()), *last_});
      }
      last_ = timed.event;
    }
    events = out;
  }

 private:
  std::optional<Event> last_;
};

class EventsRepeated : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterEvents(World&, std::vector<TimedEvent>& events) override {
    std::vector<TimedEvent> out;
    for (const TimedEvent& timed : events) {
      const bool hit = HitsApplication(timed.event.element.application);
      out.insert(out.end(), hit ? static_cast<size_t>(parameter()) + 1 : 1,
                 timed);
    }
    events = out;
  }
};

class EventsOfGhosts : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterEvents(World&, std::vector<TimedEvent>& events) override {
    std::vector<TimedEvent> out;
    for (const TimedEvent& timed : events) {
      out.push_back(timed);
      if (timed.event.kind == Event::Kind::kFocused &&
          HitsApplication(timed.event.element.application)) {
        Element ghost = timed.event.element;
        ghost.path += "/ghost";
        out.push_back({timed.at, {Event::Kind::kFocused, ghost}});
      }
    }
    events = out;
  }
};

class EventFlood : public Scoped {
 public:
  using Scoped::Scoped;
  void BeforeMessage(World& world, const Message& message) override {
    if (!Due(message, 1)) return;
    const std::optional<Element> focused = world.Focused();
    if (!focused.has_value() || !HitsApplication(focused->application)) return;
    for (int64_t i = 0; i < parameter(); ++i) {
      world.Emit({i % 2 == 0 ? Event::Kind::kTextChanged
                             : Event::Kind::kSelectionChanged,
                  *focused});
      world.Emit({Event::Kind::kFocused, *focused});
    }
  }
};

class EventSourceEnds : public Scoped {
 public:
  using Scoped::Scoped;
  bool SourceStands(absl::Time now) override {
    if (!first_.has_value()) first_ = now;
    return now - *first_ < absl::Milliseconds(parameter());
  }

 private:
  std::optional<absl::Time> first_;
};

constexpr HostilityKind kKinds[] = {
    {"events_lost", "events are lost in silence", "every how many", 2, 1, 1000,
     &Make<EventsLost>},
    {"events_lost_told", "events are lost, and the source says so",
     "every how many", 2, 1, 1000, &Make<EventsLostTold>},
    {"events_late", "events come late", "by how much, in ms", 100, 0,
     kMostMilliseconds, &Make<EventsLate>},
    {"events_swapped", "of two events the second comes first", "", 0, 0, 0,
     &Make<EventsSwapped>},
    {"events_stale", "after each claim of the focus the one before comes again",
     "how much later, in ms", 0, 0, kMostMilliseconds, &Make<EventsStale>},
    {"events_repeated", "events come again", "how often", 1, 1, 1000,
     &Make<EventsRepeated>, true},
    {"events_of_ghosts", "elements that do not exist claim the focus", "", 0, 0,
     0, &Make<EventsOfGhosts>},
    {"event_flood", "each message meets a flood of events",
     "pairs of events a message", 100, 0, kMostEvents, &Make<EventFlood>, true},
    {"event_source_ends", "the events' connection ends",
     "how long after it was first read, in ms", 0, 0, kMostMilliseconds,
     &Make<EventSourceEnds>},
};

}  // namespace

absl::Span<const HostilityKind> EventHostilities() { return kKinds; }

}  // namespace tactus::ax::mock
