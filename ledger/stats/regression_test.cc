#include "ledger/stats/regression.h"

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace tactus::ledger {
namespace {

BaselineVerdict Verdict(const std::vector<double>& history, double present,
                        const BaselineOptions& options = {}) {
  const absl::StatusOr<BaselineCheck> check =
      CheckBaseline(history, {present, present, present}, options);
  EXPECT_TRUE(check.ok()) << check.status();
  return check->verdict;
}

const std::vector<double> kSteady(10, 100);

TEST(RegressionTest, UnderTenPercentIsNoiseAndAboveIsARegression) {
  EXPECT_EQ(Verdict(kSteady, 100), BaselineVerdict::kPass);
  EXPECT_EQ(Verdict(kSteady, 109.9), BaselineVerdict::kPass);
  EXPECT_EQ(Verdict(kSteady, 110.1), BaselineVerdict::kRegressed);
  EXPECT_EQ(Verdict(kSteady, 92), BaselineVerdict::kPass);
  EXPECT_EQ(Verdict(kSteady, 90), BaselineVerdict::kImproved);
}

TEST(RegressionTest, RateIsJudgedTheOtherWayRound) {
  const BaselineOptions rate = {.better = Better::kMore};
  EXPECT_EQ(Verdict(kSteady, 92, rate), BaselineVerdict::kPass);
  EXPECT_EQ(Verdict(kSteady, 90, rate), BaselineVerdict::kRegressed);
  EXPECT_EQ(Verdict(kSteady, 109.9, rate), BaselineVerdict::kPass);
  EXPECT_EQ(Verdict(kSteady, 111, rate), BaselineVerdict::kImproved);
  // 97 % less of a rate is no wonder, it is broken.
  EXPECT_EQ(Verdict(kSteady, 3, rate), BaselineVerdict::kRegressed);
  EXPECT_EQ(Verdict(kSteady, 1001, rate), BaselineVerdict::kImplausible);
}

TEST(RegressionTest, ValueNinetySevenPercentLowerIsNeverAPass) {
  EXPECT_EQ(Verdict(kSteady, 3), BaselineVerdict::kImplausible);
  EXPECT_EQ(Verdict(kSteady, 9.9), BaselineVerdict::kImplausible);
  EXPECT_EQ(Verdict(kSteady, 10.1), BaselineVerdict::kImproved);
  // Nor where the slow rows of today hide it from one of the baselines.
  std::vector<double> history(10, 100);
  history.insert(history.end(), 30, 29);
  EXPECT_EQ(Verdict(history, 3), BaselineVerdict::kImproved);
  EXPECT_EQ(Verdict(history, 2.8), BaselineVerdict::kImplausible);
}

TEST(RegressionTest, MedianOfThreeBearsOneOutlier) {
  const absl::StatusOr<BaselineCheck> check =
      CheckBaseline(kSteady, {101, 900, 99}, {});
  ASSERT_TRUE(check.ok());
  EXPECT_EQ(check->verdict, BaselineVerdict::kPass);
  EXPECT_EQ(check->present, 101);
  EXPECT_EQ(check->recent, 100);
  EXPECT_EQ(check->anchor, 100);
  EXPECT_NEAR(check->worse_than_recent, 0.01, 1e-12);
  EXPECT_EQ(CheckBaseline(kSteady, {900, 900, 99}, {})->verdict,
            BaselineVerdict::kRegressed);
}

// Each row is appended whatever it is called, as a ledger does.
TEST(RegressionTest, StaircaseAlarmsThoughEachStepIsNoise) {
  for (const Better better : {Better::kLess, Better::kMore}) {
    for (const int rows_a_step : {1, 3, 20}) {
      const BaselineOptions options = {.better = better};
      std::vector<double> history = kSteady;
      double level = 100;
      std::vector<BaselineVerdict> verdicts;
      for (int step = 0; step < 5; ++step) {
        level = better == Better::kLess ? level * 1.04 : level / 1.04;
        verdicts.push_back(Verdict(history, level, options));
        history.insert(history.end(), static_cast<size_t>(rows_a_step), level);
      }
      // 4 % and 8.2 % are noise; 12.5 % is not.
      EXPECT_EQ(verdicts[0], BaselineVerdict::kPass);
      EXPECT_EQ(verdicts[1], BaselineVerdict::kPass);
      for (int step = 2; step < 5; ++step) {
        EXPECT_TRUE(
            verdicts[static_cast<size_t>(step)] == BaselineVerdict::kDrifted ||
            verdicts[static_cast<size_t>(step)] == BaselineVerdict::kRegressed)
            << rows_a_step << " rows, step " << step;
      }
      if (rows_a_step == 20) {
        EXPECT_EQ(verdicts[4], BaselineVerdict::kDrifted);
      }
    }
  }
}

TEST(RegressionTest, AnchorFollowsAnImprovementThatLasts) {
  std::vector<double> history(10, 100);
  history.insert(history.end(), 4, 50);
  // Fewer than half of the anchor's rows may be luck.
  EXPECT_EQ(CheckBaseline(history, {100, 100, 100}, {})->anchor, 100);
  history.insert(history.end(), 2, 50);
  EXPECT_EQ(CheckBaseline(history, {100, 100, 100}, {})->anchor, 50);
  // What was won cannot be lost again in small steps, nor at once.
  EXPECT_EQ(Verdict(history, 56), BaselineVerdict::kDrifted);
  // And never follows a slowdown.
  history.insert(history.end(), 100, 54);
  EXPECT_EQ(CheckBaseline(history, {54, 54, 54}, {})->anchor, 50);
  EXPECT_EQ(Verdict(history, 56), BaselineVerdict::kDrifted);
}

TEST(RegressionTest, TooLittleIsNoBaselineAndNoPass) {
  EXPECT_EQ(Verdict({}, 100), BaselineVerdict::kNoBaseline);
  EXPECT_EQ(Verdict({100}, 100), BaselineVerdict::kNoBaseline);
  EXPECT_EQ(Verdict({100, 100}, 100), BaselineVerdict::kNoBaseline);
  EXPECT_EQ(Verdict({100, 100, 100}, 100), BaselineVerdict::kPass);
  EXPECT_EQ(CheckBaseline(kSteady, {100, 100}, {})->verdict,
            BaselineVerdict::kNoBaseline);
}

TEST(RegressionTest, WhatIsNoMeasurementIsAnError) {
  const auto invalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(CheckBaseline(kSteady, {}, {}).status().code(), invalid);
  for (const double bad : {0.0, -1.0, HUGE_VAL, HUGE_VAL - HUGE_VAL}) {
    EXPECT_EQ(CheckBaseline(kSteady, {100, bad, 100}, {}).status().code(),
              invalid);
    EXPECT_EQ(
        CheckBaseline({100, bad, 100}, {100, 100, 100}, {}).status().code(),
        invalid);
  }
  for (const BaselineOptions& options :
       {BaselineOptions{.noise = 0}, BaselineOptions{.noise = HUGE_VAL},
        BaselineOptions{.implausible = 1.05}, BaselineOptions{.recent_rows = 0},
        BaselineOptions{.anchor_rows = 0}, BaselineOptions{.min_rows = 0},
        BaselineOptions{.min_present = -1}}) {
    EXPECT_EQ(CheckBaseline(kSteady, {100, 100, 100}, options).status().code(),
              invalid);
  }
}

TEST(RegressionTest, EachVerdictHasItsName) {
  std::set<std::string> names;
  for (const BaselineVerdict verdict :
       {BaselineVerdict::kPass, BaselineVerdict::kImproved,
        BaselineVerdict::kRegressed, BaselineVerdict::kDrifted,
        BaselineVerdict::kImplausible, BaselineVerdict::kNoBaseline}) {
    names.emplace(BaselineVerdictName(verdict));
  }
  EXPECT_EQ(names.size(), 6u);
}

}  // namespace
}  // namespace tactus::ledger
