#include "ax/mock/harm.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ax/mock/hostility.h"
#include "ax/mock/kind.h"
#include "ax/mock/message.h"
#include "ax/mock/scoped.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

class DiesOnBadRange : public Scoped {
 public:
  using Scoped::Scoped;
  void Decide(const World&, const Message& message, Fate& fate) override {
    const bool read =
        message.verb == Verb::kRead && message.attribute == Attribute::kText;
    if (!Hits(message) || (!read && message.verb != Verb::kWrite)) return;
    if (message.range.begin < 0 || message.range.end < message.range.begin ||
        message.range.end > parameter()) {
      fate.die = true;
    }
  }
};

class DiesOnTextOfTextless : public Scoped {
 public:
  using Scoped::Scoped;
  void Decide(const World& world, const Message& message, Fate& fate) override {
    if (!Hits(message) || !message.BearsText()) return;
    const Node* node = world.Find(message.element);
    if (node != nullptr && (node->states & kStateSupportsText) == 0) {
      fate.die = true;
    }
  }
};

class DiesOnAttribute : public Scoped {
 public:
  using Scoped::Scoped;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (Hits(message) && message.verb == Verb::kRead &&
        message.attribute == static_cast<Attribute>(parameter())) {
      fate.die = true;
    }
  }
};

class CallBudget : public Scoped {
 public:
  using Scoped::Scoped;
  void Decide(const World&, const Message& message, Fate& fate) override {
    if (message.verb == Verb::kFocusedApplication) calls_ = 0;
    if (!Hits(message)) return;
    if (++calls_ <= parameter()) return;
    if (message.element.application.empty()) {
      fate.refusal = absl::UnavailableError("over the budget of calls");
    } else {
      fate.die = true;
    }
  }

 private:
  int64_t calls_ = 0;
};

constexpr HostilityKind kKinds[] = {
    {"dies_on_bad_range",
     "an application dies on a range that is negative, reversed or too far",
     "the greatest end that it bears", INT32_MAX - 1, 0, INT64_MAX,
     &Make<DiesOnBadRange>},
    {"dies_on_text_of_textless",
     "an application dies when an element without text is asked for it", "", 0,
     0, 0, &Make<DiesOnTextOfTextless>},
    {"dies_on_attribute", "an application dies when asked for one attribute",
     "the Attribute, as a number", static_cast<int64_t>(Attribute::kSubrole), 0,
     static_cast<int64_t>(Attribute::kSelectedText), &Make<DiesOnAttribute>},
    {"call_budget",
     "an application dies of too many calls since the last FocusedApplication",
     "how many it bears", 30, 0, 1'000'000, &Make<CallBudget>},
};

}  // namespace

absl::Span<const HostilityKind> HarmHostilities() { return kKinds; }

}  // namespace tactus::ax::mock
