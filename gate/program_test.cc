// The gates as programs: their exit codes and what they print, on ledgers and
// budgets of another repository's.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "boost/json.hpp"
#include "gate/ledger_for_test.h"
#include "gate/process.h"
#include "gate/verdict.h"
#include "gtest/gtest.h"
#include "ledger/provenance/git.h"
#include "ledger/row/row.h"

namespace tactus::gate {
namespace {

namespace json = boost::json;

std::string Scratch(const std::string& name, const std::string& content) {
  const std::string path = absl::StrCat(getenv("TEST_TMPDIR"), "/", name);
  std::ofstream(path) << content;
  return path;
}

struct Said {
  int code = -1;
  std::string out;
  std::string err;
  std::optional<Report> report;
};

Said RunGate(
    const std::string& gate, std::vector<std::string> arguments,
    std::vector<std::pair<std::string, std::string>> environment = {}) {
  arguments.insert(arguments.begin(), Runfile("gate/" + gate));
  absl::StatusOr<Ran> ran =
      RunProgram(arguments, {.environment = std::move(environment)});
  EXPECT_TRUE(ran.ok()) << ran.status();
  if (!ran.ok()) return {};
  return {.code = ran->code,
          .out = ran->out,
          .err = ran->err,
          .report = ParseJson(ran->out)};
}

// What no gate may answer with a pass, whichever way it exits.
void ExpectNoPass(const std::string& gate,
                  const std::vector<std::string>& arguments,
                  absl::string_view says) {
  std::vector<std::string> plain = arguments;
  plain.emplace_back("--json");
  const Said said = RunGate(gate, plain);
  ASSERT_TRUE(said.report.has_value()) << said.out << said.err;
  EXPECT_EQ(said.report->outcome(), Outcome::kNotMeasurable) << said.out;
  EXPECT_EQ(said.code, 0);
  EXPECT_NE(said.report->reason().find(std::string(says)), std::string::npos)
      << said.report->reason();
  plain.emplace_back("--require-measurement");
  EXPECT_EQ(RunGate(gate, plain).code, 3);
}

class ProgramTest : public ::testing::Test {
 protected:
  std::vector<std::string> OnLedger(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--ledger", folder_, "--device", TestDevice()});
    return more;
  }

  std::vector<std::string> WithBudgets() {
    return OnLedger({"--budgets", budgets_});
  }

  void AddMany(int rows, double value, int first_day = 0, int commit = 1) {
    for (int i = 0; i < rows; ++i) {
      AddRow(folder_, {.value = value * (1 + 0.002 * (i % 3)),
                       .day = first_day + i,
                       .commit = commit});
    }
  }

