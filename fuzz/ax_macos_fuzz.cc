// Any hostile server behind the AX C API: bytes become the mock's desktop,
// hostilities and actions, as in //fuzz:ax_server, and what reads and edits
// meets them through MacosServer and the fake of Apple's frameworks.
//
// The oracles, beyond crashes: every snapshot and edit ends by its deadline on
// the simulated clock, with a bounded number of trips; no text-bearing call
// goes to an element known to be secure; no time is set for the whole process;
// what a snapshot says is consistent in itself; an edit that was refused has
// sent no change of a text; and no reference is left.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/trial.h"
#include "ax/macos/fake/objects.h"
#include "ax/macos/testing/rig.h"
#include "ax/mock/message.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/script.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "fuzz/check.h"
#include "fuzz/snapshot_oracle.h"

namespace tactus::ax {
namespace {

constexpr absl::Duration kGiveBack = absl::Milliseconds(500);

void CheckRig(macos::Rig& rig) {
  FUZZ_CHECK(rig.mock().TextSentToToldSecure() == 0);
  FUZZ_CHECK(rig.desktop().global_timeouts() == 0);
}

void Take(macos::Rig& rig) {
  const absl::Time deadline = rig.clock().Now() + kDeadline;
  const Traffic before = rig.server().traffic();
  const absl::StatusOr<Snapshot> snapshot = SnapshotFocused(
      rig.server(),
      {.deadline = deadline, .max_text = kMaxText, .context = kContext});
  FUZZ_CHECK(rig.clock().Now() <= deadline);
  FUZZ_CHECK((rig.server().traffic() - before).calls <= kMaxCalls);
  if (snapshot.ok()) CheckConsistent(*snapshot);
  CheckRig(rig);
}

void Apply(macos::Rig& rig, const Trial& trial) {
  const size_t logged = rig.mock().log().size();
  EditOptions options = trial.options;
  const absl::Time deadline = rig.clock().Now() + trial.time;
  options.deadline = deadline;
  Editor editor(&rig.server(), nullptr);
  const EditResult result = editor.Apply(trial.edit, options);
  FUZZ_CHECK(rig.clock().Now() <= deadline + kGiveBack);
  CheckRig(rig);
  if (result.outcome != Outcome::kRefused) return;
  for (size_t i = logged; i < rig.mock().log().size(); ++i) {
    const mock::Message& message = rig.mock().log()[i].message;
    FUZZ_CHECK(message.verb != mock::Verb::kWrite ||
               message.what == mock::Change::kSelect);
  }
}

void Run(absl::Span<const uint8_t> bytes, bool no_batches) {
  constexpr size_t kOfEdit = 32;
  const Trial trial =
      TrialOn(mock::FromBytes(bytes),
              bytes.subspan(bytes.size() - std::min(kOfEdit, bytes.size())));
  macos::Rig rig(trial.script.desktop, trial.script.latency,
                 {.no_batches = no_batches});
  if (!mock::Play(trial.script, rig.mock()).ok()) return;
  Take(rig);
  Take(rig);
  Apply(rig, trial);
}

}  // namespace
}  // namespace tactus::ax

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int64_t living = tactus::ax::macos::fake::Counts().living;
  for (const bool no_batches : {false, true}) {
    tactus::ax::Run({data, size}, no_batches);
    FUZZ_CHECK(tactus::ax::macos::fake::Counts().living == living);
  }
  return 0;
}
