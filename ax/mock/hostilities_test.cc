#include "ax/mock/hostilities.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostility.h"
#include "ax/mock/kind.h"
#include "ax/mock/message.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::mock {
namespace {

using absl::StatusCode;
using Kind = Event::Kind;

constexpr absl::Duration kMs = absl::Milliseconds(1);
constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

// An editor with "hello" and its caret at 5, on a server without latency.
class HostilityTest : public testing::Test {
 protected:
  HostilityTest() : world_(EditorDesktop("hello")), server_(&world_, &clock_) {}

  void Add(absl::string_view name, const HostilityOptions& options = {}) {
    absl::StatusOr<std::unique_ptr<Hostility>> made =
        MakeHostility(name, options);
    ASSERT_TRUE(made.ok()) << made.status();
    server_.Add(*std::move(made));
  }

  absl::Time In(absl::Duration duration) { return clock_.Now() + duration; }
  absl::Duration Elapsed() { return clock_.Now() - absl::UnixEpoch(); }

  Reading Ask(Attribute attribute, Range range = {0, 1000}) {
    return server_.Read({field_, attribute, range}, In(kMs));
  }
  StatusCode Code(Attribute attribute) {
    return Ask(attribute).status().code();
  }
  int64_t Number(Attribute attribute) {
    return Get<int64_t>(Ask(attribute)).value_or(-77);
  }
  Range Selection() {
    return Get<Range>(Ask(Attribute::kSelection)).value_or(Range{-77, -77});
  }
  std::string Text(Range range = {0, 1000}) {
    return Get<std::string>(Ask(Attribute::kText, range)).value_or("(none)");
  }
  std::vector<Element> Focused() {
    return server_.FocusedElements(editor_, In(kMs))
        .value_or(std::vector<Element>{{"none", ""}});
  }
  std::vector<Window> Windows() {
    return server_.WindowList(In(kMs)).value_or(std::vector<Window>());
  }
  States StatesOf(const Element& element) {
    return static_cast<States>(
        Get<int64_t>(server_.Read({element, Attribute::kStates}, In(kMs)))
            .value_or(0));
  }
  absl::StatusOr<std::vector<Reading>> Batch() {
    return server_.ReadMany({{{field_, Attribute::kText, {0, 1000}},
                              {field_, Attribute::kCharacterCount},
                              {field_, Attribute::kCaret}}},
                            In(kMs));
  }
  std::unique_ptr<EventSource> Observe() {
    return *server_.Observe({.text = true}, In(kMs));
  }
  // The events that there are within a millisecond.
  std::vector<Kind> Drain(EventSource& source) {
    std::vector<Kind> kinds;
    elements_.clear();
    const absl::Time deadline = In(kMs);
    while (true) {
      const absl::StatusOr<Event> event = source.Next(deadline);
      if (!event.ok()) return kinds;
      kinds.push_back(event->kind);
      elements_.push_back(event->element);
    }
  }

  SimulatedClock clock_;
  World world_;
  MockServer server_;
  std::vector<Element> elements_;  // of the events last drained
  const Element field_{"app:100", "/text"};
  const Application editor_{"app:100", "editor", 100, "mock", "1"};
};

// The registry.

TEST(HostilityRegistryTest, NamesAreUniqueAndDefaultsWithinTheirBounds) {
  std::set<std::string> names;
  for (const HostilityKind& kind : AllHostilities()) {
    EXPECT_TRUE(names.insert(std::string(kind.name)).second) << kind.name;
    EXPECT_FALSE(kind.description.empty()) << kind.name;
    EXPECT_LE(kind.least, kind.default_parameter) << kind.name;
    EXPECT_GE(kind.most, kind.default_parameter) << kind.name;
    // A parameter that means nothing has no choice of values.
    EXPECT_EQ(kind.parameter.empty(), kind.least == kind.most) << kind.name;
    EXPECT_TRUE(MakeHostility(kind.name, {}).ok()) << kind.name;
  }
  EXPECT_EQ(names.size(), 95u);
}

TEST(HostilityRegistryTest, UnknownNameIsNotFound) {
  EXPECT_EQ(MakeHostility("no_such_thing", {}).status().code(),
            StatusCode::kNotFound);
}

TEST(HostilityRegistryTest, ParameterOutOfBoundsIsRefused) {
  EXPECT_EQ(MakeHostility("slow", {.parameter = -1}).status(),
            absl::InvalidArgumentError("slow: parameter -1 is not in [0, "
                                       "60000]"));
}

// Timing.

TEST_F(HostilityTest, HungApplicationAnswersNothingUntilTheDeadline) {
  Add("hung");
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Elapsed(), kMs);
  EXPECT_EQ(server_.FocusedElements(editor_, In(kMs)).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Elapsed(), 2 * kMs);
  // The registry and the display are not it.
  EXPECT_TRUE(server_.FocusedApplication(In(kMs)).ok());
  EXPECT_EQ(Windows().size(), 1u);
  EXPECT_EQ(Elapsed(), 2 * kMs);
}

