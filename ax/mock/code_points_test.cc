#include "ax/mock/code_points.h"

#include <cstdint>
#include <string>

#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::mock {
namespace {

TEST(CodePointsTest, EveryCodePointRoundTripsSurrogatesIncluded) {
  std::u32string all;
  for (char32_t point = 0; point <= 0x10FFFF; ++point) all.push_back(point);
  EXPECT_EQ(DecodeUtf8(EncodeUtf8(all)), all);
}

TEST(CodePointsTest, KnownBytes) {
  EXPECT_EQ(EncodeUtf8(U"h\u00e9\U0001F469"), "h\xC3\xA9\xF0\x9F\x91\xA9");
  EXPECT_EQ(EncodeUtf8(std::u32string(1, 0xD83D)), "\xED\xA0\xBD");
  EXPECT_EQ(EncodeUtf8(std::u32string(1, 0x110000)), "\xEF\xBF\xBD");
}

TEST(CodePointsTest, EachByteThatStartsNothingIsOneReplacement) {
  EXPECT_EQ(DecodeUtf8("a\x80z"), U"a\uFFFDz");
  EXPECT_EQ(DecodeUtf8("\xC0\x80"), U"\uFFFD\uFFFD");            // overlong
  EXPECT_EQ(DecodeUtf8("\xE0\x80\x80"), U"\uFFFD\uFFFD\uFFFD");  // overlong
  EXPECT_EQ(DecodeUtf8("\xF4\x90\x80\x80"),
            U"\uFFFD\uFFFD\uFFFD\uFFFD");  // past U+10FFFF
  EXPECT_EQ(DecodeUtf8("\xF0\x9F\x91"), U"\uFFFD\uFFFD\uFFFD");  // cut short
  EXPECT_EQ(DecodeUtf8("\xC3(\xC3"), U"\uFFFD(\uFFFD");
}

TEST(ClampTest, RangeStaysWithinTheTextAndNeverInverts) {
  EXPECT_EQ(Clamp({1, 3}, 5), (Range{1, 3}));
  EXPECT_EQ(Clamp({-4, INT64_MAX}, 5), (Range{0, 5}));
  EXPECT_EQ(Clamp({4, 2}, 5), (Range{4, 4}));
  EXPECT_EQ(Clamp({9, 12}, 5), (Range{5, 5}));
  EXPECT_EQ(Clamp({INT64_MIN, INT64_MIN}, 0), (Range{0, 0}));
}

TEST(IsUtf8Test, SurrogatesAndBrokenSequencesAreNot) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8("h\u00e9\U0001F469\n"));
  EXPECT_TRUE(IsUtf8("\uFFFD"));
  for (const char* bad : {"\xFF", "a\x80", "\xC0\x80", "\xF0\x9F\x91",
                          "\xF4\x90\x80\x80", "\xED\xA0\xBD"}) {
    EXPECT_FALSE(IsUtf8(bad)) << bad;
  }
}

}  // namespace
}  // namespace tactus::ax::mock
