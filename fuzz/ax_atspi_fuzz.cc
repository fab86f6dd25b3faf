// Any hostile server behind AT-SPI: bytes become the mock's desktop,
// hostilities and actions, as in //fuzz:ax_server, shown as applications on an
// accessibility bus, and what D-Bus alone can do wrong: replies of the wrong
// shape, too many, none. What reads and edits meets them through AtspiServer,
// as real messages over a real socket.
//
// Its clock is the real one, so how long anything takes is not judged here; a
// call that never ends is libFuzzer's -timeout. The oracles beyond crashes: a
// snapshot's calls are bounded; what a snapshot says is consistent in itself;
// where nobody lies or acts it is the truth, and no call that bears text goes
// to a secure element; and where whatever is done is done at once, a verified
// edit is in the text, and one that was refused or failed has changed nothing.

#include <systemd/sd-bus.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/trial.h"
#include "ax/focus/focus_cache.h"
#include "ax/mock/code_points.h"
#include "ax/mock/dbus/stage.h"
#include "ax/mock/dbus/tree.h"
#include "ax/mock/dbus/wire_bus.h"
#include "ax/mock/message.h"
#include "ax/mock/script.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "fuzz/check.h"
#include "fuzz/snapshot_oracle.h"

namespace tactus::ax {
namespace {

using atspi::AtspiServer;
using mock::Stage;
using mock::WireBus;

// Short: what never answers is waited for in earnest.
constexpr absl::Duration kPatience = absl::Milliseconds(15);
// Of an edit that is to be judged, which reads back until it is sure.
constexpr absl::Duration kLong = absl::Seconds(3);
// What ax/atspi/focus_search.cc lets a walk visit, three questions each, for
// two routes and a cache, and a snapshot beside that is small.
constexpr int64_t kMostWireCalls = 3 * 3 * 4000 + 1000;
// Of the input's end: the edit, and before it what the wire does wrong.
constexpr size_t kOfEdit = 32;
constexpr size_t kOfWire = 16;

// Done at once if at all, and whatever is answered: so what the application
// holds in the end is what it held when the edit ended.
constexpr absl::string_view kAtOnce[] = {
    "write_ignored_true", "write_readonly_true",  "write_refused_landed",
    "write_truncated",    "write_normalizes",     "write_autocorrect",
    "write_doubles",      "write_insert_only",    "write_delete_only",
    "select_ignored",     "write_caret_elsewhere"};

// Spoils some replies, chosen by their number.
class Spoiler {
 public:
  explicit Spoiler(absl::Span<const uint8_t> bytes) {
    for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
      const int how = bytes[i + 1] % 16;
      if (how < kKinds) spoilt_[bytes[i] % 64] = how;
    }
  }
  bool harmless() const { return spoilt_.empty(); }

  sd_bus_message* operator()(sd_bus_message* call, sd_bus_message* reply) {
    const auto found = spoilt_.find(next_++);
    if (found == spoilt_.end() || reply == nullptr) return reply;
    if (found->second == 0) {
      sd_bus_message_unref(reply);
      return nullptr;
    }
    sd_bus_message* other = nullptr;
    if (sd_bus_message_new_method_return(call, &other) < 0) return reply;
    if (Fill(found->second, other) < 0) {
      sd_bus_message_unref(other);
      return reply;
    }
    sd_bus_message_unref(reply);
    return other;
  }

 private:
  static constexpr int kKinds = 12;

