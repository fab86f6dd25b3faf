#include "ax/atspi/units.h"

#include <optional>

#include "ax/atspi/quirks.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

constexpr char kSmile[] = "a\xF0\x9F\x98\x80z";  // a, U+1F600, z

TEST(UnitTextTest, CodePointsStayAsTheyAre) {
  UnitText text(OffsetUnit::kCodePoint, kSmile);
  EXPECT_EQ(text.code_points(), 3);
  EXPECT_EQ(text.units(), 3);
  EXPECT_EQ(text.ToCodePoints(2), 2);
  EXPECT_EQ(text.ToCodePoints(4), std::nullopt);
}

TEST(UnitTextTest, Utf16OffsetsBecomeCodePoints) {
  UnitText text(OffsetUnit::kUtf16, kSmile);
  EXPECT_EQ(text.code_points(), 3);
  EXPECT_EQ(text.units(), 4);
  EXPECT_EQ(text.ToCodePoints(1), 1);
  EXPECT_EQ(text.ToCodePoints(3), 2);
  EXPECT_EQ(text.ToCodePoints(4), 3);
}

TEST(UnitTextTest, Utf16OffsetInsideACharacterIsMovedToItsStart) {
  UnitText text(OffsetUnit::kUtf16, kSmile);
  EXPECT_EQ(text.ToCodePoints(2), 1);
}

TEST(UnitTextTest, OffsetsOutsideTheTextHaveNoCodePoint) {
  UnitText text(OffsetUnit::kUtf16, kSmile);
  EXPECT_EQ(text.ToCodePoints(5), std::nullopt);
  EXPECT_EQ(text.ToCodePoints(-1), std::nullopt);
}

TEST(UnitTextTest, FillerAfterATwoUnitCharacterIsNotText) {
  UnitText text(OffsetUnit::kUtf16WithFiller, "a\xF0\x9F\x98\x80\xEF\xBB\xBFz");
  EXPECT_EQ(text.text(), kSmile);
  EXPECT_EQ(text.units(), 4);
  EXPECT_EQ(text.ToCodePoints(3), 2);
}

TEST(UnitTextTest, FillerThatTheUserTypedIsKept) {
  EXPECT_EQ(UnitText(OffsetUnit::kUtf16WithFiller, "a\xEF\xBB\xBFz").text(),
            "a\xEF\xBB\xBFz");
  EXPECT_EQ(UnitText(OffsetUnit::kUtf16WithFiller,
                     "\xF0\x9F\x98\x80\xEF\xBB\xBF\xEF\xBB\xBF")
                .text(),
            "\xF0\x9F\x98\x80\xEF\xBB\xBF");
}

TEST(UnitTextTest, TextCutInsideACharacterIsNotReadBeyond) {
  UnitText text(OffsetUnit::kUtf16WithFiller, "a\xF0\x9F");
  EXPECT_EQ(text.text(), "a\xF0\x9F");
}

}  // namespace
}  // namespace tactus::ax::atspi