TEST_F(HostilityTest, ScopeIsOneApplicationOneAttributeAndLater) {
  Add("hung", {.application = "app:7"});
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kOk);  // message 0
  Add("hung", {.attribute = Attribute::kCaret, .after = 2});
  EXPECT_EQ(Code(Attribute::kCaret), StatusCode::kOk);  // message 1
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kOk);   // message 2
  EXPECT_EQ(Code(Attribute::kCaret), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Focused(), std::vector<Element>{field_});
}

TEST_F(HostilityTest, HungOnAttributeHangsOnItAlone) {
  Add("hung_on_attribute",
      {.parameter = static_cast<int64_t>(Attribute::kCaret)});
  const auto readings = Batch();
  EXPECT_TRUE((*readings)[0].ok());
  EXPECT_TRUE((*readings)[1].ok());
  EXPECT_EQ((*readings)[2].status().code(), StatusCode::kDeadlineExceeded);
}

TEST_F(HostilityTest, HungRegistryLeavesTheDisplay) {
  Add("registry_hung");
  EXPECT_EQ(server_.FocusedApplication(In(kMs)).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(server_.ApplicationOfProcess(100, In(kMs)).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Windows().size(), 1u);
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kOk);
}

TEST_F(HostilityTest, HungDisplayLeavesTheRegistry) {
  Add("display_hung");
  EXPECT_EQ(server_.WindowList(In(kMs)).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(server_.FocusedApplication(In(kMs)).ok());
}

TEST_F(HostilityTest, MuteOwnerTakesNoConnection) {
  Add("mute_owner");
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(server_.traffic().connections, 0);
  EXPECT_EQ(server_.Applications(In(kMs))->size(), 1u);
}

TEST_F(HostilityTest, SlowDelaysEachReply) {
  Add("slow", {.parameter = 30});
  EXPECT_TRUE(
      server_.Read({field_, Attribute::kRole}, In(absl::Seconds(1))).ok());
  EXPECT_EQ(Elapsed(), absl::Milliseconds(30));
}

TEST_F(HostilityTest, ReplyBeforeTheDeadlineIsAnAnswerAndAfterItIsNot) {
  Add("at_deadline", {.parameter = -1000});
  EXPECT_TRUE(server_.Read({field_, Attribute::kRole}, In(5 * kMs)).ok());
  EXPECT_EQ(Elapsed(), 4 * kMs);
  Add("at_deadline", {.parameter = 1000});
  EXPECT_EQ(
      server_.Read({field_, Attribute::kRole}, In(5 * kMs)).status().code(),
      StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Elapsed(), 9 * kMs);
}

TEST_F(HostilityTest, DiesInMidCallAndTheClientLearnsItSoon) {
  Add("die_in_mid_call", {.parameter = 1});
  const std::vector<Reading> readings =
      *server_.ReadMany({{{field_, Attribute::kText, {0, 9}},
                          {field_, Attribute::kCaret},
                          {field_, Attribute::kStates}}},
                        In(absl::Seconds(1)));
  EXPECT_TRUE(readings[0].ok());
  EXPECT_EQ(readings[1].status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(readings[2].status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(Elapsed(), absl::Milliseconds(5));
}

TEST_F(HostilityTest, ColdTreeHasNoValuesUntilItWasAskedOften) {
  Add("cold_reads", {.parameter = 2});
  EXPECT_EQ(server_.FocusedElements(editor_, In(kMs)).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kNotFound);
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kOk);
}

TEST_F(HostilityTest, ColdTreeHasNoValuesUntilLongAfterFirstContact) {
  Add("cold_time", {.parameter = 2});
  clock_.Advance(absl::Minutes(1));
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kNotFound);
  clock_.Advance(2 * kMs - absl::Nanoseconds(1));
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kNotFound);
  clock_.Advance(absl::Nanoseconds(1));
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kOk);
}

TEST_F(HostilityTest, EmptyTreeSaysChromiumAndListsNothing) {
  Add("empty_tree");
  EXPECT_EQ(server_.FocusedApplication(In(kMs))->toolkit, "Chromium");
  EXPECT_EQ(Focused(), std::vector<Element>());
}

