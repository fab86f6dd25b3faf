#include "ax/text/slice.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

// a (1 byte), e acute (2), U+1F600 (4), z (1).
constexpr std::string_view kMixed = "a\xC3\xA9\xF0\x9F\x98\x80z";

TEST(SliceTest, LengthIsInCodePoints) {
  EXPECT_EQ(CodePointLength(kMixed), 4);
  EXPECT_EQ(CodePointLength(""), 0);
  EXPECT_EQ(CodePointLength("\xFF\xFE"), 2);
}

TEST(SliceTest, PartIsBetweenItsOffsets) {
  EXPECT_EQ(CodePointSlice(kMixed, 1, 3), "\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(CodePointSlice(kMixed, 0, 4), kMixed);
  EXPECT_EQ(CodePointSlice(kMixed, 3, 4), "z");
  EXPECT_EQ(CodePointSlice(kMixed, 2, 2), "");
}

TEST(SliceTest, OffsetsAreClampedToTheText) {
  EXPECT_EQ(CodePointSlice(kMixed, -1, 1), "a");
  EXPECT_EQ(CodePointSlice(kMixed, kLeast, kMost), kMixed);
  EXPECT_EQ(CodePointSlice(kMixed, 3, 9), "z");
  EXPECT_EQ(CodePointSlice(kMixed, 9, 12), "");
  EXPECT_EQ(CodePointSlice(kMixed, -2, -1), "");
}

TEST(SliceTest, EndBeforeTheBeginningIsNothing) {
  EXPECT_EQ(CodePointSlice(kMixed, 3, 1), "");
  EXPECT_EQ(CodePointSlice(kMixed, kMost, kLeast), "");
  EXPECT_EQ(CodePointSlice("", 0, 1), "");
}

TEST(SliceTest, PartIsAViewIntoTheText) {
  EXPECT_EQ(CodePointSlice(kMixed, 1, 2).data(), kMixed.data() + 1);
}

// Every pair of offsets against counting by hand.
TEST(SliceTest, EveryPartOfAShortTextIsWhatCountingGives) {
  const std::string_view points[] = {"a", "\xC3\xA9", "\xF0\x9F\x98\x80", "z"};
  for (int64_t begin = -2; begin <= 6; ++begin) {
    for (int64_t end = -2; end <= 6; ++end) {
      std::string expected;
      for (int64_t i = 0; i < 4; ++i) {
        if (i >= begin && i < end) expected += points[i];
      }
      EXPECT_EQ(CodePointSlice(kMixed, begin, end), expected)
          << begin << " " << end;
    }
  }
}

}  // namespace
}  // namespace tactus::ax
