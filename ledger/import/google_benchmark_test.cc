#include "ledger/import/google_benchmark.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "ledger/import/imported.h"
#include "ledger/import/sample_context.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

// As libbenchmark 1.7.1 wrote it, with fewer digits.
constexpr char kDocument[] = R"({
  "context": {
    "date": "2026-12-01T09:47:31+01:00",
    "host_name": "secret-host",
    "executable": "/srv/someone/out/copy_benchmark",
    "num_cpus": 2,
    "mhz_per_cpu": 2096,
    "cpu_scaling_enabled": false,
    "caches": [
    ],
    "load_avg": [0.5,12.4927,6.84033],
    "library_build_type": "debug"
  },
  "benchmarks": [
    {
      "name": "BM_Copy/64",
      "family_index": 0,
      "per_family_instance_index": 0,
      "run_name": "BM_Copy/64",
      "run_type": "iteration",
      "repetitions": 2,
      "repetition_index": 0,
      "threads": 1,
      "iterations": 1171488,
      "real_time": 4.5e-02,
      "cpu_time": 1.1e-02,
      "time_unit": "us",
      "bytes_per_second": 5.8e+09,
      "items_per_second": 9.1e+07,
      "own": 3.0000000000000000e+00
    },
    {
      "name": "BM_Copy/64",
      "family_index": 0,
      "per_family_instance_index": 0,
      "run_name": "BM_Copy/64",
      "run_type": "iteration",
      "repetitions": 2,
      "repetition_index": 1,
      "threads": 1,
      "iterations": 1171488,
      "real_time": 4e-02,
      "cpu_time": 1e-02,
      "time_unit": "us",
      "bytes_per_second": 6.1e+09,
      "items_per_second": 9.5e+07,
      "own": 3.0000000000000000e+00
    },
    {
      "name": "BM_Copy/64_mean",
      "family_index": 0,
      "per_family_instance_index": 0,
      "run_name": "BM_Copy/64",
      "run_type": "aggregate",
      "repetitions": 2,
      "threads": 1,
      "aggregate_name": "mean",
      "aggregate_unit": "time",
      "iterations": 2,
      "real_time": 4.25e-02,
      "cpu_time": 1.05e-02,
      "time_unit": "us"
    },
    {
      "name": "BM_Fail",
      "family_index": 1,
      "per_family_instance_index": 0,
      "run_name": "BM_Fail",
      "run_type": "iteration",
      "repetitions": 1,
      "repetition_index": 0,
      "threads": 1,
      "error_occurred": true,
      "error_message": "no luck",
      "iterations": 0,
      "real_time": 0.0000000000000000e+00,
      "cpu_time": 0.0000000000000000e+00,
      "time_unit": "ns"
    }
  ]
}
)";

absl::StatusOr<Imported> Import(absl::string_view text) {
  return ImportGoogleBenchmark(text, SampleContext());
}

TEST(ImportGoogleBenchmark, RepetitionsAreTheSamplesOfARowForEachMeasure) {
  const absl::StatusOr<Imported> imported = Import(kDocument);
  ASSERT_TRUE(imported.ok()) << imported.status();
  ASSERT_EQ(imported->rows.size(), 4u);
  const Row& real = imported->rows[0];
  EXPECT_EQ(SeriesKey(real), "bm_copy/64 clock=real name=BM_Copy/64");
  EXPECT_EQ(real.unit, Unit::kMicroseconds);
  EXPECT_EQ(real.direction, Direction::kLessIsBetter);
  EXPECT_EQ(real.samples, (std::vector<double>{0.045, 0.04}));
  EXPECT_EQ(real.summary.n, 2);
  EXPECT_EQ(real.instrument.name, "google-benchmark-copy_benchmark");
  EXPECT_EQ(real.origin, "google-benchmark");
  EXPECT_EQ(real.label, Label::kMeasured);
  EXPECT_EQ(absl::FormatTime(real.date, absl::UTCTimeZone()),
            "2026-12-01T08:47:31+00:00");
  EXPECT_EQ(real.conditions.load_before, 0.5);
  EXPECT_EQ(real.conditions.mhz_before, 2096);
  EXPECT_EQ(real.commit, "");
  EXPECT_EQ(real.run, SampleContext().run);
  EXPECT_EQ(real.device.id, SampleContext().device.id);
  EXPECT_EQ(real.id, RowId(real));
  EXPECT_EQ(SeriesKey(imported->rows[1]),
            "bm_copy/64 clock=cpu name=BM_Copy/64");
  const Row& bytes = imported->rows[2];
  EXPECT_EQ(SeriesKey(bytes), "bm_copy/64 name=BM_Copy/64 rate=bytes");
  EXPECT_EQ(bytes.unit, Unit::kBytesPerSecond);
  EXPECT_EQ(bytes.direction, Direction::kMoreIsBetter);
  EXPECT_EQ(bytes.samples, (std::vector<double>{5.8e9, 6.1e9}));
  EXPECT_EQ(imported->rows[3].unit, Unit::kPerSecond);
  EXPECT_EQ(imported->notes,
            (std::vector<std::string>{
                "BM_Fail: each of its 1 repetitions failed, so there is no row "
                "of it",
                "the counter 'own' is left out: nothing tells its unit"}));
  for (const Row& row : imported->rows) {
    const absl::StatusOr<std::string> line = FormatRow(row);
    ASSERT_TRUE(line.ok());
    EXPECT_EQ(line->find("secret-host"), std::string::npos);
    EXPECT_EQ(line->find("someone"), std::string::npos);
  }
}