TEST_F(HostilityTest, SystemWideRouteFailsAndTheOtherDoesNot) {
  Add("system_wide_route_fails");
  EXPECT_EQ(server_.FocusedApplication(In(kMs)).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(server_.ApplicationOfProcess(100, In(kMs))->id, "app:100");
}

TEST_F(HostilityTest, SystemWideRouteFailsForTheApplicationInScopeAlone) {
  Add("system_wide_route_fails", {.application = "app:7"});
  EXPECT_TRUE(server_.FocusedApplication(In(kMs)).ok());
  Add("system_wide_route_fails", {.application = "app:100"});
  EXPECT_FALSE(server_.FocusedApplication(In(kMs)).ok());
}

TEST_F(HostilityTest, AttributeFailsAlone) {
  Add("attribute_fails",
      {.parameter = static_cast<int64_t>(Attribute::kCaret)});
  EXPECT_EQ(Code(Attribute::kCaret), StatusCode::kUnimplemented);
  EXPECT_EQ(Code(Attribute::kCharacterCount), StatusCode::kOk);
}

// Targets.

TEST_F(HostilityTest, SeveralWindowsAreActiveFirstOneOfNobody) {
  Add("several_windows_active");
  const std::vector<Window> windows = Windows();
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0].pid, 1);
  EXPECT_TRUE(windows[0].active);
  EXPECT_TRUE(windows[1].active);
  EXPECT_EQ(server_.ApplicationOfProcess(1, In(kMs)).status().code(),
            StatusCode::kNotFound);
}

TEST_F(HostilityTest, NoWindowIsActive) {
  Add("no_window_active");
  ASSERT_EQ(Windows().size(), 1u);
  EXPECT_FALSE(Windows()[0].active);
}

TEST_F(HostilityTest, WindowsNameNoProcess) {
  Add("windows_without_pid");
  EXPECT_EQ(Windows()[0].pid, 0);
  Add("windows_without_pid", {.parameter = -1});
  EXPECT_EQ(Windows()[0].pid, -1);
}

TEST_F(HostilityTest, ManyWindowsLieBeforeTheTrueOne) {
  Add("many_windows", {.parameter = 300});
  ASSERT_EQ(Windows().size(), 301u);
  EXPECT_EQ(Windows()[299].pid, 1);
  EXPECT_EQ(Windows()[300].pid, 100);
}

TEST_F(HostilityTest, TwinClaimsTheFocusWithEqualRight) {
  Add("two_fields_claim_focus");
  const std::vector<Element> found = Focused();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], field_);
  EXPECT_EQ(StatesOf(found[0]), StatesOf(found[1]));
}

TEST_F(HostilityTest, StaleClaimsComeFirstAndAreOffTheScreen) {
  Add("stale_focus_claims", {.parameter = 3});
  const std::vector<Element> found = Focused();
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[3], field_);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(StatesOf(found[static_cast<size_t>(i)]) &
                  (kStateFocused | kStateShowing),
              kStateFocused);
  }
}

TEST_F(HostilityTest, SearchBoxComesFirstAndIsNotFocused) {
  Add("search_box_first");
  const std::vector<Element> found = Focused();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1], field_);
  EXPECT_EQ(StatesOf(found[0]) & (kStateFocused | kStateEditable),
            kStateEditable);
}

TEST_F(HostilityTest, GhostsClaimTheFocusAndDoNotExist) {
  Add("ghosts_claim_focus", {.parameter = 2});
  const std::vector<Element> found = Focused();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[2], field_);
  EXPECT_EQ(server_.Read({found[0], Attribute::kRole}, In(kMs)).status().code(),
            StatusCode::kUnavailable);
}

TEST_F(HostilityTest, FocusMovesToAnotherFieldAndBack) {
  Add("focus_moves", {.parameter = 2});
  // Before messages 0, 2, 4.
  const Element other = {"app:100", "/other0"};
  EXPECT_EQ(Focused()[0], other);
  EXPECT_EQ(Focused()[0], other);
  EXPECT_EQ(Focused()[0], field_);
  EXPECT_EQ(Focused()[0], field_);
  EXPECT_EQ(Focused()[0], other);
}

TEST_F(HostilityTest, KeyboardMovesToAnotherApplicationAndBack) {
  Add("keyboard_moves", {.parameter = 2, .after = 1});
  // Before messages 1, 3.
  EXPECT_EQ(server_.FocusedApplication(In(kMs))->pid, 100);
  EXPECT_EQ(server_.FocusedApplication(In(kMs))->pid, 4242);
  EXPECT_EQ(Windows()[0].pid, 4242);
  EXPECT_EQ(server_.FocusedApplication(In(kMs))->pid, 100);
}

