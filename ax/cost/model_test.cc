#include "ax/cost/model.h"

#include <cstdint>
#include <limits>

#include "absl/time/time.h"
#include "ax/server/server.h"
#include "gtest/gtest.h"

namespace tactus::ax::cost {
namespace {

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

TEST(CostModelTest, EachCountIsTimesItsOwnCost) {
  const CostModel model = {.cold_connection = absl::Milliseconds(3),
                           .per_flight = absl::Microseconds(20),
                           .per_call = absl::Microseconds(5),
                           .per_byte = absl::Nanoseconds(2)};
  EXPECT_EQ(model.Predict({.connections = 2}), absl::Milliseconds(6));
  EXPECT_EQ(model.Predict({.flights = 3}), absl::Microseconds(60));
  EXPECT_EQ(model.Predict({.calls = 7}), absl::Microseconds(35));
  EXPECT_EQ(model.Predict({.bytes = 1000}), absl::Microseconds(2));
  EXPECT_EQ(model.Predict({3, 7, 1000, 2}),
            absl::Microseconds(6000 + 60 + 35 + 2));
  EXPECT_EQ(model.Predict({}), absl::ZeroDuration());
}

TEST(CostModelTest, ExampleOfTheHeaderHolds) {
  const CostModel gtk3 = {.cold_connection = absl::Milliseconds(1),
                          .per_flight = absl::Microseconds(27),
                          .per_call = absl::Microseconds(25)};
  EXPECT_EQ(gtk3.Predict({.flights = 1, .calls = 5}), absl::Microseconds(152));
}

TEST(CostModelTest, QuarterOfANanosecondIsTheLeastThatAByteCosts) {
  CostModel model;
  model.per_byte = absl::Nanoseconds(0.25);
  EXPECT_EQ(model.Predict({.bytes = 4'000'000}), absl::Milliseconds(1));
}

TEST(CostModelTest, HugeCountsSaturateAndDoNotOverflow) {
  const CostModel model = {absl::Hours(1'000'000), absl::Hours(1'000'000),
                           absl::Hours(1'000'000), absl::Hours(1'000'000)};
  EXPECT_EQ(model.Predict({kHuge, kHuge, kHuge, kHuge}),
            absl::InfiniteDuration());
}

TEST(CostModelTest, NegativeCountsAndCostsAreNone) {
  const CostModel model = {.per_flight = absl::Microseconds(20),
                           .per_call = -absl::Microseconds(5)};
  EXPECT_EQ(model.Predict({.flights = -1, .calls = 4}), absl::ZeroDuration());
}

}  // namespace
}  // namespace tactus::ax::cost
