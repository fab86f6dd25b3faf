#include "ledger/stats/simulation.h"

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "ledger/stats/compare.h"

namespace tactus::ledger {
namespace {

constexpr uint64_t kSeed = 20260301;

ComparisonRates Compare(const Scenario& scenario) {
  const absl::StatusOr<ComparisonPlan> plan = ComparisonPlan::Make({});
  const absl::StatusOr<ComparisonRates> rates =
      SimulateComparison(*plan, scenario);
  EXPECT_TRUE(rates.ok()) << rates.status();
  return rates.ok() ? *rates : ComparisonRates();
}

class SimulationTest : public testing::Test {
 protected:
  SimulationTest() { RecordProperty("seed", std::to_string(kSeed)); }
};

// What compare.h promises of two builds that are the same.
TEST_F(SimulationTest, FewerThanOneInAHundredAreFalseAlarms) {
  for (const double sigma : {0.03, 0.05, 0.07, 0.10}) {
    SCOPED_TRACE(testing::Message() << "sigma " << sigma << ", seed " << kSeed);
    const ComparisonRates rates = Compare({.sigma = sigma, .seed = kSeed});
    EXPECT_LT(rates.slower + rates.faster, 0.01);
    EXPECT_GE(rates.covered, 0.99);
  }
}

TEST_F(SimulationTest, StallsInOneOfTwentyRaiseNoFalseAlarms) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  const ComparisonRates rates =
      Compare({.sigma = 0.05, .stalls = 0.05, .runs = 5000, .seed = kSeed});
  EXPECT_LT(rates.slower + rates.faster, 0.01);
  EXPECT_GE(rates.covered, 0.99);
}

// And of a build that is 10 % slower; beside it the baseline of another day.
TEST_F(SimulationTest, TenPercentAreFoundInPairsAndHalfOfThemByTheBaseline) {
  for (const double sigma : {0.03, 0.05, 0.07, 0.10}) {
    SCOPED_TRACE(testing::Message() << "sigma " << sigma << ", seed " << kSeed);
    const Scenario scenario = {
        .ratio = 1.1, .sigma = sigma, .runs = 3000, .seed = kSeed};
    const ComparisonRates rates = Compare(scenario);
    EXPECT_GE(rates.slower, 0.95);
    EXPECT_LT(rates.same + rates.faster, 0.01);
    EXPECT_GE(rates.covered, 0.99);
    const absl::StatusOr<double> alarms = SimulateBaseline(scenario);
    ASSERT_TRUE(alarms.ok());
    EXPECT_GT(*alarms, 0.40);
    EXPECT_LT(*alarms, 0.65);
  }
}

// At the very margin "same" is false, and is said no more often than promised.
TEST_F(SimulationTest, FivePercentAreNotCalledTheSame) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  const ComparisonRates rates =
      Compare({.ratio = 1.05, .sigma = 0.03, .runs = 5000, .seed = kSeed});
  EXPECT_LT(rates.same, 0.01);
  EXPECT_GT(rates.slower, 0.95);
}

}  // namespace
}  // namespace tactus::ledger
