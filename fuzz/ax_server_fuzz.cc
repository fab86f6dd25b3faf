// Any hostile server against what reads the focus (resolve, read, snapshot and
// the cache) and what edits it. Bytes become a desktop, its hostilities and
// what happens on it.
//
// The oracles, beyond crashes: every snapshot ends by its deadline on the
// simulated clock, with a bounded number of calls; no text-bearing call goes to
// an element known to be secure; what a snapshot says is consistent in itself;
// and where nobody lies or acts, it is the truth. Of edits they are the
// promises of ax/edit/verdict.h: once on the same desktop, the edit from the
// last bytes, and once on a desktop made for edits, from all of them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/edit/trial.h"
#include "ax/edit/verdict.h"
#include "ax/focus/focus_cache.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/script.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"
#include "fuzz/check.h"
#include "fuzz/snapshot_oracle.h"

namespace tactus::ax {
namespace {

using mock::MockServer;
using mock::Script;
using mock::World;

// Nobody lies and nothing happens: then what was read is what is there.
void CheckTruth(const World& world, const absl::StatusOr<Snapshot>& snapshot) {
  const std::optional<Element> focused = world.Focused();
  if (!snapshot.ok() || !snapshot->value.ok() || !focused.has_value()) return;
  // Several elements of the focused application may claim the focus.
  const mock::Node* node = world.Find(snapshot->element);
  FUZZ_CHECK(node != nullptr);
  FUZZ_CHECK(snapshot->element.application == focused->application);
  const int64_t size = static_cast<int64_t>(node->text.size());
  FUZZ_CHECK(snapshot->character_count.ok());
  FUZZ_CHECK(*snapshot->character_count == size);
  FUZZ_CHECK(snapshot->whole == (size <= kMaxText));
  FUZZ_CHECK(snapshot->window.length() == std::min(size, kMaxText));
  std::string truth;
  for (int64_t i = snapshot->window.begin; i < snapshot->window.end; ++i) {
    AppendCodePoint(node->text[static_cast<size_t>(i)], truth);
  }
  FUZZ_CHECK(*snapshot->value == truth);
}

absl::StatusOr<Snapshot> Take(MockServer& server, FocusHints* hints) {
  const absl::Time deadline = server.clock().Now() + kDeadline;
  const Traffic before = server.traffic();
  absl::StatusOr<Snapshot> snapshot = SnapshotFocused(
      server, {.deadline = deadline, .max_text = kMaxText, .context = kContext},
      hints);
  FUZZ_CHECK(server.clock().Now() <= deadline);
  FUZZ_CHECK((server.traffic() - before).calls <= kMaxCalls);
  FUZZ_CHECK(server.TextSentToToldSecure() == 0);
  if (snapshot.ok()) CheckConsistent(*snapshot);
  return snapshot;
}

void Run(const Script& script) {
  World world(script.desktop);
  SimulatedClock clock;
  MockServer server(&world, &clock, script.latency);
  if (!mock::Play(script, server).ok()) return;
  const bool honest = script.hostilities.empty() && script.actions.empty();

  for (int i = 0; i < 2; ++i) {
    const absl::StatusOr<Snapshot> snapshot = Take(server, nullptr);
    if (honest) CheckTruth(world, snapshot);
  }

  // The cache has a server of its own, on the same desktop and clock.
  absl::StatusOr<std::unique_ptr<FocusCache>> cache = FocusCache::Create(
      std::make_unique<MockServer>(&world, &clock, script.latency),
      clock.Now() + kDeadline);
  if (!cache.ok()) return;
  for (int i = 0; i < 3; ++i) {
    const absl::StatusOr<Snapshot> snapshot = Take(server, cache->get());
    if (honest) CheckTruth(world, snapshot);
    (*cache)->Step(clock.Now()).IgnoreError();
  }
}

void CheckEdit(const Trial& trial) {
  const Verdict verdict = Try(trial);
  if (!verdict.broken.empty()) {
    // The promise alone, not the texts behind it.
    const std::string promise =
        verdict.broken.substr(0, verdict.broken.find(':'));
    std::fprintf(stderr, "broken promise of an edit: %s\n", promise.c_str());
  }
  FUZZ_CHECK(verdict.broken.empty());
}

void RunEdits(absl::Span<const uint8_t> bytes) {
  constexpr size_t kOfEdit = 32;
  CheckEdit(
      TrialOn(mock::FromBytes(bytes),
              bytes.subspan(bytes.size() - std::min(kOfEdit, bytes.size()))));
  CheckEdit(TrialFromBytes(bytes));
}

}  // namespace
}  // namespace tactus::ax

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tactus::ax::Run(tactus::ax::mock::FromBytes({data, size}));
  tactus::ax::RunEdits({data, size});
  return 0;
}