TEST_F(HostilityTest, ElementIsSwappedBetweenMessages) {
  Add("element_swapped", {.parameter = 2, .after = 1});
  const std::vector<Reading> readings = *Batch();
  EXPECT_TRUE(readings[0].ok());
  EXPECT_EQ(readings[1].status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(Focused()[0].path, "/text#2");
}

TEST_F(HostilityTest, UserTypesBetweenMessages) {
  Add("user_types", {.parameter = 1, .after = 1});
  const std::vector<Reading> readings = *Batch();
  EXPECT_EQ(*Get<std::string>(readings[0]), "hello");
  EXPECT_EQ(*Get<int64_t>(readings[1]), 6);
  EXPECT_EQ(*Get<int64_t>(readings[2]), 7);
}

TEST_F(HostilityTest, PidIsReusedByAStranger) {
  Add("pid_reused", {.parameter = 1});
  EXPECT_EQ(server_.ApplicationOfProcess(100, In(kMs))->name, "editor");
  EXPECT_EQ(server_.ApplicationOfProcess(100, In(kMs))->name, "stranger");
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kUnavailable);
}

TEST_F(HostilityTest, ApplicationRestartsOnce) {
  Add("application_restarts", {.parameter = 1});
  EXPECT_EQ(server_.FocusedApplication(In(kMs))->id, "app:100");
  const Application again = *server_.FocusedApplication(In(kMs));
  EXPECT_NE(again.id, "app:100");
  EXPECT_EQ(*server_.FocusedApplication(In(kMs)), again);
}

TEST_F(HostilityTest, ApplicationQuits) {
  Add("application_quits", {.parameter = 1});
  EXPECT_EQ(server_.FocusedApplication(In(kMs))->id, "app:100");
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kUnavailable);
  EXPECT_TRUE(Windows().empty());
}

// Lies.

TEST_F(HostilityTest, BatchIsRejectedAndSingleReadsAreNot) {
  Add("batch_rejected");
  EXPECT_EQ(Batch().status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(Number(Attribute::kCaret), 5);
}

TEST_F(HostilityTest, OnlyLargeBatchesAreRejected) {
  Add("batch_rejected", {.parameter = 3});
  EXPECT_TRUE(Batch().ok());
  Add("batch_rejected", {.parameter = 2});
  EXPECT_FALSE(Batch().ok());
}

TEST_F(HostilityTest, BatchIsShortOrLong) {
  Add("batch_short", {.parameter = 2});
  EXPECT_EQ(Batch()->size(), 1u);
  Add("batch_long", {.parameter = 7});
  EXPECT_EQ(Batch()->size(), 8u);
  Add("batch_short", {.parameter = 1000});
  EXPECT_EQ(Batch()->size(), 0u);
}

TEST_F(HostilityTest, EveryValueHasAWrongType) {
  const Attribute all[] = {
      Attribute::kRole,           Attribute::kStates,
      Attribute::kValueSettable,  Attribute::kSelectionSettable,
      Attribute::kWindow,         Attribute::kText,
      Attribute::kCharacterCount, Attribute::kCaret};
  std::vector<size_t> honest;
  for (const Attribute attribute : all)
    honest.push_back(Ask(attribute)->index());
  Add("wrong_type", {.seed = 3});
  std::set<size_t> seen;
  for (int round = 0; round < 50; ++round) {
    for (size_t i = 0; i < std::size(all); ++i) {
      const size_t index = Ask(all[i])->index();
      EXPECT_NE(index, honest[i]) << AttributeName(all[i]);
      seen.insert(index);
    }
  }
  EXPECT_EQ(seen.size(), std::variant_size_v<Value>);
}

TEST_F(HostilityTest, CountsLie) {
  Add("count_differs", {.parameter = -2});
  EXPECT_EQ(Number(Attribute::kCharacterCount), 3);
  Add("count_differs", {.parameter = kHuge});
  EXPECT_EQ(Number(Attribute::kCharacterCount), kHuge);
  Add("huge_count", {.parameter = -5});
  EXPECT_EQ(Number(Attribute::kCharacterCount), -5);
  EXPECT_EQ(Text(), "hello");
}

TEST_F(HostilityTest, CaretsLie) {
  Add("caret_past_end", {.parameter = 3});
  EXPECT_EQ(Number(Attribute::kCaret), 8);
  Add("caret_past_end", {.parameter = kHuge});
  EXPECT_EQ(Number(Attribute::kCaret), kHuge);
  Add("caret_negative");
  EXPECT_EQ(Number(Attribute::kCaret), -1);
  Add("caret_not_found");
  EXPECT_EQ(Code(Attribute::kCaret), StatusCode::kNotFound);
}

TEST_F(HostilityTest, SelectionsLie) {
  ASSERT_TRUE(world_.MoveCaret(field_, 2).ok());
  EXPECT_EQ(Code(Attribute::kSelection), StatusCode::kNotFound);
  Add("selection_empty");
  EXPECT_EQ(Selection(), (Range{2, 2}));
  ASSERT_TRUE(world_.Select(field_, {1, 3}).ok());
  EXPECT_EQ(Selection(), (Range{1, 3}));
  Add("selection_reversed");
  EXPECT_EQ(Selection(), (Range{3, 1}));
  Add("selection_negative", {.parameter = -4});
  EXPECT_EQ(Selection(), (Range{-4, -4}));
  Add("selection_huge");
  EXPECT_EQ(Selection(), (Range{0, kHuge}));
}

TEST_F(HostilityTest, TextIsEmptyThoughItsCountIsNot) {
  Add("empty_text_with_count");
  EXPECT_EQ(Text(), "");
  EXPECT_EQ(Number(Attribute::kCharacterCount), 5);
}

TEST_F(HostilityTest, WholeTextComesWhateverRangeWasAsked) {
  Add("range_ignored");
  EXPECT_EQ(Text({1, 2}), "hello");
}

TEST_F(HostilityTest, TextBeginsAndEndsWithinAPair) {
  Add("split_surrogates");
  EXPECT_EQ(Text(), "\xED\xB1\xA9hello\xED\xA0\xBD");
}

TEST_F(HostilityTest, TextHoldsBytesThatAreNotUtf8) {
  Add("invalid_utf8", {.seed = 1});
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    const std::string text = Text();
    EXPECT_NE(EncodeUtf8(DecodeUtf8(text)), text);
    seen.insert(text);
  }
  EXPECT_EQ(seen.size(), 5u * 6u);  // each of them at each place
}

