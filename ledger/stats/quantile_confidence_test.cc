#include "ledger/stats/quantile_confidence.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace tactus::ledger {
namespace {

// The chance of each number of successes of n trials, one trial after the other
// (Pascal's triangle): slow, and nothing of it is shared with what is tested.
std::vector<long double> Binomial(int64_t n, long double p) {
  std::vector<long double> chances = {1};
  for (int64_t trial = 0; trial < n; ++trial) {
    std::vector<long double> next(chances.size() + 1, 0);
    for (size_t k = 0; k < chances.size(); ++k) {
      next[k] += chances[k] * (1 - p);
      next[k + 1] += chances[k] * p;
    }
    chances = next;
  }
  return chances;
}

long double SumFrom(const std::vector<long double>& chances, int64_t k) {
  long double sum = 0;
  for (size_t i = chances.size(); i-- > 0;) {
    if (static_cast<int64_t>(i) >= k) sum += chances[i];
  }
  return sum;
}

TEST(QuantileConfidenceTest, TwoHundredBelowAreNoProofOfP99) {
  EXPECT_NEAR(*ConfidenceBelow({.n = 200, .not_below = 0, .p = 0.99}), 0.866,
              0.0001);
  EXPECT_NEAR(*ConfidenceBelow({.n = 200, .not_below = 0, .p = 0.99}),
              1 - std::pow(0.99, 200), 1e-14);
  EXPECT_LT(*ConfidenceBelow({.n = 298}), 0.95);
  EXPECT_GE(*ConfidenceBelow({.n = 299}), 0.95);
  EXPECT_EQ(*SamplesNeeded({.p = 0.99, .confidence = 0.95}), 299);
  EXPECT_EQ(*SamplesNeeded({.p = 0.99, .confidence = 0.95, .not_below = 1}),
            473);
  EXPECT_EQ(*SamplesNeeded({.p = 0.5, .confidence = 0.95}), 5);
}

TEST(QuantileConfidenceTest, NothingBelowProvesNothing) {
  EXPECT_EQ(*ConfidenceBelow({.n = 5, .not_below = 5, .p = 0.5}), 0);
}

TEST(QuantileConfidenceTest, AgreesWithTheSlowSumForEveryCountUpToSixty) {
  for (const double p : {0.01, 0.25, 0.5, 0.9, 0.95, 0.99}) {
    for (int64_t n = 1; n <= 60; ++n) {
      const std::vector<long double> chances =
          Binomial(n, 1 - static_cast<long double>(p));
      for (int64_t k = 0; k <= n; ++k) {
        ASSERT_NEAR(*ConfidenceBelow({n, k, p}),
                    static_cast<double>(SumFrom(chances, k + 1)), 1e-13)
            << p << " " << n << " " << k;
      }
    }
  }
}

TEST(QuantileConfidenceTest, SamplesNeededIsTheFirstThatIsEnough) {
  for (const double p : {0.3, 0.5, 0.9, 0.95}) {
    for (const double confidence : {0.5, 0.9, 0.95, 0.99}) {
      for (int64_t k = 0; k <= 3; ++k) {
        int64_t n = k;
        while (static_cast<double>(SumFrom(
                   Binomial(n, 1 - static_cast<long double>(p)), k + 1)) <
               confidence) {
          ++n;
        }
        ASSERT_EQ(*SamplesNeeded({p, confidence, k}), n)
            << p << " " << confidence << " " << k;
      }
    }
  }
}

TEST(QuantileConfidenceTest, IntervalIsTheNarrowestBySlowSearch) {
  for (const double p : {0.05, 0.25, 0.5, 0.9, 0.99}) {
    for (const double confidence : {0.5, 0.9, 0.95, 0.99}) {
      const double miss = (1 - confidence) / 2;
      for (int64_t n = 1; n <= 60; ++n) {
        const std::vector<long double> chances =
            Binomial(n, static_cast<long double>(p));
        std::optional<int64_t> low, high;
        for (int64_t rank = 1; rank <= n; ++rank) {
          const long double from = SumFrom(chances, rank);
          const long double before = SumFrom(chances, 0) - from;
          if (static_cast<double>(before) <= miss) low = rank;
          if (static_cast<double>(from) <= miss && !high) high = rank;
        }
        const absl::StatusOr<RankInterval> interval =
            QuantileRankInterval(n, p, confidence);
        ASSERT_TRUE(interval.ok());
        ASSERT_EQ(interval->low, low) << p << " " << confidence << " " << n;
        ASSERT_EQ(interval->high, high) << p << " " << confidence << " " << n;
        const long double covered = SumFrom(chances, low.value_or(0)) -
                                    SumFrom(chances, high.value_or(n + 1));
        ASSERT_NEAR(interval->coverage, static_cast<double>(covered), 1e-13);
        ASSERT_GE(interval->coverage, confidence - 1e-13);
      }
    }
  }
}

TEST(QuantileConfidenceTest, ThreeSamplesBoundNoMedianAtNinetyFive) {
  EXPECT_EQ(*QuantileRankInterval(3, 0.5, 0.95),
            (RankInterval{std::nullopt, std::nullopt, 1}));
  // Six do, by their ends: 1 - 2 / 2^6.
  EXPECT_EQ(*QuantileRankInterval(6, 0.5, 0.95), (RankInterval{1, 6, 0.96875}));
}

TEST(QuantileConfidenceTest, IntervalOfSamplesIsInTheirUnitsWithTies) {
  const absl::StatusOr<QuantileInterval> interval =
      QuantileIntervalOf({5, 1, 4, 4, 2, 4}, 0.5, 0.95);
  ASSERT_TRUE(interval.ok());
  EXPECT_EQ(interval->low, 1);
  EXPECT_EQ(interval->high, 5);
  const absl::StatusOr<QuantileInterval> constant =
      QuantileIntervalOf(std::vector<double>(20, 3.5), 0.5, 0.95);
  EXPECT_EQ(constant->low, 3.5);
  EXPECT_EQ(constant->high, 3.5);
  // A p99 has no upper limit below some hundreds of samples.
  EXPECT_EQ(QuantileIntervalOf(std::vector<double>(200, 1), 0.99, 0.95)->high,
            std::nullopt);
}

TEST(QuantileConfidenceTest, FiguresOutOfRangeAreErrors) {
  const auto invalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(ConfidenceBelow({.n = 0}).status().code(), invalid);
  EXPECT_EQ(ConfidenceBelow({.n = 5, .not_below = 6}).status().code(), invalid);
  EXPECT_EQ(ConfidenceBelow({.n = 5, .not_below = -1}).status().code(),
            invalid);
  EXPECT_EQ(ConfidenceBelow({.n = 5, .p = 1}).status().code(), invalid);
  EXPECT_EQ(ConfidenceBelow({.n = 5, .p = NAN}).status().code(), invalid);
  EXPECT_EQ(SamplesNeeded({.confidence = 1}).status().code(), invalid);
  EXPECT_EQ(SamplesNeeded({.not_below = -1}).status().code(), invalid);
  EXPECT_EQ(SamplesNeeded({.p = 1 - 1e-12}).status().code(),
            absl::StatusCode::kOutOfRange);
  EXPECT_EQ(QuantileRankInterval(0, 0.5, 0.9).status().code(), invalid);
  EXPECT_EQ(QuantileRankInterval(5, 0.5, 0).status().code(), invalid);
  EXPECT_EQ(QuantileIntervalOf({}, 0.5, 0.9).status().code(), invalid);
  EXPECT_EQ(QuantileIntervalOf({1, NAN}, 0.5, 0.9).status().code(), invalid);
}

}  // namespace
}  // namespace tactus::ledger
