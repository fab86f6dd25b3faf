#include "transfer/cost/time_left.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "transfer/cost/model.h"
#include "transfer/cost/units.h"

namespace tactus::transfer::cost {
namespace {

// One megabyte a second after three seconds.
const TransferModel kModel = {.fixed = absl::Seconds(3),
                              .rate = MegabitsPerSecond(8)};
const ByteCount kTotal = Bytes(100'000'000);

ByteCount Megabytes(double count) {
  return MegabitsPerSecond(8) * absl::Seconds(count);
}

// A sample a second, the first of them before the first byte.
std::vector<Progress> Steady(int seconds) {
  std::vector<Progress> progress;
  for (int s = 1; s <= seconds; ++s) {
    progress.push_back({absl::Seconds(s), Megabytes(s > 3 ? s - 3 : 0)});
  }
  return progress;
}

double LeftSeconds(const std::vector<Progress>& progress,
                   const TimeLeftOptions& options = {}) {
  const absl::StatusOr<absl::Duration> left =
      TimeLeft(progress, kTotal, options);
  EXPECT_TRUE(left.ok()) << left.status();
  return left.ok() ? absl::ToDoubleSeconds(*left) : -1;
}

TEST(TimeLeftTest, FixedCostAtTheStartIsNotTakenForTheRate) {
  // Three megabytes after six seconds: their quotient would say 194 s.
  EXPECT_NEAR(LeftSeconds(Steady(6)), 97, 1e-6);
  EXPECT_NEAR(LeftSeconds(Steady(53)), 50, 1e-6);
}

TEST(TimeLeftTest, BeforeThreeSizesThePriorSays) {
  EXPECT_EQ(TimeLeft(Steady(5), kTotal).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(TimeLeft({}, kTotal).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_NEAR(LeftSeconds({}, {.prior = kModel}), 103, 1e-6);
  EXPECT_NEAR(LeftSeconds(Steady(2), {.prior = kModel}), 101, 1e-6);
  // The connection takes longer than it did; that it is about to open is all
  // that can be said.
  EXPECT_NEAR(LeftSeconds({{absl::Seconds(50), Bytes(0)}}, {.prior = kModel}),
              100, 1e-6);
  EXPECT_NEAR(LeftSeconds(Steady(5), {.prior = kModel}), 98, 1e-6);
}

TEST(TimeLeftTest, OneStallHardlyMovesItAndOneThatLastsDoes) {
  std::vector<Progress> progress = Steady(33);
  // Ten seconds of nothing, then on as before.
  for (int s = 1; s <= 10; ++s) {
    progress.push_back({absl::Seconds(43 + s), Megabytes(30 + s)});
  }
  EXPECT_NEAR(LeftSeconds(progress), 60, 9);
  EXPECT_GE(LeftSeconds(progress), 60);
  // A tenth of the rate from now on: the newest samples take over.
  for (int s = 1; s <= 60; ++s) {
    progress.push_back({absl::Seconds(53 + s), Megabytes(40 + 0.1 * s)});
  }
  EXPECT_NEAR(LeftSeconds(progress), 540, 1);
}

TEST(TimeLeftTest, AtTheEndNothingIsLeft) {
  EXPECT_EQ(*TimeLeft({{absl::Seconds(9), kTotal}}, kTotal),
            absl::ZeroDuration());
  EXPECT_EQ(*TimeLeft({}, Bytes(0)), absl::ZeroDuration());
}

TEST(TimeLeftTest, WhatGoesBackwardsOrTooFarIsAnError) {
  const auto invalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(
      TimeLeft({{absl::Seconds(2), Bytes(2)}, {absl::Seconds(1), Bytes(3)}},
               kTotal)
          .status()
          .code(),
      invalid);
  EXPECT_EQ(
      TimeLeft({{absl::Seconds(2), Bytes(2)}, {absl::Seconds(3), Bytes(1)}},
               kTotal)
          .status()
          .code(),
      invalid);
  EXPECT_EQ(
      TimeLeft({{absl::InfiniteDuration(), Bytes(2)}}, kTotal).status().code(),
      invalid);
  EXPECT_EQ(
      TimeLeft({{absl::Seconds(1), Bytes(11)}}, Bytes(10)).status().code(),
      invalid);
}

}  // namespace
}  // namespace tactus::transfer::cost
