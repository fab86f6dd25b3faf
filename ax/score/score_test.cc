#include "ax/score/score.h"

#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

constexpr States kField = kStateFocused | kStateShowing | kStateVisible |
                          kStateSupportsText | kStateEditable;

TEST(ScoreTest, DefunctElementIsNeverChosen) {
  EXPECT_EQ(Score(kField | kStateDefunct, Role::kTextArea), -1);
}

TEST(ScoreTest, ElementThatLostTheFocusIsNeverChosen) {
  EXPECT_EQ(Score(kField & ~kStateFocused, Role::kTextArea), -1);
}

TEST(ScoreTest, ParagraphBeatsTheContainerThatWasToldAfterIt) {
  EXPECT_GT(Score(kField, Role::kParagraph),
            Score(kStateFocused | kStateShowing, Role::kContainer));
}

TEST(ScoreTest, FieldOnScreenBeatsAStaleOneThatIsNot) {
  EXPECT_GT(Score(kField & ~kStateEditable, Role::kTextArea),
            Score(kField & ~kStateShowing, Role::kTextArea));
}

TEST(ScoreTest, PasswordFieldIsNotBeatenByAReadOnlyText) {
  EXPECT_GT(Score(kField & ~kStateSupportsText, Role::kPassword),
            Score(kField | kStateReadOnly, Role::kTextArea));
}

TEST(ScoreTest, TwoEqualFieldsTie) {
  EXPECT_EQ(Score(kField, Role::kTextField), Score(kField, Role::kTextArea));
}

}  // namespace
}  // namespace tactus::ax
