// What holds of any edit on any desktop, whoever acts meanwhile and whatever
// the server and the keyboard do; verdict.h lists it. RapidCheck prints its
// seed; to replay: bazel test //ax/edit:editor_property_test
// --test_env=RC_PARAMS="seed=N"
#include <rapidcheck.h>
#include <stdlib.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "ax/edit/outcome.h"
#include "ax/edit/trial.h"
#include "ax/edit/verdict.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

TEST(EditorPropertyTest, NoEditEverSaysWhatTheWorldDoesNotHold) {
  setenv("RC_PARAMS", "max_success=5000", /*overwrite=*/0);
  std::map<std::string, int> counts;
  EXPECT_TRUE(rc::check([&counts] {
    const auto bytes = *rc::gen::container<std::vector<uint8_t>>(
        96, rc::gen::arbitrary<uint8_t>());
    const Trial trial = TrialFromBytes(bytes);
    const Verdict verdict = Try(trial);
    ++counts[std::string(OutcomeName(verdict.result.outcome))];
    ++counts["for " + std::string(ReasonName(verdict.result.reason))];
    if (verdict.result.outcome == Outcome::kVerified) {
      ++counts["by " + std::string(RungName(verdict.result.rung))];
    }
    if (verdict.user_in_gap) ++counts["with the user in the gap"];
    if (verdict.overtyped) {
      ++counts["typed over, and " +
               std::string(OutcomeName(verdict.result.outcome))];
    }
    if (verdict.broken.starts_with("verified:")) {
      ++counts["verified while the world held something else"];
    }
    if (!verdict.broken.empty()) {
      RC_FAIL(verdict.broken + "\n" + Describe(trial) + "\n" +
              verdict.result.message);
    }
    RC_ASSERT(verdict.provable);
  }));
  std::string summary;
  for (const auto& [what, count] : counts) {
    summary +=
        (summary.empty() ? "" : ", ") + what + " " + std::to_string(count);
  }
  std::printf("%s\n", summary.c_str());
  EXPECT_EQ(counts["verified while the world held something else"], 0);
  // Not vacuous: each outcome, and each way to it, was met.
  for (const char* outcome :
       {"verified", "refused", "diverged", "unknown", "for not-landed",
        "by range", "by paste", "by whole-value", "by keystrokes",
        "with the user in the gap", "typed over, and diverged"}) {
    EXPECT_GT(counts[outcome], 0) << outcome;
  }
}

}  // namespace
}  // namespace tactus::ax
