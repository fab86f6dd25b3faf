#include "ax/snapshot/snapshot.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

constexpr absl::Duration kDeadline = absl::Milliseconds(200);

class SnapshotTest : public ::testing::Test {
 protected:
  void Stage(const std::string& text) {
    server_.reset();  // it listens to its world to the last
    world_ = std::make_unique<mock::World>(mock::EditorDesktop(text));
    server_ = std::make_unique<mock::MockServer>(world_.get(), &clock_);
    field_ = *world_->Focused();
  }

  void SetUp() override { Stage("The quick brown fox"); }

  void Add(const char* name, mock::HostilityOptions options = {}) {
    auto hostility = mock::MakeHostility(name, options);
    ASSERT_TRUE(hostility.ok()) << hostility.status();
    server_->Add(*std::move(hostility));
  }

  absl::StatusOr<Snapshot> TakeOr(SnapshotOptions options = {}) {
    options.deadline = clock_.Now() + kDeadline;
    return SnapshotFocused(*server_, options);
  }

  Snapshot Take(SnapshotOptions options = {}) {
    absl::StatusOr<Snapshot> snapshot = TakeOr(options);
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    return snapshot.value_or(Snapshot());
  }

  SimulatedClock clock_;
  std::unique_ptr<mock::World> world_;
  std::unique_ptr<mock::MockServer> server_;
  Element field_;
};

TEST_F(SnapshotTest, EverythingOfAnOrdinaryFieldIsRead) {
  ASSERT_TRUE(world_->Select(field_, {4, 9}).ok());
  const Snapshot s = Take({.context = 6});
  EXPECT_EQ(s.application.name, "editor");
  EXPECT_EQ(s.element, field_);
  EXPECT_EQ(s.route, Route::kSystemWide);
  EXPECT_EQ(s.role->role, Role::kTextArea);
  EXPECT_EQ(*s.value, "The quick brown fox");
  EXPECT_EQ(s.window, (Range{0, 19}));
  EXPECT_TRUE(s.whole);
  EXPECT_EQ(*s.character_count, 19);
  EXPECT_EQ(*s.caret, 9);
  EXPECT_EQ(*s.selection, (Range{4, 9}));
  EXPECT_EQ(*s.selected_text, "quick");
  EXPECT_EQ(s.context_before, "The ");
  EXPECT_EQ(s.context_after, " brown");
  EXPECT_TRUE(*s.value_settable);
  EXPECT_TRUE(*s.selection_settable);
  EXPECT_EQ(s.strategy(), Strategy::kRangeEdit);
  EXPECT_FALSE(s.secure);
  EXPECT_FALSE(s.ambiguous);
  EXPECT_TRUE(s.notes.empty());
}

TEST_F(SnapshotTest, FoundAndReadItCostsExactlyFourFlights) {
  const Snapshot s = Take();
  // Application, element; identity of five attributes; four of text.
  EXPECT_EQ(s.traffic.flights, 4);
  EXPECT_EQ(s.traffic.calls, 1 + 1 + 5 + 4);
}

TEST_F(SnapshotTest, KnownTargetCostsExactlyTwoFlights) {
  absl::StatusOr<Target> target = Resolve(*server_, clock_.Now() + kDeadline);
  ASSERT_TRUE(target.ok());
  absl::StatusOr<Snapshot> s =
      SnapshotTarget(*server_, *target, {.deadline = clock_.Now() + kDeadline});
  ASSERT_TRUE(s.ok()) << s.status();
  EXPECT_EQ(s->traffic.flights, 2);
  EXPECT_EQ(s->traffic.calls, 9);
}

TEST_F(SnapshotTest, NoSelectionIsAnEmptyRangeAtTheCaret) {
  ASSERT_TRUE(world_->MoveCaret(field_, 3).ok());
  const Snapshot s = Take();
  EXPECT_EQ(*s.selection, (Range{3, 3}));
  EXPECT_EQ(*s.selected_text, "");
  EXPECT_EQ(s.context_before, "The");
}

