#include "ax/mock/targets.h"

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
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

constexpr int64_t kMostMessages = 1'000'000;
// More windows or claims than any desktop holds, and few enough that a fuzzer
// still makes progress.
constexpr int64_t kMostEntries = 10'000;

class SeveralWindowsActive : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterWindows(World&, const Message& message,
                    absl::StatusOr<std::vector<Window>>& windows) override {
    if (!Hits(message) || !windows.ok()) return;
    for (Window& window : *windows) window.active = true;
    Window decoy;
    decoy.pid = 1;  // alive on every machine, and no application
    decoy.title = "decoy";
    decoy.active = true;
    windows->insert(windows->begin(), decoy);
  }
};

class NoWindowActive : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterWindows(World&, const Message& message,
                    absl::StatusOr<std::vector<Window>>& windows) override {
    if (!Hits(message) || !windows.ok()) return;
    for (Window& window : *windows) window.active = false;
  }
};

class WindowsWithoutPid : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterWindows(World&, const Message& message,
                    absl::StatusOr<std::vector<Window>>& windows) override {
    if (!Hits(message) || !windows.ok()) return;
    for (Window& window : *windows) {
      window.pid = static_cast<pid_t>(parameter());
    }
  }
};

class ManyWindows : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterWindows(World&, const Message& message,
                    absl::StatusOr<std::vector<Window>>& windows) override {
    if (!Hits(message) || !windows.ok()) return;
    Window idle;
    idle.pid = 1;
    windows->insert(windows->begin(), static_cast<size_t>(parameter()), idle);
  }
};

// Puts `count` further nodes with `states` before the fields of the scope.
void AddDecoys(World& world, const std::vector<Element>& fields, int64_t count,
               const std::string& name, States clear) {
  for (const Element& field : fields) {
    Program& program = *world.MutableProgram(field.application);
    std::vector<Node> decoys;
    for (int64_t i = 0; i < count; ++i) {
      Node node = TextArea(absl::StrCat("/", name, i), "decoy");
      node.states &= ~clear;
      decoys.push_back(std::move(node));
    }
    program.nodes.insert(program.nodes.begin(), decoys.begin(), decoys.end());
  }
}

class TwoFieldsClaimFocus : public Scoped {
 public:
  using Scoped::Scoped;
  void Attach(World& world) override {
    AddDecoys(world, Fields(world), 1, "twin", 0);
  }
};

class StaleFocusClaims : public Scoped {
 public:
  using Scoped::Scoped;
  void Attach(World& world) override {
    AddDecoys(world, Fields(world), parameter(), "stale",
              kStateShowing | kStateVisible);
  }
  // The liveliest last.
  void AlterElements(World&, const Message& message,
                     absl::StatusOr<std::vector<Element>>& elements) override {
    if (!Hits(message) || !elements.ok() || elements->empty()) return;
    elements->push_back(elements->front());
    elements->erase(elements->begin());
  }
};

class SearchBoxFirst : public Scoped {
 public:
  using Scoped::Scoped;
  void Attach(World& world) override {
    AddDecoys(world, Fields(world), 1, "search", kStateFocused);
  }
  void AlterElements(World&, const Message& message,
                     absl::StatusOr<std::vector<Element>>& elements) override {
    if (!Hits(message) || !elements.ok()) return;
    elements->insert(elements->begin(),
                     {message.element.application, "/search0"});
  }
};

class GhostsClaimFocus : public Scoped {
 public:
  using Scoped::Scoped;
  void AlterElements(World&, const Message& message,
                     absl::StatusOr<std::vector<Element>>& elements) override {
    if (!Hits(message) || !elements.ok()) return;
    elements->insert(elements->begin(), static_cast<size_t>(parameter()),
                     {message.element.application, "/ghost"});
  }
};

class FocusMoves : public Scoped {
 public:
  using Scoped::Scoped;
  void Attach(World& world) override {
    AddDecoys(world, Fields(world), 1, "other", kStateFocused);
  }
  void BeforeMessage(World& world, const Message& message) override {
    if (!Due(message, parameter())) return;
    const std::optional<Element> focused = world.Focused();
    if (!focused.has_value() || !HitsApplication(focused->application)) return;
    Element next = *focused;
    if (focused->path != "/other0") {
      home_ = focused->path;
      next.path = "/other0";
    } else {
      next.path = home_;
    }
    world.Focus(next).IgnoreError();
  }

 private:
  std::string home_;
};

