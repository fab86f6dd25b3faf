#include "transfer/files/meter.h"

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "transfer/files/limits.h"
#include "transfer/files/progress.h"

namespace tactus::transfer::files {
namespace {

absl::Time At(double seconds) {
  return absl::UnixEpoch() + absl::Seconds(seconds);
}

// Of 100 MB, of which 40 were there.
Progress Of(uint64_t fresh, int tries = 1) {
  return {.total_bytes = 100'000'000,
          .bytes = 40'000'000 + fresh,
          .kept = 40'000'000,
          .fresh = fresh,
          .tries = tries};
}

TEST(Meter, TheRateIsOfNewBytesAlone) {
  Meter meter;
  EXPECT_EQ(meter.Read(Of(0), At(0)).rate, std::nullopt);
  Reading reading;
  for (int second = 1; second <= 4; ++second) {
    reading =
        meter.Read(Of(static_cast<uint64_t>(second) * 10'000'000), At(second));
  }
  EXPECT_EQ(reading.percent, 80);
  EXPECT_DOUBLE_EQ(reading.rate->bits_per_second(), 80'000'000.0);
  ASSERT_TRUE(reading.left.has_value());
  EXPECT_EQ(absl::ToInt64Milliseconds(*reading.left), 2000);
}

TEST(Meter, ItNeverSaysThatAllIsThereBeforeItIs) {
  Meter meter;
  EXPECT_EQ(meter.Read(Of(59'999'999), At(0)).percent, 99);
  EXPECT_EQ(meter.Read(Of(60'000'000), At(1)).percent, 100);
  // A file that grew, after it was counted.
  EXPECT_EQ(meter.Read(Of(70'000'000), At(2)).percent, 100);
  EXPECT_EQ(Meter().Read({.total_bytes = 0}, At(0)).percent, 100);
}

TEST(Meter, WhatNobodyKnowsIsNotSaid) {
  Meter meter;
  for (int second = 0; second < 5; ++second) {
    const Reading reading =
        meter.Read({.total_bytes = kSizeUnknown,
                    .bytes = static_cast<uint64_t>(second) * 1000,
                    .fresh = static_cast<uint64_t>(second) * 1000},
                   At(second));
    EXPECT_EQ(reading.percent, std::nullopt);
    EXPECT_EQ(reading.left, std::nullopt);
  }
}

TEST(Meter, ATryThatBeginsCountsFromNothing) {
  Meter meter;
  (void)meter.Read(Of(0, 1), At(0));
  (void)meter.Read(Of(30'000'000, 1), At(1));
  // Half a minute of waiting is no part of the rate.
  EXPECT_EQ(meter.Read(Of(30'000'000, 2), At(30)).rate, std::nullopt);
  EXPECT_DOUBLE_EQ(
      meter.Read(Of(31'000'000, 2), At(31)).rate->bits_per_second(),
      8'000'000.0);
}

}  // namespace
}  // namespace tactus::transfer::files