TEST_F(HostilityTest, OffsetsAreInAnotherUnit) {
  ASSERT_TRUE(world_.SetText(field_, "a\u00e9\u4e2d\U0001F469z").ok());
  ASSERT_TRUE(world_.Select(field_, {1, 4}).ok());
  {
    MockServer utf16(&world_, &clock_);
    utf16.Add(*MakeHostility("utf16_offsets", {}));
    const auto get = [&](Attribute a) {
      return utf16.Read({field_, a}, In(kMs));
    };
    EXPECT_EQ(*Get<int64_t>(get(Attribute::kCharacterCount)), 6);
    EXPECT_EQ(*Get<int64_t>(get(Attribute::kCaret)), 5);
    EXPECT_EQ(*Get<Range>(get(Attribute::kSelection)), (Range{1, 5}));
    EXPECT_EQ(*Get<int64_t>(get(Attribute::kStates)),
              int64_t{world_.Find(field_)->states});
  }
  Add("byte_offsets");
  EXPECT_EQ(Number(Attribute::kCharacterCount), 11);
  EXPECT_EQ(Number(Attribute::kCaret), 10);
  EXPECT_EQ(Selection(), (Range{1, 10}));
}

TEST_F(HostilityTest, StatesVaryFromCallToCall) {
  Add("states_vary", {.seed = 5});
  std::set<States> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(StatesOf(field_));
    EXPECT_NE(StatesOf(field_) & kStateFocused, 0u);
  }
  EXPECT_EQ(seen.size(), 32u);  // all that five states can be
}

TEST_F(HostilityTest, StatesAreANumberOfTheirOwn) {
  Add("unknown_states", {.parameter = -1});
  EXPECT_EQ(Number(Attribute::kStates), -1);
}

TEST_F(HostilityTest, TextIsHuge) {
  Add("huge_text");
  EXPECT_EQ(Number(Attribute::kCharacterCount), 10 << 20);
  EXPECT_EQ(Number(Attribute::kCaret), 5 << 20);
  EXPECT_EQ(Text({0, kHuge}).size(), size_t{10 << 20});
  EXPECT_EQ(Text({5, 8}), "aaa");
}