  static int Fill(int how, sd_bus_message* m) {
    switch (how) {
      case 1:
        return 0;  // nothing
      case 2:
        return sd_bus_message_append(m, "i", -1);
      case 3:
        return sd_bus_message_append(m, "s", "lie");
      case 4:
        return sd_bus_message_append(m, "v", "u", UINT32_MAX);
      case 5:
        return sd_bus_message_append(m, "v", "s", "");
      case 6:
        return sd_bus_message_append(m, "au", 3, UINT32_MAX, UINT32_MAX, 7u);
      case 7:
        return sd_bus_message_append(m, "ii", INT32_MIN, INT32_MAX);
      case 8: {
        // Elements that are not there, and more than were asked for.
        int r = sd_bus_message_open_container(m, 'a', "(so)");
        for (int i = 0; i < 300 && r >= 0; ++i) {
          r = sd_bus_message_append(m, "(so)", i % 3 == 0 ? "" : ":1.0",
                                    i % 2 == 0 ? "/" : "/org/a11y/atspi/null");
        }
        return r < 0 ? r : sd_bus_message_close_container(m);
      }
      case 9:
        return sd_bus_message_append(m, "(so)", ":1.1", "/org/a11y/atspi/x");
      case 10:
        return sd_bus_message_append(m, "v", "i", INT32_MAX);
      default: {
        // A text that goes on where the reader might stop.
        const std::string text(70'000, 'x');
        return sd_bus_message_append(m, "s", text.c_str());
      }
    }
  }

  std::map<int, int> spoilt_;
  int next_ = 0;
};

bool AtOnce(const mock::Script& script) {
  if (!script.actions.empty()) return false;
  return std::all_of(script.hostilities.begin(), script.hostilities.end(),
                     [](const mock::HostilitySpec& spec) {
                       return std::find(std::begin(kAtOnce), std::end(kAtOnce),
                                        spec.name) != std::end(kAtOnce);
                     });
}

// The bus's thread counts; it has ended when the count is judged.
struct Heard {
  std::atomic<int> text_to_secure = 0;
};

class Wire {
 public:
  Wire(const mock::Script& script, absl::Span<const uint8_t> spoil)
      : spoiler_(spoil) {
    absl::StatusOr<std::unique_ptr<Stage>> stage =
        Stage::Make(script, kPatience);
    if (!stage.ok()) return;
    (*stage)->set_logger([this](const mock::Message& m, bool secure) {
      if (m.BearsText() && secure) ++heard_.text_to_secure;
    });
    absl::StatusOr<std::unique_ptr<WireBus>> bus =
        WireBus::Start(*std::move(stage), std::ref(spoiler_));
    if (!bus.ok()) return;
    bus_ = *std::move(bus);
    absl::StatusOr<std::unique_ptr<AtspiServer>> server = AtspiServer::Connect(
        {.bus_address = bus_->address(), .no_display = true},
        Clock::Real().Now() + kLong);
    if (server.ok()) server_ = *std::move(server);
  }

  bool ready() const { return server_ != nullptr; }
  Server& server() { return *server_; }
  const std::string& address() const { return bus_->address(); }
  bool harmless() const { return spoiler_.harmless(); }
  // The world, at rest.
  mock::World& End() {
    server_ = nullptr;
    bus_->Stop();
    return bus_->world();
  }
  int text_to_secure() const { return heard_.text_to_secure; }

