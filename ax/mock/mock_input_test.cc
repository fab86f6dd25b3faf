#include "ax/mock/mock_input.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/input_faults.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::mock {
namespace {

using absl::StatusCode;

constexpr absl::Duration kMs = absl::Milliseconds(1);

// An editor with "hello" and its caret at 5; the user has copied a picture with
// a caption.
class MockInputTest : public testing::Test {
 protected:
  MockInputTest()
      : world_(EditorDesktop("hello")),
        server_(&world_, &clock_),
        input_(&world_, &clock_, &server_) {
    input_.TakeClipboard(copied_);
  }

  void Add(std::string name, std::optional<int64_t> parameter = std::nullopt) {
    const absl::Status added = input_.Add({std::move(name), parameter});
    ASSERT_TRUE(added.ok()) << added;
  }
  absl::Time In(absl::Duration duration) { return clock_.Now() + duration; }
  absl::Duration Elapsed() { return clock_.Now() - absl::UnixEpoch(); }
  std::unique_ptr<ClipboardLoan> Lend(absl::string_view text) {
    return *input_.Lend(text, {.deadline = In(kMs)});
  }
  // Lends, presses, waits a second at most and gives back.
  std::string Paste(absl::string_view text) {
    const std::unique_ptr<ClipboardLoan> loan = Lend(text);
    EXPECT_TRUE(input_.Press(PasteKeys::kCtrlV, In(kMs)).ok());
    served_ = loan->WaitServed(1, In(absl::Seconds(1))).served;
    EXPECT_TRUE(loan->GiveBack(In(kMs)).ok());
    return Text();
  }
  std::string Text(const Element& element) {
    return EncodeUtf8(world_.Find(element)->text);
  }
  std::string Text() { return Text(field_); }