TEST_F(SnapshotTest, TextOverTheLimitIsReadAroundTheCaretInOneFlightMore) {
  Stage(std::string(500, 'a') + "MIDDLE" + std::string(500, 'b'));
  ASSERT_TRUE(world_->MoveCaret(field_, 503).ok());
  const Snapshot s = Take({.max_text = 100, .context = 4});
  EXPECT_EQ(s.window, (Range{453, 553}));
  EXPECT_FALSE(s.whole);
  EXPECT_EQ(*s.value, std::string(47, 'a') + "MIDDLE" + std::string(47, 'b'));
  EXPECT_EQ(*s.character_count, 1006);
  EXPECT_EQ(*s.caret, 503);
  EXPECT_EQ(s.context_before, "aMID");
  EXPECT_EQ(s.context_after, "DLEb");
  EXPECT_EQ(s.traffic.flights, 5);
}

TEST_F(SnapshotTest, WindowNeverLeavesTheText) {
  Stage(std::string(300, 'a'));
  ASSERT_TRUE(world_->MoveCaret(field_, 300).ok());
  EXPECT_EQ(Take({.max_text = 100}).window, (Range{200, 300}));
  ASSERT_TRUE(world_->MoveCaret(field_, 10).ok());
  EXPECT_EQ(Take({.max_text = 100}).window, (Range{0, 100}));
}