TEST_F(HostilityTest, TextHoldsWhatTextRarelyHolds) {
  using namespace std::string_view_literals;
  Add("odd_text");
  const std::string text = Text();
  for (const std::string_view odd :
       {"\0"sv, "\r\n"sv, "\n\n"sv, "\xEF\xBF\xBC"sv, "\x1B["sv,
        "\xE2\x80\xAE"sv, "\xED\xA0\xBD"sv, "\xF0\x9F\x91\xA9"sv}) {
    EXPECT_NE(text.find(odd), std::string::npos) << odd;
  }
  EXPECT_EQ(Number(Attribute::kCharacterCount),
            static_cast<int64_t>(DecodeUtf8(text).size()));
}

// Secrecy.

TEST_F(HostilityTest, FieldIsSecureByRole) {
  Add("secure_role");
  EXPECT_EQ(Get<RoleValue>(Ask(Attribute::kRole))->role, Role::kPassword);
  EXPECT_TRUE(world_.IsSecure(field_));
}

TEST_F(HostilityTest, FieldIsPlainByRoleAndSecureBySubrole) {
  Add("secure_subrole");
  EXPECT_EQ(Get<RoleValue>(Ask(Attribute::kRole))->role, Role::kTextField);
  EXPECT_EQ(Get<RoleValue>(Ask(Attribute::kSubrole))->role, Role::kPassword);
  EXPECT_TRUE(world_.IsSecure(field_));
}

TEST_F(HostilityTest, FieldTurnsSecureAndStaysSo) {
  Add("turns_secure", {.parameter = 1});
  EXPECT_EQ(Get<RoleValue>(Ask(Attribute::kRole))->role, Role::kTextArea);
  EXPECT_EQ(Get<RoleValue>(Ask(Attribute::kRole))->role, Role::kPassword);
  EXPECT_EQ(Get<RoleValue>(Ask(Attribute::kRole))->role, Role::kPassword);
}

TEST_F(HostilityTest, PasswordIsShownAndHiddenAgain) {
  Add("show_password_toggles", {.parameter = 1});
  EXPECT_EQ(Get<RoleValue>(Ask(Attribute::kRole))->role, Role::kPassword);
  EXPECT_EQ(Get<RoleValue>(Ask(Attribute::kRole))->role, Role::kTextField);
  EXPECT_EQ(Get<RoleValue>(Ask(Attribute::kRole))->role, Role::kPassword);
}

TEST_F(HostilityTest, SecureFieldWithholdsItsRole) {
  Add("role_withheld");
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kUnimplemented);
  EXPECT_TRUE(world_.IsSecure(field_));
  Add("role_withheld", {.parameter = 1});
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kNotFound);
  Add("role_withheld", {.parameter = 2});
  EXPECT_EQ(Get<RoleValue>(Ask(Attribute::kRole))->role, Role::kUnknown);
}

TEST_F(HostilityTest, PermissionIsLostForEveryVerb) {
  Add("permission_lost", {.parameter = 1});
  EXPECT_TRUE(Ask(Attribute::kRole).ok());
  constexpr StatusCode kDenied = StatusCode::kPermissionDenied;
  EXPECT_EQ(Code(Attribute::kRole), kDenied);
  EXPECT_EQ(server_.FocusedApplication(In(kMs)).status().code(), kDenied);
  EXPECT_EQ(server_.WindowList(In(kMs)).status().code(), kDenied);
  EXPECT_EQ(server_.ApplicationOfProcess(100, In(kMs)).status().code(),
            kDenied);
  EXPECT_EQ(server_.Applications(In(kMs)).status().code(), kDenied);
  EXPECT_EQ(server_.FocusedElements(editor_, In(kMs)).status().code(), kDenied);
  EXPECT_EQ(server_.Observe({}, In(kMs)).status().code(), kDenied);
  EXPECT_EQ((*Batch())[2].status().code(), kDenied);
}

// Harm.

TEST_F(HostilityTest, BadRangeKills) {
  Add("dies_on_bad_range", {.parameter = 100});
  EXPECT_EQ(Text({0, 100}), "hello");
  EXPECT_EQ(Ask(Attribute::kText, {0, 101}).status().code(),
            StatusCode::kUnavailable);
  EXPECT_EQ(world_.FindProgram("app:100"), nullptr);
}

TEST_F(HostilityTest, NegativeOrReversedRangeKills) {
  for (const Range range : {Range{0, -1}, Range{-1, 3}, Range{3, 2}}) {
    World world(EditorDesktop("hello"));
    MockServer server(&world, &clock_);
    server.Add(*MakeHostility("dies_on_bad_range", {}));
    EXPECT_EQ(
        server.Read({field_, Attribute::kText, range}, In(kMs)).status().code(),
        StatusCode::kUnavailable);
    EXPECT_EQ(world.FindProgram("app:100"), nullptr);
  }
}

