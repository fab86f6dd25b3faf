#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/hostility.h"
#include "ax/mock/kind.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::mock {
namespace {

using absl::StatusCode;
using Kind = WriteRequest::Kind;

constexpr absl::Duration kMs = absl::Milliseconds(1);

// An editor with "hello" and its caret at 5, on a server without latency.
class WritesTest : public testing::Test {
 protected:
  WritesTest() : world_(EditorDesktop("hello")), server_(&world_, &clock_) {}

  void Add(absl::string_view name, const HostilityOptions& options = {}) {
    absl::StatusOr<std::unique_ptr<Hostility>> made =
        MakeHostility(name, options);
    ASSERT_TRUE(made.ok()) << made.status();
    server_.Add(*std::move(made));
  }
  absl::Time In(absl::Duration duration) { return clock_.Now() + duration; }
  void Wait(absl::Duration duration) { world_.AdvanceTo(In(duration), clock_); }

  StatusCode Replace(Range range, std::string text,
                     std::optional<int64_t> caret = std::nullopt) {
    return Write({.element = field_,
                  .range = range,
                  .text = std::move(text),
                  .caret = caret});
  }
  StatusCode SetValue(std::string text) {
    return Write(
        {.element = field_, .kind = Kind::kSetValue, .text = std::move(text)});
  }
  StatusCode Select(Range range) {
    return Write({.element = field_, .kind = Kind::kSelect, .range = range});
  }
  StatusCode Write(const WriteRequest& request) {
    const WriteResult result = server_.Write(request, In(kMs));
    EXPECT_TRUE(result.sent);
    return result.status.code();
  }

  // What is committed.
  std::string Truth(const Element& element) const {
    const Node* node = world_.Find(element);
    return node == nullptr ? "(none)" : EncodeUtf8(node->text);
  }
  std::string Truth() const { return Truth(field_); }
  int64_t TrueCaret() const { return world_.Find(field_)->caret; }

  // What is answered.
  Reading Ask(Attribute attribute, const Element& element) {
    return server_.Read({element, attribute, {0, 1000}}, In(kMs));
  }
  std::string Text(const Element& element) {
    return Get<std::string>(Ask(Attribute::kText, element)).value_or("(none)");
  }
  std::string Text() { return Text(field_); }
  int64_t Count() {
    return Get<int64_t>(Ask(Attribute::kCharacterCount, field_)).value_or(-77);
  }
  int64_t Caret() {
    return Get<int64_t>(Ask(Attribute::kCaret, field_)).value_or(-77);
  }

