#include "ax/atspi/units.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/atspi/quirks.h"
#include "ax/clock/clock.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

UnitText Convert(OffsetUnit unit, std::string raw) {
  SimulatedClock clock;
  absl::StatusOr<UnitText> text =
      UnitText::Convert(unit, std::move(raw), clock, absl::InfiniteFuture());
  EXPECT_TRUE(text.ok()) << text.status();
  return *std::move(text);
}

constexpr char kSmile[] = "a\xF0\x9F\x98\x80z";  // a, U+1F600, z

TEST(UnitTextTest, CodePointsStayAsTheyAre) {
  UnitText text = Convert(OffsetUnit::kCodePoint, kSmile);
  EXPECT_EQ(text.code_points(), 3);
  EXPECT_EQ(text.units(), 3);
  EXPECT_EQ(text.ToCodePoints(2), 2);
  EXPECT_EQ(text.ToCodePoints(4), std::nullopt);
}

TEST(UnitTextTest, Utf16OffsetsBecomeCodePoints) {
  UnitText text = Convert(OffsetUnit::kUtf16, kSmile);
  EXPECT_EQ(text.code_points(), 3);
  EXPECT_EQ(text.units(), 4);
  EXPECT_EQ(text.ToCodePoints(1), 1);
  EXPECT_EQ(text.ToCodePoints(3), 2);
  EXPECT_EQ(text.ToCodePoints(4), 3);
}

TEST(UnitTextTest, Utf16OffsetInsideACharacterIsMovedToItsStart) {
  UnitText text = Convert(OffsetUnit::kUtf16, kSmile);
  EXPECT_EQ(text.ToCodePoints(2), 1);
}

TEST(UnitTextTest, OffsetsOutsideTheTextHaveNoCodePoint) {
  UnitText text = Convert(OffsetUnit::kUtf16, kSmile);
  EXPECT_EQ(text.ToCodePoints(5), std::nullopt);
  EXPECT_EQ(text.ToCodePoints(-1), std::nullopt);
}

TEST(UnitTextTest, FillerAfterATwoUnitCharacterIsNotText) {
  UnitText text =
      Convert(OffsetUnit::kUtf16WithFiller, "a\xF0\x9F\x98\x80\xEF\xBB\xBFz");
  EXPECT_EQ(text.text(), kSmile);
  EXPECT_EQ(text.units(), 4);
  EXPECT_EQ(text.ToCodePoints(3), 2);
}

TEST(UnitTextTest, FillerThatTheUserTypedIsKept) {
  EXPECT_EQ(Convert(OffsetUnit::kUtf16WithFiller, "a\xEF\xBB\xBFz").text(),
            "a\xEF\xBB\xBFz");
  EXPECT_EQ(Convert(OffsetUnit::kUtf16WithFiller,
                    "\xF0\x9F\x98\x80\xEF\xBB\xBF\xEF\xBB\xBF")
                .text(),
            "\xF0\x9F\x98\x80\xEF\xBB\xBF");
}

// Each look at it takes a millisecond.
class TickingClock : public Clock {
 public:
  absl::Time Now() override { return now_ += absl::Milliseconds(1); }
  void SleepUntil(absl::Time time) override { now_ = std::max(now_, time); }
  int looks() const {
    return static_cast<int>((now_ - absl::UnixEpoch()) / absl::Milliseconds(1));
  }

 private:
  absl::Time now_ = absl::UnixEpoch();
};

TEST(UnitTextTest, LongTextIsConvertedNoFurtherThanItsDeadline) {
  for (const OffsetUnit unit :
       {OffsetUnit::kUtf16, OffsetUnit::kUtf16WithFiller}) {
    TickingClock clock;
    const absl::Status status =
        UnitText::Convert(unit, std::string(100 * UnitText::kChunk, 'a'), clock,
                          absl::UnixEpoch() + absl::Milliseconds(5))
            .status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
    EXPECT_EQ(clock.looks(), 5);
  }
}

TEST(UnitTextTest, ShortTextIsConvertedAtItsDeadline) {
  TickingClock clock;
  absl::StatusOr<UnitText> text =
      UnitText::Convert(OffsetUnit::kUtf16, std::string(UnitText::kChunk, 'a'),
                        clock, absl::InfinitePast());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->units(), static_cast<int64_t>(UnitText::kChunk));
}

// A character of four bytes, and the filler, lie across each edge of a chunk.
TEST(UnitTextTest, ChunksCutNoCharacter) {
  std::string smiles;
  for (size_t i = 0; i < UnitText::kChunk; ++i) smiles += "\xF0\x9F\x98\x80";
  for (const char* lead : {"", "a", "aa", "aaa"}) {
    const auto leads = static_cast<int64_t>(std::string(lead).size());
    const auto many = static_cast<int64_t>(UnitText::kChunk);
    UnitText text = Convert(OffsetUnit::kUtf16, lead + smiles);
    EXPECT_EQ(text.code_points(), leads + many);
    EXPECT_EQ(text.units(), leads + 2 * many);
    EXPECT_EQ(text.ToCodePoints(leads + 2 * many - 2), leads + many - 1);

    std::string filled = lead;
    for (size_t i = 0; i < UnitText::kChunk; ++i) {
      filled += "\xF0\x9F\x98\x80\xEF\xBB\xBF";
    }
    EXPECT_EQ(Convert(OffsetUnit::kUtf16WithFiller, filled).text(),
              lead + smiles);
  }
}

TEST(UnitTextTest, TextCutInsideACharacterIsNotReadBeyond) {
  UnitText text = Convert(OffsetUnit::kUtf16WithFiller, "a\xF0\x9F");
  EXPECT_EQ(text.text(), "a\xF0\x9F");
}

}  // namespace
}  // namespace tactus::ax::atspi