TEST_F(HostilityTest, AskingTheTextOfWhatHasNoneKills) {
  Add("dies_on_text_of_textless");
  EXPECT_EQ(Text(), "hello");
  ASSERT_TRUE(world_.ChangeStates(field_, 0, kStateSupportsText).ok());
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kOk);
  EXPECT_EQ(Code(Attribute::kCaret), StatusCode::kUnavailable);
  EXPECT_EQ(world_.FindProgram("app:100"), nullptr);
}

TEST_F(HostilityTest, OneAttributeKills) {
  Add("dies_on_attribute",
      {.parameter = static_cast<int64_t>(Attribute::kSelectedText)});
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kOk);
  EXPECT_EQ(Code(Attribute::kSelectedText), StatusCode::kUnavailable);
  EXPECT_EQ(world_.FindProgram("app:100"), nullptr);
}

TEST_F(HostilityTest, TooManyCallsSinceTheLastResolutionKill) {
  Add("call_budget", {.parameter = 3});
  for (int snapshot = 0; snapshot < 3; ++snapshot) {
    ASSERT_TRUE(server_.FocusedApplication(In(kMs)).ok());
    EXPECT_EQ(Code(Attribute::kRole), StatusCode::kOk);
    EXPECT_EQ(Code(Attribute::kRole), StatusCode::kOk);
  }
  EXPECT_EQ(Code(Attribute::kRole), StatusCode::kUnavailable);
  EXPECT_EQ(world_.FindProgram("app:100"), nullptr);
}

// Events.

TEST_F(HostilityTest, EventsAreLostInSilence) {
  Add("events_lost", {.parameter = 2});
  const auto source = Observe();
  ASSERT_TRUE(world_.Type(field_, "x").ok());
  ASSERT_TRUE(world_.Focus(field_).ok());
  EXPECT_EQ(Drain(*source),
            (std::vector<Kind>{Kind::kTextChanged, Kind::kFocused}));
}

TEST_F(HostilityTest, EventsAreLostAndTheSourceSaysSo) {
  Add("events_lost_told", {.parameter = 2});
  const auto source = Observe();
  ASSERT_TRUE(world_.Type(field_, "x").ok());
  ASSERT_TRUE(world_.Focus(field_).ok());
  EXPECT_EQ(Drain(*source), (std::vector<Kind>{Kind::kTextChanged, Kind::kLost,
                                               Kind::kFocused}));
}

TEST_F(HostilityTest, EventsComeLate) {
  Add("events_late", {.parameter = 3});
  const auto source = Observe();
  ASSERT_TRUE(world_.Focus(field_).ok());
  EXPECT_TRUE(Drain(*source).empty());  // until 1 ms
  EXPECT_EQ(source->Next(In(absl::Seconds(1)))->kind, Kind::kFocused);
  EXPECT_EQ(Elapsed(), 3 * kMs);
}

TEST_F(HostilityTest, SecondOfTwoEventsComesFirst) {
  Add("events_swapped");
  const auto source = Observe();
  ASSERT_TRUE(world_.Type(field_, "x").ok());
  ASSERT_TRUE(world_.Focus(field_).ok());  // held, its like never comes
  EXPECT_EQ(Drain(*source),
            (std::vector<Kind>{Kind::kSelectionChanged, Kind::kTextChanged}));
}

TEST_F(HostilityTest, ClaimBeforeComesAgainAfterTheClaim) {
  Add("events_stale");
  const auto source = Observe();
  const Element other = *world_.Replace(field_);
  ASSERT_TRUE(world_.Focus(other).ok());
  const Element third = *world_.Replace(other);
  EXPECT_EQ(Drain(*source), std::vector<Kind>(5, Kind::kFocused));
  EXPECT_EQ(elements_,
            (std::vector<Element>{other, other, other, third, other}));
}

TEST_F(HostilityTest, EventsAreRepeated) {
  Add("events_repeated", {.parameter = 2});
  const auto source = Observe();
  ASSERT_TRUE(world_.Focus(field_).ok());
  EXPECT_EQ(Drain(*source), std::vector<Kind>(3, Kind::kFocused));
}

TEST_F(HostilityTest, GhostsClaimTheFocusInEvents) {
  Add("events_of_ghosts");
  const auto source = Observe();
  ASSERT_TRUE(world_.Focus(field_).ok());
  EXPECT_EQ(Drain(*source), std::vector<Kind>(2, Kind::kFocused));
  EXPECT_EQ(world_.Find(elements_[1]), nullptr);
}

