// Any hostile server behind the AX C API: bytes become the mock's desktop,
// hostilities and actions, as in //fuzz:ax_server, and what the C API alone can
// do wrong. What reads and edits meets them through MacosServer and the fake of
// Apple's frameworks.
//
// The oracles, beyond crashes: every snapshot and edit ends by its deadline on
// the simulated clock, with a bounded number of trips; no text-bearing call
// goes to an element known to be secure; no time is set for the whole process;
// what a snapshot says is consistent in itself; an edit keeps the promises of
// ax/edit/verdict.h, as on the mock itself; and no reference is left.

#include <ApplicationServices/ApplicationServices.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/trial.h"
#include "ax/edit/verdict.h"
#include "ax/focus/focus_cache.h"
#include "ax/macos/elements.h"
#include "ax/macos/fake/desktop.h"
#include "ax/macos/fake/objects.h"
#include "ax/macos/server.h"
#include "ax/macos/testing/backend.h"
#include "ax/macos/testing/rig.h"
#include "ax/mock/message.h"
#include "ax/mock/script.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "fuzz/check.h"
#include "fuzz/snapshot_oracle.h"

namespace tactus::ax {
namespace {

using macos::ElementTable;
using macos::MacosOptions;
using macos::MacosServer;

constexpr absl::Duration kGiveBack = absl::Milliseconds(500);
// Of the input's end: the edit, and before it the faults of the C API.
constexpr size_t kOfEdit = 32;
constexpr size_t kOfFaults = 8;

// What the C API does wrong that the seam has no word for.
class Faults {
 public:
  Faults(absl::Span<const uint8_t> bytes, macos::fake::Desktop& desktop)
      : bytes_(bytes) {
    macos::fake::Faults& faults = desktop.faults();
    for (int left = Below(3); left > 0; --left) Spoil(faults);
  }
  ~Faults() {
    for (CFTypeRef value : owned_) CFRelease(value);
  }
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;

 private:
  int Below(int most) {
    if (bytes_.empty()) return 0;
    const int byte = bytes_.back();
    bytes_.remove_suffix(1);
    return byte % most;
  }

  std::string AnyName() {
    constexpr const char* kNames[] = {"AXValue",
                                      "AXSelectedTextRange",
                                      "AXNumberOfCharacters",
                                      "AXSelectedText",
                                      "AXRole",
                                      "AXSubrole",
                                      "AXFocused",
                                      "AXEnabled",
                                      "AXWindow",
                                      "AXMain",
                                      "AXFocusedUIElement",
                                      "AXFocusedApplication",
                                      "AXTitle",
                                      "AXStringForRange"};
    return kNames[Below(static_cast<int>(std::size(kNames)))];
  }

  AXError AnyError() {
    // Every AXError, and a number that is none.
    const int n = Below(16);
    return static_cast<AXError>(n == 15 ? -1 : kAXErrorFailure - n);
  }

  CFTypeRef AnyValue() {
    const auto owned = [this](CFTypeRef value) {
      if (value != nullptr) owned_.push_back(value);
      return value;
    };
    const int64_t number = Below(5) == 0 ? INT64_MIN : int64_t{Below(256)} - 8;
    const CFRange range = {number, Below(4) == 0 ? INT64_MAX : Below(64)};
    const AXError error = AnyError();
    switch (Below(9)) {
      case 0:
        return nullptr;
      case 1:
        return kCFNull;
      case 2:
        return kCFBooleanTrue;
      case 3:
        return owned(
            CFNumberCreate(kCFAllocatorDefault, kCFNumberSInt64Type, &number));
      case 4:
        return owned(AXValueCreate(kAXValueTypeCFRange, &range));
      case 5:
        return owned(AXValueCreate(kAXValueTypeAXError, &error));
      case 6:
        // Halves of pairs.
        return owned(macos::fake::MakeString(u"a\xD83D b\xDC00"));
      case 7:
        return owned(CFArrayCreate(kCFAllocatorDefault, nullptr, 0,
                                   &kCFTypeArrayCallBacks));
      default:
        return owned(AXUIElementCreateSystemWide());
    }
  }