  SimulatedClock clock_;
  World world_;
  MockServer server_;
  const Element field_{"app:100", "/text"};
};

TEST_F(WritesTest, IgnoredWriteAnswersSuccess) {
  Add("write_ignored_true");
  EXPECT_EQ(Replace({0, 5}, "bye", 0), StatusCode::kOk);
  EXPECT_EQ(SetValue("bye"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "hello");
  EXPECT_EQ(Text(), "hello");
  EXPECT_EQ(TrueCaret(), 5);
  EXPECT_EQ(Select({0, 1}), StatusCode::kOk);
  EXPECT_EQ(world_.Find(field_)->selection, (Range{0, 1}));
}

TEST_F(WritesTest, ScopeIsOneApplicationAndLater) {
  Add("write_ignored_true", {.application = "app:7"});
  Add("write_ignored_true", {.after = 1});
  EXPECT_EQ(Replace({0, 1}, ""), StatusCode::kOk);  // message 0
  EXPECT_EQ(Replace({0, 1}, ""), StatusCode::kOk);
  EXPECT_EQ(Truth(), "ello");
}

TEST_F(WritesTest, ReadonlyFieldSaysSoAndAnswersSuccess) {
  Add("write_readonly_true");
  EXPECT_EQ(*Get<bool>(Ask(Attribute::kValueSettable, field_)), false);
  const int64_t states = *Get<int64_t>(Ask(Attribute::kStates, field_));
  EXPECT_EQ(states & kStateEditable, 0);
  EXPECT_NE(states & kStateReadOnly, 0);
  EXPECT_EQ(Replace({0, 5}, "bye"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "hello");
}

TEST_F(WritesTest, RefusedWriteHasLanded) {
  Add("write_refused_landed");
  EXPECT_EQ(Replace({1, 3}, "EL", 0), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Truth(), "hELlo");
  EXPECT_EQ(TrueCaret(), 0);
  EXPECT_EQ(SetValue("x"), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Truth(), "x");
}

TEST_F(WritesTest, UnansweredWriteHasLanded) {
  Add("write_no_reply_landed");
  EXPECT_EQ(Replace({0, 4}, "0", 0), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch() + kMs);
  EXPECT_EQ(Truth(), "0o");
  EXPECT_EQ(TrueCaret(), 0);
  EXPECT_EQ(Text(), "0o");
}

TEST_F(WritesTest, UnansweredWriteWasIgnored) {
  Add("write_no_reply_ignored");
  EXPECT_EQ(Replace({0, 4}, "0", 0), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch() + kMs);
  EXPECT_EQ(Truth(), "hello");
  Wait(absl::Minutes(1));
  EXPECT_EQ(Truth(), "hello");
}

TEST_F(WritesTest, LateWriteAnswersAtOnceAndAppliesToTheTextOfThen) {
  Add("write_late", {.parameter = 30});
  EXPECT_EQ(Replace({1, 3}, "EL", 3), StatusCode::kOk);
  EXPECT_EQ(Text(), "hello");
  Wait(absl::Milliseconds(30) - absl::Nanoseconds(1));
  EXPECT_EQ(Truth(), "hello");
  world_.SetText(field_, "HALLO").IgnoreError();
  Wait(absl::Nanoseconds(1));
  EXPECT_EQ(Truth(), "HELLO");
  EXPECT_EQ(TrueCaret(), 3);
}

TEST_F(WritesTest, LateWriteOfAnElementThatIsGoneChangesNothing) {
  Add("write_late", {.parameter = 30});
  EXPECT_EQ(Replace({1, 3}, "EL", 3), StatusCode::kOk);
  const Element fresh = *world_.Replace(field_);
  Wait(absl::Milliseconds(30));
  EXPECT_EQ(Truth(fresh), "hello");
}

TEST_F(WritesTest, WrittenTextBecomesReadableInPrefixes) {
  Add("write_prefixes", {.parameter = 40});
  std::vector<Event::Kind> events;
  world_.AddListener([&](const Event& e) { events.push_back(e.kind); });
  EXPECT_EQ(Replace({1, 4}, "abcd", 5), StatusCode::kOk);
  EXPECT_EQ(Truth(), "habcdo");
  EXPECT_EQ(TrueCaret(), 5);
  EXPECT_EQ(Text(), "ho");
  EXPECT_EQ(Count(), 2);
  EXPECT_EQ(Caret(), 1);
  Wait(absl::Milliseconds(10));
  EXPECT_EQ(Text(), "hao");
  Wait(absl::Milliseconds(20));
  EXPECT_EQ(Text(), "habco");
  EXPECT_EQ(Caret(), 4);
  EXPECT_EQ(*Get<int64_t>(Ask(Attribute::kStates, field_)) & kStateFocused,
            kStateFocused);
  events.clear();
  Wait(absl::Milliseconds(10));
  EXPECT_EQ(events, std::vector<Event::Kind>{Event::Kind::kTextChanged});
  EXPECT_EQ(Text(), "habcdo");
  EXPECT_EQ(Caret(), 5);
}

TEST_F(WritesTest, PrefixesEndWhereTheUserTypes) {
  Add("write_prefixes", {.parameter = 40});
  EXPECT_EQ(SetValue("abcd"), StatusCode::kOk);
  EXPECT_EQ(Text(), "");
  world_.MoveCaret(field_, 4).IgnoreError();
  Wait(absl::Milliseconds(10));
  EXPECT_EQ(Text(), "a");
  world_.Type(field_, "!").IgnoreError();
  EXPECT_EQ(Text(), "abcd!");
}

TEST_F(WritesTest, EchoShowsTheTextAloneAndCommitsNothing) {
  Add("write_echo");
  EXPECT_EQ(Replace({0, 1}, "J", 1), StatusCode::kOk);
  EXPECT_EQ(Replace({5, 5}, "!"), StatusCode::kOk);
  EXPECT_EQ(Text(), "Jello!");
  EXPECT_EQ(Count(), 5);
  EXPECT_EQ(Caret(), 5);
  EXPECT_EQ(Truth(), "hello");
  EXPECT_EQ(TrueCaret(), 5);
  world_.Type(field_, "?").IgnoreError();
  EXPECT_EQ(Text(), "hello?");
}

TEST_F(WritesTest, EchoRevertsAfterItsTime) {
  Add("write_echo_reverts", {.parameter = 30});
  std::vector<Event::Kind> events;
  world_.AddListener([&](const Event& e) { events.push_back(e.kind); });
  EXPECT_EQ(SetValue("bye"), StatusCode::kOk);
  EXPECT_EQ(Replace({3, 3}, "!", 4), StatusCode::kOk);
  Wait(absl::Milliseconds(29));
  EXPECT_EQ(Text(), "bye!");
  EXPECT_EQ(Count(), 4);
  EXPECT_EQ(Caret(), 4);
  EXPECT_EQ(Truth(), "hello");
  EXPECT_TRUE(events.empty());
  Wait(kMs);
  EXPECT_EQ(events.front(), Event::Kind::kTextChanged);
  EXPECT_EQ(Text(), "hello");
  EXPECT_EQ(Count(), 5);
  EXPECT_EQ(Caret(), 5);
}

TEST_F(WritesTest, WriteUntilBlurIsLost) {
  Add("write_commit_on_blur");
  EXPECT_EQ(Replace({0, 5}, "bye", 1), StatusCode::kOk);
  Wait(absl::Minutes(1));
  EXPECT_EQ(Text(), "bye");
  EXPECT_EQ(Count(), 3);
  EXPECT_EQ(Caret(), 1);
  world_.Focus(field_).IgnoreError();  // it had it already
  EXPECT_EQ(Text(), "bye");
  ASSERT_TRUE(world_.Start(MakeProgram("b", 2, {TextArea("/t", "")}), "").ok());
  ASSERT_TRUE(world_.Activate("app:2").ok());
  EXPECT_EQ(Text(), "hello");
  EXPECT_EQ(Truth(), "hello");
}

TEST_F(WritesTest, WriteUntilBlurIsCommittedThen) {
  Add("write_commit_on_blur", {.parameter = 1});
  EXPECT_EQ(Replace({0, 5}, "bye", 1), StatusCode::kOk);
  EXPECT_EQ(Truth(), "hello");
  // Nothing has the focus there: only the window tells.
  ASSERT_TRUE(world_.Start(MakeProgram("b", 2, {}), "").ok());
  ASSERT_TRUE(world_.Activate("app:2").ok());
  EXPECT_EQ(Truth(), "bye");
  EXPECT_EQ(TrueCaret(), 1);
}

TEST_F(WritesTest, AutocorrectMakesTheFirstLetterLarge) {
  Add("write_autocorrect");
  EXPECT_EQ(Replace({5, 5}, "bye"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "helloBye");
  EXPECT_EQ(SetValue("ok"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "Ok");
  EXPECT_EQ(Replace({2, 2}, "\u00e9"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "Ok\u00e9");
}

TEST_F(WritesTest, TruncatedWriteBringsTheBeginning) {
  Add("write_truncated", {.parameter = 2});
  EXPECT_EQ(Replace({0, 4}, "\U0001F469bc"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "\U0001F469bo");
  EXPECT_EQ(SetValue("xyz"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "xy");
}

TEST_F(WritesTest, LineEndsComeInAsSomethingElse) {
  const std::string text = "a\nb\r\nc\rd\n";
  Add("write_normalizes");
  EXPECT_EQ(SetValue(text), StatusCode::kOk);
  EXPECT_EQ(Truth(), "a b c d ");
}

TEST_F(WritesTest, LineEndsComeInAsCrLf) {
  Add("write_normalizes", {.parameter = 1});
  EXPECT_EQ(SetValue("a\nb\r\nc"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "a\r\nb\r\nc");
}

TEST_F(WritesTest, LineEndsAreLost) {
  Add("write_normalizes", {.parameter = 2});
  EXPECT_EQ(Replace({0, 5}, "a\nb\r\nc\r"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "abc");
}

TEST_F(WritesTest, LengthTakenForUtf16UnitsCutsAPairInHalf) {
  Add("write_utf16_length");
  EXPECT_EQ(Replace({0, 5}, "\u00e9a"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "\u00e9a");
  EXPECT_EQ(Replace({0, 2}, "a\U0001F469\U0001F469b"), StatusCode::kOk);
  EXPECT_EQ(world_.Find(field_)->text, (std::u32string{U'a', 0x1F469, 0xD83D}));
}

TEST_F(WritesTest, LengthTakenForBytesBringsLess) {
  Add("write_byte_length");
  EXPECT_EQ(Replace({0, 5}, "abc"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "abc");
  EXPECT_EQ(Replace({0, 3}, "\u00e9\u00e9\u00e9"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "\u00e9");
}

TEST_F(WritesTest, InsertComesInTwice) {
  Add("write_doubles");
  EXPECT_EQ(Replace({1, 4}, "ab"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "hababo");
  EXPECT_EQ(SetValue("x"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "x");
}

TEST_F(WritesTest, OnlyTheInsertOfAReplacementIsDone) {
  Add("write_insert_only");
  EXPECT_EQ(Replace({1, 4}, "ab"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "habello");
}

TEST_F(WritesTest, OnlyTheDeleteOfAReplacementIsDone) {
  Add("write_delete_only");
  EXPECT_EQ(Replace({1, 4}, "ab"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "ho");
}

TEST_F(WritesTest, CaretIsLeftElsewhere) {
  Add("write_caret_elsewhere", {.parameter = 1});
  EXPECT_EQ(Replace({0, 4}, "ab", 2), StatusCode::kOk);
  EXPECT_EQ(Truth(), "abo");
  EXPECT_EQ(TrueCaret(), 1);
  EXPECT_EQ(SetValue("xyz"), StatusCode::kOk);
  EXPECT_EQ(TrueCaret(), 1);
  EXPECT_EQ(Select({2, 2}), StatusCode::kOk);
  EXPECT_EQ(TrueCaret(), 2);
}

TEST_F(WritesTest, SwappedElementGoesOnAnsweringWhatItHeld) {
  Add("write_element_swapped");
  EXPECT_EQ(Replace({1, 4}, "ab", 3), StatusCode::kOk);
  const Element fresh = *world_.Focused();
  EXPECT_EQ(fresh.path, "/text#1");
  EXPECT_EQ(world_.Find(field_), nullptr);
  EXPECT_EQ(Truth(fresh), "habo");
  EXPECT_EQ(world_.Find(fresh)->caret, 3);
  EXPECT_EQ(Text(fresh), "habo");
  EXPECT_EQ(Text(), "hello");
  EXPECT_EQ(Count(), 5);
  EXPECT_EQ(Caret(), 5);
  EXPECT_EQ(Get<RoleValue>(Ask(Attribute::kRole, field_))->role,
            Role::kTextArea);
  EXPECT_EQ(*Get<Element>(Ask(Attribute::kWindow, field_)),
            (Element{"app:100", "/window"}));
  // What is written to the old one now is lost; the new one swaps again.
  EXPECT_EQ(Replace({0, 0}, "x"), StatusCode::kOk);
  EXPECT_EQ(Truth(fresh), "habo");
  EXPECT_EQ(Write({.element = fresh, .text = "x"}), StatusCode::kOk);
  EXPECT_EQ(Truth(*world_.Focused()), "xhabo");
  EXPECT_EQ(Text(fresh), "habo");
}

TEST_F(WritesTest, WriteLandsInAnotherFieldOfTheApplication) {
  Add("write_other_element");
  EXPECT_EQ(Replace({1, 3}, "EC", 0), StatusCode::kOk);
  EXPECT_EQ(Truth(), "hello");
  EXPECT_EQ(TrueCaret(), 5);
  EXPECT_EQ(Truth({"app:100", "/elsewhere"}), "dECoy");
  EXPECT_EQ(world_.Focused(), field_);
}

TEST_F(WritesTest, ApplicationDiesOfAWriteAndOfNothingElse) {
  Add("write_kills");
  EXPECT_EQ(Text(), "hello");
  EXPECT_EQ(Select({0, 1}), StatusCode::kOk);
  EXPECT_EQ(Replace({0, 1}, "x"), StatusCode::kUnavailable);
  EXPECT_EQ(world_.FindProgram("app:100"), nullptr);
}

TEST_F(WritesTest, SelectionIsIgnoredAndTheTextIsNot) {
  Add("select_ignored");
  EXPECT_EQ(Select({0, 2}), StatusCode::kOk);
  EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
  EXPECT_EQ(Replace({5, 5}, "!", 0), StatusCode::kOk);
  EXPECT_EQ(Truth(), "hello!");
  EXPECT_EQ(TrueCaret(), 6);
}

TEST_F(WritesTest, SelectionAnswersAnErrorAndDoesNothing) {
  Add("select_error");
  EXPECT_EQ(Select({0, 2}), StatusCode::kFailedPrecondition);
  EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
  // A text that is there with its caret elsewhere was written.
  EXPECT_EQ(Replace({5, 5}, "!", 0), StatusCode::kOk);
  EXPECT_EQ(Truth(), "hello!");
  EXPECT_EQ(TrueCaret(), 6);
}

TEST_F(WritesTest, SelectionAnswersAnErrorAndIsDone) {
  Add("select_error", {.parameter = 1});
  EXPECT_EQ(Select({0, 2}), StatusCode::kFailedPrecondition);
  EXPECT_EQ(world_.Find(field_)->selection, (Range{0, 2}));
}

// Hostilities of other families, met by a write.

TEST_F(WritesTest, HungApplicationTakesNoWrite) {
  Add("hung");
  EXPECT_EQ(Replace({0, 1}, "x"), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Truth(), "hello");
}

TEST_F(WritesTest, AnswerAfterTheDeadlineIsOfAWriteThatLanded) {
  Add("slow", {.parameter = 2});
  EXPECT_EQ(Replace({0, 1}, "J"), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Truth(), "Jello");
}

TEST_F(WritesTest, ApplicationDiesBetweenDeleteAndInsert) {
  Add("die_in_mid_call", {.parameter = 1});
  EXPECT_EQ(server_
                .Write({.element = field_, .range = {0, 1}, .text = "J"},
                       In(absl::Seconds(1)))
                .status.code(),
            StatusCode::kUnavailable);
  EXPECT_EQ(world_.FindProgram("app:100"), nullptr);
}

TEST_F(WritesTest, PermissionIsLostForWritesToo) {
  Add("permission_lost");
  EXPECT_EQ(Replace({0, 1}, "J"), StatusCode::kPermissionDenied);
  EXPECT_EQ(Truth(), "hello");
}

TEST_F(WritesTest, UserTypesBetweenDeleteAndInsert) {
  Add("user_types", {.after = 1});
  EXPECT_EQ(Replace({0, 1}, "J"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "Jellox");
}

TEST_F(WritesTest, ElementReplacedBetweenDeleteAndInsert) {
  Add("element_swapped", {.parameter = 100, .after = 1});
  EXPECT_EQ(Replace({0, 1}, "J"), StatusCode::kUnavailable);
  EXPECT_EQ(Truth(*world_.Focused()), "ello");
}

TEST_F(WritesTest, BadRangeOfAWriteKillsToo) {
  Add("dies_on_bad_range", {.parameter = 10});
  EXPECT_EQ(Replace({0, 10}, ""), StatusCode::kOk);
  EXPECT_EQ(Replace({0, 11}, ""), StatusCode::kUnavailable);
}

TEST_F(WritesTest, OffsetsAreUtf16UnitsForWritesToo) {
  Add("utf16_offsets");
  world_.SetText(field_, "\U0001F469ab\U0001F469c").IgnoreError();
  EXPECT_EQ(Replace({2, 3}, "A"), StatusCode::kOk);  // "a", for it
  EXPECT_EQ(Truth(), "\U0001F469Ab\U0001F469c");
  EXPECT_EQ(Replace({5, 7}, "C"), StatusCode::kOk);  // from within a pair
  EXPECT_EQ(Truth(), "\U0001F469AbC");
  EXPECT_EQ(Replace({50, 50}, "!"), StatusCode::kOk);
  EXPECT_EQ(Truth(), "\U0001F469AbC!");
}

TEST_F(WritesTest, WhatIsHeldShowsLateWhoeverChangedIt) {
  Add("shows_late", {.parameter = 50});
  EXPECT_EQ(Text(), "hello");
  EXPECT_EQ(Select({0, 5}), StatusCode::kOk);
  EXPECT_EQ(Caret(), 5);
  ASSERT_TRUE(world_.Type(field_, "bye").ok());
  EXPECT_EQ(Truth(), "bye");
  EXPECT_EQ(Text(), "hello");
  EXPECT_EQ(Count(), 5);
  Wait(49 * kMs);
  EXPECT_EQ(Text(), "hello");
  EXPECT_EQ(Ask(Attribute::kSelection, field_).status().code(),
            StatusCode::kNotFound);
  Wait(kMs);
  EXPECT_EQ(Text(), "bye");
  EXPECT_EQ(Count(), 3);
  EXPECT_EQ(Caret(), 3);
}

// A selection that was replaced by then has been shown before that.
TEST_F(WritesTest, WhatIsHeldShowsInItsOrder) {
  Add("shows_late", {.parameter = 50});
  EXPECT_EQ(Text(), "hello");
  EXPECT_EQ(Select({0, 5}), StatusCode::kOk);
  EXPECT_EQ(Caret(), 5);
  Wait(10 * kMs);
  ASSERT_TRUE(world_.Type(field_, "bye").ok());
  EXPECT_EQ(Text(), "hello");
  Wait(40 * kMs);
  EXPECT_EQ(Get<Range>(Ask(Attribute::kSelection, field_)).value_or(Range{}),
            (Range{0, 5}));
  EXPECT_EQ(Text(), "hello");
  Wait(10 * kMs);
  EXPECT_EQ(Text(), "bye");
}

}  // namespace
}  // namespace tactus::ax::mock
