#include "ledger/stats/changepoints.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "boost/json.hpp"
#include "gtest/gtest.h"
#include "ledger/stats/distributions.h"

namespace tactus::ledger {
namespace {

std::vector<int64_t> Indexes(const std::vector<ChangePoint>& points) {
  std::vector<int64_t> indexes;
  for (const ChangePoint& point : points) indexes.push_back(point.index);
  return indexes;
}

TEST(ChangePointsTest, FindsWhatOtavaFindsInARealSeries) {
  std::ifstream file("ledger/stats/testdata/tigerbeetle.json");
  const std::string text((std::istreambuf_iterator<char>(file)),
                         std::istreambuf_iterator<char>());
  boost::json::error_code error;
  const boost::json::value data = boost::json::parse(text, error);
  ASSERT_FALSE(error) << error.message();
  std::vector<double> series;
  for (const boost::json::value& value : data.at("series").as_array()) {
    series.push_back(value.to_number<double>());
  }
  ASSERT_EQ(series.size(), 365u);
  const boost::json::array& cases = data.at("cases").as_array();
  ASSERT_EQ(cases.size(), 11u);
  for (const boost::json::value& expected : cases) {
    std::vector<int64_t> indexes;
    for (const boost::json::value& value : expected.at("expected").as_array()) {
      indexes.push_back(value.as_int64());
    }
    const absl::StatusOr<std::vector<ChangePoint>> points = FindChangePoints(
        series,
        {.window_len = static_cast<int>(expected.at("window_len").as_int64()),
         .max_pvalue = expected.at("max_pvalue").to_number<double>(),
         .min_magnitude = expected.at("min_magnitude").to_number<double>()});
    ASSERT_TRUE(points.ok()) << points.status();
    EXPECT_EQ(Indexes(*points), indexes) << expected.at("name").as_string();
  }
}

// The same method again, each sum written out as the papers have it, without a
// shared sum, a cache or an early end.
class Obvious {
 public:
  Obvious(const std::vector<double>& series, const ChangePointOptions& options)
      : series_(series), options_(options) {}

  std::vector<int64_t> Find() const {
    const double relaxed = options_.max_pvalue < 0.05 ? options_.max_pvalue * 10
                           : options_.max_pvalue < 0.5 ? options_.max_pvalue * 2
                                                       : options_.max_pvalue;
    const int64_t n = static_cast<int64_t>(series_.size());
    std::vector<int64_t> changes;
    for (int64_t start = 0; start < n;) {
      const std::vector<int64_t> found = Split(
          start, std::min<int64_t>(start + options_.window_len, n), relaxed);
      start += options_.window_len / 2;
      for (const int64_t change : found) {
        if (std::count(changes.begin(), changes.end(), change) == 0) {
          changes.push_back(change);
        }
        start = std::max(start, change);
      }
    }
    std::sort(changes.begin(), changes.end());
    // What was last said of each change.
    std::map<int64_t, double> ps, sizes;
    std::vector<int64_t> anew = changes;
    while (true) {
      for (const int64_t change : anew) {
        const auto at = std::find(changes.begin(), changes.end(), change);
        const int64_t begin = at == changes.begin() ? 0 : *(at - 1);
        const int64_t end = at + 1 == changes.end() ? n : *(at + 1);
        ps[change] = PValue(begin, change, end);
        sizes[change] = Magnitude(begin, change, end);
      }
      double worst = -1, least = std::numeric_limits<double>::infinity();
      int64_t worst_at = 0, least_at = 0;
      for (const int64_t change : changes) {
        if (ps[change] > worst) worst = ps[change], worst_at = change;
        if (sizes[change] < least) least = sizes[change], least_at = change;
      }
      if (worst < options_.max_pvalue && least > options_.min_magnitude) {
        return changes;
      }
      const int64_t goes = worst >= options_.max_pvalue ? worst_at : least_at;
      std::erase(changes, goes);
      anew.clear();
      for (const int64_t change : changes) {
        if (change > goes && anew.size() < 2) anew.push_back(change);
      }
    }
  }

 private:
  double At(int64_t i) const { return series_[static_cast<size_t>(i)]; }

  double Distances(int64_t a, int64_t b, int64_t c, int64_t d) const {
    double sum = 0;
    for (int64_t i = a; i < b; ++i) {
      for (int64_t j = c; j < d; ++j) sum += std::abs(At(i) - At(j));
    }
    return sum;
  }

