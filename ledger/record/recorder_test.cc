#include "ledger/record/recorder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstddef>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ledger/file/reader.h"
#include "ledger/file/scratch_folder.h"
#include "ledger/provenance/device.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

class RecorderTest : public testing::Test {
 protected:
  RecorderTest() {
    // No repository above it, whatever the test is run in.
    setenv("BUILD_WORKSPACE_DIRECTORY", "", 1);
    setenv("BUILD_WORKING_DIRECTORY", "", 1);
  }

  Recorder::Options Options() {
    return {.instrument = "//some:benchmark",
            .harness = "sha256:0011223344556677",
            .ledger = folder_,
            .prefix = "some/",
            .configuration = {{"application", "gtk3"}},
            .optimized = true};
  }

  std::unique_ptr<Recorder> Start(Recorder::Options options) {
    absl::StatusOr<std::unique_ptr<Recorder>> recorder =
        Recorder::Start(std::move(options));
    EXPECT_TRUE(recorder.ok()) << recorder.status();
    return recorder.ok() ? *std::move(recorder) : nullptr;
  }

  std::vector<Row> Rows() {
    std::vector<Row> rows;
    const absl::StatusOr<ReadCounts> read = ReadFolder(
        folder_,
        [&rows](const Place&, Row row) {
          rows.push_back(std::move(row));
          return absl::OkStatus();
        },
        [](const Rejection& rejection) {
          ADD_FAILURE() << DescribeRejection(rejection);
        });
    EXPECT_TRUE(read.ok()) << read.status();
    return rows;
  }

  const ScratchFolder scratch_;
  const std::string folder_ = scratch_.path();
};

TEST_F(RecorderTest, SeriesBecomesARowWithEverythingAboutTheRun) {
  const std::unique_ptr<Recorder> recorder = Start(Options());
  const absl::Status recorded = recorder->Record(
      {.name = "replace.tactus", .samples = {3, 1, 2}, .failures = 1},
      {{"text", "43"}});
  ASSERT_TRUE(recorded.ok()) << recorded;
  const std::vector<Row> rows = Rows();
  ASSERT_EQ(rows.size(), 1);
  const Row& row = rows[0];
  EXPECT_EQ(SeriesKey(row), "some/replace/tactus application=gtk3 text=43");
  EXPECT_EQ(row.samples, (std::vector<double>{3, 1, 2}));
  EXPECT_EQ(row.summary.p50, 2);
  EXPECT_EQ(row.failures, 1);
  EXPECT_EQ(row.run, recorder->run());
  EXPECT_EQ(row.instrument.name, "//some:benchmark");
  EXPECT_EQ(row.instrument.harness, "sha256:0011223344556677");
  EXPECT_TRUE(absl::StartsWith(row.instrument.binary, "xxh3:"));
  EXPECT_EQ(row.device.id, ReadDevice()->id);
  EXPECT_TRUE(row.conditions.load_before.has_value());
  EXPECT_TRUE(row.conditions.load_after.has_value());
  EXPECT_EQ(row.label, Label::kMeasured);
  EXPECT_EQ(row.origin, "");
}

TEST_F(RecorderTest, RowsOfOneRunShareItAndThoseOfAnotherDoNot) {
  const std::unique_ptr<Recorder> one = Start(Options());
  ASSERT_TRUE(one->Record({.name = "a", .samples = {1}}).ok());
  ASSERT_TRUE(one->Record({.name = "b", .samples = {1}}).ok());
  const std::unique_ptr<Recorder> two = Start(Options());
  ASSERT_TRUE(two->Record({.name = "a", .samples = {1}}).ok());
  const std::vector<Row> rows = Rows();
  ASSERT_EQ(rows.size(), 3);
  EXPECT_EQ(rows[0].run, rows[1].run);
  EXPECT_NE(rows[0].run, rows[2].run);
}

TEST_F(RecorderTest, ProgramThatIsPartOfARunTakesItsName) {
  Recorder::Options options = Options();
  options.run = "0123456789abcdef";
  EXPECT_EQ(Start(options)->run(), "0123456789abcdef");
}