class KeyboardMoves : public Scoped {
 public:
  using Scoped::Scoped;
  void Attach(World& world) override {
    Program other = MakeProgram("other", 4242, {TextArea("/text", "decoy")});
    other.application.id = kOther;
    world.Start(std::move(other), "other").IgnoreError();
  }
  void BeforeMessage(World& world, const Message& message) override {
    if (!Due(message, parameter())) return;
    const std::string& focused = world.desktop().focused;
    if (focused == kOther) {
      world.Activate(home_).IgnoreError();
    } else if (!focused.empty() && HitsApplication(focused)) {
      home_ = focused;
      world.Activate(kOther).IgnoreError();
    }
  }

 private:
  static constexpr char kOther[] = "app:other";
  std::string home_;
};

class ElementSwapped : public Scoped {
 public:
  using Scoped::Scoped;
  void BeforeMessage(World& world, const Message& message) override {
    if (!Due(message, parameter())) return;
    for (const Element& field : Fields(world)) {
      world.Replace(field).IgnoreError();
    }
  }
};

class UserTypes : public Scoped {
 public:
  using Scoped::Scoped;
  void BeforeMessage(World& world, const Message& message) override {
    if (!Due(message, parameter())) return;
    const std::optional<Element> focused = world.Focused();
    if (!focused.has_value() || !HitsApplication(focused->application)) return;
    world.Type(*focused, "x").IgnoreError();
  }
};

// The focused application ends, once, and something takes its place.
class Ends : public Scoped {
 public:
  using Scoped::Scoped;
  void BeforeMessage(World& world, const Message& message) override {
    if (done_ || int64_t{message.index} - options().after < parameter()) return;
    const std::string focused = world.desktop().focused;
    if (focused.empty() || !HitsApplication(focused)) return;
    done_ = true;
    End(world, focused);
  }

 protected:
  virtual void End(World& world, const std::string& id) = 0;

 private:
  bool done_ = false;
};

class PidReused : public Ends {
 public:
  using Ends::Ends;

 protected:
  void End(World& world, const std::string& id) override {
    world.ReusePid(id).IgnoreError();
  }
};

class ApplicationRestarts : public Ends {
 public:
  using Ends::Ends;

 protected:
  void End(World& world, const std::string& id) override {
    world.Restart(id, /*same_pid=*/false).IgnoreError();
  }
};

class ApplicationQuits : public Ends {
 public:
  using Ends::Ends;

 protected:
  void End(World& world, const std::string& id) override {
    world.Quit(id).IgnoreError();
  }
};

constexpr HostilityKind kKinds[] = {
    {"several_windows_active",
     "every window claims the keyboard, first one of a process that "
     "accessibility does not know",
     "", 0, 0, 0, &Make<SeveralWindowsActive>},
    {"no_window_active", "no window has the keyboard", "", 0, 0, 0,
     &Make<NoWindowActive>},
    {"windows_without_pid", "no window names its process",
     "what it names instead", 0, -1, 0, &Make<WindowsWithoutPid>},
    {"many_windows", "windows of another process lie before all others",
     "how many", 1000, 0, kMostEntries, &Make<ManyWindows>, true},
    {"two_fields_claim_focus",
     "a second field claims the focus with equal right", "", 0, 0, 0,
     &Make<TwoFieldsClaimFocus>},
    {"stale_focus_claims",
     "fields that were focused once still say so, off the screen, and are "
     "listed first",
     "how many", 2, 0, kMostEntries, &Make<StaleFocusClaims>, true},
    {"search_box_first",
     "the first of the focused elements is a search box that is editable and "
     "not focused",
     "", 0, 0, 0, &Make<SearchBoxFirst>},
    {"ghosts_claim_focus", "the first of the focused elements do not exist",
     "how many", 1, 0, kMostEntries, &Make<GhostsClaimFocus>, true},
    {"focus_moves", "the focus goes to another field and back",
     "every how many messages", 1, 1, kMostMessages, &Make<FocusMoves>},
    {"keyboard_moves", "the keyboard goes to another application and back",
     "every how many messages", 1, 1, kMostMessages, &Make<KeyboardMoves>},
    {"element_swapped", "the focused element is replaced by its like",
     "every how many messages", 1, 1, kMostMessages, &Make<ElementSwapped>},
    {"user_types", "the user types one character", "every how many messages", 1,
     1, kMostMessages, &Make<UserTypes>},
    {"pid_reused", "another program runs under the focused one's process id",
     "after how many messages", 1, 0, kMostMessages, &Make<PidReused>},
    {"application_restarts", "the focused application ends and starts anew",
     "after how many messages", 1, 0, kMostMessages,
     &Make<ApplicationRestarts>},
    {"application_quits", "the focused application ends",
     "after how many messages", 1, 0, kMostMessages, &Make<ApplicationQuits>},
};

}  // namespace

absl::Span<const HostilityKind> TargetHostilities() { return kKinds; }

}  // namespace tactus::ax::mock
