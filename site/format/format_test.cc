#include "site/format/format.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "ledger/row/row.h"

namespace tactus::site {
namespace {

using ledger::Unit;

std::string Show(double value, Unit unit) {
  const Shown shown = ShowValue(value, unit);
  return absl::StrCat(shown.number, "|", shown.unit);
}

TEST(Value, KeepsThreeDigitsAndTheUnitThatSuitsThem) {
  EXPECT_EQ(Show(412.4, Unit::kMicroseconds), "412|µs");
  EXPECT_EQ(Show(41.24, Unit::kMicroseconds), "41.2|µs");
  EXPECT_EQ(Show(4124, Unit::kMicroseconds), "4.12|ms");
  EXPECT_EQ(Show(0.25, Unit::kMilliseconds), "250|µs");
  EXPECT_EQ(Show(49, Unit::kNanoseconds), "49.0|ns");
  EXPECT_EQ(Show(0.0125, Unit::kNanoseconds), "0.0125|ns");
  EXPECT_EQ(Show(7200, Unit::kSeconds), "7200|s");
  EXPECT_EQ(Show(46.8e6, Unit::kBytesPerSecond), "46.8|MB/s");
  EXPECT_EQ(Show(368, Unit::kMegabitsPerSecond), "368|Mbit/s");
  EXPECT_EQ(Show(1234567, Unit::kPerSecond), "1.23|M/s");
  EXPECT_EQ(Show(0.6, Unit::kRatio), "0.600|×");
}

TEST(Value, ThatRoundsToAThousandIsOneOfTheNextUnit) {
  EXPECT_EQ(Show(999.4, Unit::kMicroseconds), "999|µs");
  EXPECT_EQ(Show(999.6, Unit::kMicroseconds), "1.00|ms");
  EXPECT_EQ(Show(9.996, Unit::kMicroseconds), "10.0|µs");
  EXPECT_EQ(Show(99.96, Unit::kRatio), "100|×");
}

TEST(Value, OfZeroStaysInTheUnitOfItsRow) {
  EXPECT_EQ(Show(0, Unit::kMilliseconds), "0|ms");
  EXPECT_EQ(Show(0, Unit::kCount), "0|");
}

TEST(Value, ThatIsACountIsWhole) {
  EXPECT_EQ(Show(7, Unit::kCount), "7|");
  EXPECT_EQ(Show(1234, Unit::kCount), "1234|");
  EXPECT_EQ(Show(1234567, Unit::kCount), "1\u202f234\u202f567|");
  EXPECT_EQ(Show(2.5, Unit::kCount), "2.50|");
  EXPECT_EQ(Show(512, Unit::kBytes), "512|B");
}

TEST(Value, AndItsUnitAreNeverParted) {
  EXPECT_EQ(ShowText(412, Unit::kMicroseconds), "412\u00a0µs");
  EXPECT_EQ(ShowText(2, Unit::kRatio), "2.00×");
  EXPECT_EQ(ShowText(7, Unit::kCount), "7");
}

TEST(Time, IsWrittenInUtc) {
  const absl::Time time = absl::FromUnixSeconds(1796113800);
  EXPECT_EQ(ShowDay(time), "1 Dec 2026");
  EXPECT_EQ(ShowMinute(time), "2026-12-01 08:30 UTC");
}

}  // namespace
}  // namespace tactus::site