TEST_F(RecorderTest, OutsideOfARepositoryARowHasNoCommitAndIsDirty) {
  const std::unique_ptr<Recorder> recorder = Start(Options());
  ASSERT_TRUE(recorder->Record({.name = "a", .samples = {1}}).ok());
  EXPECT_EQ(Rows()[0].commit, "");
  EXPECT_TRUE(Rows()[0].dirty);
}

TEST_F(RecorderTest, WithoutALedgerNothingIsRecordedAndAllIsWell) {
  Recorder::Options options = Options();
  options.ledger.clear();
  options.optimized = false;
  const std::unique_ptr<Recorder> recorder = Start(options);
  EXPECT_FALSE(recorder->records());
  EXPECT_TRUE(recorder->Record({.name = "a", .samples = {1}}).ok());
  EXPECT_TRUE(recorder->Record({.name = "a"}).ok());
}

TEST_F(RecorderTest, ProgramThatIsNotOptimizedIsRefused) {
  Recorder::Options options = Options();
  options.optimized = false;
  const absl::Status status = Recorder::Start(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(absl::StrContains(status.message(), "build it with -c opt"));
}

TEST_F(RecorderTest, LedgerThatIsNotThereIsNamed) {
  Recorder::Options options = Options();
  options.ledger = folder_ + "/none";
  EXPECT_EQ(Recorder::Start(options).status(),
            absl::NotFoundError(absl::StrCat("no folder ", folder_,
                                             "/none to keep a ledger in")));
}

TEST_F(RecorderTest, SeriesWithoutSamplesIsNoRow) {
  const std::unique_ptr<Recorder> recorder = Start(Options());
  EXPECT_EQ(
      recorder->Record({.name = "a.b", .failures = 3, .failure = "no field"}),
      absl::FailedPreconditionError(
          "some/a/b has no samples, and no row: no field"));
  EXPECT_EQ(Rows().size(), 0);
}

TEST_F(RecorderTest, OfTooManySamplesTheRowKeepsSomeOfTheWholeRun) {
  const std::unique_ptr<Recorder> recorder = Start(Options());
  Series series{.name = "a"};
  for (size_t i = 0; i < 2 * kMaxSamples; ++i) {
    series.samples.push_back(static_cast<double>(i));
  }
  ASSERT_TRUE(recorder->Record(series).ok());
  const Row row = Rows()[0];
  ASSERT_EQ(row.samples.size(), kMaxSamples);
  EXPECT_EQ(row.samples[1], 2);
  EXPECT_EQ(row.samples.back(), 2.0 * kMaxSamples - 2);
  EXPECT_EQ(row.summary.n, 2 * kMaxSamples);
  EXPECT_EQ(row.summary.max, 2.0 * kMaxSamples - 1);
}

TEST_F(RecorderTest, TornLineOfAnEarlierRunIsRepairedAndTold) {
  std::unique_ptr<Recorder> recorder = Start(Options());
  ASSERT_TRUE(recorder->Record({.name = "a", .samples = {1}}).ok());
  EXPECT_EQ(recorder->repaired(), "");
  std::ofstream(absl::StrCat(folder_, "/some.benchmark.jsonl"), std::ios::app)
      << "{\"schema\":1,";
  ASSERT_TRUE(recorder->Record({.name = "b", .samples = {1}}).ok());
  EXPECT_NE(recorder->repaired(), "");
  EXPECT_EQ(Rows().size(), 2);
}

TEST_F(RecorderTest, LedgerIsWhereTheOptionSaysElseInTheWorkspace) {
  EXPECT_EQ(*LedgerDirectory(false, ""), "");
  EXPECT_EQ(*LedgerDirectory(true, "/a/b"), "/a/b");
  EXPECT_EQ(LedgerDirectory(true, "").status().code(),
            absl::StatusCode::kFailedPrecondition);
  setenv("BUILD_WORKSPACE_DIRECTORY", "/w", 1);
  setenv("BUILD_WORKING_DIRECTORY", "/w/sub", 1);
  EXPECT_EQ(*LedgerDirectory(true, ""), "/w/docs/perf/data");
  EXPECT_EQ(*LedgerDirectory(false, "a"), "/w/sub/a");
}

}  // namespace
}  // namespace tactus::ledger
