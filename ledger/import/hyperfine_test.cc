#include "ledger/import/hyperfine.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ledger/import/imported.h"
#include "ledger/import/sample_context.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

// As hyperfine 1.15.0 wrote it, with fewer digits.
constexpr char kDocument[] = R"({
  "results": [
    {
      "command": "sleep 0.01",
      "mean": 0.031,
      "stddev": 0.013,
      "median": 0.027,
      "user": 0.005,
      "system": 0.0,
      "min": 0.019,
      "max": 0.046,
      "times": [
        0.027280214,
        0.046428921000000005,
        0.019919706000000002
      ],
      "exit_codes": [
        0,
        0,
        0
      ],
      "parameters": {
        "Seconds": "0.01"
      }
    }
  ]
}
)";

absl::StatusOr<Imported> Import(absl::string_view text) {
  return ImportHyperfine(text, SampleContext());
}

TEST(ImportHyperfine, RunsAreTheSamplesInSeconds) {
  const absl::StatusOr<Imported> imported = Import(kDocument);
  ASSERT_TRUE(imported.ok()) << imported.status();
  ASSERT_EQ(imported->rows.size(), 1u);
  const Row& row = imported->rows[0];
  EXPECT_EQ(SeriesKey(row),
            "sleep-0.01 command=sleep 0.01 parameter.seconds=0.01");
  EXPECT_EQ(row.unit, Unit::kSeconds);
  EXPECT_EQ(row.direction, Direction::kLessIsBetter);
  EXPECT_EQ(row.samples, (std::vector<double>{0.027280214, 0.046428921000000005,
                                              0.019919706000000002}));
  EXPECT_EQ(row.instrument.name, "hyperfine");
  EXPECT_EQ(row.origin, "hyperfine");
  EXPECT_EQ(row.label, Label::kMeasured);
  EXPECT_EQ(row.date, SampleContext().date);
  EXPECT_TRUE(imported->notes.empty());
  EXPECT_TRUE(FormatRow(row).ok());
}

TEST(ImportHyperfine, RunThatFailedIsCountedAndIsNoSample) {
  for (const absl::string_view code : {"1", "null", "-9"}) {
    const absl::StatusOr<Imported> imported = Import(absl::StrReplaceAll(
        kDocument,
        {{"0,\n        0,\n        0", absl::StrCat("0,", code, ",0")}}));
    ASSERT_TRUE(imported.ok()) << imported.status();
    EXPECT_EQ(imported->rows[0].samples,
              (std::vector<double>{0.027280214, 0.019919706000000002}));
    EXPECT_EQ(imported->rows[0].failures, 1);
  }
}

TEST(ImportHyperfine, MoreRunsThanARowHoldsAreAllInTheSummary) {
  std::string times;
  for (size_t i = 0; i < kMaxSamples + 2; ++i) {
    absl::StrAppend(&times, i == 0 ? "" : ",", i);
  }
  const absl::StatusOr<Imported> imported = Import(
      absl::StrCat(R"({"results":[{"command":"x","times":[)", times, "]}]}"));
  ASSERT_TRUE(imported.ok()) << imported.status();
  const Row& row = imported->rows[0];
  EXPECT_EQ(row.samples.size(), kMaxSamples);
  EXPECT_EQ(row.summary.n, static_cast<int64_t>(kMaxSamples) + 2);
  EXPECT_EQ(row.summary.max, static_cast<double>(kMaxSamples) + 1);
}

TEST(ImportHyperfine, EachThingThatIsWrongIsNamed) {
  const std::vector<std::pair<std::pair<std::string, std::string>, std::string>>
      cases = {
          {{"\"results\"", "\"result\""}, "results: is missing"},
          {{"\"command\"", "\"commands\""}, "results[0].command: is missing"},
          {{"0.027280214", "\"0.027\""},
           "results[0].times[0]: is not a number"},
          {{"0.027280214", "-1"}, "results[0]: samples: one is below zero"},
          {{"0.027280214,", ""},
           "results[0].exit_codes: 3 of them, but 2 "
           "times"},
          {{"0,\n        0,\n        0", "0,0,\"0\""},
           "results[0].exit_codes[2]: is not a whole number"},
          {{"0,\n        0,\n        0", "1,1,1"},
           "results: none of them has a run that succeeded"},
          {{"\"0.01\"", "[]"},
           "results[0].parameters.Seconds: is neither a text nor a number"},
          {{"\"0.01\"", "1, \"seconds\": 2"},
           "results[0].parameters.seconds: is spelled like another one, but "
           "for case and signs"},
          {{"sleep 0.01", std::string(1025, 'x')},
           "results[0]: configuration: 1025 bytes, of at most 1024"},
      };
  for (const auto& [change, message] : cases) {
    const absl::Status status =
        Import(absl::StrReplaceAll(kDocument, {change})).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), message);
  }
  for (const absl::string_view text :
       {"", "null", "{}", R"({"results":[]})", R"({"results":[1]})",
        R"({"results":[{"command":"x","times":[]}]})",
        R"({"results":[{"command":"x","times":[1e999]}]})",
        R"({"results":[{"command":"x","times":[NaN]}]})"}) {
    EXPECT_EQ(Import(text).status().code(), absl::StatusCode::kInvalidArgument)
        << text;
  }
}

}  // namespace
}  // namespace tactus::ledger
