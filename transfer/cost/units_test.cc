#include "transfer/cost/units.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace tactus::transfer::cost {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// What must not compile.
template <typename A, typename B>
concept Adds = requires(A a, B b) { a + b; };
template <typename A, typename B>
concept Divides = requires(A a, B b) { a / b; };
template <typename A, typename B>
concept Compares = requires(A a, B b) { a < b; };

static_assert(Adds<ByteCount, ByteCount>);
static_assert(!Adds<ByteCount, int64_t>);
static_assert(!Adds<ByteCount, BitRate>);
static_assert(!Adds<ByteCount, absl::Duration>);
static_assert(!Adds<BitRate, absl::Duration>);
static_assert(Divides<ByteCount, BitRate>);
static_assert(Divides<ByteCount, absl::Duration>);
static_assert(!Divides<BitRate, ByteCount>);
static_assert(Compares<BitRate, BitRate>);
static_assert(!Compares<BitRate, double>);
static_assert(!Compares<ByteCount, BitRate>);
static_assert(!std::is_convertible_v<int64_t, ByteCount>);
static_assert(!std::is_constructible_v<ByteCount, int64_t>);
static_assert(!std::is_convertible_v<double, BitRate>);
static_assert(!std::is_constructible_v<BitRate, double>);
static_assert(!std::is_convertible_v<ByteCount, int64_t>);
static_assert(!std::is_convertible_v<BitRate, double>);

TEST(UnitsTest, MebibytesAreBinaryAndMegabitsDecimal) {
  EXPECT_EQ(Mebibytes(32).bytes(), 33'554'432);
  EXPECT_EQ(Kibibytes(3).bytes(), 3072);
  EXPECT_EQ(MegabitsPerSecond(8).bits_per_second(), 8e6);
  EXPECT_EQ(Bytes(1'000'000) / MegabitsPerSecond(8), absl::Seconds(1));
  EXPECT_EQ(Bytes(1'000'000) / absl::Seconds(2), MegabitsPerSecond(4));
  EXPECT_EQ(MegabitsPerSecond(8) * absl::Milliseconds(250), Bytes(250'000));
}

TEST(UnitsTest, ExampleOfTheHeaderHolds) {
  const absl::Duration time = Mebibytes(128) / MegabitsPerSecond(373);
  EXPECT_NEAR(absl::ToDoubleSeconds(time), 2.88, 0.005);
}

TEST(UnitsTest, NothingTakesNoTimeAndNoRateTakesForEver) {
  EXPECT_EQ(Bytes(0) / BitRate(), absl::ZeroDuration());
  EXPECT_EQ(Bytes(1) / BitRate(), absl::InfiniteDuration());
  EXPECT_EQ(Bytes(1) / absl::ZeroDuration(), BitRate());
  EXPECT_EQ(Bytes(1) / -absl::Seconds(1), BitRate());
  EXPECT_EQ(Bytes(1) / absl::InfiniteDuration(), BitRate());
  EXPECT_EQ(BitRate() * absl::InfiniteDuration(), Bytes(0));
}

TEST(UnitsTest, WhatIsNoAmountCountsAsNone) {
  EXPECT_EQ(Bytes(-1), Bytes(0));
  EXPECT_EQ(Mebibytes(-1), Bytes(0));
  EXPECT_EQ(Bytes(3) - Bytes(5), Bytes(0));
  EXPECT_EQ(BitsPerSecond(-1), BitRate());
  EXPECT_EQ(BitsPerSecond(std::nan("")), BitRate());
}

TEST(UnitsTest, HugeAmountsSaturateAndDoNotOverflow) {
  EXPECT_EQ(Mebibytes(kMost), Bytes(kMost));
  EXPECT_EQ(Bytes(kMost) + Bytes(1), Bytes(kMost));
  EXPECT_EQ(Bytes(kMost) - Bytes(1), Bytes(kMost - 1));
  EXPECT_EQ(MegabitsPerSecond(1e300) * absl::Hours(1), Bytes(kMost));
  EXPECT_EQ(Bytes(kMost) / BitsPerSecond(1e-300), absl::InfiniteDuration());
}

}  // namespace
}  // namespace tactus::transfer::cost
