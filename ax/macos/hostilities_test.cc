// Every hostility of the mock, played twice: to what reads and edits directly,
// and to the same through MacosServer and the C API. Both must end alike; where
// the C API cannot say what the seam can, the table below says how they differ
// and why.

#include "ax/mock/hostilities.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/macos/testing/leaks.h"
#include "ax/macos/testing/rig.h"
#include "ax/mock/code_points.h"
#include "ax/mock/kind.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::macos {
namespace {

constexpr absl::Duration kTime = absl::Milliseconds(200);
constexpr char kText[] = "h\xC3\xA9llo \xF0\x9F\x98\x80 you";
constexpr mock::Latency kLatency = {.cold_connection = absl::Microseconds(100),
                                    .per_flight = absl::Microseconds(20),
                                    .per_call = absl::Microseconds(5)};

// Where the two differ, what each of them says and why it must be so.
struct Difference {
  absl::string_view direct;
  absl::string_view macos;
};

using Differences = std::map<absl::string_view, Difference>;

mock::HostilityOptions OptionsOf(const mock::HostilityKind& kind) {
  // Small where it grows: a text of ten million characters says no more.
  if (kind.grows) return {.parameter = kind.least > 3 ? kind.least : 3};
  return {};
}

// In ASCII, for the tables below.
std::string Plain(const std::string& text) {
  return absl::StrReplaceAll(
      Sanitize(text),
      {{"\xC3\xA9", "e"}, {"\xF0\x9F\x98\x80", "*"}, {"\xEF\xBF\xBD", "?"}});
}

std::string TextOf(const absl::StatusOr<std::string>& text) {
  return text.ok()
             ? Plain(*text)
             : std::string(absl::StatusCodeToString(text.status().code()));
}

std::string Summary(const absl::StatusOr<Snapshot>& snapshot) {
  if (!snapshot.ok()) {
    return std::string(absl::StatusCodeToString(snapshot.status().code()));
  }
  std::string summary = snapshot->secure ? "secure " : "";
  absl::StrAppend(&summary, StrategyName(snapshot->strategy()), " '",
                  TextOf(snapshot->value), "'");
  if (snapshot->caret.ok()) {
    absl::StrAppend(&summary, " caret ", *snapshot->caret);
  } else {
    absl::StrAppend(&summary, " caret ",
                    absl::StatusCodeToString(snapshot->caret.status().code()));
  }
  if (snapshot->selection.ok()) {
    absl::StrAppend(&summary, " selection ", snapshot->selection->begin, ":",
                    snapshot->selection->end);
  }
  if (snapshot->ambiguous) absl::StrAppend(&summary, " ambiguous");
  if (snapshot->secure_beside) absl::StrAppend(&summary, " secure-beside");
  return summary;
}

std::string SnapshotOf(Server& server) {
  const absl::Time deadline = server.clock().Now() + kTime;
  const std::string summary =
      Summary(SnapshotFocused(server, {.deadline = deadline}));
  EXPECT_LE(server.clock().Now(), deadline) << summary;
  return summary;
}

std::string EditOf(Server& server, const mock::World& world) {
  const std::optional<Element> field = world.Focused();
  Editor editor(&server, nullptr);
  const absl::Duration time = absl::Seconds(3);
  const absl::Time deadline = server.clock().Now() + time;
  const EditResult result = editor.Apply({.kind = Edit::Kind::kReplaceRange,
                                          .text = "#w\xF0\x9F\x98\x80",
                                          .range = {1, 3}},
                                         {.deadline = deadline});
  EXPECT_LE(server.clock().Now(), deadline + absl::Milliseconds(500));
  // Verified is what the field holds, unless the text itself is a lie.
  const mock::Node* node = field.has_value() ? world.Find(*field) : nullptr;
  return absl::StrCat(
      OutcomeName(result.outcome), " ", ReasonName(result.reason), " '",
      node == nullptr ? "" : Plain(mock::EncodeUtf8(node->text)), "'");
}

using Play = std::string (*)(Server& server, const mock::World& world);

std::string Direct(const mock::HostilityKind& kind, Play play) {
  SimulatedClock clock;
  mock::World world(mock::EditorDesktop(kText));
  mock::MockServer server(&world, &clock, kLatency);
  server.Add(*mock::MakeHostility(kind.name, OptionsOf(kind)));
  return play(server, world);
}

std::string ThroughMacos(const mock::HostilityKind& kind, Play play,
                         bool no_batches) {
  Rig rig(mock::EditorDesktop(kText), kLatency, {.no_batches = no_batches});
  rig.mock().Add(*mock::MakeHostility(kind.name, OptionsOf(kind)));
  const std::string said = play(rig.server(), rig.world());
  EXPECT_EQ(rig.mock().TextSentToToldSecure(), 0) << kind.name;
  EXPECT_EQ(rig.desktop().global_timeouts(), 0) << kind.name;
  return said;
}

void ExpectAlike(Play play, const Differences& differences) {
  int differing = 0;
  for (const mock::HostilityKind& kind : mock::AllHostilities()) {
    const std::string direct = Direct(kind, play);
    const std::string macos = ThroughMacos(kind, play, /*no_batches=*/false);
    const auto found = differences.find(kind.name);
    if (found == differences.end()) {
      EXPECT_EQ(macos, direct) << "{\"" << kind.name << "\", {\"" << direct
                               << "\", \"" << macos << "\"}},";
      continue;
    }
    ++differing;
    EXPECT_EQ(direct, found->second.direct) << kind.name;
    EXPECT_EQ(macos, found->second.macos) << kind.name;
    EXPECT_NE(macos, direct) << kind.name << " needs no row any more";
  }
  EXPECT_EQ(differing, static_cast<int>(differences.size()));
}

const Differences& OfSnapshots() {
  static const Differences& differences = *new Differences{
      // One call waits for one answer, so a batch is held up by its slowest
      // part.
      {"hung_on_attribute",
       {"range-edit 'hello * you' caret DEADLINE_EXCEEDED",
        "range-edit 'DEADLINE_EXCEEDED' caret DEADLINE_EXCEEDED"}},
      // An application names one element as focused, and the fake the first of
      // the
      // mock's claims: what is beside it is not seen.
      {"two_fields_claim_focus",
       {"range-edit 'hello * you' caret 11 selection 11:11 ambiguous",
        "range-edit 'hello * you' caret 11 selection 11:11"}},
      {"stale_focus_claims",
       {"range-edit 'hello * you' caret 11 selection 11:11",
        "range-edit 'decoy' caret 5 selection 5:5"}},
      {"search_box_first",
       {"range-edit 'hello * you' caret 11 selection 11:11", "UNAVAILABLE"}},
      {"ghosts_claim_focus",
       {"range-edit 'hello * you' caret 11 selection 11:11", "UNAVAILABLE"}},
      // An application is named by its process id alone: see the known gaps of
      // docs/architecture.md.
      {"pid_reused",
       {"UNAVAILABLE", "range-edit 'not yours' caret 9 selection 9:9"}},
      // It happens by messages, of which the C API takes another number.
      {"user_types",
       {"range-edit 'hello * youxxxxxxxxx' caret DATA_LOSS",
        "range-edit 'hello * youxxxxxxxxxxxxx' caret DATA_LOSS"}},
      {"turns_secure",
       {"range-edit 'hello * you' caret 11 selection 11:11",
        "secure refused-secure 'PERMISSION_DENIED' caret PERMISSION_DENIED"}},
      {"show_password_toggles",
       {"secure refused-secure 'PERMISSION_DENIED' caret PERMISSION_DENIED",
        "range-edit 'hello * you' caret 11 selection 11:11"}},
      // Caret and selection are one range, and a selection that cannot be read
      // back
      // is not written over.
      {"selection_negative",
       {"range-edit 'hello * you' caret 11",
        "range-edit 'hello * you' caret DATA_LOSS"}},
      {"selection_reversed",
       {"range-edit 'hello * you' caret 11 selection 0:11",
        "range-edit 'hello * you' caret 0 selection 0:11"}},
      {"selection_huge",
       {"range-edit 'hello * you' caret 11",
        "range-edit 'hello * you' caret DATA_LOSS"}},
      // No CFString holds bytes that are not UTF-16.
      {"invalid_utf8",
       {"range-edit 'hello * yo?u' caret 11 selection 11:11",
        "range-edit 'hello *???? you' caret 11 selection 11:11"}},
      // There are no such states: nothing can call itself defunct.
      {"unknown_states",
       {"UNAVAILABLE", "range-edit 'hello * you' caret 11 selection 11:11"}},
  };
  return differences;
}

const Differences& OfEdits() {
  static const Differences& differences = *new Differences{
      // One call waits for one answer, so a batch is held up by its slowest
      // part.
      {"hung_on_attribute",
       {"unknown unreadable 'hello * you'", "refused no-focus 'hello * you'"}},
      // An application names one element as focused, and the fake the first of
      // the
      // mock's claims: what is beside it is not seen.
      {"two_fields_claim_focus",
       {"refused ambiguous 'hello * you'", "verified none 'h#w*lo * you'"}},
      {"stale_focus_claims",
       {"verified none 'h#w*lo * you'", "verified none 'hello * you'"}},
      {"search_box_first",
       {"verified none 'h#w*lo * you'", "refused no-focus 'hello * you'"}},
      {"ghosts_claim_focus",
       {"verified none 'h#w*lo * you'", "refused no-focus 'hello * you'"}},
      // An application is named by its process id alone: see the known gaps of
      // docs/architecture.md.
      {"pid_reused", {"refused no-focus ''", "verified none ''"}},
      // It happens by messages, of which the C API takes another number.
      {"user_types",
       {"refused contradiction 'hello * youxxxxxxxxxxxxxxx'",
        "refused contradiction 'hello * youxxxxxxxxxxxxxxxx'"}},
      {"turns_secure",
       {"verified none 'h#w*lo * you'", "refused secure 'hello * you'"}},
      {"show_password_toggles",
       {"refused secure 'hello * you'", "verified none 'h#w*lo * you'"}},
      // Caret and selection are one range, and a selection that cannot be read
      // back
      // is not written over.
      {"selection_negative",
       {"verified none 'h#w*lo * you'", "failed rejected 'hello * you'"}},
      {"selection_reversed",
       {"verified none 'h#w*lo * you'", "failed rejected 'hello * you'"}},
      {"selection_huge",
       {"verified none 'h#w*lo * you'", "failed rejected 'hello * you'"}},
      {"select_ignored",
       {"verified none 'h#w*lo * you'", "failed rejected 'hello * you'"}},
      {"select_error",
       {"verified none 'h#w*lo * you'", "failed rejected 'hello * you'"}},
      {"shows_late",
       {"verified none 'h#w*lo * you'", "failed rejected 'hello * you'"}},
      // There are no such states: nothing can call itself defunct.
      {"unknown_states",
       {"refused no-focus 'hello * you'", "verified none 'h#w*lo * you'"}},
      // The selection is of the true element and not of its shadow, or of the
      // one
      // that was put in its place, so that the lie shows.
      {"write_echo_reverts",
       {"verified none 'hello * you'", "unknown not-landed 'hello * you'"}},
      {"write_commit_on_blur",
       {"verified none 'hello * you'", "unknown contradiction 'hello * you'"}},
      {"write_element_swapped",
       {"verified none ''", "unknown contradiction ''"}},
  };
  return differences;
}

class HostilitiesTest : public NoLeaks {};

TEST_F(HostilitiesTest, SnapshotEndsAsItDoesDirectly) {
  ExpectAlike(
      [](Server& server, const mock::World&) { return SnapshotOf(server); },
      OfSnapshots());
}

TEST_F(HostilitiesTest, EditEndsAsItDoesDirectly) {
  ExpectAlike(&EditOf, OfEdits());
}

TEST_F(HostilitiesTest, NoHostilityBreaksReadingInTurn) {
  for (const mock::HostilityKind& kind : mock::AllHostilities()) {
    ThroughMacos(
        kind,
        [](Server& server, const mock::World&) { return SnapshotOf(server); },
        /*no_batches=*/true);
    ThroughMacos(kind, &EditOf, /*no_batches=*/true);
  }
}

}  // namespace
}  // namespace tactus::ax::macos
