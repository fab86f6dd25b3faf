#include "ax/mock/timing.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/mock/hostility.h"
#include "ax/mock/kind.h"
#include "ax/mock/message.h"
#include "ax/mock/scoped.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

// Nothing that ends a test within a minute is a hang; a minute is the longest
// delay that says anything new.
constexpr int64_t kMostMilliseconds = 60'000;
constexpr int64_t kMostMessages = 1'000'000;

// An application, as opposed to the registry or the display.
bool ToApplication(const Message& message) {
  return !message.element.application.empty();
}

class Hung : public Scoped {
 public:
  using Scoped::Scoped;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (ToApplication(message) && Hits(message)) fate.silent = true;
  }
};

class HungOnAttribute : public Scoped {
 public:
  using Scoped::Scoped;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (message.verb == Verb::kRead && Hits(message) &&
        message.attribute == static_cast<Attribute>(parameter())) {
      fate.silent = true;
    }
  }
};

class RegistryHung : public Scoped {
 public:
  using Scoped::Scoped;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (!ToApplication(message) && message.verb != Verb::kWindowList &&
        Hits(message)) {
      fate.silent = true;
    }
  }
};

class DisplayHung : public Scoped {
 public:
  using Scoped::Scoped;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (message.verb == Verb::kWindowList && Hits(message)) fate.silent = true;
  }
};

class MuteOwner : public Scoped {
 public:
  using Scoped::Scoped;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (ToApplication(message) && Hits(message)) fate.mute = true;
  }
};

class Slow : public Scoped {
 public:
  using Scoped::Scoped;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (Hits(message)) fate.delay += absl::Milliseconds(parameter());
  }
};

class AtDeadline : public Scoped {
 public:
  using Scoped::Scoped;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (!Hits(message)) return;
    fate.not_before = std::max(
        fate.not_before, message.deadline + absl::Microseconds(parameter()));
  }
};

class DieInMidCall : public Scoped {
 public:
  using Scoped::Scoped;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (!ToApplication(message) || !Hits(message)) return;
    if (seen_[message.element.application]++ != parameter()) return;
    fate.die = true;
    // What the bus takes to notice.
    fate.delay += absl::Milliseconds(5);
  }

 private:
  std::map<std::string, int64_t> seen_;
};

// A tree that is there but not filled yet.
class Cold : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterReading(World&, const Message& message, Reading& reading) override {
    if (Hits(message) && IsCold(message)) {
      reading = absl::NotFoundError("no value yet");
    }
  }
  void AlterElements(World&, const Message& message,
                     absl::StatusOr<std::vector<Element>>& elements) override {
    if (Hits(message) && IsCold(message)) {
      elements = absl::NotFoundError("no tree yet");
    }
  }

 protected:
  virtual bool IsCold(const Message& message) = 0;
};

class ColdReads : public Cold {
 public:
  using Cold::Cold;

 protected:
  bool IsCold(const Message& message) override {
    return asked_[message.element.application]++ < parameter();
  }

 private:
  std::map<std::string, int64_t> asked_;
};

class ColdTime : public Cold {
 public:
  using Cold::Cold;

 protected:
  bool IsCold(const Message& message) override {
    const auto [first, is_new] =
        first_.emplace(message.element.application, message.sent);
    return message.sent - first->second < absl::Milliseconds(parameter());
  }

 private:
  std::map<std::string, absl::Time> first_;
};

// Chromium before it is told that somebody looks: a frame without children.
class EmptyTree : public Scoped {
 public:
  using Scoped::Scoped;
  void Attach(World& world) override {
    for (const Element& field : Fields(world)) {
      world.MutableProgram(field.application)->application.toolkit = "Chromium";
    }
  }
  void AlterElements(World&, const Message& message,
                     absl::StatusOr<std::vector<Element>>& elements) override {
    if (Hits(message)) elements = std::vector<Element>();
  }
};

class SystemWideRouteFails : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterApplication(World&, const Message& message,
                        absl::StatusOr<Application>& application) override {
    if (message.verb != Verb::kFocusedApplication ||
        message.index < options().after) {
      return;
    }
    if (application.ok() && !HitsApplication(application->id)) return;
    application = absl::NotFoundError("the system does not know");
  }
};

class AttributeFails : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterReading(World&, const Message& message, Reading& reading) override {
    if (Hits(message) &&
        message.attribute == static_cast<Attribute>(parameter())) {
      reading = absl::UnimplementedError("not of this element");
    }
  }
};

constexpr int64_t kLastAttribute =
    static_cast<int64_t>(Attribute::kSelectedText);

constexpr HostilityKind kKinds[] = {
    {"hung", "applications get every message and never reply", "", 0, 0, 0,
     &Make<Hung>},
    {"hung_on_attribute", "never replies to reads of one attribute",
     "the Attribute, as a number", static_cast<int64_t>(Attribute::kCaret), 0,
     kLastAttribute, &Make<HungOnAttribute>},
    {"registry_hung", "the accessibility registry never replies", "", 0, 0, 0,
     &Make<RegistryHung>},
    {"display_hung", "the display never replies", "", 0, 0, 0,
     &Make<DisplayHung>},
    {"mute_owner", "applications own their name but take no connection", "", 0,
     0, 0, &Make<MuteOwner>},
    {"slow", "each reply is late", "how much, in ms", 50, 0, kMostMilliseconds,
     &Make<Slow>},
    {"at_deadline", "each reply comes just before or after its deadline",
     "how much after it, in us; negative: before", -1000, -1'000'000, 1'000'000,
     &Make<AtDeadline>},
    {"die_in_mid_call", "an application dies as it gets a message",
     "how many messages it answers before", 0, 0, kMostMessages,
     &Make<DieInMidCall>},
    {"cold_reads", "an application has no values until it was asked often",
     "how often", 3, 0, kMostMessages, &Make<ColdReads>},
    {"cold_time", "an application has no values until long after first contact",
     "how long, in ms", 2000, 0, kMostMilliseconds, &Make<ColdTime>},
    {"empty_tree",
     "the toolkit says Chromium and the list of focused elements "
     "is empty, with success",
     "", 0, 0, 0, &Make<EmptyTree>},
    {"system_wide_route_fails", "the system does not know who has the keyboard",
     "", 0, 0, 0, &Make<SystemWideRouteFails>},
    {"attribute_fails", "elements lack one attribute",
     "the Attribute, as a number", static_cast<int64_t>(Attribute::kCaret), 0,
     kLastAttribute, &Make<AttributeFails>},
};

}  // namespace

absl::Span<const HostilityKind> TimingHostilities() { return kKinds; }

}  // namespace tactus::ax::mock
