#include "ax/edit/stream.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/mock_input.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

using mock::EncodeUtf8;
using mock::World;

constexpr char kFamily[] =
    "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA9\xE2\x80\x8D"
    "\xF0\x9F\x91\xA7";
constexpr char kWoman[] = "\xF0\x9F\x91\xA9";

TEST(LeastChangeTest, OnlyWhatDiffersIsRewritten) {
  EXPECT_EQ(LeastChange("the quick", "the quiet"), (Change{{7, 9}, "et"}));
  EXPECT_EQ(LeastChange("", "a"), (Change{{0, 0}, "a"}));
  EXPECT_EQ(LeastChange("a", ""), (Change{{0, 1}, ""}));
  EXPECT_EQ(LeastChange("same", "same"), (Change{{4, 4}, ""}));
}

TEST(LeastChangeTest, WhatBothEndWithIsLeftAlone) {
  EXPECT_EQ(LeastChange("two words here", "too words here"),
            (Change{{1, 2}, "o"}));
  EXPECT_EQ(LeastChange("aa", "aaa"), (Change{{2, 2}, "a"}));
  EXPECT_EQ(LeastChange("abcabc", "abc"), (Change{{3, 6}, ""}));
}

TEST(LeastChangeTest, NoCharacterIsCut) {
  // The family begins with the woman: what people see is replaced whole.
  EXPECT_EQ(LeastChange(kWoman, kFamily), (Change{{0, 1}, kFamily}));
  EXPECT_EQ(LeastChange(std::string("xe\xCC\x81y"), "xey"),
            (Change{{1, 3}, "e"}));
  // Letters of which the last byte alone is the same.
  EXPECT_EQ(LeastChange("\xC3\xA9", "\xC4\xA9"), (Change{{0, 1}, "\xC4\xA9"}));
}

class StreamTest : public testing::Test {
 protected:
  StreamTest()
      : world_(mock::EditorDesktop("Say: ")),
        server_(&world_, &clock_),
        input_(&world_, &clock_, &server_),
        editor_(&server_, &input_),
        stream_(&editor_, {}) {}

  EditOptions Options() {
    return {.deadline = clock_.Now() + absl::Seconds(10)};
  }
  Outcome Partial(const std::string& text) {
    last_ = stream_.Partial(text, Options());
    return last_.outcome;
  }
  Outcome Final(const std::string& text) {
    last_ = stream_.Final(text, Options());
    return last_.outcome;
  }
  Outcome Cancel() {
    last_ = stream_.Cancel(Options());
    return last_.outcome;
  }
  std::string Held() { return EncodeUtf8(world_.Find(field_)->text); }
  // Another field of the same application, with the focus on it.
  Element MoveFocus() {
    mock::Node other = mock::TextArea("/other", "");
    other.states &= ~kStateFocused;
    mock::Program* program = world_.MutableProgram("app:100");
    program->nodes.push_back(other);
    const Element element{"app:100", "/other"};
    EXPECT_TRUE(world_.Focus(element).ok());
    return element;
  }

  SimulatedClock clock_;
  World world_;
  mock::MockServer server_;
  mock::MockInput input_;
  Editor editor_;
  Stream stream_;
  const Element field_{"app:100", "/text"};
  EditResult last_;
};

