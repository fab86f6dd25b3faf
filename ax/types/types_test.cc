#include "ax/types/types.h"

#include <cstdint>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

TEST(GetTest, ValueOfTheAskedTypeIsReturned) {
  EXPECT_EQ(*Get<int64_t>(Reading(Value(int64_t{7}))), 7);
}

TEST(GetTest, ValueOfAnotherTypeIsDataLossAndNotACrash) {
  EXPECT_EQ(Get<Range>(Reading(Value(int64_t{7}))).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(Get<bool>(Reading(Value())).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST(GetTest, FailedReadingKeepsItsOwnStatus) {
  EXPECT_EQ(Get<bool>(Reading(absl::NotFoundError("none"))).status(),
            absl::NotFoundError("none"));
}

TEST(AttributeTest, ExactlyTheTextAttributesBearText) {
  for (Attribute a : {Attribute::kRole, Attribute::kSubrole, Attribute::kStates,
                      Attribute::kValueSettable, Attribute::kSelectionSettable,
                      Attribute::kWindow}) {
    EXPECT_FALSE(BearsText(a)) << AttributeName(a);
  }
  for (Attribute a :
       {Attribute::kText, Attribute::kCharacterCount, Attribute::kCaret,
        Attribute::kSelection, Attribute::kSelectedText}) {
    EXPECT_TRUE(BearsText(a)) << AttributeName(a);
  }
}

TEST(AttributeTest, EveryAttributeHasANameOfItsOwn) {
  std::set<absl::string_view> names;
  for (int i = 0; i <= static_cast<int>(Attribute::kSelectedText); ++i) {
    names.insert(AttributeName(static_cast<Attribute>(i)));
  }
  EXPECT_EQ(names.size(), 11u);
  EXPECT_EQ(names.count("unknown"), 0u);
}

TEST(RangeTest, ContainsIsInclusiveOfBothEnds) {
  const Range range{2, 5};
  EXPECT_TRUE(range.Contains({2, 5}));
  EXPECT_TRUE(range.Contains({5, 5}));
  EXPECT_FALSE(range.Contains({1, 3}));
  EXPECT_FALSE(range.Contains({4, 6}));
}

}  // namespace
}  // namespace tactus::ax