TEST_F(HostilityTest, EachMessageMeetsAFloodOfEvents) {
  const auto source = Observe();
  Add("event_flood", {.parameter = 3});
  ASSERT_TRUE(Ask(Attribute::kRole).ok());
  EXPECT_EQ(Drain(*source).size(), 6u);
  EXPECT_TRUE(Drain(*source).empty());
}

TEST_F(HostilityTest, SourceEnds) {
  Add("event_source_ends", {.parameter = 2});
  const auto source = Observe();
  EXPECT_EQ(source->Next(In(kMs)).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(source->Next(In(kMs)).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(source->Next(In(kMs)).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(Elapsed(), 2 * kMs);
}

// All of them.

// Asks every verb once; returns by the deadline whatever happens.
void AskEverything(MockServer& server, absl::Time deadline) {
  absl::StatusOr<Application> app = server.FocusedApplication(deadline);
  ASSERT_LE(server.clock().Now(), deadline);
  server.WindowList(deadline).IgnoreError();
  server.ApplicationOfProcess(100, deadline).IgnoreError();
  server.Applications(deadline).IgnoreError();
  const auto source = server.Observe({.text = true}, deadline);
  if (!app.ok()) app = Application{"app:100", "editor", 100, "mock", "1"};
  absl::StatusOr<std::vector<Element>> found =
      server.FocusedElements(*app, deadline);
  ASSERT_LE(server.clock().Now(), deadline);
  std::vector<ReadRequest> requests;
  if (found.ok()) {
    if (found->size() > 4) found->resize(4);
    for (const Element& element : *found) {
      for (int i = 0; i <= static_cast<int>(Attribute::kSelectedText); ++i) {
        requests.push_back({element, static_cast<Attribute>(i), {0, 50}});
      }
    }
  }
  server.ReadMany(requests, deadline).IgnoreError();
  ASSERT_LE(server.clock().Now(), deadline);
  for (const ReadRequest& request : requests) {
    server.Read(request, deadline).status().IgnoreError();
    ASSERT_LE(server.clock().Now(), deadline);
  }
  for (int i = 0; source.ok() && i < 100; ++i) {
    if (!(*source)->Next(deadline).ok()) break;
    ASSERT_LE(server.clock().Now(), deadline);
  }
}

constexpr Latency kLatency = {absl::Microseconds(100), absl::Microseconds(20),
                              absl::Microseconds(5), absl::Nanoseconds(1)};

TEST(AllHostilitiesTest, EachAndEveryPairEndsByTheDeadlineAndIsDeterministic) {
  const absl::Span<const HostilityKind> kinds = AllHostilities();
  for (size_t a = 0; a < kinds.size(); ++a) {
    for (size_t b = a; b < kinds.size(); ++b) {
      std::vector<std::vector<StatusCode>> outcomes;
      std::vector<Traffic> traffic;
      std::vector<absl::Time> ends;
      for (int run = 0; run < 2; ++run) {
        SimulatedClock clock;
        World world(EditorDesktop("hello"));
        MockServer server(&world, &clock, kLatency);
        for (const HostilityKind& kind : {kinds[a], kinds[b]}) {
          HostilityOptions options;
          options.seed = 7;
          if (kind.grows) options.parameter = std::max<int64_t>(2, kind.least);
          server.Add(*MakeHostility(kind.name, options));
        }
        AskEverything(server, clock.Now() + absl::Milliseconds(500));
        outcomes.emplace_back();
        for (const LoggedMessage& logged : server.log()) {
          outcomes.back().push_back(logged.outcome);
        }
        traffic.push_back(server.traffic());
        ends.push_back(clock.Now());
      }
      ASSERT_EQ(outcomes[0], outcomes[1]) << kinds[a].name << kinds[b].name;
      ASSERT_EQ(traffic[0], traffic[1]) << kinds[a].name << kinds[b].name;
      ASSERT_EQ(ends[0], ends[1]) << kinds[a].name << kinds[b].name;
    }
  }
}

TEST(AllHostilitiesTest, ExtremeParametersEndByTheDeadline) {
  for (const HostilityKind& kind : AllHostilities()) {
    // What grows would only take longer, and not otherwise.
    const int64_t most =
        kind.grows ? std::min<int64_t>(kind.most, 1000) : kind.most;
    for (const int64_t parameter : {kind.least, most}) {
      SimulatedClock clock;
      World world(EditorDesktop("hello"));
      MockServer server(&world, &clock, kLatency);
      server.Add(*MakeHostility(kind.name, {.parameter = parameter}));
      AskEverything(server, clock.Now() + absl::Milliseconds(500));
    }
  }
}

}  // namespace
}  // namespace tactus::ax::mock
