#include "gate/budgets.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gate/verdict.h"
#include "gtest/gtest.h"
#include "ledger/row/row.h"

namespace tactus::gate {
namespace {

using ledger::Unit;

Budget P99() {
  return {.name = "read.p99",
          .series = "read/snapshot",
          .statistic = "p99",
          .unit = Unit::kMilliseconds,
          .bound = 50,
          .plausible_low = 0.02,
          .plausible_high = 60000,
          .why = "because"};
}

std::vector<double> Same(int n, double value) {
  return std::vector<double>(static_cast<size_t>(n), value);
}

TEST(Judge, TwoHundredSamplesBelowAreTooFewForThe99thAnd299AreEnough) {
  const Check few = Judge(P99(), Same(200, 1), Unit::kMilliseconds);
  EXPECT_EQ(few.outcome, Outcome::kNotMeasurable);
  EXPECT_EQ(
      few.reason,
      "p99 1 ms of at most 50 ms, 200 samples, 86.6 % sure, too few to be "
      "95 % sure");
  EXPECT_EQ(Judge(P99(), Same(298, 1), Unit::kMilliseconds).outcome,
            Outcome::kNotMeasurable);
  const Check enough = Judge(P99(), Same(299, 1), Unit::kMilliseconds);
  EXPECT_EQ(enough.outcome, Outcome::kPass);
  EXPECT_EQ(enough.headroom, 50.0);
}

TEST(Judge, FigureOverTheBoundIsABreachHoweverFewTheSamples) {
  const Check check = Judge(P99(), Same(3, 61), Unit::kMilliseconds);
  EXPECT_EQ(check.outcome, Outcome::kBreach);
  EXPECT_EQ(check.reason, "p99 61 ms of at most 50 ms");
  EXPECT_LT(*check.headroom, 1);
}

TEST(Judge, NoSampleIsNeverAPass) {
  EXPECT_EQ(Judge(P99(), {}, Unit::kMilliseconds).outcome, Outcome::kBreach);
}

TEST(Judge, FigureThatCannotBeTrueIsABreachHoweverGood) {
  EXPECT_EQ(Judge(P99(), Same(300, 0.001), Unit::kMilliseconds).outcome,
            Outcome::kBreach);
  EXPECT_EQ(Judge(P99(), Same(300, 0), Unit::kMilliseconds).outcome,
            Outcome::kBreach);
  std::vector<double> one = Same(300, 1);
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    one[7] = bad;
    EXPECT_EQ(Judge(P99(), one, Unit::kMilliseconds).outcome, Outcome::kBreach)
        << bad;
  }
}

TEST(Judge, MicrosecondsAreHeldAgainstMillisecondsAsWhatTheyAre) {
  EXPECT_EQ(Judge(P99(), Same(300, 60000), Unit::kMicroseconds).outcome,
            Outcome::kBreach);
  EXPECT_EQ(Judge(P99(), Same(300, 49000), Unit::kMicroseconds).outcome,
            Outcome::kPass);
}

TEST(Judge, ThroughputIsNeverTakenForALatency) {
  const Check check = Judge(P99(), Same(300, 1), Unit::kMegabitsPerSecond);
  EXPECT_EQ(check.outcome, Outcome::kBreach);
  EXPECT_EQ(check.reason, "Mbit/s cannot be held against ms");
}

TEST(Judge, RateMustBeAtLeastAndIsBreachedFromBelow) {
  Budget rate = P99();
  rate.statistic = "p50";
  rate.unit = Unit::kMegabitsPerSecond;
  rate.at_most = false;
  rate.bound = 300;
  EXPECT_EQ(Judge(rate, Same(30, 370), Unit::kMegabitsPerSecond).outcome,
            Outcome::kPass);
  EXPECT_EQ(Judge(rate, Same(30, 200), Unit::kMegabitsPerSecond).outcome,
            Outcome::kBreach);
  // 46.25 MB/s is 370 Mbit/s.
  EXPECT_EQ(Judge(rate, Same(30, 46.25e6), Unit::kBytesPerSecond).outcome,
            Outcome::kPass);
}

TEST(Judge, MedianOfSamplesOnBothSidesOfItsBoundIsNotSureEnough) {
  Budget median = P99();
  median.statistic = "p50";
  std::vector<double> samples = Same(51, 40);
  const std::vector<double> over = Same(49, 60);
  samples.insert(samples.end(), over.begin(), over.end());
  EXPECT_EQ(Judge(median, samples, Unit::kMilliseconds).outcome,
            Outcome::kNotMeasurable);
}

constexpr char kFile[] = R"({"schema": 1, "budgets": [
  {"name": "a", "series": "s/t", "statistic": "p50", "unit": "ms", "at_most": 2,
   "plausible": [0.02, 100], "why": "w", "configuration": {"k": "v"}}],
  "trips": {"mock": {"snapshot": {"flights": 4, "calls": 11}}}})";

