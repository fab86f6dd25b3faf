#include "site/plot/plot.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "ledger/row/row.h"

namespace tactus::site {
namespace {

using ledger::Direction;
using ledger::Unit;

// Midnight of a day in January 2026.
absl::Time Day(int day) {
  return absl::FromCivil(absl::CivilDay(2026, 1, day), absl::UTCTimeZone());
}

PlotPoint Point(int day, double mid) {
  return {.time = Day(day),
          .low = mid * 0.9,
          .mid = mid,
          .high = mid * 1.25,
          .samples = 200,
          .href = absl::StrCat("rows-1.html#r-", day)};
}

// Holds `svg` against the golden picture. To write it anew after a change that
// is meant, run the test with TACTUS_GOLDEN set to the folder, and look at it.
void ExpectGolden(const std::string& name, const std::string& svg) {
  // A picture by itself needs what a page has in its style sheet.
  const std::string picture = absl::StrCat(
      "<?xml-stylesheet href=\"../../templates/plot.css\"?>\n",
      "<!-- Made-up rows: a test's picture and no measurement. -->\n",
      svg.substr(0, 5), "xmlns=\"http://www.w3.org/2000/svg\" ", svg.substr(5),
      "\n");
  if (const char* folder = std::getenv("TACTUS_GOLDEN")) {
    std::ofstream(absl::StrCat(folder, "/", name)) << picture;
    return;
  }
  std::ifstream file(absl::StrCat("site/plot/testdata/", name));
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(picture == golden) << name << " is another picture now; it is\n"
                                 << picture;
}

int Count(const std::string& text, absl::string_view part) {
  int count = 0;
  for (size_t at = text.find(std::string(part)); at != std::string::npos;
       at = text.find(std::string(part), at + part.size())) {
    ++count;
  }
  return count;
}

// The x of each dot.
std::vector<double> DotsAt(const std::string& svg) {
  std::vector<double> found;
  const std::string mark = " cx=\"";
  for (size_t at = svg.find(mark); at != std::string::npos;
       at = svg.find(mark, at + 1)) {
    found.push_back(std::strtod(svg.c_str() + at + mark.size(), nullptr));
  }
  return found;
}

TEST(TimePlot, GoldenOfAHistoryWithAChangeAGapAndAFailure) {
  std::vector<PlotPoint> points;
  for (const int day : {1, 2, 3, 5, 6, 7, 8}) {
    points.push_back(Point(day, 400 + 7.0 * day));
  }
  points[4].failures = 3;
  points[5].dirty = true;
  for (const int day : {20, 21, 23, 25, 28}) {
    points.push_back(Point(day, 250 + day % 3));
  }
  points[7].change = true;
  points[7].before = 431;
  points[7].after = 251;
  points.push_back({.time = Day(30),
                    .low = 1,
                    .mid = 2,
                    .high = 3,
                    .samples = 2,
                    .failures = 198});
  points.push_back(Point(31, 251));
  ExpectGolden("history.svg",
               TimePlot(points, {.id = "p", .title = "edit/word"}));
}

TEST(TimePlot, GoldenOfThroughputOnANarrowPage) {
  std::vector<PlotPoint> points;
  for (int day = 1; day <= 12; ++day) {
    points.push_back(Point(day, day < 8 ? 370.0 : 300.0));
  }
  points[7].change = true;
  points[7].before = 370;
  points[7].after = 300;
  points[11].failures = 1000;
  ExpectGolden("narrow.svg",
               TimePlot(points, {.id = "p",
                                 .title = "send/file & <others>",
                                 .unit = Unit::kMegabitsPerSecond,
                                 .direction = Direction::kMoreIsBetter,
                                 .width = 360,
                                 .height = 220}));
}

TEST(TimePlot, GoldenOfOneRow) {
  const std::vector<PlotPoint> points = {Point(4, 0.25)};
  ExpectGolden("one.svg", TimePlot(points, {.id = "p",
                                            .title = "one",
                                            .unit = Unit::kMilliseconds}));
}

TEST(TimePlot, OfNoRowsIsNothing) {
  EXPECT_EQ(TimePlot({}, {.id = "p", .title = "none"}), "");
}

// Spaced by row, all three gaps would be alike.
TEST(TimePlot, PauseIsAsWideAsItWasLong) {
  const std::vector<PlotPoint> points = {Point(1, 5), Point(2, 5), Point(12, 5),
                                         Point(13, 5)};
  const std::vector<double> x =
      DotsAt(TimePlot(points, {.id = "p", .title = "t"}));
  ASSERT_EQ(x.size(), 4u);
  EXPECT_NEAR((x[2] - x[1]) / (x[1] - x[0]), 10, 0.05);
  EXPECT_NEAR((x[3] - x[2]) / (x[1] - x[0]), 1, 0.01);
}

TEST(TimePlot, RowThatMostlyFailedIsACrossAndBreaksTheLine) {
  std::vector<PlotPoint> points = {Point(1, 5), Point(2, 5), Point(3, 0.001),
                                   Point(4, 5), Point(5, 5)};
  points[2].samples = 1;
  points[2].failures = 2;
  const std::string svg = TimePlot(points, {.id = "p", .title = "t"});
  EXPECT_EQ(DotsAt(svg).size(), 4u);
  EXPECT_EQ(Count(svg, "class=\"missing\""), 1);
  const size_t line = svg.find("class=\"line\"");
  const std::string path = svg.substr(line, svg.find("/>", line) - line);
  EXPECT_EQ(Count(path, "M"), 2);
  EXPECT_TRUE(absl::StrContains(svg, "1 has no value"));
}

TEST(TimePlot, RowWithFewFailuresIsDrawnAndMarked) {
  std::vector<PlotPoint> points = {Point(1, 5), Point(2, 5)};
  points[1].failures = 3;
  const std::string svg = TimePlot(points, {.id = "p", .title = "t"});
  EXPECT_EQ(Count(svg, "class=\"dot doubt\""), 1);
  EXPECT_TRUE(absl::StrContains(svg, ", 3 failed"));
}

TEST(TimePlot, ChangeIsWorseByTheDirectionAndNotByItsSign) {
  std::vector<PlotPoint> points = {Point(1, 5), Point(9, 8)};
  points[1].change = true;
  points[1].before = 5;
  points[1].after = 8;
  EXPECT_TRUE(absl::StrContains(TimePlot(points, {.id = "p", .title = "t"}),
                                "▲ 60\u00a0%, worse"));
  EXPECT_TRUE(absl::StrContains(
      TimePlot(
          points,
          {.id = "p", .title = "t", .direction = Direction::kMoreIsBetter}),
      "▲ 60\u00a0%, better"));
}

TEST(TimePlot, TextFromTheLedgerIsEscaped) {
  std::vector<PlotPoint> points = {Point(1, 5)};
  points[0].href = "x.html#\"><script>";
  const std::string svg =
      TimePlot(points, {.id = "p", .title = "</title><script>"});
  EXPECT_FALSE(absl::StrContains(svg, "<script"));
  EXPECT_TRUE(absl::StrContains(svg, "&lt;/title&gt;&lt;script&gt;"));
}

TEST(TimePlot, DatesFarApartHaveFewTicks) {
  std::vector<PlotPoint> points = {Point(1, 5), Point(2, 5)};
  points[0].time = absl::FromUnixSeconds(0);
  points[1].time =
      absl::FromCivil(absl::CivilDay(9999, 1, 1), absl::UTCTimeZone());
  EXPECT_LE(Count(TimePlot(points, {.id = "p", .title = "t"}), "class=\"x\""),
            40);
}

TEST(Reduce, LeavesFewPointsAlone) {
  const std::vector<PlotPoint> points = {Point(1, 5), Point(2, 6)};
  EXPECT_EQ(Reduce(points, 2).size(), 2u);
}

TEST(Reduce, PutsNeighboursInTimeTogetherAndKeepsTheirSpread) {
  std::vector<PlotPoint> points = {Point(1, 5), Point(2, 7), Point(3, 6),
                                   Point(20, 9), Point(21, 9)};
  points[1].dirty = true;
  const std::vector<PlotPoint> reduced = Reduce(points, 2);
  ASSERT_EQ(reduced.size(), 2u);
  EXPECT_EQ(reduced[0].rows, 3);
  EXPECT_EQ(reduced[0].mid, 6);
  EXPECT_EQ(reduced[0].low, 4.5);
  EXPECT_EQ(reduced[0].high, 8.75);
  EXPECT_EQ(reduced[0].samples, 600);
  EXPECT_TRUE(reduced[0].dirty);
  EXPECT_EQ(reduced[0].href, "");
}

TEST(Reduce, HidesNeitherAChangeNorAMissingRow) {
  std::vector<PlotPoint> points;
  for (int day = 1; day <= 30; ++day) points.push_back(Point(day, 5));
  points[10].change = true;
  points[20].failures = 500;
  const std::vector<PlotPoint> reduced = Reduce(points, 3);
  int64_t rows = 0;
  int changes = 0, missing = 0;
  for (const PlotPoint& point : reduced) {
    rows += point.rows;
    changes += point.change ? 1 : 0;
    missing += point.missing() ? 1 : 0;
  }
  EXPECT_EQ(rows, 30);
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(missing, 1);
}

TEST(Reduce, OfRowsThatFailEverySecondTimeIsBounded) {
  std::vector<PlotPoint> points;
  for (int i = 0; i < 2000; ++i) {
    points.push_back(Point(1, 5));
    points.back().time += absl::Minutes(i);
    if (i % 2 == 0) points.back().failures = 500;
  }
  const std::vector<PlotPoint> reduced = Reduce(points, 10);
  EXPECT_EQ(reduced.size(), 20u);
  int64_t missing = 0;
  for (const PlotPoint& point : reduced) {
    if (point.missing()) missing += point.rows;
  }
  EXPECT_EQ(missing, 1000);
}

TEST(Change, IsSeenFromTheLevelBefore) {
  EXPECT_EQ(ShowChange(400, 300), "25\u00a0%");
  EXPECT_EQ(ShowChange(300, 400), "33\u00a0%");
  EXPECT_EQ(ShowChange(0, 400), "from zero");
}

TEST(Ticks, AreRoundAndReachTheLargest) {
  EXPECT_EQ(Ticks(0.3, 4), (std::vector<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(Ticks(412, 4), (std::vector<double>{200, 400, 600}));
  EXPECT_EQ(Ticks(100, 4), (std::vector<double>{25, 50, 75, 100}));
  EXPECT_EQ(Ticks(7, 4), (std::vector<double>{2, 4, 6, 8}));
  EXPECT_EQ(Ticks(0, 4), (std::vector<double>{1}));
  for (double largest = 1e-9; largest < 1e9; largest *= 1.37) {
    const std::vector<double> ticks = Ticks(largest, 4);
    EXPECT_GE(ticks.back(), largest * (1 - 1e-6)) << largest;
    EXPECT_LE(ticks.size(), 4u) << largest;
  }
}

TEST(Strip, HasAStrokeForEachSampleInItsOrder) {
  EXPECT_EQ(Strip(std::vector<double>{1, 4, 2}, 3, "three"),
            "<svg class=\"strip\" viewBox=\"0 0 9 48\" "
            "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"three\">"
            "<path class=\"usual\" d=\"M1 48v-12M7 48v-24\"/>"
            "<path class=\"over\" d=\"M4 48v-48\"/></svg>");
}

TEST(Strip, OfMoreSamplesThanItHoldsKeepsTheGreatest) {
  std::vector<double> samples(1000, 1.0);
  samples[500] = 10;
  const std::string strip = Strip(samples, 5, "many", 100);
  EXPECT_EQ(Count(strip, "M"), 100);
  EXPECT_TRUE(absl::StrContains(strip, "class=\"over\""));
}

TEST(Histogram, CountsWhatIsBeyondItsEndIntoItsLastBin) {
  EXPECT_EQ(Histogram(std::vector<double>{0, 0, 1, 99}, 0, 2, 2),
            "<svg class=\"shape\" viewBox=\"0 0 8 24\" aria-hidden=\"true\">"
            "<path d=\"M0 24v-24h3V24zM4 24v-24h3V24z\"/></svg>");
}

TEST(Histogram, OfEqualSamplesIsOneBar) {
  EXPECT_EQ(Count(Histogram(std::vector<double>{5, 5, 5}, 5, 5, 8), "M"), 1);
}

TEST(Bar, IsAsLongAsItsShare) {
  EXPECT_TRUE(absl::StrContains(Bar(1, 4, "ours"), "<rect width=\"25\""));
  EXPECT_TRUE(absl::StrContains(Bar(0, 4, "ours"), "<rect width=\"0.4\""));
}

}  // namespace
}  // namespace tactus::site
