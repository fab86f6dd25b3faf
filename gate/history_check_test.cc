#include "gate/history_check.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "gate/histories.h"
#include "gate/shifts.h"
#include "gate/verdict.h"
#include "gtest/gtest.h"
#include "ledger/row/row.h"
#include "ledger/stats/changepoints.h"

namespace tactus::gate {
namespace {

std::string Commit(size_t row) {
  return absl::StrFormat("%012x%s", static_cast<int>(row),
                         std::string(28, '0'));
}

// A row a commit, of levels that each last for so many rows.
History Levels(std::vector<std::pair<double, int>> levels) {
  History history{.key = "edit/gtk3", .series = "edit/gtk3"};
  // Noise of a percent that repeats.
  constexpr double kNoise[] = {0.01,  -0.007, 0.004, -0.01,
                               0.006, 0.002,  -0.005};
  for (const auto& [level, rows] : levels) {
    for (int i = 0; i < rows; ++i) {
      const size_t row = history.entries.size();
      history.entries.push_back(
          {.commit = Commit(row),
           .date = absl::UnixEpoch() + absl::Hours(24) * static_cast<int>(row),
           .value = level * (1 + kNoise[row % 7])});
    }
  }
  return history;
}

Check CheckIt(const History& history, const std::vector<Shift>& shifts = {}) {
  return CheckHistory(history, shifts, {.min_magnitude = 0.05});
}

TEST(HistoryCheck, SteadySeriesPasses) {
  const Check check = CheckIt(Levels({{100, 40}}));
  EXPECT_EQ(check.outcome, Outcome::kPass);
  EXPECT_EQ(check.reason, "40 rows, 0 changes");
}

TEST(HistoryCheck, StepForTheWorseIsABreachWithItsCommit) {
  const Check check = CheckIt(Levels({{100, 20}, {120, 20}}));
  EXPECT_EQ(check.outcome, Outcome::kBreach);
  EXPECT_NE(check.reason.find("at row 20, 000000000014 of 1970-01-21, after "
                              "000000000013 of 1970-01-20"),
            std::string::npos)
      << check.reason;
  EXPECT_NE(check.reason.find("+20."), std::string::npos) << check.reason;
}

TEST(HistoryCheck, StepThatWasMeantPassesAndSaysWhy) {
  const Check check = CheckIt(
      Levels({{100, 20}, {120, 20}}),
      {{.series = "edit/*", .commit = Commit(20), .why = "one check more"}});
  EXPECT_EQ(check.outcome, Outcome::kPass);
  ASSERT_EQ(check.details.size(), 1U);
  EXPECT_NE(check.details[0].find("meant, one check more"), std::string::npos);
}

TEST(HistoryCheck, ShiftOfAnotherCommitOrSeriesExcusesNothing) {
  const History history = Levels({{100, 20}, {120, 20}});
  EXPECT_EQ(CheckIt(history,
                    {{.series = "edit/gtk3", .commit = Commit(7), .why = "w"}})
                .outcome,
            Outcome::kBreach);
  EXPECT_EQ(
      CheckIt(history, {{.series = "find/*", .commit = Commit(20), .why = "w"}})
          .outcome,
      Outcome::kBreach);
}

TEST(HistoryCheck, StepForTheBetterIsToldAndPasses) {
  const Check check = CheckIt(Levels({{100, 20}, {80, 20}}));
  EXPECT_EQ(check.outcome, Outcome::kPass);
  ASSERT_EQ(check.details.size(), 1U);
  EXPECT_NE(check.details[0].find(": better"), std::string::npos);
}

TEST(HistoryCheck, ThroughputThatFallsIsForTheWorse) {
  History history = Levels({{100, 20}, {80, 20}});
  history.direction = ledger::Direction::kMoreIsBetter;
  EXPECT_EQ(CheckIt(history).outcome, Outcome::kBreach);
}

TEST(HistoryCheck, StepThatWasTakenBackIsToldAndPasses) {
  const Check check = CheckIt(Levels({{100, 20}, {120, 20}, {99, 20}}));
  EXPECT_EQ(check.outcome, Outcome::kPass);
  ASSERT_EQ(check.details.size(), 2U);
  EXPECT_NE(check.details[0].find("taken back"), std::string::npos);
}

TEST(HistoryCheck, StaircaseIsSeenThoughNoStepIsLarge) {
  EXPECT_EQ(
      CheckIt(Levels({{100, 15}, {106, 15}, {112, 15}, {119, 15}})).outcome,
      Outcome::kBreach);
}

TEST(HistoryCheck, TooFewRowsAndSeveralUnitsAreNoPass) {
  EXPECT_EQ(CheckIt(Levels({{100, 2}})).outcome, Outcome::kNotMeasurable);
  EXPECT_EQ(CheckIt(Levels({})).outcome, Outcome::kNotMeasurable);
  History history = Levels({{100, 40}});
  history.mixed = true;
  EXPECT_EQ(CheckIt(history).outcome, Outcome::kBreach);
}

TEST(Shifts, FileIsReadAndWhatIsWrongInItIsNamed) {
  const absl::StatusOr<std::vector<Shift>> shifts = ParseShifts(
      R"({"schema":1,"shifts":[{"series":"s","commit":"0123456789ab",)"
      R"("why":"w"}]})");
  ASSERT_TRUE(shifts.ok()) << shifts.status();
  ASSERT_EQ(shifts->size(), 1U);
  EXPECT_EQ((*shifts)[0].commit, "0123456789ab");
  for (const char* wrong :
       {"", "[]", R"({"schema":2,"shifts":[]})", R"({"schema":1})",
        R"({"schema":1,"shifts":[],"more":1})",
        R"({"schema":1,"shifts":[{"series":"s","commit":"0123456789ab"}]})",
        R"({"schema":1,"shifts":[{"series":"s","commit":"0123","why":"w"}]})",
        R"({"schema":1,"shifts":[{"series":"s","commit":"0123456789AB",)"
        R"("why":"w"}]})",
        R"({"schema":1,"shifts":[{"series":"s","commit":"0123456789ab",)"
        R"("why":"w","x":1}]})"}) {
    EXPECT_FALSE(ParseShifts(wrong).ok()) << wrong;
  }
}

TEST(Shifts, HistoryBeginsAnewAtTheNewestOfThem) {
  const History history = Levels({{100, 30}});
  EXPECT_EQ(Beginning({}, history), 0U);
  EXPECT_EQ(Beginning({{"edit/*", Commit(10), "w"},
                       {"edit/gtk3", Commit(20), "w"},
                       {"find/*", Commit(25), "w"}},
                      history),
            20U);
}

}  // namespace
}  // namespace tactus::gate