  const std::string folder_ = MakeLedger("program");
  // Another repository's: names that ours has not.
  const std::string budgets_ = Scratch("budgets.json", R"({"schema": 1,
    "budgets": [{"name": "theirs", "series": "edit/gtk3", "statistic": "p50",
      "unit": "ms", "at_most": 0.5, "plausible": [0.01, 100], "why": "w"}]})");
};

TEST_F(ProgramTest, BudgetOfAnotherRepositoryIsKeptOrBreached) {
  AddRow(folder_, {.samples = std::vector<double>(30, 400)});
  std::vector<std::string> arguments = WithBudgets();
  arguments.emplace_back("--json");
  Said said = RunGate("budget", arguments);
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_EQ(said.report->outcome(), Outcome::kPass);

  AddRow(folder_, {.samples = std::vector<double>(30, 600), .day = 1});
  said = RunGate("budget", arguments);
  EXPECT_EQ(said.code, 1);
  EXPECT_EQ(said.report->reason(), "theirs: p50 0.6 ms of at most 0.5 ms");
}

TEST_F(ProgramTest, BudgetWithoutAMeasurementIsNeverAPass) {
  ExpectNoPass("budget", WithBudgets(), "the ledger is empty");
  AddRow(folder_, {.series = "another"});
  ExpectNoPass("budget", WithBudgets(), "no row of edit/gtk3");
  AddRow(folder_, {.samples = std::vector<double>(3, 400), .day = 1});
  ExpectNoPass("budget", WithBudgets(), "too few");
  ExpectNoPass("budget",
               {"--budgets", budgets_, "--ledger", folder_, "--device",
                "0000000000000000"},
               "no row is of this device");
  ExpectNoPass("budget", {"--budgets", budgets_, "--ledger", folder_ + "/none"},
               "none");
  // No budget at all.
  ExpectNoPass("budget",
               {"--ledger", folder_, "--budgets",
                Scratch("none.json", "{\"schema\": 1}")},
               "nothing to judge");
}

TEST_F(ProgramTest, BudgetThatIsKeptBeyondBeliefIsABreach) {
  for (int day = 0; day < 5; ++day) {
    AddRow(folder_, {.samples = std::vector<double>(30, 480), .day = day});
  }
  AddRow(folder_, {.samples = std::vector<double>(30, 14), .day = 9});
  EXPECT_EQ(RunGate("budget", WithBudgets()).code, 1);
}

TEST_F(ProgramTest, RegressionNeedsAnythingToCompareWith) {
  ExpectNoPass("regression", OnLedger(), "the ledger is empty");
  AddMany(20, 100);
  // All of one commit: there is nothing before it.
  ExpectNoPass("regression", OnLedger(), "no baseline");
  AddMany(2, 100, 30, 2);
  ExpectNoPass("regression", OnLedger(), "2 now");
  ExpectNoPass("regression", OnLedger({"--series", "edit/qt6"}),
               "no row of edit/qt6");
}

TEST_F(ProgramTest, RegressionOfTheNewestCommitIsABreach) {
  AddMany(20, 100);
  AddMany(3, 103, 30, 2);
  EXPECT_EQ(RunGate("regression", OnLedger()).code, 0);
  AddMany(3, 125, 40, 3);
  EXPECT_EQ(RunGate("regression", OnLedger()).code, 1);
  // What was meant begins anew, and then there is no baseline yet.
  const std::string shifts = Scratch(
      "shifts.json", absl::StrCat(R"({"schema":1,"shifts":[{"series":"edit/*",)"
                                  R"("commit":")",
                                  CommitNumber(3), R"(","why":"w"}]})"));
  ExpectNoPass("regression", OnLedger({"--shifts", shifts}), "no baseline");
}

TEST_F(ProgramTest, StaircaseInTheLedgerIsABreach) {
  double level = 100;
  for (int commit = 0; commit < 6; ++commit, level *= 1.04) {
    AddMany(4, level, commit * 10, commit + 1);
  }
  EXPECT_EQ(RunGate("regression", OnLedger()).code, 1);
}

TEST_F(ProgramTest, RowsOfDirtyTreesAreNoBaseline) {
  for (int day = 0; day < 20; ++day) {
    AddRow(folder_, {.value = 100, .day = day, .dirty = true});
  }
  AddMany(3, 100, 30, 2);
  ExpectNoPass("regression", OnLedger(), "no baseline: 0 rows");
}

TEST_F(ProgramTest, ProgramIsMeasuredAgainBeforeARegressionCounts) {
  AddMany(20, 100);
  // Copies a row that was made beforehand; the first three times a slow one.
  const std::string slow = MakeLedger("slow");
  const std::string fast = MakeLedger("fast");
  AddRow(slow, {.value = 130});
  AddRow(fast, {.value = 100});
  const std::string count = Scratch("count", "");
  const std::string program =
      Scratch("program.sh",
              absl::StrCat("#!/bin/sh\necho x >> ", count, "\nif [ $(wc -l < ",
                           count, ") -le 3 ]; then cp ", slow,
                           "/* \"$2\"; else cp ", fast, "/* \"$2\"; fi\n"));
  chmod(program.c_str(), 0755);
  const Said said =
      RunGate("regression", OnLedger({"--measure", program, "--json"}));
  ASSERT_TRUE(said.report.has_value()) << said.out << said.err;
  EXPECT_EQ(said.code, 0) << said.out;
  std::ifstream counted(count);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(counted), {}),
            "x\nx\nx\nx\nx\nx\n");
}

TEST_F(ProgramTest, HistoryShowsTheCommitOfAChangeAndBreaches) {
  AddMany(20, 100);
  ASSERT_EQ(RunGate("history", OnLedger()).code, 0);
  AddMany(20, 125, 30, 7);
  Said said = RunGate("history", OnLedger({"--json"}));
  EXPECT_EQ(said.code, 1);
  EXPECT_NE(said.report->reason().find(CommitNumber(7).substr(0, 12)),
            std::string::npos)
      << said.report->reason();
  ExpectNoPass("history", OnLedger({"--series", "none"}), "no row of none");
}

TEST_F(ProgramTest, HistoryFindsTheChangePointsThatOtavaFinds) {
  std::ifstream file(Runfile("ledger/stats/testdata/tigerbeetle.json"));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const json::value data = json::parse(text);
  int cases = 0;
  for (const json::value& one : data.at("cases").as_array()) {
    std::vector<std::string> arguments = {
        "--samples", Runfile("ledger/stats/testdata/tigerbeetle.json"),
        "--json"};
    for (const auto& [key, option] : {std::pair("window_len", "--window-len"),
                                      {"max_pvalue", "--max-pvalue"},
                                      {"min_magnitude", "--min-magnitude"}}) {
      arguments.emplace_back(option);
      arguments.push_back(json::serialize(one.at(key)));
    }
    const Said said = RunGate("history", arguments);
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(json::parse(said.out).at("indexes"), one.at("expected"))
        << json::serialize(one);
    ++cases;
  }
  EXPECT_GT(cases, 0);
}

TEST_F(ProgramTest, CompareBuildsTheBaseInAWorktreeAndCleansUp) {
  const std::string repository =
      absl::StrCat(getenv("TEST_TMPDIR"), "/compared");
  std::filesystem::remove_all(repository);
  std::filesystem::create_directories(repository);
  const auto git = [&](const std::vector<std::string>& arguments) {
    ASSERT_TRUE(ledger::RunGit(repository, arguments).ok());
  };
  const std::string slow = MakeLedger("slow");
  const std::string fast = MakeLedger("fast");
  AddRow(slow, {.value = 130});
  AddRow(fast, {.value = 100});
  // The "benchmark": writes the row that stands for how fast this tree is.
  const auto benchmark = [&](const std::string& ledger) {
    const std::string path = repository + "/benchmark";
    std::ofstream(path) << "#!/bin/sh\ncp " << ledger << "/* \"$2\"\n";
    chmod(path.c_str(), 0755);
  };
  git({"init", "--quiet"});
  benchmark(fast);
  git({"add", "benchmark"});
  git({"-c", "user.name=n", "-c", "user.email=e", "commit", "--quiet", "-m",
       "m"});
  // Stands for Bazel: what it builds is the tree itself.
  const std::string bazel = Scratch(
      "bazel",
      "#!/bin/sh\n"
      "case \"$*\" in *failing*) echo no such target >&2; exit 1 ;; esac\n"
      "for word; do case \"$word\" in\n"
      "  --*) ;;\n"
      "  cquery) echo benchmark; exit ;;\n"
      "  info) pwd; exit ;;\n"
      "  *) exit ;;\n"
      "esac; done\n");
  chmod(bazel.c_str(), 0755);
  const std::vector<std::string> arguments = {
      "--base",  "HEAD", "--target",    "//:benchmark", "--series", "edit/gtk3",
      "--bazel", bazel,  "--workspace", repository,     "--json"};
  benchmark(slow);
  Said said = RunGate("compare", arguments);
  ASSERT_TRUE(said.report.has_value()) << said.out << said.err;
  EXPECT_EQ(said.code, 1) << said.out;
  EXPECT_EQ(said.report->checks[0].reason,
            "slower: present over base 1.300, between 1.300 and 1.300, 11 "
            "pairs, 99 % sure");
  benchmark(fast);
  said = RunGate("compare", arguments);
  EXPECT_EQ(said.code, 0) << said.out;
  EXPECT_EQ(said.report->checks[0].reason.find("the same within 5 %"), 0U);
  absl::StatusOr<std::string> trees =
      ledger::RunGit(repository, {"worktree", "list"});
  ASSERT_TRUE(trees.ok());
  EXPECT_EQ(trees->find("tactus-compare"), std::string::npos);

  std::vector<std::string> wrong = arguments;
  wrong[1] = "no-such-commit";
  ExpectNoPass("compare",
               std::vector<std::string>(wrong.begin(), wrong.end() - 1),
               "git knows no commit");
  wrong = arguments;
  wrong[5] = "another";
  said = RunGate("compare", wrong);
  EXPECT_EQ(said.report->outcome(), Outcome::kNotMeasurable);
  EXPECT_NE(said.report->reason().find("recorded no row of another but "
                                       "edit/gtk3 application=gtk3"),
            std::string::npos)
      << said.report->reason();
  wrong = arguments;
  wrong[3] = "//:failing";
  EXPECT_EQ(RunGate("compare", wrong).code, 1);
}

TEST_F(ProgramTest, WrongUsageExitsWithTwo) {
  for (const char* gate : {"budget", "regression", "history", "compare"}) {
    EXPECT_EQ(RunGate(gate, {"--no-such-option"}).code, 2) << gate;
    EXPECT_EQ(RunGate(gate, {"--format", "xml"}).code, 2) << gate;
    EXPECT_EQ(RunGate(gate, {"--help"}).code, 0) << gate;
    EXPECT_NE(RunGate(gate, {"--help"}).out.find("Exit codes: 0 pass"),
              std::string::npos)
        << gate;
  }
  EXPECT_EQ(RunGate("budget", {"--budgets", "none.json"}).code, 2);
  EXPECT_EQ(RunGate("budget", {"--budgets", budgets_, "--ledger", folder_,
                               "--only", "no"})
                .code,
            2);
  EXPECT_EQ(RunGate("regression", OnLedger({"--statistic", "p42"})).code, 2);
  EXPECT_EQ(RunGate("history", OnLedger({"--max-pvalue", "7"})).code, 2);
  EXPECT_EQ(RunGate("history", {"--samples", "no/such/file"}).code, 2);
  // Without a workspace and without --ledger there is nowhere to look.
  EXPECT_EQ(RunGate("regression", {}, {{"BUILD_WORKSPACE_DIRECTORY", ""}}).code,
            2);
}

TEST_F(ProgramTest, JunitOfABreachIsAFailure) {
  AddMany(20, 100);
  AddMany(3, 125, 40, 3);
  const Said said = RunGate("regression", OnLedger({"--format", "junit"}));
  EXPECT_EQ(said.code, 1);
  EXPECT_NE(said.out.find("<testsuite name=\"gate.regression\" tests=\"1\" "
                          "failures=\"1\""),
            std::string::npos)
      << said.out;
}

}  // namespace
}  // namespace tactus::gate