  SimulatedClock clock_;
  World world_;
  MockServer server_;
  MockInput input_;
  int served_ = -1;
  const Element field_{"app:100", "/text"};
  const Clipboard copied_ = {{"UTF8_STRING", "old"}, {"image/png", "\x89PNG"}};
};

TEST(InputFaultsTest, NamesAreUniqueAndInTheOrderOfTheEnumeration) {
  std::set<absl::string_view> names;
  for (size_t i = 0; i < AllInputFaults().size(); ++i) {
    const InputFaultKind& kind = AllInputFaults()[i];
    EXPECT_EQ(static_cast<size_t>(kind.fault), i);
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.description.empty()) << kind.name;
    EXPECT_EQ(kind.parameter.empty(), kind.least == kind.most) << kind.name;
    EXPECT_EQ(*ParameterOf({std::string(kind.name), {}}),
              kind.default_parameter);
  }
  EXPECT_EQ(names.size(), 13u);
  EXPECT_EQ(ParameterOf({"none", {}}).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(ParameterOf({"paste_late", -1}).status().code(),
            StatusCode::kInvalidArgument);
}

TEST_F(MockInputTest, PasteReplacesTheSelectionAfterItsDelay) {
  ASSERT_TRUE(world_.Select(field_, {1, 4}).ok());
  const std::unique_ptr<ClipboardLoan> loan = Lend("\u00e9\n!");
  EXPECT_EQ(input_.clipboard(),
            (Clipboard{{"UTF8_STRING", "\u00e9\n!"},
                       {"x-kde-passwordManagerHint", "secret"}}));
  ASSERT_TRUE(input_.Press(PasteKeys::kCtrlV, In(kMs)).ok());
  EXPECT_EQ(Elapsed(), absl::ZeroDuration());
  EXPECT_EQ(loan->WaitServed(1, In(5 * kMs - absl::Nanoseconds(1))).served, 0);
  EXPECT_EQ(Text(), "hello");
  EXPECT_EQ(loan->WaitServed(1, In(absl::Seconds(1))).served, 1);
  EXPECT_EQ(Elapsed(), 5 * kMs);
  EXPECT_EQ(Text(), "h\u00e9\n!o");
  EXPECT_EQ(world_.Find(field_)->caret, 4);
  EXPECT_TRUE(loan->GiveBack(In(kMs)).ok());
  EXPECT_EQ(input_.clipboard(), copied_);
  EXPECT_FALSE(loan->state().lost);
  // A second time it only says so.
  input_.TakeClipboard({});
  EXPECT_TRUE(loan->GiveBack(In(kMs)).ok());
  EXPECT_TRUE(input_.clipboard().empty());
}

TEST_F(MockInputTest, WaitForWhatNeverComesEndsAtItsDeadline) {
  const std::unique_ptr<ClipboardLoan> loan = Lend("x");
  EXPECT_EQ(loan->WaitServed(1, In(3 * kMs)).served, 0);
  EXPECT_EQ(Elapsed(), 3 * kMs);
}

TEST_F(MockInputTest, ClipboardGivenBackTooSoonIsPastedItself) {
  const std::unique_ptr<ClipboardLoan> loan = Lend("new");
  ASSERT_TRUE(input_.Press(PasteKeys::kCtrlV, In(kMs)).ok());
  ASSERT_TRUE(loan->GiveBack(In(kMs)).ok());
  world_.AdvanceTo(In(5 * kMs), clock_);
  EXPECT_EQ(Text(), "helloold");
  EXPECT_EQ(loan->state().served, 0);
}

TEST_F(MockInputTest, LoanThatWasGivenBackIsWaitedForNoMore) {
  const std::unique_ptr<ClipboardLoan> loan = Lend("x");
  ASSERT_TRUE(input_.Press(PasteKeys::kCtrlV, In(kMs)).ok());
  EXPECT_EQ(loan->WaitServed(1, In(absl::Seconds(1))).served, 1);
  const absl::Duration elapsed = Elapsed();
  ASSERT_TRUE(loan->GiveBack(In(kMs)).ok());
  const ClipboardLoan::State state = loan->WaitServed(2, In(absl::Seconds(1)));
  EXPECT_EQ(state.served, 1);
  EXPECT_FALSE(state.lost);
  EXPECT_EQ(Elapsed(), elapsed);
  // Nor is it lost when another takes what it does not hold any more.
  input_.TakeClipboard({{"UTF8_STRING", "theirs"}});
  EXPECT_FALSE(loan->state().lost);
  EXPECT_TRUE(loan->GiveBack(In(kMs)).ok());
}

TEST_F(MockInputTest, DeadlineOfGivingBackEndsTheWaitAlone) {
  const std::unique_ptr<ClipboardLoan> loan = Lend("x");
  loan->GiveBack(absl::InfinitePast()).IgnoreError();
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(MockInputTest, TextThatIsNotUtf8IsNotLent) {
  for (const char* text : {"a\xff", "\xED\xA0\xBD"}) {
    EXPECT_EQ(input_.Lend(text, {}).status().code(),
              StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(MockInputTest, LoanThatIsDroppedGivesBack) {
  Lend("x").reset();
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(MockInputTest, ClipboardTakenByAnotherIsLostAndLeftAlone) {
  const std::unique_ptr<ClipboardLoan> loan = Lend("x");
  server_.At(In(2 * kMs), [&](World&) {
    input_.TakeClipboard({{"UTF8_STRING", "theirs"}});
  });
  EXPECT_TRUE(loan->WaitServed(1, In(absl::Seconds(1))).lost);
  EXPECT_EQ(Elapsed(), 2 * kMs);
  EXPECT_EQ(loan->GiveBack(In(kMs)).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(input_.clipboard(), (Clipboard{{"UTF8_STRING", "theirs"}}));
  EXPECT_EQ(loan->GiveBack(In(kMs)).code(), StatusCode::kFailedPrecondition);
  EXPECT_TRUE(loan->state().lost);
}

TEST_F(MockInputTest, EachPasteFromALoanIsServed) {
  const std::unique_ptr<ClipboardLoan> loan = Lend("ab");
  ASSERT_TRUE(input_.Press(PasteKeys::kCtrlV, In(kMs)).ok());
  ASSERT_TRUE(input_.Press(PasteKeys::kCtrlV, In(kMs)).ok());
  EXPECT_EQ(loan->WaitServed(2, In(absl::Seconds(1))).served, 2);
  EXPECT_EQ(Text(), "helloabab");
}

TEST_F(MockInputTest, PictureWithoutTextPastesNothing) {
  input_.TakeClipboard({{"image/png", "\x89PNG"}});
  ASSERT_TRUE(input_.Press(PasteKeys::kCtrlV, In(kMs)).ok());
  world_.AdvanceTo(In(absl::Seconds(1)), clock_);
  EXPECT_EQ(Text(), "hello");
}

TEST_F(MockInputTest, LoanNeedsRoomAndTime) {
  const int64_t size = 3 + 4;
  EXPECT_EQ(input_.Lend("x", {.max_saved_bytes = size - 1}).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(input_.Lend("x", {.deadline = In(-kMs)}).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(input_.clipboard(), copied_);
  EXPECT_EQ(Elapsed(), absl::ZeroDuration());
  EXPECT_TRUE(input_.Lend("x", {.max_saved_bytes = size}).ok());
}

TEST_F(MockInputTest, TerminalsTakeCtrlShiftVAloneAndOthersCtrlVAlone) {
  const auto press = [&](PasteKeys keys) {
    const std::unique_ptr<ClipboardLoan> loan = Lend("x");
    EXPECT_TRUE(input_.Press(keys, In(kMs)).ok());
    return loan->WaitServed(1, In(absl::Seconds(1))).served;
  };
  EXPECT_EQ(press(PasteKeys::kCtrlShiftV), 0);
  EXPECT_EQ(press(PasteKeys::kCtrlV), 1);
  Node& node = *world_.Mutable(field_);
  node.role = {Role::kTerminal, "terminal"};
  node.states &= ~kStateEditable;
  EXPECT_EQ(press(PasteKeys::kCtrlV), 0);
  EXPECT_EQ(press(PasteKeys::kCtrlShiftV), 1);
  EXPECT_EQ(Text(), "helloxx");
}

TEST_F(MockInputTest, DeleteTakesWhatIsSelectedOrOneCharacterAndPastesNothing) {
  ASSERT_TRUE(world_.Select(field_, {1, 3}).ok());
  Add("paste_never");  // another key
  ASSERT_TRUE(input_.Press(PasteKeys::kDelete, In(kMs)).ok());
  EXPECT_EQ(Text(), "hello");
  world_.AdvanceTo(In(kMs), clock_);
  EXPECT_EQ(Text(), "hlo");
  ASSERT_TRUE(input_.Press(PasteKeys::kDelete, In(kMs)).ok());
  ASSERT_TRUE(input_.Press(PasteKeys::kCtrlZ, In(kMs)).ok());
  world_.AdvanceTo(In(absl::Seconds(1)), clock_);
  EXPECT_EQ(Text(), "ho");
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(MockInputTest, WhatIsNotEditableSwallowsKeys) {
  ASSERT_TRUE(world_.ChangeStates(field_, kStateReadOnly, 0).ok());
  EXPECT_EQ(Paste("x"), "hello");
  EXPECT_EQ(served_, 0);
  EXPECT_TRUE(input_.Type("x", In(kMs)).ok());
  EXPECT_EQ(Text(), "hello");
}

TEST_F(MockInputTest, PasteReachesWhatHadTheKeyboardAtTheKey) {
  ASSERT_TRUE(world_.Start(MakeProgram("b", 2, {TextArea("/t", "")}), "").ok());
  const std::unique_ptr<ClipboardLoan> loan = Lend("x");
  ASSERT_TRUE(input_.Press(PasteKeys::kCtrlV, In(kMs)).ok());
  ASSERT_TRUE(world_.Activate("app:2").ok());
  EXPECT_EQ(loan->WaitServed(1, In(absl::Seconds(1))).served, 1);
  EXPECT_EQ(Text(), "hellox");
  ASSERT_TRUE(input_.Press(PasteKeys::kCtrlV, In(kMs)).ok());
  EXPECT_EQ(loan->WaitServed(2, In(absl::Seconds(1))).served, 2);
  EXPECT_EQ(Text({"app:2", "/t"}), "x");
  // And nothing, when that is gone before it has asked.
  ASSERT_TRUE(input_.Press(PasteKeys::kCtrlV, In(kMs)).ok());
  ASSERT_TRUE(world_.Quit("app:2").ok());
  EXPECT_EQ(loan->WaitServed(3, In(absl::Seconds(1))).served, 2);
  // Nor when nothing has the keyboard.
  EXPECT_TRUE(input_.Press(PasteKeys::kCtrlV, In(kMs)).ok());
}

TEST_F(MockInputTest, TypedTextComesKeyByKeyToWhateverHasTheKeyboard) {
  ASSERT_TRUE(world_.Start(MakeProgram("b", 2, {TextArea("/t", "")}), "").ok());
  server_.At(In(absl::Microseconds(2500)),
             [](World& world) { world.Activate("app:2").IgnoreError(); });
  ASSERT_TRUE(input_.Type("a\n~c", In(absl::Seconds(1))).ok());
  EXPECT_EQ(Elapsed(), 4 * kMs);
  EXPECT_EQ(Text(), "helloa\n");
  EXPECT_EQ(Text({"app:2", "/t"}), "~c");
}

TEST_F(MockInputTest, FieldOfOneLineTakesNoNewline) {
  ASSERT_TRUE(world_.ChangeStates(field_, kStateSingleLine, 0).ok());
  ASSERT_TRUE(input_.Type("a\n\tb", In(absl::Seconds(1))).ok());
  EXPECT_EQ(Text(), "helloab");
}

TEST_F(MockInputTest, WhatCannotBeTypedTypesNothing) {
  for (const char* text : {"a\u00e9", "a\x1B", "a\r", "a\x7F"}) {
    EXPECT_EQ(input_.Type(text, In(absl::Seconds(1))).code(),
              StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(Text(), "hello");
}

TEST_F(MockInputTest, DeadlineCutsWhatIsTyped) {
  EXPECT_EQ(input_.Type("abc", In(2 * kMs + kMs / 2)).code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Text(), "helloab");
  EXPECT_EQ(Elapsed(), 2 * kMs + kMs / 2);
}

TEST_F(MockInputTest, HeldModifiersAreWaitedForByPressAndNotByType) {
  input_.HoldModifiers(In(10 * kMs));
  EXPECT_EQ(input_.Type("a", In(absl::Seconds(1))).code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(Elapsed(), absl::ZeroDuration());
  EXPECT_EQ(input_.Press(PasteKeys::kCtrlV, In(4 * kMs)).code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(Elapsed(), 4 * kMs);
  EXPECT_TRUE(input_.Press(PasteKeys::kCtrlV, In(absl::Seconds(1))).ok());
  EXPECT_EQ(Elapsed(), 10 * kMs);
  world_.AdvanceTo(In(5 * kMs), clock_);
  EXPECT_EQ(Text(), "helloold");
}

TEST_F(MockInputTest, EachVerbIsAMessageToTheServer) {
  server_.Add(*MakeHostility("user_types", {.parameter = 2, .after = 2}));
  std::vector<int> indices;
  server_.BetweenMessages([&](World&, int index) { indices.push_back(index); });
  ASSERT_TRUE(server_.FocusedApplication(In(kMs)).ok());
  ASSERT_TRUE(world_.SetSecure(field_, true).ok());
  EXPECT_EQ(Paste("!"), "hellox!x");  // before the key and before giving back
  ASSERT_TRUE(world_.SetSecure(field_, false).ok());
  EXPECT_FALSE(input_.Type("\x1B", In(kMs)).ok());
  EXPECT_EQ(indices, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(server_.log().size(), 1u);
  EXPECT_EQ(server_.traffic().calls, 1);

  const std::vector<LoggedInput>& log = input_.log();
  ASSERT_EQ(log.size(), 5u);
  const InputVerb verbs[] = {InputVerb::kLend, InputVerb::kPress,
                             InputVerb::kWaitServed, InputVerb::kGiveBack,
                             InputVerb::kType};
  for (size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(log[i].verb, verbs[i]);
    EXPECT_EQ(log[i].index, static_cast<int>(i) + 1);
    EXPECT_EQ(log[i].secure, i < 4);
  }
  EXPECT_EQ(log[0].text, "!");
  EXPECT_EQ(log[1].keys, PasteKeys::kCtrlV);
  EXPECT_EQ(log[3].at, absl::UnixEpoch() + 5 * kMs);
  EXPECT_EQ(log[3].outcome, StatusCode::kOk);
  EXPECT_EQ(log[4].text, "\x1B");
  EXPECT_EQ(log[4].outcome, StatusCode::kInvalidArgument);
}

TEST_F(MockInputTest, WhatIsOverdueHappensBeforeAVerb) {
  server_.At(In(kMs),
             [&](World& world) { world.Type(field_, "!").IgnoreError(); });
  clock_.Advance(2 * kMs);
  const std::unique_ptr<ClipboardLoan> loan = Lend("x");
  EXPECT_EQ(Text(), "hello!");
}

TEST_F(MockInputTest, WorksWithoutAServer) {
  MockInput input(&world_, &clock_);
  world_.At(In(kMs),
            [&](World& world) { world.Type(field_, "!").IgnoreError(); });
  clock_.Advance(kMs);
  ASSERT_TRUE(input.Type("a", In(kMs)).ok());
  EXPECT_EQ(Text(), "hello!a");
  EXPECT_EQ(input.log()[0].index, 0);
}

// Faults.

TEST_F(MockInputTest, KeyIsSwallowed) {
  Add("paste_never");
  EXPECT_EQ(Paste("x"), "hello");
  EXPECT_EQ(served_, 0);
  EXPECT_EQ(Elapsed(), absl::Seconds(1));
}

TEST_F(MockInputTest, LatePasteTakesWhatTheClipboardThenHolds) {
  Add("paste_late", 1500);
  EXPECT_EQ(Paste("x"), "hello");
  EXPECT_EQ(served_, 0);
  EXPECT_EQ(input_.clipboard(), copied_);
  world_.AdvanceTo(absl::UnixEpoch() + absl::Milliseconds(1500), clock_);
  EXPECT_EQ(Text(), "helloold");
}

TEST_F(MockInputTest, PasteIsCutAtItsUnits) {
  Add("paste_truncated", 3);
  ASSERT_TRUE(world_.SetText(field_, "").ok());
  Paste("\u00e9\u00e9\u00e9\u00e9");
  EXPECT_EQ(Text(), "\u00e9\u00e9\u00e9");
  Paste("\U0001F469\U0001F469");
  EXPECT_EQ(world_.Find(field_)->text.substr(3),
            (std::u32string{0x1F469, 0xD83D}));
}

TEST_F(MockInputTest, PasteIsCutAtTwentyUnitsByDefault) {
  Add("paste_truncated");
  EXPECT_EQ(Paste("0123456789012345678901"), "hello01234567890123456789");
  EXPECT_EQ(served_, 1);
}

TEST_F(MockInputTest, PasteComesTwice) {
  Add("paste_twice");
  EXPECT_EQ(Paste("ab"), "helloabab");
  EXPECT_EQ(served_, 2);
}

TEST_F(MockInputTest, PasteLosesItsLineEnds) {
  Add("paste_strips_newlines");
  EXPECT_EQ(Paste("a\nb\r\nc"), "helloabc");
}

TEST_F(MockInputTest, FocusMovesToAnotherFieldBeforeThePaste) {
  Add("focus_moves_before_paste");
  EXPECT_EQ(world_.Focused(), field_);
  EXPECT_EQ(Paste("x"), "hello");
  EXPECT_EQ(served_, 1);
  EXPECT_EQ(Text({"app:100", "/beside"}), "decoyx");
}

TEST_F(MockInputTest, KeysThatAreNotThereAreNotPressed) {
  Add("press_fails");
  EXPECT_EQ(input_.Press(PasteKeys::kCtrlV, In(kMs)).code(),
            StatusCode::kFailedPrecondition);
  EXPECT_TRUE(input_.Type("a", In(kMs)).ok());
  Add("type_fails");
  EXPECT_EQ(input_.Type("b", In(kMs)).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(Text(), "helloa");
}

TEST_F(MockInputTest, FirstKeyIsDropped) {
  Add("type_first_key_dropped");
  ASSERT_TRUE(input_.Type("abc", In(absl::Seconds(1))).ok());
  EXPECT_EQ(Text(), "hellobc");
}

TEST_F(MockInputTest, WrongLayoutSwapsTwoLetters) {
  Add("type_wrong_layout");
  ASSERT_TRUE(input_.Type("yzYZa", In(absl::Seconds(1))).ok());
  EXPECT_EQ(Text(), "hellozyZYa");
}

TEST_F(MockInputTest, StolenClipboardIsWhatIsPasted) {
  Add("clipboard_stolen");
  const std::unique_ptr<ClipboardLoan> loan = Lend("x");
  EXPECT_FALSE(loan->state().lost);
  ASSERT_TRUE(input_.Press(PasteKeys::kCtrlV, In(kMs)).ok());
  const ClipboardLoan::State state = loan->WaitServed(1, In(absl::Seconds(1)));
  EXPECT_TRUE(state.lost);
  EXPECT_EQ(state.served, 0);
  world_.AdvanceTo(In(5 * kMs), clock_);
  EXPECT_EQ(Text(), "helloanother's");
  EXPECT_EQ(loan->GiveBack(In(kMs)).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(input_.clipboard(), (Clipboard{{"UTF8_STRING", "another's"}}));
}

TEST_F(MockInputTest, ClipboardIsTooLargeToBeSaved) {
  Add("clipboard_too_large");
  EXPECT_EQ(input_.Lend("x", {}).status().code(),
            StatusCode::kResourceExhausted);
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(MockInputTest, OwnerOfTheClipboardIsWaitedForWithPatience) {
  Add("clipboard_owner_hangs");
  EXPECT_EQ(input_.Lend("x", {.patience = 30 * kMs}).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Elapsed(), 30 * kMs);
  EXPECT_EQ(input_.Lend("x", {.deadline = In(5 * kMs)}).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Elapsed(), 35 * kMs);
  EXPECT_EQ(input_.clipboard(), copied_);
}

}  // namespace
}  // namespace tactus::ax::mock
