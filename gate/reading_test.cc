#include "gate/reading.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gate/budgets.h"
#include "gate/verdict.h"
#include "gtest/gtest.h"

namespace tactus::gate {
namespace {

Budgets Ours() {
  Budgets budgets;
  for (const auto& [statistic, bound] : {std::pair("p50", 2), {"p99", 50}}) {
    budgets.budgets.push_back({.name = absl::StrCat("ax_read.", statistic),
                               .series = "ax_read/snapshot",
                               .configuration = {{"application", "gtk3"}},
                               .statistic = statistic,
                               .bound = static_cast<double>(bound),
                               .plausible_low = 0.02,
                               .plausible_high = 60000,
                               .why = "w"});
  }
  return budgets;
}

// `n` samples of so many microseconds, the last `stalls` of them of `stall`.
std::string Lines(int n, double each, int stalls = 0, double stall = 0,
                  absl::string_view end = "sure") {
  std::vector<double> samples(static_cast<size_t>(n - stalls), each);
  samples.insert(samples.end(), static_cast<size_t>(stalls), stall);
  return absl::StrCat(R"({"fact":"optimized","value":true})", "\n",
                      R"({"series":"ax_read/snapshot","unit":"us","samples":[)",
                      absl::StrJoin(samples, ","), R"(],"failures":0})", "\n",
                      R"({"fact":"end","value":")", end, R"("})", "\n");
}

std::vector<Check> JudgeLines(const std::string& lines) {
  return JudgeReading("ax_read/snapshot", Ours(), "gtk3", ReadLines(lines));
}

Outcome Worst(const std::string& lines) {
  return Report{.gate = "g", .checks = JudgeLines(lines)}.outcome();
}

TEST(Reading, BothBudgetsAreJudgedAndTheConfidenceIsSaid) {
  const std::vector<Check> checks = JudgeLines(Lines(299, 400));
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[0].outcome, Outcome::kPass);
  EXPECT_EQ(checks[0].reason,
            "p50 0.4 ms of at most 2 ms, 299 samples, 100.0 % sure");
  EXPECT_EQ(checks[0].headroom, 5.0);
  EXPECT_EQ(checks[1].outcome, Outcome::kPass);
  EXPECT_EQ(checks[1].reason,
            "p99 0.4 ms of at most 50 ms, 299 samples, 95.0 % sure");
}

TEST(Reading, StallsThatMoreSamplesMadeUpForPass) {
  EXPECT_EQ(Worst(Lines(773, 400, 3, 80000)), Outcome::kPass);
}

TEST(Reading, UniformBreachIsABreachWhateverEndedIt) {
  for (const char* end : {"sure", "hopeless", "too busy", "out of time"}) {
    EXPECT_EQ(Worst(Lines(200, 60400, 0, 0, end)), Outcome::kBreach) << end;
    EXPECT_EQ(Worst(Lines(200, 60400, 3, 140000, end)), Outcome::kBreach)
        << end;
  }
}

TEST(Reading, ThreeMillisecondsAReadBreachTheMedian) {
  const std::vector<Check> checks = JudgeLines(Lines(299, 6400));
  EXPECT_EQ(checks[0].outcome, Outcome::kBreach);
  EXPECT_EQ(checks[1].outcome, Outcome::kPass);
}

TEST(Reading, SamplesThatNeverGotSureAreNoPass) {
  EXPECT_EQ(Worst(Lines(200, 400, 0, 0, "out of time")),
            Outcome::kNotMeasurable);
  EXPECT_EQ(JudgeLines(Lines(200, 400, 0, 0, "out of time"))[1].reason,
            "p99 0.4 ms of at most 50 ms, 200 samples, 86.6 % sure, too few to "
            "be 95 % sure, and there were no more: out of time");
}

TEST(Reading, MachineThatIsTooBusySaysSoAndIsNoPass) {
  const std::string lines =
      Lines(150, 400, 0, 0, "too busy") +
      R"({"fact":"excused","value":[{"took_ms":80,"waited_ms":79}]})" + "\n";
  EXPECT_EQ(Worst(lines), Outcome::kNotMeasurable);
  EXPECT_EQ(Details(ReadLines(lines)),
            std::vector<std::string>{
                "1 left out and taken again, since the scheduler held this "
                "process up: 80 ms of which 79"});
  EXPECT_EQ(Worst(Lines(0, 0, 0, 0, "too busy")), Outcome::kNotMeasurable);
}

// `n` waits of so many microseconds.
std::string Waited(int n, double each) {
  return absl::StrCat(
      R"({"fact":"waited_us","value":[)",
      absl::StrJoin(std::vector<double>(static_cast<size_t>(n), each), ","),
      "]}\n");
}

TEST(Reading, MedianThatOnlyTheSchedulerPutOverItsBoundIsNotMeasurable) {
  const std::string lines = Lines(299, 2600);
  EXPECT_EQ(Worst(lines), Outcome::kBreach);
  EXPECT_EQ(Worst(lines + Waited(299, 1800)), Outcome::kNotMeasurable);
  // Not proved for each sample, or not enough of it: a breach.
  EXPECT_EQ(Worst(lines + Waited(298, 1800)), Outcome::kBreach);
  EXPECT_EQ(Worst(lines + Waited(299, 500)), Outcome::kBreach);
}

TEST(Reading, WaitOfTheSchedulerAbsorbsNoUniformBreach) {
  EXPECT_EQ(Worst(Lines(299, 62600) + Waited(299, 2600)), Outcome::kBreach);
  // Nor does a claim to have waited longer than the sample took make a pass.
  EXPECT_NE(Worst(Lines(299, 62600) + Waited(299, 1e9)), Outcome::kPass);
}

TEST(Reading, TryThatFailedIsABreachHoweverFastTheOthers) {
  const std::vector<Check> checks =
      JudgeLines(R"({"series":"ax_read/snapshot","unit":"us","samples":[400],)"
                 R"("failures":1,"failure":"no focus"})");
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].outcome, Outcome::kBreach);
  EXPECT_EQ(checks[0].reason, "1 of 2 failed: no focus");
}

TEST(Reading, NothingMeasuredIsABreachSinceTheProbeRan) {
  EXPECT_EQ(Worst(""), Outcome::kBreach);
  EXPECT_EQ(Worst(Lines(0, 0)), Outcome::kBreach);
}

TEST(Reading, FasterThanCanBeIsABreach) {
  EXPECT_EQ(Worst(Lines(300, 12)), Outcome::kBreach);
}

TEST(Reading, BrokenLineIsABreach) {
  for (const char* line :
       {"x", "{}", R"({"series":"s"})", R"({"fact":"end"})",
        R"({"fact":"other","value":1})",
        R"({"series":"s","unit":"us","samples":["a"],"failures":0})"}) {
    EXPECT_EQ(Worst(absl::StrCat(Lines(299, 400), line, "\n")),
              Outcome::kBreach)
        << line;
  }
}

TEST(Reading, WithoutABudgetNothingIsProved) {
  const std::vector<Check> checks = JudgeReading(
      "ax_read/snapshot", Ours(), "qt6", ReadLines(Lines(299, 400)));
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].outcome, Outcome::kNotMeasurable);
}

TEST(Reading, BuildThatIsNotOptimizedIsSaid) {
  EXPECT_EQ(Details(ReadLines(R"({"fact":"optimized","value":false})")).size(),
            1U);
  EXPECT_TRUE(Details(ReadLines(Lines(1, 1))).empty());
}

}  // namespace
}  // namespace tactus::gate
