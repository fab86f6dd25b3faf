#include "gate/desktop.h"

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gate/verdict.h"
#include "gtest/gtest.h"

namespace tactus::gate {
namespace {

// A runner that does what `script` says.
Staged RunWith(const std::string& script,
               absl::Duration patience = absl::Minutes(1)) {
  const std::string runner = absl::StrCat(getenv("TEST_TMPDIR"), "/runner");
  std::ofstream(runner) << "#!/bin/sh\n" << script << "\n";
  chmod(runner.c_str(), 0755);
  return RunOnDesktop({.application = "gtk3",
                       .probe = "gate/budgets.json",  // not run by this runner
                       .arguments = {"--samples", "200"},
                       .patience = patience,
                       .runner = runner});
}

TEST(Desktop, MachineWithoutOneIsNotMeasurableAndSaysWhatIsMissing) {
  const Staged staged =
      RunWith("echo \"tools/desktop/run: no program 'Xvfb'\" >&2; exit 3");
  ASSERT_TRUE(staged.refusal.has_value());
  EXPECT_EQ(staged.refusal->outcome, Outcome::kNotMeasurable);
  EXPECT_EQ(staged.refusal->reason, "tools/desktop/run: no program 'Xvfb'");
  EXPECT_EQ(staged.refusal->name, "gtk3");
}

TEST(Desktop, ProbeThatRanToItsEndIsJudgedByWhatItPrinted) {
  const Staged staged = RunWith("echo line");
  EXPECT_FALSE(staged.refusal.has_value());
  EXPECT_EQ(staged.out, "line\n");
}

TEST(Desktop, ProbeGetsTheFieldAndItsArguments) {
  const Staged staged = RunWith("echo \"$*\"");
  EXPECT_TRUE(absl::StartsWith(
      staged.out,
      "--app gtk3 --text The quick brown fox jumps over the lazy dog "
      "--timeout 60 -- "))
      << staged.out;
  EXPECT_TRUE(absl::EndsWith(staged.out, "gate/budgets.json --samples 200\n"))
      << staged.out;
}

TEST(Desktop, ProbeThatFailsHangsOrDiesIsABreach) {
  for (const char* script :
       {"echo no focus >&2; exit 1", "exit 124", "kill -SEGV $$",
        // It had begun to print, so that it is not the desktop that could not.
        "echo line; exit 3"}) {
    const Staged staged = RunWith(script);
    ASSERT_TRUE(staged.refusal.has_value()) << script;
    EXPECT_EQ(staged.refusal->outcome, Outcome::kBreach) << script;
  }
  EXPECT_EQ(RunWith("echo no focus >&2; exit 1").refusal->reason,
            "the probe failed with 1: no focus");
}

TEST(Desktop, ProbeThatIsNotThereIsABreachAndNoEmptyMeasurement) {
  const Staged staged = RunOnDesktop(
      {.application = "gtk3", .probe = "gate/no_such_probe", .runner = "true"});
  ASSERT_TRUE(staged.refusal.has_value());
  EXPECT_EQ(staged.refusal->outcome, Outcome::kBreach);
}

}  // namespace
}  // namespace tactus::gate
