#include "ax/text/graphemes.h"

#include <cstddef>
#include <string>
#include <vector>

#include "ax/text/utf.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

std::vector<size_t> Boundaries(const std::string& text) {
  std::vector<size_t> found;
  for (size_t i = 0; i <= CodePointCount(text) + 1; ++i) {
    if (IsGraphemeBoundary(text, i)) found.push_back(i);
  }
  return found;
}

std::string Of(const std::vector<char32_t>& points) {
  std::string text;
  for (const char32_t point : points) AppendCodePoint(point, text);
  return text;
}

using Offsets = std::vector<size_t>;

TEST(GraphemesTest, PlainLettersAreOneEach) {
  EXPECT_EQ(Boundaries("abc"), (Offsets{0, 1, 2, 3}));
}

TEST(GraphemesTest, EmptyTextHasOneBoundary) {
  EXPECT_EQ(Boundaries(""), (Offsets{0}));
}

TEST(GraphemesTest, LetterAndItsMarksAreOne) {
  EXPECT_EQ(Boundaries(Of({'e', 0x301, 0x323, 'x'})), (Offsets{0, 3, 4}));
}

TEST(GraphemesTest, FamilyOfJoinedEmojiIsOne) {
  EXPECT_EQ(
      Boundaries(Of({'a', 0x1F469, 0x200D, 0x1F469, 0x200D, 0x1F467, 'b'})),
      (Offsets{0, 1, 6, 7}));
}

TEST(GraphemesTest, FlagsAreTwoLettersEachAndNotOneLongRow) {
  EXPECT_EQ(Boundaries(Of({0x1F1E9, 0x1F1EA, 0x1F1EB, 0x1F1F7})),
            (Offsets{0, 2, 4}));
}

TEST(GraphemesTest, SkinToneBelongsToItsHand) {
  EXPECT_EQ(Boundaries(Of({0x1F44B, 0x1F3FD, '!'})), (Offsets{0, 2, 3}));
}

TEST(GraphemesTest, CarriageReturnAndLineFeedAreOne) {
  EXPECT_EQ(Boundaries("a\r\nb"), (Offsets{0, 1, 3, 4}));
}

TEST(GraphemesTest, HangulJamoJoin) {
  EXPECT_EQ(Boundaries(Of({0x1112, 0x1161, 0x11AB, 0x1100})),
            (Offsets{0, 3, 4}));
}

TEST(GraphemesTest, FloorAndCeilingAreTheNearestBoundaries) {
  const std::string text = Of({'a', 'e', 0x301, 0x323, 'x'});
  EXPECT_EQ(GraphemeFloor(text, 2), 1u);
  EXPECT_EQ(GraphemeFloor(text, 3), 1u);
  EXPECT_EQ(GraphemeFloor(text, 4), 4u);
  EXPECT_EQ(GraphemeCeiling(text, 2), 4u);
  EXPECT_EQ(GraphemeCeiling(text, 1), 1u);
  EXPECT_EQ(GraphemeFloor(text, 99), 5u);
  EXPECT_EQ(GraphemeCeiling(text, 99), 5u);
  EXPECT_EQ(GraphemeCeiling(Of({'e', 0x301}), 1), 2u);
}

TEST(GraphemesTest, IllFormedBytesAreNoCrash) {
  EXPECT_EQ(Boundaries("\xFF\xFE"), (Offsets{0, 1, 2}));
}

}  // namespace
}  // namespace tactus::ax
