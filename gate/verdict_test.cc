#include "gate/verdict.h"

#include <limits>
#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace tactus::gate {
namespace {

Check Made(Outcome outcome, std::string name = "p50") {
  return {.name = std::move(name), .outcome = outcome, .reason = "because"};
}

TEST(Verdict, NothingAskedIsNothingProved) {
  const Report report{.gate = "g"};
  EXPECT_EQ(report.outcome(), Outcome::kNotMeasurable);
  EXPECT_EQ(FormatText(report),
            "g: not measurable: there was nothing to judge\n");
  EXPECT_EQ(FormatJunit({report}, false),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            "  <testsuite name=\"gate.g\" tests=\"1\" failures=\"0\" "
            "errors=\"0\" skipped=\"1\">\n"
            "    <testcase classname=\"gate.g\" name=\"g\">\n"
            "      <skipped message=\"there was nothing to judge\"></skipped>\n"
            "    </testcase>\n  </testsuite>\n</testsuites>\n");
}

TEST(Verdict, OneBreachAmongPassesIsABreach) {
  Report report{
      .gate = "g",
      .checks = {Made(Outcome::kPass, "a"), Made(Outcome::kBreach, "b"),
                 Made(Outcome::kNotMeasurable, "c")}};
  EXPECT_EQ(report.outcome(), Outcome::kBreach);
  EXPECT_EQ(report.reason(), "1 pass, 1 not measurable, 1 breach; b: because");
  report.checks.erase(report.checks.begin() + 1);
  EXPECT_EQ(report.outcome(), Outcome::kNotMeasurable);
  report.checks.pop_back();
  EXPECT_EQ(report.outcome(), Outcome::kPass);
}

TEST(Verdict, NotMeasurableExitsWithZeroUnlessMeasurementIsRequired) {
  EXPECT_EQ(ExitCode(Outcome::kPass, true), 0);
  EXPECT_EQ(ExitCode(Outcome::kNotMeasurable, false), 0);
  EXPECT_EQ(ExitCode(Outcome::kNotMeasurable, true), 3);
  EXPECT_EQ(ExitCode(Outcome::kBreach, false), 1);
  EXPECT_EQ(ExitCode(Outcome::kBreach, true), 1);
}

TEST(Verdict, FirstLineIsVerdictAndReasonAndTheRestIsBelow) {
  Report report{
      .gate = "ax_read",
      .checks = {Made(Outcome::kPass, "p50"), Made(Outcome::kPass, "p99")},
      .details = {"on a desktop"}};
  report.checks[0].headroom = 4.872;
  report.checks[1].headroom = 19.3;
  report.checks[1].details = {"of 299 samples"};
  EXPECT_EQ(FormatText(report),
            "ax_read: pass: 2 pass; p50: because\n"
            "  pass  p50: because\n"
            "    headroom 4.87 times\n"
            "  pass  p99: because\n"
            "    headroom 19.3 times\n"
            "    of 299 samples\n"
            "  on a desktop\n");
}

TEST(Verdict, WhatIsNotMeasurableForOneReasonIsOneLineForPeople) {
  Report report{
      .gate = "g",
      .checks = {Made(Outcome::kNotMeasurable, "a"), Made(Outcome::kPass, "b"),
                 Made(Outcome::kNotMeasurable, "c"),
                 Made(Outcome::kNotMeasurable, "d"),
                 Made(Outcome::kNotMeasurable, "e"),
                 Made(Outcome::kPass, "f")}};
  report.checks[3].reason = "another reason";
  EXPECT_EQ(FormatText(report),
            "g: not measurable: 2 pass, 4 not measurable; a: because\n"
            "  not measurable  a and 2 more: because\n"
            "  pass  b: because\n"
            "  not measurable  d: another reason\n"
            "  pass  f: because\n");
  report.checks[4].details = {"told apart by what it details"};
  EXPECT_EQ(Together(report.checks).size(), 5u);
  EXPECT_EQ(ParseJson(FormatJson(report))->checks.size(), 6u);
}

TEST(Verdict, WhatCameFromOutsideReachesNoTerminalRaw) {
  Report report{.gate = "g", .checks = {Made(Outcome::kBreach)}};
  report.checks[0].reason = "\x1b[2J<&\"\n";
  EXPECT_EQ(FormatText(report), "g: breach: p50: \\x1b[2J<&\"\\x0a\n");
  EXPECT_NE(FormatJunit({report}, false)
                .find("message=\"\\x1b[2J&lt;&amp;&quot;\\x0a\""),
            std::string::npos);
}

TEST(Verdict, JsonIsReadBackAsItWasWritten) {
  Report report{.gate = "g",
                .checks = {Made(Outcome::kBreach), Made(Outcome::kPass, "x")},
                .details = {"d", "\"quoted\""}};
  report.checks[0].headroom = 0.5;
  report.checks[0].details = {"line"};
  const std::string line = FormatJson(report);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const std::optional<Report> read = ParseJson(line);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(FormatJson(*read), line);
  EXPECT_EQ(read->outcome(), Outcome::kBreach);
  EXPECT_EQ(read->checks[0].headroom, 0.5);
  EXPECT_EQ(read->checks[1].headroom, std::nullopt);
}

TEST(Verdict, InfiniteHeadroomIsStillJson) {
  Report report{.gate = "g", .checks = {Made(Outcome::kPass)}};
  report.checks[0].headroom = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(ParseJson(FormatJson(report)).has_value());
}

TEST(Verdict, WhatIsNoReportIsNotTakenForOne) {
  EXPECT_FALSE(ParseJson("").has_value());
  EXPECT_FALSE(ParseJson("{}").has_value());
  EXPECT_FALSE(ParseJson("{\"gate\":\"g\"}").has_value());
  EXPECT_FALSE(ParseJson("{\"gate\":\"g\",\"checks\":[{}]}").has_value());
  EXPECT_FALSE(ParseJson("{\"gate\":\"g\",\"checks\":[{\"name\":\"a\","
                         "\"verdict\":\"fine\"}]}")
                   .has_value());
}

TEST(Verdict, RequiredMeasurementIsAnErrorInJunitAndNotSkipped) {
  const Report report{.gate = "g", .checks = {Made(Outcome::kNotMeasurable)}};
  EXPECT_NE(FormatJunit({report}, true).find("errors=\"1\" skipped=\"0\""),
            std::string::npos);
  EXPECT_NE(FormatJunit({report}, true).find("<error "), std::string::npos);
}

TEST(Verdict, FiguresHaveThreeDigitsThatCount) {
  EXPECT_EQ(Figure(0), "0");
  EXPECT_EQ(Figure(4.8721), "4.87");
  EXPECT_EQ(Figure(48.721), "48.7");
  EXPECT_EQ(Figure(4872.1), "4872");
  EXPECT_EQ(Figure(0.048721), "0.0487");
  EXPECT_EQ(Figure(2), "2");
  EXPECT_EQ(Figure(-0.25), "-0.25");
  EXPECT_EQ(Figure(std::numeric_limits<double>::quiet_NaN()), "no number");
}

}  // namespace
}  // namespace tactus::gate
