#include "gate/transfer_check.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gate/budgets.h"
#include "gate/reading.h"
#include "gate/verdict.h"
#include "gtest/gtest.h"

namespace tactus::gate {
namespace {

Budgets RoundTrip() {
  return *ParseBudgets(R"({"schema": 1, "budgets": [
      {"name": "transfer.round_trip", "series": "transfer/round_trip",
       "statistic": "p50", "unit": "ms", "at_most": 0.5, "confidence": 0.5,
       "plausible": [0.005, 10000], "why": "test"},
      {"name": "ax_read.p50", "series": "ax_read/snapshot",
       "statistic": "p50", "unit": "ms", "at_most": 2,
       "plausible": [0.02, 60000], "why": "test"}], "trips": {}})");
}

Reading RunOf(double trip_us, double floor_us, int failures = 0) {
  return ReadLines(absl::StrCat(
      R"({"series":"transfer/round_trip","unit":"us","samples":[1,)", trip_us,
      ",100000],\"failures\":", failures, ",\"failure\":\"gone\"}\n",
      R"({"series":"transfer/round_trip/openssl","unit":"us","samples":[)",
      floor_us, "],\"failures\":0}\n"));
}

TEST(TransferCheck, TheMedianOfThreeRunsMediansIsHeldToTheBudget) {
  const std::vector<Reading> kept = {RunOf(499, 30), RunOf(900, 30),
                                     RunOf(120, 30)};
  const std::vector<Check> checks = JudgeRuns(RoundTrip(), "transfer.", kept);
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_EQ(checks[0].name, "transfer.round_trip");
  EXPECT_EQ(checks[0].outcome, Outcome::kPass) << checks[0].reason;
  EXPECT_TRUE(absl::StartsWith(checks[0].reason, "p50 0.499 ms of at most"))
      << checks[0].reason;

  const std::vector<Reading> over = {RunOf(501, 30), RunOf(900, 30),
                                     RunOf(120, 30)};
  EXPECT_EQ(JudgeRuns(RoundTrip(), "transfer.", over)[0].outcome,
            Outcome::kBreach);
}

TEST(TransferCheck, WhereTheFloorMissesTheBoundAsWellNothingIsSaid) {
  const std::vector<Reading> runs = {RunOf(900, 600), RunOf(900, 600),
                                     RunOf(900, 600)};
  EXPECT_EQ(JudgeRuns(RoundTrip(), "transfer.", runs)[0].outcome,
            Outcome::kNotMeasurable);
  // A slow floor excuses nothing that is kept, and makes no breach of it.
  const std::vector<Reading> kept = {RunOf(400, 600), RunOf(400, 600),
                                     RunOf(400, 600)};
  EXPECT_EQ(JudgeRuns(RoundTrip(), "transfer.", kept)[0].outcome,
            Outcome::kPass);
}

TEST(TransferCheck, AFailureInOneRunIsABreach) {
  const std::vector<Reading> runs = {RunOf(100, 30), RunOf(100, 30, 2),
                                     RunOf(100, 30)};
  const Check check = JudgeRuns(RoundTrip(), "transfer.", runs)[0];
  EXPECT_EQ(check.outcome, Outcome::kBreach);
  EXPECT_EQ(check.reason, "2 tries failed: gone");
}

TEST(TransferCheck, WhatARunDidNotMeasureIsABreach) {
  const std::vector<Reading> runs = {RunOf(100, 30), RunOf(100, 30), Reading()};
  EXPECT_EQ(JudgeRuns(RoundTrip(), "transfer.", runs)[0].reason,
            "was not measured");
  EXPECT_EQ(JudgeRuns(RoundTrip(), "transfer.", {})[0].outcome,
            Outcome::kBreach);
  const std::vector<Reading> broken = {ReadLines("nonsense")};
  EXPECT_EQ(JudgeRuns(RoundTrip(), "transfer.", broken)[0].reason,
            "the probe printed what cannot be read");
}

TEST(TransferCheck, WhatCannotBeTrueIsABreachHoweverSlowTheFloorIs) {
  const std::vector<Reading> runs = {RunOf(1, 30), RunOf(1, 30), RunOf(1, 30)};
  EXPECT_EQ(JudgeRuns(RoundTrip(), "transfer.", runs)[0].outcome,
            Outcome::kBreach);
}

}  // namespace
}  // namespace tactus::gate