TEST_F(SnapshotTest, SelectionThatLeavesTheWindowIsToldAndNotInvented) {
  Stage(std::string(300, 'a'));
  ASSERT_TRUE(world_->Select(field_, {0, 300}).ok());
  const Snapshot s = Take({.max_text = 100});
  EXPECT_EQ(*s.selection, (Range{0, 300}));
  EXPECT_EQ(s.selected_text.status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(SnapshotTest, SecureRoleIsNeverAskedForText) {
  Add("secure_role");
  const Snapshot s = Take();
  EXPECT_TRUE(s.secure);
  EXPECT_EQ(s.value.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(s.strategy(), Strategy::kSecure);
  EXPECT_EQ(server_->TextSentToSecure(), 0);
}

TEST_F(SnapshotTest, SecureSubroleUnderAPlainRoleIsNeverAskedForText) {
  Add("secure_subrole");
  const Snapshot s = Take();
  EXPECT_TRUE(s.secure);
  EXPECT_EQ(server_->TextSentToSecure(), 0);
}

TEST_F(SnapshotTest, RoleThatCannotBeReadIsTreatedAsSecure) {
  Add("attribute_fails", {.parameter = static_cast<int64_t>(Attribute::kRole)});
  const Snapshot s = Take();
  EXPECT_TRUE(s.secure);
  for (const mock::LoggedMessage& m : server_->log()) {
    EXPECT_FALSE(m.message.BearsText());
  }
}

TEST_F(SnapshotTest, FieldThatTurnsSecureUnderWayIsNotAskedAgain) {
  for (int at = 0; at < 16; ++at) {
    Stage("secret");
    server_->BetweenMessages([this, at](mock::World& world, int index) {
      if (index == at) world.SetSecure(field_, true).IgnoreError();
    });
    TakeOr().IgnoreError();
    EXPECT_EQ(server_->TextSentToToldSecure(), 0) << "at message " << at;
    const bool secure_by_now = world_->IsSecure(field_);
    const absl::StatusOr<Snapshot> second = TakeOr();
    if (secure_by_now) {
      ASSERT_TRUE(second.ok()) << second.status();
      EXPECT_TRUE(second->secure) << "at message " << at;
    }
    EXPECT_EQ(server_->TextSentToToldSecure(), 0) << "at message " << at;
  }
}

// A password field that has the keyboard and calls itself defunct, so that the
// text beside it wins.
TEST_F(SnapshotTest, SecureClaimThatLosesIsToldInTheSameFlights) {
  mock::Node secret = mock::TextArea("/secret", "hunter2");
  secret.role = {Role::kPassword, "password text"};
  secret.states |= kStateDefunct;
  mock::Program& program = *world_->MutableProgram("app:100");
  program.nodes.push_back(std::move(secret));
  program.focus = "/secret";
  const Snapshot s = Take();
  EXPECT_EQ(s.element, field_);
  EXPECT_FALSE(s.secure);
  EXPECT_FALSE(s.ambiguous);
  EXPECT_TRUE(s.secure_beside);
  EXPECT_EQ(s.notes, std::vector<std::string>{
                         "another claim of the focus is secure, or may be"});
  EXPECT_EQ(*s.value, "The quick brown fox");
  EXPECT_EQ(server_->TextSentToSecure(), 0);
  EXPECT_EQ(s.traffic.flights, 4);
  EXPECT_EQ(s.traffic.calls, 1 + 1 + 2 * 5 + 4);
}

TEST_F(SnapshotTest, PlainClaimThatLosesIsNoSecret) {
  Add("stale_focus_claims", {.parameter = 3});
  EXPECT_FALSE(Take().secure_beside);
}

TEST_F(SnapshotTest, ClaimsThatAreTooManyToBeReadMayBeSecure) {
  Add("stale_focus_claims", {.parameter = 7});
  EXPECT_FALSE(Take().secure_beside);
  Stage("text");
  // Listed last, the field itself would not be read: there must be another.
  mock::Program& program = *world_->MutableProgram("app:100");
  for (int i = 0; i < 8; ++i) {
    mock::Node stale = mock::TextArea("/stale" + std::to_string(i), "");
    stale.states &= ~kStateShowing;
    program.nodes.push_back(std::move(stale));
  }
  const Snapshot s = Take();
  EXPECT_EQ(s.element, field_);
  EXPECT_TRUE(s.secure_beside);
}

TEST_F(SnapshotTest, OneElementOfferedManyTimesIsReadWhole) {
  Add("ghosts_claim_focus", {.parameter = 7});
  EXPECT_FALSE(Take().secure_beside);
}

TEST_F(SnapshotTest, ReadOnlyFieldIsReadAndRefusedForEditing) {
  ASSERT_TRUE(world_->ChangeStates(field_, kStateReadOnly, 0).ok());
  const Snapshot s = Take();
  EXPECT_EQ(*s.value, "The quick brown fox");
  EXPECT_EQ(s.strategy(), Strategy::kReadOnly);
}

TEST_F(SnapshotTest, EditableFieldThatTheServerCannotWriteIsPastedInto) {
  world_->Mutable(field_)->value_settable = false;
  EXPECT_EQ(Take().strategy(), Strategy::kPaste);
}

TEST_F(SnapshotTest, TypingBetweenTextAndCountIsReReadOnce) {
  bool typed = false;
  server_->BetweenMessages([&](mock::World& world, int) {
    const auto& log = server_->log();
    if (!typed && !log.empty() &&
        log.back().message.attribute == Attribute::kText &&
        log.back().message.verb == mock::Verb::kRead) {
      typed = true;
      world.Type(field_, "!").IgnoreError();
    }
  });
  const Snapshot s = Take();
  EXPECT_TRUE(typed);
  EXPECT_EQ(*s.value, "The quick brown fox!");
  EXPECT_EQ(*s.character_count, 20);
  EXPECT_EQ(s.notes, std::vector<std::string>{
                         "text and count disagreed once and were re-read"});
  EXPECT_EQ(s.traffic.flights, 5);
}

TEST_F(SnapshotTest, CountThatLiesIsToldAndTheTextStands) {
  Add("count_differs", {.parameter = 3});
  const Snapshot s = Take();
  EXPECT_EQ(*s.value, "The quick brown fox");
  EXPECT_EQ(s.notes, std::vector<std::string>{
                         "the server counts 22 characters, its text has 19"});
}

TEST_F(SnapshotTest, PositionsOutsideTheTextAreNotPassedOn) {
  Add("caret_past_end");
  Add("selection_huge");
  const Snapshot s = Take();
  EXPECT_EQ(s.caret.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(s.selection.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(*s.value, "The quick brown fox");
}

TEST_F(SnapshotTest, NegativeCaretIsNotPassedOn) {
  Add("caret_negative");
  const Snapshot s = Take();
  EXPECT_EQ(s.caret.status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(SnapshotTest, ReversedSelectionIsPutInOrder) {
  ASSERT_TRUE(world_->Select(field_, {4, 9}).ok());
  Add("selection_reversed");
  EXPECT_EQ(*Take().selection, (Range{4, 9}));
}

TEST_F(SnapshotTest, OneFailingAttributeNeverCostsTheSnapshot) {
  for (Attribute attribute :
       {Attribute::kSelection, Attribute::kCaret, Attribute::kCharacterCount,
        Attribute::kText, Attribute::kValueSettable,
        Attribute::kSelectionSettable}) {
    Stage("hello");
    Add("attribute_fails", {.parameter = static_cast<int64_t>(attribute)});
    const Snapshot s = Take();
    EXPECT_EQ(s.value.ok(), attribute != Attribute::kText);
    EXPECT_EQ(s.caret.ok(), attribute != Attribute::kCaret);
    EXPECT_EQ(s.character_count.ok(), attribute != Attribute::kCharacterCount);
    EXPECT_EQ(s.value_settable.ok(), attribute != Attribute::kValueSettable);
  }
}

TEST_F(SnapshotTest, TwoFieldsWithEqualClaimAreAmbiguous) {
  Add("two_fields_claim_focus");
  const Snapshot s = Take();
  EXPECT_TRUE(s.ambiguous);
}

TEST_F(SnapshotTest, StaleClaimsLoseAgainstTheFieldOnTheScreen) {
  Add("stale_focus_claims", {.parameter = 3});
  const Snapshot s = Take();
  EXPECT_EQ(s.element, field_);
  EXPECT_FALSE(s.ambiguous);
}

TEST_F(SnapshotTest, ElementSwappedAfterItWasFoundIsFoundAnew) {
  // Between FocusedElements and the first read.
  bool swapped = false;
  server_->BetweenMessages([&](mock::World& world, int index) {
    if (index == 2 && !swapped) {
      swapped = true;
      field_ = *world.Replace(field_);
    }
  });
  const Snapshot s = Take();
  EXPECT_EQ(s.element, field_);
  EXPECT_EQ(*s.value, "The quick brown fox");
}

TEST_F(SnapshotTest, HungApplicationEndsExactlyAtTheDeadline) {
  Add("hung");
  EXPECT_EQ(TakeOr().status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch() + kDeadline);
}

TEST_F(SnapshotTest, TextThatHangsLeavesTheIdentity) {
  Add("hung_on_attribute",
      {.parameter = static_cast<int64_t>(Attribute::kText)});
  const Snapshot s = Take();
  EXPECT_EQ(s.value.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(s.role->role, Role::kTextArea);
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch() + kDeadline);
}

TEST_F(SnapshotTest, PermissionLostMidSessionIsToldAsSuch) {
  EXPECT_TRUE(TakeOr().ok());
  Add("permission_lost");
  EXPECT_EQ(TakeOr().status().code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(SnapshotTest, MoreClaimsThanAnybodyMakesCostNoMoreThanEight) {
  Add("ghosts_claim_focus", {.parameter = 64});
  TakeOr().IgnoreError();
  int64_t identities = 0;
  for (const mock::LoggedMessage& m : server_->log()) {
    if (m.message.verb == mock::Verb::kRead &&
        m.message.attribute == Attribute::kRole) {
      ++identities;
    }
  }
  EXPECT_LE(identities, 2 * 8);
}

// Every hostility there is, alone: it ends by the deadline, within a budget of
// calls, and no text is asked of what is known to be secure.
TEST(SnapshotHostilityTest, EachEndsInTimeWithinBudgetAndKeepsSecrets) {
  for (const mock::HostilityKind& kind : mock::AllHostilities()) {
    SimulatedClock clock;
    mock::World world(mock::EditorDesktop("The quick brown fox"));
    mock::MockServer server(&world, &clock,
                            {.per_flight = absl::Microseconds(50),
                             .per_call = absl::Microseconds(10)});
    auto hostility =
        mock::MakeHostility(kind.name, {.parameter = kind.default_parameter});
    ASSERT_TRUE(hostility.ok()) << kind.name << hostility.status();
    server.Add(*std::move(hostility));
    for (int i = 0; i < 3; ++i) {
      const absl::Time deadline = clock.Now() + kDeadline;
      const Traffic before = server.traffic();
      SnapshotFocused(server, {.deadline = deadline, .max_text = 1000})
          .IgnoreError();
      EXPECT_LE(clock.Now(), deadline) << kind.name;
      EXPECT_LE((server.traffic() - before).calls, 150) << kind.name;
      EXPECT_EQ(server.TextSentToToldSecure(), 0) << kind.name;
    }
  }
}

}  // namespace
}  // namespace tactus::ax
