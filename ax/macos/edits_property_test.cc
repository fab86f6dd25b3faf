// What holds of any edit on any desktop holds through the C API too, batched
// and attribute by attribute; ax/edit/verdict.h lists it. RapidCheck prints its
// seed; to replay: bazel test //ax/macos:edits_property_test
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
#include "ax/macos/testing/backend.h"
#include "ax/macos/testing/leaks.h"
#include "gtest/gtest.h"

namespace tactus::ax::macos {
namespace {

class EditsPropertyTest : public NoLeaks {};

TEST_F(EditsPropertyTest, NoEditThroughTheCApiSaysWhatTheWorldDoesNotHold) {
  setenv("RC_PARAMS", "max_success=2000", /*overwrite=*/0);
  std::map<std::string, int> counts;
  EXPECT_TRUE(rc::check([&counts] {
    const auto bytes = *rc::gen::container<std::vector<uint8_t>>(
        96, rc::gen::arbitrary<uint8_t>());
    const bool no_batches = *rc::gen::arbitrary<bool>();
    const Trial trial = TrialFromBytes(bytes);
    const Verdict verdict =
        Try(trial, BackendOnFake({.no_batches = no_batches}));
    ++counts[std::string(OutcomeName(verdict.result.outcome))];
    if (!verdict.broken.empty()) {
      RC_FAIL(verdict.broken + "\n" + Describe(trial) + "\n" +
              verdict.result.message);
    }
  }));
  std::string summary;
  for (const auto& [what, count] : counts) {
    summary +=
        (summary.empty() ? "" : ", ") + what + " " + std::to_string(count);
  }
  std::printf("%s\n", summary.c_str());
  // Not vacuous: each outcome was met.
  for (const char* outcome : {"verified", "refused", "diverged", "unknown"}) {
    EXPECT_GT(counts[outcome], 0) << outcome;
  }
}

}  // namespace
}  // namespace tactus::ax::macos