TEST(ParseBudgets, WholeFileIsRead) {
  const absl::StatusOr<Budgets> budgets = ParseBudgets(kFile);
  ASSERT_TRUE(budgets.ok()) << budgets.status();
  ASSERT_NE(budgets->Find("a"), nullptr);
  EXPECT_EQ(budgets->Find("b"), nullptr);
  const Budget& a = *budgets->Find("a");
  EXPECT_EQ(a.series, "s/t");
  EXPECT_EQ(a.configuration.at("k"), "v");
  EXPECT_EQ(a.bound, 2);
  EXPECT_EQ(BoundText(a), "at most 2 ms");
  EXPECT_EQ(budgets->trips.at("mock").at("snapshot"), (Trips{4, 11}));
}

TEST(ParseBudgets, WhatIsWrongIsNamedAndNothingIsSkipped) {
  const struct {
    const char* from;
    const char* to;
    const char* says;
  } cases[] = {
      {"\"schema\": 1", "\"schema\": 2", "schema 2"},
      {"\"at_most\": 2", "\"at_mots\": 2", "at_most"},
      {"\"why\": \"w\"", "\"why\": \"w\", \"whi\": 1", "whi"},
      {"\"at_most\": 2", "\"at_most\": 2, \"at_least\": 1", "either"},
      {"\"at_most\": 2", "\"at_most\": -2", "above 0"},
      {"\"at_most\": 2", "\"at_most\": 1e999", "budgets[0]"},
      {"\"at_most\": 2", "\"at_most\": \"2\"", "no number"},
      {"\"unit\": \"ms\"", "\"unit\": \"msec\"", "msec"},
      {"\"p50\"", "\"p51\"", "statistic"},
      {"[0.02, 100]", "[3, 100]", "plausible"},
      {"[0.02, 100]", "[0.02]", "plausible"},
      {"\"series\": \"s/t\"", "\"series\": \"S T\"", "series"},
      {"\"flights\": 4", "\"flights\": -4", "flights"},
      {"\"flights\": 4", "\"flight\": 4", "flights"},
  };
  for (const auto& one : cases) {
    const std::string text = absl::StrReplaceAll(kFile, {{one.from, one.to}});
    ASSERT_NE(text, kFile);
    const absl::StatusOr<Budgets> budgets = ParseBudgets(text);
    ASSERT_FALSE(budgets.ok()) << one.to;
    if (absl::string_view(one.to) == "\"at_most\": 1e999") continue;
    EXPECT_NE(budgets.status().message().find(one.says),
              absl::string_view::npos)
        << budgets.status();
  }
  EXPECT_FALSE(ParseBudgets("").ok());
  EXPECT_FALSE(ParseBudgets("[]").ok());
}

TEST(ParseBudgets, OurOwnFileHoldsAndSaysWhatWasAskedFor) {
  const absl::StatusOr<Budgets> budgets = ReadBudgets("gate/budgets.json");
  ASSERT_TRUE(budgets.ok()) << budgets.status();
  EXPECT_EQ(BoundText(*budgets->Find("ax_read.p50")), "at most 2 ms");
  EXPECT_EQ(BoundText(*budgets->Find("ax_read.p99")), "at most 50 ms");
  EXPECT_TRUE(absl::IsNotFound(ReadBudgets("gate/none.json").status()));
}

}  // namespace
}  // namespace tactus::gate