TEST_F(StreamTest, PartialsReplaceOneAnotherInPlace) {
  EXPECT_EQ(Partial("the"), Outcome::kVerified);
  EXPECT_EQ(Partial("the quick"), Outcome::kVerified);
  EXPECT_EQ(Partial("the quiet"), Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: the quiet");
  EXPECT_EQ(world_.Find(field_)->caret, 14);
  EXPECT_EQ(Final("The quiet fox."), Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: The quiet fox.");
  EXPECT_EQ(stream_.rewritten().inserted, 3 + 6 + 2 + 14);
  EXPECT_EQ(stream_.rewritten().deleted, 2 + 9);
}

TEST_F(StreamTest, CaretIsBehindThePhraseAlsoWhereItsMiddleIsRewritten) {
  ASSERT_EQ(Partial("two words"), Outcome::kVerified);
  ASSERT_EQ(Partial("too words"), Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: too words");
  EXPECT_EQ(world_.Find(field_)->caret, 14);
}

TEST_F(StreamTest, NextPhraseStartsBehindTheFinal) {
  ASSERT_EQ(Final("One. "), Outcome::kVerified);
  ASSERT_EQ(Partial("tw"), Outcome::kVerified);
  ASSERT_EQ(Final("Two."), Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: One. Two.");
  EXPECT_FALSE(stream_.pending());
}

TEST_F(StreamTest, WhatWasSelectedIsReplacedAndComesBackWithACancel) {
  ASSERT_TRUE(world_.Select(field_, {0, 3}).ok());
  ASSERT_EQ(Partial("Shout"), Outcome::kVerified);
  ASSERT_EQ(Partial("Whisper"), Outcome::kVerified);
  EXPECT_EQ(Held(), "Whisper: ");
  EXPECT_EQ(Cancel(), Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: ");
  EXPECT_FALSE(stream_.pending());
  EXPECT_EQ(Cancel(), Outcome::kRefused);
  EXPECT_EQ(last_.reason, Reason::kNothingToUndo);
}

TEST_F(StreamTest, UserWhoEditsEndsItAtOnceWithBothTexts) {
  ASSERT_EQ(Partial("the"), Outcome::kVerified);
  ASSERT_TRUE(world_.MoveCaret(field_, 0).ok());
  ASSERT_TRUE(world_.Type(field_, "X").ok());
  EXPECT_EQ(Partial("the quick"), Outcome::kRefused);
  EXPECT_EQ(last_.reason, Reason::kTextChanged);
  EXPECT_EQ(last_.expected, "Say: the");
  EXPECT_EQ(last_.after, "XSay: the");
  EXPECT_EQ(Held(), "XSay: the");
  EXPECT_TRUE(stream_.ended());
  EXPECT_EQ(Final("The quick."), Outcome::kRefused);
  EXPECT_EQ(last_.reason, Reason::kEnded);
  EXPECT_EQ(Cancel(), Outcome::kRefused);
  EXPECT_EQ(Held(), "XSay: the");
}

TEST_F(StreamTest, TextIsHeldWhileTheFocusIsElsewhereAndWrittenWhenItIsBack) {
  ASSERT_EQ(Partial("the"), Outcome::kVerified);
  const Element other = MoveFocus();
  EXPECT_EQ(Partial("the quick"), Outcome::kRefused);
  EXPECT_EQ(last_.reason, Reason::kStale);
  EXPECT_FALSE(stream_.ended());
  EXPECT_EQ(EncodeUtf8(world_.Find(other)->text), "");
  ASSERT_TRUE(world_.Focus(field_).ok());
  EXPECT_EQ(Final("the quick fox"), Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: the quick fox");
}

TEST_F(StreamTest, NextPhraseIsHeldElsewhereTooSinceTheFieldIsPinned) {
  ASSERT_EQ(Final("One."), Outcome::kVerified);
  const Element other = MoveFocus();
  EXPECT_EQ(Partial("two"), Outcome::kRefused);
  EXPECT_EQ(last_.reason, Reason::kStale);
  EXPECT_EQ(EncodeUtf8(world_.Find(other)->text), "");
}

TEST_F(StreamTest, FinalThatIsHeldIsNotReplacedByTheNextPhrase) {
  ASSERT_EQ(Partial("one"), Outcome::kVerified);
  MoveFocus();
  EXPECT_EQ(Final("One. "), Outcome::kRefused);
  EXPECT_TRUE(stream_.holding());
  EXPECT_EQ(Partial("two"), Outcome::kRefused);
  ASSERT_TRUE(world_.Focus(field_).ok());
  EXPECT_EQ(Partial("two th"), Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: One. two th");
  EXPECT_EQ(Cancel(), Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: One. ");
  EXPECT_EQ(Final("Two."), Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: One. Two.");
  EXPECT_FALSE(stream_.holding());
}

TEST_F(StreamTest, MovedFocusEndsItWhereThatIsAskedFor) {
  Stream stream(&editor_, {.when_moved = WhenMoved::kRefuse});
  ASSERT_EQ(stream.Partial("the", Options()).outcome, Outcome::kVerified);
  MoveFocus();
  EXPECT_EQ(stream.Partial("the q", Options()).reason, Reason::kStale);
  EXPECT_TRUE(stream.ended());
}

TEST_F(StreamTest, FocusIsFollowedWhereThatIsAskedFor) {
  Stream stream(&editor_, {.when_moved = WhenMoved::kFollow});
  ASSERT_EQ(stream.Partial("the", Options()).outcome, Outcome::kVerified);
  const Element other = MoveFocus();
  EXPECT_EQ(stream.Partial("the quick", Options()).outcome, Outcome::kVerified);
  EXPECT_EQ(stream.Final("the quick fox", Options()).outcome,
            Outcome::kVerified);
  EXPECT_EQ(EncodeUtf8(world_.Find(other)->text), "the quick fox");
  EXPECT_EQ(Held(), "Say: the");
}

TEST_F(StreamTest, UndoTakesBackThePhraseAndNotItsLastPartial) {
  ASSERT_EQ(Partial("the"), Outcome::kVerified);
  ASSERT_EQ(Partial("the quick"), Outcome::kVerified);
  ASSERT_EQ(Final("the quick fox"), Outcome::kVerified);
  EXPECT_EQ(editor_.UndoLast(Options()).outcome, Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: ");
}

TEST_F(StreamTest, UndoTakesBackFinalsThatFollowEachOther) {
  ASSERT_EQ(Final("The quick"), Outcome::kVerified);
  ASSERT_EQ(Partial(" fox"), Outcome::kVerified);
  ASSERT_EQ(Final(" fox."), Outcome::kVerified);
  ASSERT_EQ(Partial(" And"), Outcome::kVerified);
  ASSERT_EQ(Cancel(), Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: The quick fox.");
  EXPECT_EQ(editor_.UndoLast(Options()).outcome, Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: ");
}

TEST_F(StreamTest, UndoTakesBackTheLastPhraseWhereTheCaretWasMovedBetween) {
  ASSERT_EQ(Final("quick"), Outcome::kVerified);
  ASSERT_TRUE(world_.MoveCaret(field_, 0).ok());
  ASSERT_EQ(Final("I "), Outcome::kVerified);
  EXPECT_EQ(editor_.UndoLast(Options()).outcome, Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: quick");
}

TEST_F(StreamTest, UndoAfterTheUserEndedItTakesBackAllThatItWrote) {
  ASSERT_TRUE(world_.Select(field_, {0, 3}).ok());
  ASSERT_EQ(Partial("the"), Outcome::kVerified);
  ASSERT_EQ(Partial("the quick"), Outcome::kVerified);
  ASSERT_TRUE(world_.MoveCaret(field_, 11).ok());
  ASSERT_TRUE(world_.Type(field_, "!").ok());
  ASSERT_EQ(Partial("the quiet"), Outcome::kRefused);
  ASSERT_TRUE(stream_.ended());
  EXPECT_EQ(Held(), "the quick: !");
  EXPECT_EQ(editor_.UndoLast(Options()).outcome, Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: !");
}

TEST_F(StreamTest, UndoAfterTheUserTypedBehindItLeavesWhatHeTyped) {
  ASSERT_EQ(Partial("the"), Outcome::kVerified);
  ASSERT_EQ(Partial("the quick"), Outcome::kVerified);
  ASSERT_TRUE(world_.Type(field_, " fox").ok());
  ASSERT_EQ(Partial("the quiet"), Outcome::kRefused);
  EXPECT_EQ(editor_.UndoLast(Options()).outcome, Outcome::kVerified);
  EXPECT_EQ(Held(), "Say:  fox");
}

TEST_F(StreamTest, UndoOfWhatTheUserHasEditedIsRefusedWithBothTexts) {
  ASSERT_EQ(Partial("the quick"), Outcome::kVerified);
  ASSERT_TRUE(world_.ReplaceRange(field_, {9, 10}, "Q").ok());
  ASSERT_EQ(Partial("the quiet"), Outcome::kRefused);
  const EditResult undo = editor_.UndoLast(Options());
  EXPECT_EQ(undo.outcome, Outcome::kRefused);
  EXPECT_EQ(undo.reason, Reason::kTextChanged);
  EXPECT_EQ(undo.expected, "Say: the quick");
  EXPECT_EQ(undo.after, "Say: the Quick");
  EXPECT_EQ(Held(), "Say: the Quick");
}

TEST_F(StreamTest, WriteThatLandsOtherwiseEndsIt) {
  ASSERT_EQ(Partial("the"), Outcome::kVerified);
  server_.Add(*mock::MakeHostility("write_autocorrect", {}));
  EXPECT_EQ(Partial("the quick"), Outcome::kVerified);  // " quick" has no first
                                                        // letter to be enlarged
  EXPECT_EQ(Partial("the brown"), Outcome::kDiverged);
  EXPECT_TRUE(stream_.ended());
  EXPECT_EQ(Final("the brown fox"), Outcome::kRefused);
}

TEST_F(StreamTest, FieldThatTakesPastesAloneIsStreamedIntoByPaste) {
  world_.Mutable(field_)->value_settable = false;
  EXPECT_EQ(Partial("two words"), Outcome::kVerified);
  EXPECT_EQ(Partial("too words"), Outcome::kVerified);
  EXPECT_EQ(world_.Find(field_)->caret, 14);
  EXPECT_EQ(Final("too words."), Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: too words.");
  EXPECT_EQ(last_.rung, Rung::kPaste);
}

TEST_F(StreamTest, TerminalGetsFinalsAlone) {
  mock::Node* node = world_.Mutable(field_);
  node->role = {Role::kTerminal, "terminal"};
  node->value_settable = false;
  EXPECT_EQ(Partial("ls"), Outcome::kRefused);
  EXPECT_EQ(last_.reason, Reason::kNoWay);
  EXPECT_EQ(Held(), "Say: ");
  EXPECT_EQ(Final("ls -l"), Outcome::kVerified);
  EXPECT_EQ(Partial(" /t"), Outcome::kRefused);
  EXPECT_EQ(Final(" /tmp"), Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: ls -l /tmp");
}

TEST_F(StreamTest, LineBreaksAreForTheOptionToAllow) {
  world_.Mutable(field_)->states |= kStateSingleLine;
  EXPECT_EQ(Partial("a\nb"), Outcome::kRefused);
  EXPECT_EQ(last_.reason, Reason::kNewline);
  EXPECT_FALSE(stream_.ended());
  Stream stream(&editor_, {.allow_newlines = true});
  EXPECT_EQ(stream.Final("a\nb", Options()).outcome, Outcome::kVerified);
  EXPECT_EQ(Held(), "Say: a\nb");
}

TEST_F(StreamTest, LongTextIsStreamedIntoThroughItsWindow) {
  ASSERT_TRUE(world_.SetText(field_, std::string(5000, 'x')).ok());
  ASSERT_TRUE(world_.MoveCaret(field_, 2500).ok());
  EditOptions options = Options();
  options.max_text = 100;
  EXPECT_EQ(stream_.Partial("one two three", options).outcome,
            Outcome::kVerified);
  EXPECT_EQ(stream_.Partial("one two three four five six", options).outcome,
            Outcome::kVerified);
  EXPECT_EQ(stream_.Final("one two three four five six seven", options).outcome,
            Outcome::kVerified);
  EXPECT_EQ(Held().substr(2495, 43),
            "xxxxxone two three four five six sevenxxxxx");
  EXPECT_EQ(Held().size(), 5033u);
}

}  // namespace
}  // namespace tactus::ax