 private:
  Heard heard_;
  Spoiler spoiler_;
  std::unique_ptr<WireBus> bus_;
  std::unique_ptr<AtspiServer> server_;
};

std::string TextOf(const mock::Node& node) {
  return mock::Carriable(mock::EncodeUtf8(node.text));
}

// The element that the bus shows under that path.
const mock::Node* FindByPath(const mock::World& world,
                             const std::string& path) {
  const std::optional<std::string> of = mock::PathToNode(path);
  const std::string& id = world.desktop().focused;
  return of.has_value() ? world.Find({id, *of}) : nullptr;
}

absl::StatusOr<Snapshot> Take(Server& server, absl::Duration time,
                              FocusHints* hints) {
  const Traffic before = server.traffic();
  absl::StatusOr<Snapshot> snapshot =
      SnapshotFocused(server,
                      {.deadline = server.clock().Now() + time,
                       .max_text = kMaxText,
                       .context = kContext},
                      hints);
  FUZZ_CHECK((server.traffic() - before).calls <= kMostWireCalls);
  if (snapshot.ok()) CheckConsistent(*snapshot);
  return snapshot;
}

// Whatever happens: it ends, and says nothing that contradicts itself.
void Survive(const Trial& trial, absl::Span<const uint8_t> spoil) {
  Wire wire(trial.script, spoil);
  if (!wire.ready()) return;
  for (int i = 0; i < 2; ++i) {
    Take(wire.server(), kPatience, nullptr).IgnoreError();
  }
  absl::StatusOr<std::unique_ptr<AtspiServer>> second =
      AtspiServer::Connect({.bus_address = wire.address(), .no_display = true},
                           Clock::Real().Now() + kPatience);
  if (second.ok()) {
    absl::StatusOr<std::unique_ptr<FocusCache>> cache =
        FocusCache::Create(*std::move(second), Clock::Real().Now() + kPatience);
    if (cache.ok()) {
      Take(wire.server(), kPatience, cache->get()).IgnoreError();
      (*cache)->Step(Clock::Real().Now()).IgnoreError();
    }
  }
  EditOptions options = trial.options;
  options.deadline = Clock::Real().Now() + 2 * kPatience;
  Editor editor(&wire.server(), nullptr);
  editor.Apply(trial.edit, options);
}

// Where what is done is done at once: the truth.
void Judge(const Trial& trial) {
  Wire wire(trial.script, {});
  if (!wire.ready()) return;
  const bool honest = trial.script.hostilities.empty();
  const absl::StatusOr<Snapshot> snapshot = Take(wire.server(), kLong, nullptr);
  mock::World untouched(trial.script.desktop);
  if (honest && snapshot.ok() && snapshot->value.ok()) {
    const mock::Node* node = FindByPath(untouched, snapshot->element.path);
    FUZZ_CHECK(node != nullptr);
    const std::string truth = TextOf(*node);
    if (snapshot->whole) FUZZ_CHECK(*snapshot->value == truth);
  }
  EditOptions options = trial.options;
  options.deadline = Clock::Real().Now() + kLong;
  Editor editor(&wire.server(), nullptr);
  const EditResult result = editor.Apply(trial.edit, options);
  const mock::World& world = wire.End();
  FUZZ_CHECK(wire.text_to_secure() == 0);
  const mock::Node* node = FindByPath(world, result.element.path);
  const bool whole = options.max_text > 8;
  if (result.outcome == Outcome::kVerified && whole) {
    FUZZ_CHECK(node != nullptr);
    FUZZ_CHECK(TextOf(*node) == *result.expected);
  }
  if (result.outcome == Outcome::kFailed ||
      result.outcome == Outcome::kRefused) {
    for (size_t i = 0; i < untouched.desktop().programs.size(); ++i) {
      const auto& before = untouched.desktop().programs[i].nodes;
      const auto& after = world.desktop().programs[i].nodes;
      FUZZ_CHECK(before.size() == after.size());
      for (size_t k = 0; k < before.size(); ++k) {
        FUZZ_CHECK(before[k].text == after[k].text);
      }
    }
  }
}

void RunAll(absl::Span<const uint8_t> bytes) {
  const size_t edit = std::min(kOfEdit, bytes.size());
  const absl::Span<const uint8_t> rest = bytes.first(bytes.size() - edit);
  const size_t spoil = std::min(kOfWire, rest.size());
  const Trial any = TrialOn(mock::FromBytes(bytes), bytes.last(edit));
  Survive(any, rest.last(spoil));
  Trial one = TrialFromBytes(bytes);
  // A toolkit whose writes land, and one that counts in UTF-16.
  for (mock::Program& program : one.script.desktop.programs) {
    program.application.toolkit = bytes.size() % 2 == 0 ? "gtk" : "Qt";
    program.application.toolkit_version = bytes.size() % 2 == 0 ? "3.24" : "6";
  }
  if (AtOnce(one.script)) Judge(one);
}

}  // namespace
}  // namespace tactus::ax

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tactus::ax::RunAll({data, size});
  return 0;
}
