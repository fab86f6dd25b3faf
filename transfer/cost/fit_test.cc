#include "transfer/cost/fit.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "transfer/cost/model.h"
#include "transfer/cost/units.h"

namespace tactus::transfer::cost {
namespace {

const TransferModel kTruth = {.fixed = absl::Milliseconds(590),
                              .rate = MegabitsPerSecond(370)};

std::vector<TransferSample> Exact() {
  std::vector<TransferSample> samples;
  for (const int64_t size : {8, 32, 128, 256, 512}) {
    samples.push_back({Mebibytes(size), kTruth.Predict(Mebibytes(size))});
  }
  return samples;
}

void ExpectTruth(const TransferModel& model) {
  EXPECT_NEAR(absl::ToDoubleSeconds(model.fixed), 0.59, 1e-6);
  EXPECT_NEAR(model.rate.megabits_per_second(), 370, 1e-6);
}

TEST(TransferFitTest, ExactSamplesGiveTheirModelAndNoResidual) {
  const absl::StatusOr<TransferFit> fit = FitTransfers(Exact());
  ASSERT_TRUE(fit.ok()) << fit.status();
  ExpectTruth(fit->model);
  EXPECT_EQ(fit->samples, 5u);
  EXPECT_FALSE(fit->without_fixed);
  EXPECT_LT(fit->median_residual, 1e-8);
  EXPECT_LT(fit->largest_residual, 1e-8);
}

TEST(TransferFitTest, OneOutlierInFiveMovesNothingWhicheverItIs) {
  for (size_t which = 0; which < 5; ++which) {
    for (const double factor : {0.001, 0.5, 2.0, 1000.0}) {
      std::vector<TransferSample> samples = Exact();
      samples[which].elapsed *= factor;
      const absl::StatusOr<TransferFit> fit = FitTransfers(samples);
      ASSERT_TRUE(fit.ok()) << which << " " << factor << fit.status();
      ExpectTruth(fit->model);
      if (factor > 1) {
        EXPECT_NEAR(fit->largest_residual, factor - 1, 1e-4);
      } else {
        EXPECT_NEAR(fit->most_negative_residual, factor - 1, 1e-4);
      }
    }
  }
}

TEST(TransferFitTest, TwoOutliersInTenMoveNothingWhicheverTheyAre) {
  for (size_t one = 0; one < 10; ++one) {
    for (size_t other = 0; other < one; ++other) {
      std::vector<TransferSample> samples = Exact();
      for (const TransferSample& sample : Exact()) samples.push_back(sample);
      samples[one].elapsed *= 20;
      samples[other].elapsed *= 20;
      const absl::StatusOr<TransferFit> fit = FitTransfers(samples);
      ASSERT_TRUE(fit.ok());
      ExpectTruth(fit->model);
    }
  }
}

TEST(TransferFitTest, LessThanNoFixedCostIsSetToNoneAndSaid) {
  const absl::StatusOr<TransferFit> fit =
      FitTransfers({{Mebibytes(1), absl::Seconds(1)},
                    {Mebibytes(2), absl::Seconds(2.2)},
                    {Mebibytes(4), absl::Seconds(5)}});
  ASSERT_TRUE(fit.ok());
  EXPECT_TRUE(fit->without_fixed);
  EXPECT_EQ(fit->model.fixed, absl::ZeroDuration());
  EXPECT_NEAR(fit->model.rate.bits_per_second(), 8 * 1048576 / 1.1, 1);
}

TEST(TransferFitTest, WhatCannotSayIsAnErrorThatSaysWhatToMeasure) {
  const auto cannot = absl::StatusCode::kFailedPrecondition;
  EXPECT_EQ(FitTransfers({}).status().code(), cannot);
  EXPECT_EQ(FitTransfers({{Mebibytes(1), absl::Seconds(1)},
                          {Mebibytes(2), absl::Seconds(2)}})
                .status()
                .code(),
            cannot);
  const absl::Status one_size =
      FitTransfers(std::vector<TransferSample>(9, {Bytes(7), absl::Seconds(1)}))
          .status();
  EXPECT_EQ(one_size.code(), cannot);
  EXPECT_NE(one_size.message().find("measure another size"),
            absl::string_view::npos);
  EXPECT_EQ(FitTransfers({{Mebibytes(1), absl::Seconds(3)},
                          {Mebibytes(2), absl::Seconds(2)},
                          {Mebibytes(3), absl::Seconds(1)}})
                .status()
                .code(),
            cannot);
}

TEST(TransferFitTest, WhatWasNotMeasuredIsAnErrorThatNamesTheSample) {
  for (const TransferSample& bad :
       {TransferSample{Bytes(0), absl::Seconds(1)},
        TransferSample{Bytes(1), absl::ZeroDuration()},
        TransferSample{Bytes(1), -absl::Seconds(1)},
        TransferSample{Bytes(1), absl::InfiniteDuration()}}) {
    std::vector<TransferSample> samples = Exact();
    samples[3] = bad;
    const absl::Status status = FitTransfers(samples).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message().substr(0, 8), "sample 3");
  }
  EXPECT_EQ(FitTransfers(
                std::vector<TransferSample>(1001, {Bytes(1), absl::Seconds(1)}))
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tactus::transfer::cost
