#include "ledger/stats/compare.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "ledger/stats/better.h"

namespace tactus::ledger {
namespace {

PairedComparison Default(const ComparisonOptions& options = {}) {
  const absl::StatusOr<ComparisonPlan> plan = ComparisonPlan::Make(options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return PairedComparison(*plan);
}

// Adds pairs of that ratio, at most `most`, until it is decided.
Comparison Feed(PairedComparison& comparison, absl::Span<const double> ratios,
                int64_t most) {
  for (int64_t i = 0;
       i < most && comparison.verdict() == Comparison::kNeedsMore; ++i) {
    const double ratio = ratios[static_cast<size_t>(i) % ratios.size()];
    EXPECT_TRUE(comparison.Add(10, 10 * ratio).ok());
  }
  return comparison.verdict();
}

TEST(CompareTest, TenPairsDecideNothingHoweverFarApart) {
  PairedComparison comparison = Default();
  EXPECT_EQ(Feed(comparison, {3.0}, 10), Comparison::kNeedsMore);
  EXPECT_EQ(comparison.ratio().status().code(),
            absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(comparison.Add(1, 3).ok());
  EXPECT_EQ(comparison.verdict(), Comparison::kSlower);
  EXPECT_EQ(comparison.pairs(), 11);
}

TEST(CompareTest, ConstantSamplesAreTheSame) {
  PairedComparison comparison = Default();
  EXPECT_EQ(Feed(comparison, {1.0}, 1000), Comparison::kSame);
  EXPECT_EQ(comparison.pairs(), 11);
  const absl::StatusOr<PairedComparison::Ratio> ratio = comparison.ratio();
  ASSERT_TRUE(ratio.ok());
  EXPECT_EQ(ratio->estimate, 1);
  EXPECT_EQ(ratio->low, 1);
  EXPECT_EQ(ratio->high, 1);
  EXPECT_EQ(ratio->pairs, 11);
}

TEST(CompareTest, DirectionSaysWhatFasterIs) {
  for (const double factor : {0.5, 2.0}) {
    for (const Better better : {Better::kLess, Better::kMore}) {
      PairedComparison comparison = Default({.better = better});
      const bool slower = (factor > 1) == (better == Better::kLess);
      EXPECT_EQ(Feed(comparison, {factor, factor * 1.01, factor * 0.99}, 20),
                slower ? Comparison::kSlower : Comparison::kFaster);
      EXPECT_NEAR(comparison.ratio()->estimate, factor, 0.01 * factor);
    }
  }
}

TEST(CompareTest, DifferenceWithinTheMarginIsTheSameThoughItIsCertain) {
  PairedComparison comparison = Default();
  EXPECT_EQ(Feed(comparison, {1.03}, 1000), Comparison::kSame);
  EXPECT_GT(comparison.ratio()->low, 1.029);
  PairedComparison strict = Default({.margin = 0.02});
  EXPECT_EQ(Feed(strict, {1.03}, 1000), Comparison::kSlower);
}

TEST(CompareTest, TiesAreKeptAndOutliersWeighAsRanks) {
  // Of eleven, one is not slower: the best p is above the error of a look.
  const std::vector<double> one_tie = {1.2, 1.2, 1.2, 1.2, 1.2, 1.0,
                                       1.2, 1.2, 1.2, 1.2, 1.2};
  PairedComparison comparison = Default();
  EXPECT_EQ(Feed(comparison, one_tie, 11), Comparison::kNeedsMore);
  EXPECT_EQ(Feed(comparison, one_tie, 300), Comparison::kSlower);

  // A stall of a hundred times in one pair of ten changes nothing.
  const std::vector<double> stalls = {1.0, 1.001, 0.999, 100.0, 1.0,
                                      1.0, 0.998, 1.0,   1.002, 1.0};
  PairedComparison stalled = Default();
  EXPECT_EQ(Feed(stalled, stalls, 300), Comparison::kSame);
}

TEST(CompareTest, NoiseThatHidesTheAnswerEndsUndecidedAtTheCap) {
  PairedComparison comparison = Default();
  std::vector<double> noise;
  for (int i = 0; i < 300; ++i) noise.push_back(std::exp(std::sin(i)));
  EXPECT_EQ(Feed(comparison, noise, 100000), Comparison::kUndecided);
  EXPECT_EQ(comparison.pairs(), 300);
  EXPECT_LT(comparison.ratio()->low, 1);
  EXPECT_GT(comparison.ratio()->high, 1);
}

TEST(CompareTest, AfterTheVerdictNothingIsAdded) {
  PairedComparison comparison = Default();
  Feed(comparison, {1.0}, 100);
  const absl::Status status = comparison.Add(1, 1);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(comparison.pairs(), 11);
}

TEST(CompareTest, WhatIsNoMeasurementIsAnErrorAndNotCounted) {
  PairedComparison comparison = Default();
  for (const double bad : {0.0, -1.0, HUGE_VAL, HUGE_VAL - HUGE_VAL}) {
    EXPECT_EQ(comparison.Add(bad, 1).code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(comparison.Add(1, bad).code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(comparison.pairs(), 0);
}

TEST(CompareTest, OptionsThatCanTellNothingAreErrors) {
  const auto invalid = absl::StatusCode::kInvalidArgument;
  // Three against three.
  const absl::Status three = ComparisonPlan::Make({.max_pairs = 3}).status();
  EXPECT_EQ(three.code(), invalid);
  EXPECT_NE(three.message().find("fewer than 8 pairs"), absl::string_view::npos)
      << three;
  EXPECT_TRUE(ComparisonPlan::Make({.max_pairs = 8}).ok());
  EXPECT_FALSE(ComparisonPlan::Make({.max_pairs = 7}).ok());
  EXPECT_EQ(ComparisonPlan::Make({.error = 0}).status().code(), invalid);
  EXPECT_EQ(ComparisonPlan::Make({.error = 0.6}).status().code(), invalid);
  EXPECT_EQ(ComparisonPlan::Make({.margin = 0}).status().code(), invalid);
  EXPECT_EQ(ComparisonPlan::Make({.max_pairs = 0}).status().code(), invalid);
  EXPECT_EQ(ComparisonPlan::Make({.max_pairs = 10001}).status().code(),
            invalid);
}

TEST(CompareTest, DefaultLooksAreTheseAndShareTheError) {
  const absl::StatusOr<ComparisonPlan> plan = ComparisonPlan::Make({});
  ASSERT_TRUE(plan.ok());
  std::vector<int64_t> pairs;
  for (const ComparisonPlan::Look& look : plan->looks()) {
    pairs.push_back(look.pairs);
    EXPECT_GE(look.rank, 1);
  }
  EXPECT_EQ(pairs,
            (std::vector<int64_t>{11, 17, 25, 38, 56, 84, 126, 188, 300}));
  EXPECT_EQ(plan->min_pairs(), 11);
}

// Every choice of signs of every rank: how many sums are at most t?
TEST(CompareTest, CriticalRankIsThatOfTheSumOverAllSigns) {
  for (int n = 1; n <= 12; ++n) {
    std::vector<int> counts(static_cast<size_t>(n * (n + 1) / 2 + 1), 0);
    for (unsigned signs = 0; signs < (1u << n); ++signs) {
      int sum = 0;
      for (int rank = 1; rank <= n; ++rank) {
        if (signs >> (rank - 1) & 1) sum += rank;
      }
      ++counts[static_cast<size_t>(sum)];
    }
    for (const double tail : {0.3, 0.1, 0.025, 0.005, 0.000625}) {
      int64_t rank = 0;
      int below = 0;
      for (const int count : counts) {
        below += count;
        if (std::ldexp(below, -n) > tail) break;
        ++rank;
      }
      EXPECT_EQ(SignedRankCritical(n, tail), rank) << n << " " << tail;
    }
  }
}

TEST(CompareTest, NormalTailBeyondTheExactOnesIsNoShorter) {
  // At the seam both can be had: the rank must not jump up.
  for (const double tail : {0.025, 0.005, 0.000625, 0.00005}) {
    const double exact = static_cast<double>(SignedRankCritical(512, tail));
    const double normal = static_cast<double>(SignedRankCritical(513, tail));
    // From 512 to 513 the mean of the sum grows by 256.5, and its deviation
    // times the quantile takes some of it back.
    const double growth = normal - exact;
    EXPECT_GT(growth, 0);
    EXPECT_LT(growth, 256.5);
  }
}

// The interval again, from averages that are sorted and counted, on every row
// of up to seven differences out of {-1, 0, 1, 3}.
TEST(CompareTest, VerdictAgreesWithTheSortedAveragesOnEverySmallInput) {
  int decided = 0;
  for (int64_t n = 3; n <= 7; ++n) {
    const ComparisonOptions options = {
        .error = 0.5, .margin = 0.9, .max_pairs = n};
    const absl::StatusOr<ComparisonPlan> plan = ComparisonPlan::Make(options);
    ASSERT_TRUE(plan.ok());
    for (unsigned code = 0; code < (1u << (2 * n)); ++code) {
      PairedComparison comparison(*plan);
      std::vector<double> differences;
      for (int64_t i = 0; i < n; ++i) {
        if (comparison.verdict() != Comparison::kNeedsMore) break;
        const unsigned digit = code >> (2 * i) & 3;
        const double power = digit == 3 ? 3 : static_cast<double>(digit) - 1;
        // Powers of two, so that their logarithms add up to what they are.
        differences.push_back(power);
        ASSERT_TRUE(comparison.Add(1, std::exp2(power)).ok());
      }
      // The last look that it took.
      ComparisonPlan::Look look;
      for (const ComparisonPlan::Look& candidate : plan->looks()) {
        if (candidate.pairs == static_cast<int64_t>(differences.size())) {
          look = candidate;
        }
      }
      ASSERT_GT(look.pairs, 0);
      std::vector<double> averages;
      for (size_t i = 0; i < differences.size(); ++i) {
        for (size_t j = i; j < differences.size(); ++j) {
          averages.push_back((differences[i] + differences[j]) / 2);
        }
      }
      std::sort(averages.begin(), averages.end());
      const size_t rank = static_cast<size_t>(look.rank);
      const double low = averages[rank - 1];
      const double high = averages[averages.size() - rank];
      const double margin = std::log2(1.9);
      const Comparison expected = low > -margin && high < margin
                                      ? Comparison::kSame
                                  : low > 0  ? Comparison::kSlower
                                  : high < 0 ? Comparison::kFaster
                                             : Comparison::kUndecided;
      ASSERT_EQ(comparison.verdict(), expected) << n << " " << code;
      const absl::StatusOr<PairedComparison::Ratio> ratio = comparison.ratio();
      ASSERT_TRUE(ratio.ok());
      ASSERT_NEAR(ratio->low, std::exp2(low), 1e-12);
      ASSERT_NEAR(ratio->high, std::exp2(high), 1e-12);
      ASSERT_LE(ratio->low, ratio->estimate * (1 + 1e-12));
      ASSERT_LE(ratio->estimate, ratio->high * (1 + 1e-12));
      decided += expected == Comparison::kUndecided ? 0 : 1;
    }
  }
  EXPECT_GT(decided, 1000);
}

}  // namespace
}  // namespace tactus::ledger