  std::vector<int64_t> Split(int64_t begin, int64_t end, double relaxed) const {
    std::vector<int64_t> changes;
    while (true) {
      std::vector<int64_t> ends = {begin};
      ends.insert(ends.end(), changes.begin(), changes.end());
      ends.push_back(end);
      double best = -std::numeric_limits<double>::infinity();
      int64_t from = 0, at = 0, to = 0;
      for (size_t r = 0; r + 1 < ends.size(); ++r) {
        for (int64_t t = ends[r] + 1; t < ends[r + 1]; ++t) {
          for (int64_t k = t + 1; k <= ends[r + 1]; ++k) {
            const double n = static_cast<double>(t - ends[r]);
            const double m = static_cast<double>(k - t);
            // Pairs within are counted twice.
            double q = Distances(ends[r], t, t, k);
            if (n > 1)
              q -= m / (n - 1) * (Distances(ends[r], t, ends[r], t) / 2);
            if (m > 1) q -= n / (m - 1) * (Distances(t, k, t, k) / 2);
            q = 2 / (n + m) * q;
            if (q > best) best = q, from = ends[r], at = t, to = ends[r + 1];
          }
        }
      }
      if (at == 0 || PValue(from, at, to) > relaxed) return changes;
      changes.push_back(at);
      std::sort(changes.begin(), changes.end());
    }
  }

  double Mean(int64_t a, int64_t b) const {
    double sum = 0;
    for (int64_t i = a; i < b; ++i) sum += At(i);
    return sum / static_cast<double>(b - a);
  }

  double Variance(int64_t a, int64_t b) const {
    double sum = 0;
    for (int64_t i = a; i < b; ++i) sum += std::pow(At(i) - Mean(a, b), 2);
    return sum / static_cast<double>(b - a);
  }

  double PValue(int64_t begin, int64_t at, int64_t end) const {
    const double n = static_cast<double>(at - begin);
    const double m = static_cast<double>(end - at);
    if (n + m <= 2 || Mean(begin, at) == Mean(at, end)) return 1;
    const double pooled =
        ((n - 1) * Variance(begin, at) + (m - 1) * Variance(at, end)) /
        (n + m - 2);
    if (pooled == 0) return 0;
    return StudentTwoSided(
        (Mean(begin, at) - Mean(at, end)) / std::sqrt(pooled / n + pooled / m),
        n + m - 2);
  }

  double Magnitude(int64_t begin, int64_t at, int64_t end) const {
    const double a = Mean(begin, at), b = Mean(at, end);
    return std::max(a == 0 ? 0 : std::abs(b / a - 1),
                    b == 0 ? 0 : std::abs(a / b - 1));
  }