  void Spoil(macos::fake::Faults& faults) {
    switch (Below(12)) {
      case 0:
      case 1:
        faults.errors[AnyName()] = AnyError();
        break;
      case 2:
      case 3:
        faults.values[AnyName()] = AnyValue();
        break;
      case 4:
        faults.probe_errors[Below(2) == 0 ? "AXValue" : "AXSelectedText"] =
            AnyError();
        break;
      case 5:
        faults.write_errors[Below(2) == 0 ? "AXSelectedTextRange" : AnyName()] =
            AnyError();
        break;
      case 6:
        faults.batch_error = AnyError();
        faults.array_with_error = Below(2) == 0;
        break;
      case 7:
        faults.batch_null = true;
        break;
      case 8:
        faults.batch_extra = Below(7) - 3;
        break;
      case 9:
        faults.null_for_errors = true;
        break;
      case 10:
        faults.every_error = AnyError();
        break;
      default:
        faults.late_callbacks = true;
        faults.focused_pid = Below(200);
        break;
    }
  }

  absl::Span<const uint8_t> bytes_;
  std::vector<CFTypeRef> owned_;
};

void CheckRig(macos::Rig& rig) {
  FUZZ_CHECK(rig.mock().TextSentToToldSecure() == 0);
  FUZZ_CHECK(rig.desktop().global_timeouts() == 0);
}

void Take(macos::Rig& rig, FocusHints* hints) {
  const absl::Time deadline = rig.clock().Now() + kDeadline;
  const Traffic before = rig.server().traffic();
  const absl::StatusOr<Snapshot> snapshot = SnapshotFocused(
      rig.server(),
      {.deadline = deadline, .max_text = kMaxText, .context = kContext}, hints);
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

// With what the C API does wrong: what holds of any server.
void Run(const Trial& trial, absl::Span<const uint8_t> faults,
         bool no_batches) {
  const auto elements = std::make_shared<ElementTable>();
  macos::Rig rig(
      trial.script.desktop, trial.script.latency,
      {.elements = elements, .no_batches = no_batches, .wake = true});
  if (!mock::Play(trial.script, rig.mock()).ok()) return;
  Take(rig, nullptr);
  const Faults spoilt(faults, rig.desktop());
  Take(rig, nullptr);
  Take(rig, nullptr);

  MacosOptions listening = {.clock = &rig.clock(), .elements = elements};
  listening.make_bounder = [&rig](Clock&) {
    return std::make_unique<macos::FakeBounder>(&rig.desktop());
  };
  absl::StatusOr<std::unique_ptr<FocusCache>> cache = FocusCache::Create(
      MacosServer::Create(listening), rig.clock().Now() + kDeadline);
  if (cache.ok()) {
    for (int i = 0; i < 2; ++i) {
      Take(rig, cache->get());
      (*cache)->Step(rig.clock().Now()).IgnoreError();
    }
  }
  Apply(rig, trial);
}

// Without: what the mock does is what the truth is judged by.
void Judge(const Trial& trial, bool no_batches) {
  const Verdict verdict =
      Try(trial, macos::BackendOnFake({.no_batches = no_batches}));
  if (!verdict.broken.empty()) {
    // The promise alone, not the texts behind it.
    std::fprintf(stderr, "broken promise of an edit: %s\n",
                 verdict.broken.substr(0, verdict.broken.find(':')).c_str());
  }
  FUZZ_CHECK(verdict.broken.empty());
}

void RunAll(absl::Span<const uint8_t> bytes, bool no_batches) {
  const size_t edit = std::min(kOfEdit, bytes.size());
  const absl::Span<const uint8_t> rest = bytes.first(bytes.size() - edit);
  const size_t faults = std::min(kOfFaults, rest.size());
  const Trial trial = TrialOn(mock::FromBytes(bytes), bytes.last(edit));
  Run(trial, rest.last(faults), no_batches);
  Judge(trial, no_batches);
  Judge(TrialFromBytes(bytes), no_batches);
}

}  // namespace
}  // namespace tactus::ax

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int64_t living = tactus::ax::macos::fake::Counts().living;
  for (const bool no_batches : {false, true}) {
    tactus::ax::RunAll({data, size}, no_batches);
    FUZZ_CHECK(tactus::ax::macos::fake::Counts().living == living);
  }
  return 0;
}
