#include "gate/regression_check.h"

#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gate/verdict.h"
#include "gtest/gtest.h"
#include "ledger/stats/better.h"

namespace tactus::gate {
namespace {

RegressionQuestion Question(std::vector<double> present,
                            std::vector<double> history = {100, 101, 99, 100,
                                                           102, 98, 100}) {
  return {.name = "s",
          .history = std::move(history),
          .present = std::move(present)};
}

// Measures so, and counts how often it was asked to.
struct Instrument {
  std::vector<double> gives;
  int asked = 0;
  Again again() {
    return [this]() -> absl::StatusOr<std::vector<double>> {
      ++asked;
      return gives;
    };
  }
};

TEST(Regression, MedianOfThreeBearsOneStall) {
  Instrument none;
  const Check check = CheckRegression(Question({98, 99, 300}), none.again());
  EXPECT_EQ(check.outcome, Outcome::kPass);
  EXPECT_EQ(none.asked, 0);
  EXPECT_EQ(check.reason,
            "99 us, median of 3: -1.0 % worse than the recent 100 and -1.0 % "
            "than the anchor 100");
}

TEST(Regression, UnderTenPercentIsNoiseAndIsMeasuredAgain) {
  Instrument same{.gives = {99, 100, 101}};
  const Check check = CheckRegression(Question({106, 105, 107}), same.again());
  EXPECT_EQ(check.outcome, Outcome::kPass);
  EXPECT_EQ(same.asked, 1);
  EXPECT_EQ(check.details.size(), 1U);
}

TEST(Regression, ConfirmedOneIsABreach) {
  Instrument slow{.gives = {121, 119, 120}};
  const Check check = CheckRegression(Question({118, 120, 122}), slow.again());
  EXPECT_EQ(check.outcome, Outcome::kBreach);
  EXPECT_EQ(slow.asked, 1);
  EXPECT_LT(*check.headroom, 1);
}

TEST(Regression, OneThatIsNotThereTheSecondTimeIsNone) {
  Instrument fast{.gives = {100, 99, 101}};
  const Check check = CheckRegression(Question({118, 120, 122}), fast.again());
  EXPECT_EQ(check.outcome, Outcome::kPass);
  EXPECT_EQ(check.details.size(), 2U);
}

TEST(Regression, WhereNothingCanBeMeasuredAgainTheFirstThreeDecide) {
  EXPECT_EQ(CheckRegression(Question({118, 120, 122}), nullptr).outcome,
            Outcome::kBreach);
  EXPECT_EQ(CheckRegression(Question({106, 105, 107}), nullptr).outcome,
            Outcome::kPass);
}

TEST(Regression, StaircaseOfSmallStepsIsABreachInTheEnd) {
  // Each step is 4 %, which alone passes.
  std::vector<double> history;
  double level = 100;
  for (int step = 0; step < 5; ++step) {
    for (int i = 0; i < 5; ++i) history.push_back(level);
    level *= 1.04;
  }
  const Check check =
      CheckRegression(Question({level, level, level}, history), nullptr);
  EXPECT_EQ(check.outcome, Outcome::kBreach);
}

TEST(Regression, ThroughputThatFallsIsARegressionAndNoImprovement) {
  RegressionQuestion question = Question({80, 80, 80});
  question.better = ledger::Better::kMore;
  EXPECT_EQ(CheckRegression(question, nullptr).outcome, Outcome::kBreach);
  question.better = ledger::Better::kLess;
  EXPECT_EQ(CheckRegression(question, nullptr).outcome, Outcome::kPass);
}

TEST(Regression, ValueNinetySevenPercentLowerIsABreach) {
  const Check check = CheckRegression(Question({3, 3, 3}), nullptr);
  EXPECT_EQ(check.outcome, Outcome::kBreach);
  EXPECT_NE(check.reason.find("believed"), std::string::npos);
}

TEST(Regression, WhatCannotBeIsABreach) {
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(CheckRegression(Question({100, bad, 100}), nullptr).outcome,
              Outcome::kBreach)
        << bad;
  }
}

TEST(Regression, TooFewOfEitherIsNoPass) {
  EXPECT_EQ(CheckRegression(Question({100, 100}), nullptr).outcome,
            Outcome::kNotMeasurable);
  EXPECT_EQ(CheckRegression(Question({}), nullptr).outcome,
            Outcome::kNotMeasurable);
  EXPECT_EQ(
      CheckRegression(Question({100, 100, 100}, {100, 100}), nullptr).outcome,
      Outcome::kNotMeasurable);
  EXPECT_EQ(CheckRegression(Question({100, 100, 100}, {}), nullptr).outcome,
            Outcome::kNotMeasurable);
}

TEST(Regression, ProgramThatFailsTheSecondTimeIsABreach) {
  EXPECT_EQ(CheckRegression(Question({120, 120, 120}),
                            []() -> absl::StatusOr<std::vector<double>> {
                              return absl::InternalError("it crashed");
                            })
                .reason,
            "it crashed");
}

}  // namespace
}  // namespace tactus::gate