  const std::vector<double>& series_;
  const ChangePointOptions options_;
};

// Every series of one to seven rows out of {0, 1, 3}: constants, ties, steps.
TEST(ChangePointsTest, AgreesWithTheObviousMethodOnEverySmallSeries) {
  int found = 0;
  for (const ChangePointOptions& options :
       {ChangePointOptions{.window_len = 4, .max_pvalue = 0.2},
        ChangePointOptions{.window_len = 7, .max_pvalue = 0.04},
        ChangePointOptions{
            .window_len = 5, .max_pvalue = 0.5, .min_magnitude = 1.5}}) {
    for (int n = 1; n <= 7; ++n) {
      for (int code = 0; code < std::pow(3, n); ++code) {
        std::vector<double> series;
        for (int i = 0, rest = code; i < n; ++i, rest /= 3) {
          series.push_back(rest % 3 == 2 ? 3 : rest % 3);
        }
        const absl::StatusOr<std::vector<ChangePoint>> points =
            FindChangePoints(series, options);
        ASSERT_TRUE(points.ok());
        ASSERT_EQ(Indexes(*points), Obvious(series, options).Find())
            << "code " << code << " of " << n << ", window "
            << options.window_len;
        found += points->empty() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(found, 500);
}

TEST(ChangePointsTest, AgreesWithTheObviousMethodOnLongerNoise) {
  constexpr unsigned kSeed = 20260301;
  std::mt19937 random(kSeed);
  size_t found = 0;
  for (int round = 0; round < 60; ++round) {
    std::vector<double> series;
    double level = 100;
    for (int i = 0; i < 60; ++i) {
      if (random() % 15 == 0) level = 90 + static_cast<double>(random() % 30);
      // Whole numbers, so that every sum is exact in whatever order.
      series.push_back(level + static_cast<double>(random() % 5));
    }
    const ChangePointOptions options = {
        .window_len = 10 + static_cast<int>(random() % 20), .max_pvalue = 0.01};
    const absl::StatusOr<std::vector<ChangePoint>> points =
        FindChangePoints(series, options);
    ASSERT_TRUE(points.ok());
    ASSERT_EQ(Indexes(*points), Obvious(series, options).Find())
        << "seed " << kSeed << ", round " << round;
    found += points->size();
  }
  EXPECT_GT(found, 60u);
}

TEST(ChangePointsTest, StepIsFoundWithItsMeansAndItsSize) {
  std::vector<double> series;
  for (int i = 0; i < 40; ++i) series.push_back(i % 2 == 0 ? 99 : 101);
  for (int i = 0; i < 40; ++i) series.push_back(i % 2 == 0 ? 109 : 111);
  const absl::StatusOr<std::vector<ChangePoint>> points =
      FindChangePoints(series);
  ASSERT_TRUE(points.ok());
  ASSERT_EQ(points->size(), 1u);
  const ChangePoint& point = points->front();
  EXPECT_EQ(point.index, 40);
  EXPECT_EQ(point.mean_before, 100);
  EXPECT_EQ(point.mean_after, 110);
  EXPECT_EQ(point.magnitude, std::abs(110.0 / 100 - 1));
  // Forty rows each side, deviation 1: t = 10 / sqrt(2 / 40).
  EXPECT_NEAR(point.pvalue / StudentTwoSided(10 / std::sqrt(0.05), 78), 1,
              1e-9);

  EXPECT_TRUE(FindChangePoints(series, {.min_magnitude = 0.11})->empty());
  EXPECT_EQ(FindChangePoints(series, {.min_magnitude = 0.09})->size(), 1u);
}

TEST(ChangePointsTest, WithoutNoiseAStepIsCertainAndAConstantNone) {
  const std::vector<double> step = {5, 5, 5, 6, 6, 6};
  const absl::StatusOr<std::vector<ChangePoint>> points =
      FindChangePoints(step);
  ASSERT_TRUE(points.ok());
  ASSERT_EQ(Indexes(*points), std::vector<int64_t>{3});
  EXPECT_EQ(points->front().pvalue, 0);
  EXPECT_TRUE(FindChangePoints(std::vector<double>(500, 0.1))->empty());
  EXPECT_TRUE(FindChangePoints(std::vector<double>(500, 0))->empty());
}

TEST(ChangePointsTest, FromZeroThereIsNoRelativeChangeButTheOtherWay) {
  const absl::StatusOr<std::vector<ChangePoint>> points =
      FindChangePoints({0, 0, 0, 0, 2, 2, 2, 2});
  ASSERT_TRUE(points.ok());
  ASSERT_EQ(Indexes(*points), std::vector<int64_t>{4});
  EXPECT_EQ(points->front().magnitude, 1);
}

TEST(ChangePointsTest, OneToTwoRowsNeverChange) {
  EXPECT_TRUE(FindChangePoints({1})->empty());
  EXPECT_TRUE(FindChangePoints({1, 1000})->empty());
  // Three do where two are the same: nothing else says what is noise.
  EXPECT_EQ(Indexes(*FindChangePoints({1, 1, 1000})), std::vector<int64_t>{2});
}

TEST(ChangePointsTest, TenThousandRowsWithManyChangesAreJudged) {
  std::mt19937 random(7);
  std::vector<double> series;
  for (int i = 0; i < 10000; ++i) {
    series.push_back(100 + (i / 500 % 2) * 20 +
                     static_cast<double>(random() % 1000) / 200);
  }
  const absl::StatusOr<std::vector<ChangePoint>> points =
      FindChangePoints(series, {.min_magnitude = 0.1});
  ASSERT_TRUE(points.ok());
  ASSERT_EQ(points->size(), 19u);
  for (size_t i = 0; i < 19; ++i) {
    EXPECT_EQ((*points)[i].index, 500 * static_cast<int64_t>(i + 1));
  }
  // Nearly every row a candidate: the worst for the merge.
  EXPECT_TRUE(FindChangePoints(series, {.max_pvalue = 0.4}).ok());
}

TEST(ChangePointsTest, WhatCannotBeJudgedIsAnError) {
  const auto invalid = absl::StatusCode::kInvalidArgument;
  const std::vector<double> good = {1, 2, 3};
  EXPECT_EQ(FindChangePoints({}).status().code(), invalid);
  EXPECT_EQ(FindChangePoints({1, HUGE_VAL}).status().code(), invalid);
  EXPECT_EQ(FindChangePoints({1, 1e200}).status().code(), invalid);
  EXPECT_EQ(FindChangePoints(good, {.window_len = 2}).status().code(), invalid);
  EXPECT_EQ(FindChangePoints(good, {.window_len = 1001}).status().code(),
            invalid);
  EXPECT_EQ(FindChangePoints(good, {.max_pvalue = 0}).status().code(), invalid);
  EXPECT_EQ(FindChangePoints(good, {.max_pvalue = NAN}).status().code(),
            invalid);
  EXPECT_EQ(FindChangePoints(good, {.min_magnitude = -1}).status().code(),
            invalid);
}

}  // namespace
}  // namespace tactus::ledger
