#include "ledger/stats/distributions.h"

#include <cmath>
#include <cstdint>
#include <numbers>

#include "gtest/gtest.h"

namespace tactus::ledger {
namespace {

// Every outcome of n coins one by one: slow, and plainly right.
double CountedAtLeast(int n, int k, double p) {
  double sum = 0;
  for (uint32_t outcome = 0; outcome < (1u << n); ++outcome) {
    const int successes = __builtin_popcount(outcome);
    if (successes < k) continue;
    sum += std::pow(p, successes) * std::pow(1 - p, n - successes);
  }
  return sum;
}

TEST(DistributionsTest, BinomialIsTheSumOverEveryOutcome) {
  for (int n = 0; n <= 10; ++n) {
    for (int k = -1; k <= n + 1; ++k) {
      for (const double p : {0.0, 0.01, 0.3, 0.5, 0.95, 1.0}) {
        EXPECT_NEAR(BinomialAtLeast(n, k, p), CountedAtLeast(n, k, p), 1e-14)
            << n << " " << k << " " << p;
      }
    }
  }
}

// The density by Simpson's rule, from 0 to t.
double IntegratedTwoSided(double t, double degrees) {
  const double scale =
      std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2)) /
      std::sqrt(degrees * std::numbers::pi);
  const int steps = 4000;
  const double h = t / steps;
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double x = h * i;
    const double density =
        scale * std::pow(1 + x * x / degrees, -(degrees + 1) / 2);
    sum += density * (i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2);
  }
  return 1 - 2 * sum * h / 3;
}

TEST(DistributionsTest, StudentIsTheIntegralOfItsDensity) {
  for (const double degrees : {1.0, 2.0, 3.0, 4.5, 10.0, 28.0, 300.0}) {
    for (const double t : {0.0, 0.001, 0.5, 1.0, 2.0, 5.0}) {
      EXPECT_NEAR(StudentTwoSided(t, degrees), IntegratedTwoSided(t, degrees),
                  1e-10)
          << t << " " << degrees;
      EXPECT_EQ(StudentTwoSided(-t, degrees), StudentTwoSided(t, degrees));
    }
  }
}

TEST(DistributionsTest, StudentOfOneAndTwoDegreesHasItsClosedForm) {
  for (const double t : {1e-8, 0.1, 1.0, 3.0, 1e4, 1e8}) {
    EXPECT_NEAR(
        StudentTwoSided(t, 1) / (std::atan(1 / t) * 2 / std::numbers::pi), 1,
        1e-11);
    // 1 - t / sqrt(2 + t^2), written so that it does not cancel.
    const double root = std::sqrt(2 + t * t);
    EXPECT_NEAR(StudentTwoSided(t, 2) / (2 / (root * (root + t))), 1, 1e-11);
  }
  EXPECT_EQ(StudentTwoSided(HUGE_VAL, 3), 0);
  EXPECT_EQ(StudentTwoSided(0, 3), 1);
}

TEST(DistributionsTest, StudentQuantileUndoesTheProbability) {
  for (const double degrees : {1.0, 2.0, 7.0, 60.0}) {
    for (const double p : {1e-6, 0.001, 0.05, 0.5, 0.99}) {
      EXPECT_NEAR(
          StudentTwoSided(StudentTwoSidedQuantile(p, degrees), degrees) / p, 1,
          1e-12);
    }
    EXPECT_EQ(StudentTwoSidedQuantile(1, degrees), 0);
  }
  // From the printed tables.
  EXPECT_NEAR(StudentTwoSidedQuantile(0.05, 4), 2.776, 0.0005);
  EXPECT_NEAR(NormalQuantile(0.975), 1.959964, 0.0000005);
  EXPECT_NEAR(NormalQuantile(0.025), -1.959964, 0.0000005);
  EXPECT_EQ(NormalQuantile(0.5), 0);
}

TEST(DistributionsTest, ArgumentsOutOfRangeGiveNan) {
  EXPECT_TRUE(std::isnan(BinomialAtLeast(-1, 0, 0.5)));
  EXPECT_TRUE(std::isnan(BinomialAtLeast(3, 1, 1.5)));
  EXPECT_TRUE(std::isnan(BinomialAtLeast(3, 1, NAN)));
  EXPECT_TRUE(std::isnan(StudentTwoSided(NAN, 3)));
  EXPECT_TRUE(std::isnan(StudentTwoSided(1, 0)));
  EXPECT_TRUE(std::isnan(StudentTwoSidedQuantile(0, 3)));
  EXPECT_TRUE(std::isnan(NormalQuantile(1)));
}

}  // namespace
}  // namespace tactus::ledger
