#include "ledger/stats/summary.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"

namespace tactus::ledger {
namespace {

std::vector<double> OneTo(int n) {
  std::vector<double> samples;
  // Not in order: from the ends inwards.
  for (int low = 1, high = n; low <= high; ++low, --high) {
    samples.push_back(high);
    if (low != high) samples.push_back(low);
  }
  return samples;
}

TEST(SummaryTest, P99OfTwoHundredIsThe198thValue) {
  const absl::StatusOr<Summary> summary = Summarize(OneTo(200));
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(*summary, (Summary{.n = 200,
                               .min = 1,
                               .p50 = 100,
                               .p95 = 190,
                               .p99 = 198,
                               .max = 200,
                               .mean = 100.5}));
}

TEST(SummaryTest, OneSampleIsEveryQuantile) {
  const absl::StatusOr<Summary> summary = Summarize({7.25});
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(*summary, (Summary{1, 7.25, 7.25, 7.25, 7.25, 7.25, 7.25}));
}

TEST(SummaryTest, TwoAndThreeSamplesHaveTheirMiddleByNearestRank) {
  EXPECT_EQ(*Summarize({5, 3}), (Summary{2, 3, 3, 5, 5, 5, 4}));
  EXPECT_EQ(*Summarize({5, 3, 4}), (Summary{3, 3, 4, 5, 5, 5, 4}));
}

TEST(SummaryTest, ConstantSamplesAreTheirOwnSummary) {
  for (const double value : {0.1, -3.0, 1e308, 5e-324}) {
    const std::vector<double> samples(1000, value);
    EXPECT_EQ(*Summarize(samples),
              (Summary{1000, value, value, value, value, value, value}));
  }
}

TEST(SummaryTest, LargestDoublesDoNotOverflowTheMean) {
  const double huge = std::numeric_limits<double>::max();
  EXPECT_EQ(Summarize({huge, huge, huge})->mean, huge);
  EXPECT_EQ(Summarize({huge, -huge})->mean, 0);
  EXPECT_EQ(*Median({huge, huge}), huge);
}

// The definition read aloud: the least sample that at least a share p of all
// samples are not above.
double Obvious(const std::vector<double>& samples, int64_t percent) {
  double best = std::numeric_limits<double>::infinity();
  for (const double candidate : samples) {
    int64_t covered = 0;
    for (const double sample : samples) covered += sample <= candidate ? 1 : 0;
    if (100 * covered >= percent * static_cast<int64_t>(samples.size()) &&
        candidate < best) {
      best = candidate;
    }
  }
  return best;
}

// Every row of up to six samples out of {0, 1, 2, 3}: ties, constants, n of 1
// to 3 are all among them.
TEST(SummaryTest, AgreesWithTheDefinitionOnEverySmallInput) {
  int rows = 0;
  for (size_t n = 1; n <= 6; ++n) {
    for (unsigned code = 0; code < (1u << (2 * n)); ++code) {
      std::vector<double> samples;
      double sum = 0;
      for (size_t i = 0; i < n; ++i) {
        samples.push_back((code >> (2 * i)) & 3);
        sum += samples.back();
      }
      const absl::StatusOr<Summary> summary = Summarize(samples);
      ASSERT_TRUE(summary.ok());
      ASSERT_EQ(summary->min, Obvious(samples, 1));
      ASSERT_EQ(summary->p50, Obvious(samples, 50)) << code;
      ASSERT_EQ(summary->p95, Obvious(samples, 95)) << code;
      ASSERT_EQ(summary->p99, Obvious(samples, 99)) << code;
      ASSERT_EQ(summary->max, Obvious(samples, 100));
      ASSERT_EQ(summary->mean, sum / static_cast<double>(n));
      // The middle from both ends.
      std::vector<double> turned;
      for (const double sample : samples) turned.push_back(-sample);
      ASSERT_EQ(*Median(samples),
                (Obvious(samples, 50) - Obvious(turned, 50)) / 2);
      ++rows;
    }
  }
  EXPECT_EQ(rows, 4 + 16 + 64 + 256 + 1024 + 4096);
}

TEST(SummaryTest, RankIsExactForEveryHundredthOfEverySize) {
  for (int64_t n = 1; n <= 1000; ++n) {
    for (int64_t percent = 1; percent <= 100; ++percent) {
      const int64_t exact = (percent * n + 99) / 100;
      ASSERT_EQ(QuantileRank(n, static_cast<double>(percent) / 100), exact)
          << percent << " % of " << n;
    }
  }
}

TEST(SummaryTest, NoSamplesAreAnErrorAndNotZero) {
  EXPECT_EQ(Summarize({}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Summarize({}).status().message(),
            "there are no samples: nothing was measured");
  EXPECT_EQ(Quantile({}, 0.5).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Median({}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(SummaryTest, WhatIsNoFiniteNumberIsNamedByItsPlace) {
  for (const double bad : {HUGE_VAL - HUGE_VAL, HUGE_VAL, -HUGE_VAL}) {
    const std::vector<double> samples = {1, bad, 3};
    const absl::Status status = Summarize(samples).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message().substr(0, 10), "samples[1]");
    EXPECT_FALSE(Quantile(samples, 0.5).ok());
    EXPECT_FALSE(Median(samples).ok());
  }
}

TEST(SummaryTest, QuantilesOutOfRangeAreErrors) {
  for (const double p : {0.0, -0.1, 1.1, static_cast<double>(NAN)}) {
    EXPECT_EQ(Quantile({1, 2}, p).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(*Quantile({2, 1}, 1), 2);
  EXPECT_EQ(*Quantile({2, 1}, 1e-300), 1);
}

}  // namespace
}  // namespace tactus::ledger