TEST(ImportGoogleBenchmark, FailedRepetitionIsCountedAndIsNoSample) {
  const absl::StatusOr<Imported> imported = Import(absl::StrReplaceAll(
      kDocument, {{"\"repetition_index\": 1,",
                   "\"repetition_index\": 1, \"error_occurred\": true,"}}));
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->rows[0].samples, std::vector<double>{0.045});
  EXPECT_EQ(imported->rows[0].failures, 1);
}

TEST(ImportGoogleBenchmark, InstrumentIsTheOneThatTheCallerNames) {
  ImportContext context = SampleContext();
  context.instrument = "//copy:copy_benchmark";
  context.commit = std::string(40, 'a');
  context.dirty = true;
  const absl::StatusOr<Imported> imported =
      ImportGoogleBenchmark(kDocument, context);
  ASSERT_TRUE(imported.ok());
  EXPECT_EQ(imported->rows[0].instrument.name, "//copy:copy_benchmark");
  EXPECT_EQ(imported->rows[0].commit, std::string(40, 'a'));
  EXPECT_TRUE(imported->rows[0].dirty);
}

TEST(ImportGoogleBenchmark, EachThingThatIsWrongIsNamed) {
  const std::vector<std::pair<std::pair<std::string, std::string>, std::string>>
      cases = {
          {{"\"2026-12-01T09:47:31+01:00\"", "\"2019-01-01 09:00:00\""},
           "context.date: '2019-01-01 09:00:00' is not of the form "
           "2026-01-31T12:00:00+00:00"},
          {{"\"context\"", "\"other\""}, "context: is missing"},
          {{"\"benchmarks\"", "\"other\""}, "benchmarks: is missing"},
          {{"\"real_time\": 4e-02", "\"real_time\": \"fast\""},
           "benchmarks[1].real_time: is not a number"},
          {{"\"real_time\": 4e-02", "\"real_time\": -4e-02"},
           "benchmarks[0]: samples: one is below zero"},
          {{"\"us\"", "\"h\""},
           "benchmarks[0].time_unit: 'h' is no unit of time: one of ns, us, "
           "ms, s"},
          {{"\"us\"", "\"count\""},
           "benchmarks[0].time_unit: 'count' is no unit of time: one of ns, "
           "us, ms, s"},
          {{"\"run_name\": \"BM_Copy/64\"", "\"run_name\": \"a\\u001bb\""},
           "benchmarks[0]: configuration: has a control character"},
          {{"\"iteration\"", "\"aggregate\""},
           "benchmarks: there are aggregates alone; run it without "
           "--benchmark_report_aggregates_only"},
          {{"\"us\",\n      \"bytes_per_second\": 6.1e+09",
            "\"ns\", \"bytes_per_second\": 6.1e+09"},
           "benchmarks[1].time_unit: 'ns', and 'us' in another repetition"},
      };
  for (const auto& [change, message] : cases) {
    const absl::Status status =
        Import(absl::StrReplaceAll(kDocument, {change})).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), message);
  }
  EXPECT_EQ(Import("[]").status().message(), "document: is not an object");
  EXPECT_FALSE(Import("").ok());
  EXPECT_FALSE(Import("{\"context\":").ok());
  EXPECT_FALSE(Import(std::string(100'000, '[')).ok());
}

TEST(ImportGoogleBenchmark, NamesBecomeSeriesThatRowsMayHave) {
  for (const auto& [name, series] :
       {std::pair("BM_Parse/8<int>", "bm_parse/8-int"),
        std::pair("//a//b", "a/b"), std::pair("", "unnamed"),
        std::pair("---", "unnamed"), std::pair("a-/-b-", "a/b"),
        std::pair("Größe", "gr-e"), std::pair("x y\tz", "x-y-z")}) {
    EXPECT_EQ(SeriesNameOf(name), series);
    EXPECT_TRUE(IsSeriesName(SeriesNameOf(name)));
  }
  EXPECT_TRUE(IsSeriesName(SeriesNameOf(std::string(127, 'a') + "/b")));
}

}  // namespace
}  // namespace tactus::ledger
