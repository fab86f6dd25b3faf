#include "ledger/import/criterion.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ledger/import/imported.h"
#include "ledger/import/sample_context.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

// In the form of Criterion.rs 0.5; the figures are made up.
constexpr absl::string_view kBenchmark =
    R"({"group_id":"Parse","function_id":"fast","value_str":"64",)"
    R"("throughput":{"Bytes":64},"full_id":"Parse/fast/64",)"
    R"("directory_name":"Parse/fast/64","title":"Parse/fast/64"})";
constexpr absl::string_view kSample =
    R"({"sampling_mode":"Linear","iters":[10.0,20.0,40.0],)"
    R"("times":[320.0,1280.0,640.0]})";
constexpr absl::string_view kEstimates =
    R"({"mean":{"confidence_interval":{"confidence_level":0.95,)"
    R"("lower_bound":20.0,"upper_bound":50.0},"point_estimate":)"
    R"(37.333333333333336,"standard_error":9.0}})";

absl::StatusOr<Imported> Import(absl::string_view benchmark,
                                absl::string_view sample,
                                absl::string_view estimates) {
  return ImportCriterion(
      {.benchmark = benchmark, .sample = sample, .estimates = estimates},
      SampleContext());
}

TEST(ImportCriterion, SampleIsTheTimeOfOneIterationInNanoseconds) {
  const absl::StatusOr<Imported> imported =
      Import(kBenchmark, kSample, kEstimates);
  ASSERT_TRUE(imported.ok()) << imported.status();
  ASSERT_EQ(imported->rows.size(), 2u);
  const Row& time = imported->rows[0];
  EXPECT_EQ(SeriesKey(time), "parse/fast/64 id=Parse/fast/64");
  EXPECT_EQ(time.unit, Unit::kNanoseconds);
  EXPECT_EQ(time.direction, Direction::kLessIsBetter);
  EXPECT_EQ(time.samples, (std::vector<double>{32, 64, 16}));
  EXPECT_EQ(time.instrument.name, "criterion");
  EXPECT_EQ(time.origin, "criterion");
  const Row& rate = imported->rows[1];
  EXPECT_EQ(SeriesKey(rate), "parse/fast/64 id=Parse/fast/64 rate=bytes");
  EXPECT_EQ(rate.unit, Unit::kBytesPerSecond);
  EXPECT_EQ(rate.direction, Direction::kMoreIsBetter);
  EXPECT_EQ(rate.summary.min, 1e9);
  EXPECT_EQ(rate.summary.max, 4e9);
}

TEST(ImportCriterion, WithoutThroughputThereIsOneRow) {
  for (const absl::string_view benchmark :
       {R"({"full_id":"a"})", R"({"full_id":"a","throughput":null})"}) {
    const absl::StatusOr<Imported> imported = Import(benchmark, kSample, "");
    ASSERT_TRUE(imported.ok()) << imported.status();
    EXPECT_EQ(imported->rows.size(), 1u);
  }
  const absl::StatusOr<Imported> imported =
      Import(R"({"full_id":"a","throughput":{"Bits":1}})", kSample, "");
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->notes,
            std::vector<std::string>{"a: its throughput is in neither Bytes "
                                     "nor Elements, so it is left out"});
}

TEST(ImportCriterion, FilesOfTwoRunsAreRefused) {
  const absl::Status status =
      Import(kBenchmark, kSample, R"({"mean":{"point_estimate":37.4}})")
          .status();
  EXPECT_EQ(status.message(),
            "estimates.json: mean.point_estimate: 37.4, but the samples' is "
            "37.3333: the two files are not of the same run");
}

TEST(ImportCriterion, EachThingThatIsWrongIsNamed) {
  const std::vector<std::pair<absl::string_view, absl::string_view>> samples = {
      {"{}", "sample.json: iters: is missing"},
      {R"({"iters":[1],"times":[1,2]})",
       "sample.json: iters: 1 of them, but 2 times"},
      {R"({"iters":[],"times":[]})", "sample.json: times: there are none"},
      {R"({"iters":[0],"times":[1]})",
       "sample.json: iters[0]: is less than one"},
      {R"({"iters":[1],"times":[-1]})",
       "sample.json: times: samples: one is below zero"},
      {R"({"iters":[1],"times":[null]})",
       "sample.json: times[0]: is not a number"},
  };
  for (const auto& [sample, message] : samples) {
    EXPECT_EQ(Import(kBenchmark, sample, "").status().message(), message);
  }
  EXPECT_EQ(Import("{}", kSample, "").status().message(),
            "benchmark.json: full_id: is missing");
  EXPECT_EQ(Import(R"({"full_id":"a","throughput":{"Bytes":"1"}})", kSample, "")
                .status()
                .message(),
            "benchmark.json: throughput.Bytes: is not a number");
  // Nothing takes no time at all, and so has no rate.
  EXPECT_EQ(
      Import(kBenchmark, R"({"iters":[1],"times":[0]})", "").status().code(),
      absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Import(kBenchmark, kSample, "{}").status().message(),
            "estimates.json: mean: is missing");
}

}  // namespace
}  // namespace tactus::ledger
