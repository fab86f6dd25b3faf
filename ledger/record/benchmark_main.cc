#include "ledger/record/benchmark_main.h"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "ledger/record/recorder.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

Unit UnitOf(benchmark::TimeUnit unit) {
  switch (unit) {
    case benchmark::kNanosecond:
      return Unit::kNanoseconds;
    case benchmark::kMicrosecond:
      return Unit::kMicroseconds;
    case benchmark::kMillisecond:
      return Unit::kMilliseconds;
    case benchmark::kSecond:
      return Unit::kSeconds;
  }
  return Unit::kNanoseconds;
}

// Prints as Google Benchmark does, and keeps each repetition.
class Collector : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const std::string name = BenchmarkSeriesName(run.run_name.str());
      Series& times = Of(name, UnitOf(run.time_unit), Direction::kLessIsBetter);
      if (run.error_occurred) {
        ++times.failures;
        times.failure = run.error_message;
        failed_ = true;
        continue;
      }
      times.samples.push_back(run.GetAdjustedRealTime());
      for (const auto& [counter, value] : run.counters) {
        if ((value.flags & benchmark::Counter::kIsRate) == 0) continue;
        const bool bytes = counter == "bytes_per_second";
        Of(absl::StrCat(name, "/", BenchmarkSeriesName(counter)),
           bytes ? Unit::kBytesPerSecond : Unit::kPerSecond,
           Direction::kMoreIsBetter)
            .samples.push_back(value.value);
      }
    }
  }

  // In the order in which they first came.
  const std::vector<std::unique_ptr<Series>>& series() const { return series_; }
  bool failed() const { return failed_; }

 private:
  Series& Of(const std::string& name, Unit unit, Direction direction) {
    Series*& series = by_name_[name];
    if (series == nullptr) {
      series_.push_back(std::make_unique<Series>(
          Series{.name = name, .unit = unit, .direction = direction}));
      series = series_.back().get();
    }
    return *series;
  }

  std::vector<std::unique_ptr<Series>> series_;
  std::map<std::string, Series*> by_name_;
  bool failed_ = false;
};

int Fail(const char* program, int code, absl::string_view what) {
  fprintf(stderr, "%s: %s\n", program, std::string(what).c_str());
  return code;
}

}  // namespace

std::string BenchmarkSeriesName(const std::string& name) {
  std::string series;
  for (const char c : absl::StripPrefix(name, "BM_")) {
    const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
    const bool kept = absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                      c == '_' || c == '-' || c == '.' || c == '/';
    series.push_back(kept ? lower : '-');
  }
  return series;
}

int BenchmarkMain(int argc, char** argv, const BenchmarkSuite& suite) {
  bool record = false;
  std::string option;
  bool repetitions = false;
  std::vector<char*> rest;
  for (int i = 0; i < argc; ++i) {
    const absl::string_view argument = argv[i];
    if (argument == "--record") {
      record = true;
    } else if (absl::StartsWith(argument, "--ledger=")) {
      option = std::string(absl::StripPrefix(argument, "--ledger="));
    } else if (argument == "--ledger" && i + 1 < argc) {
      option = argv[++i];
    } else {
      repetitions |= absl::StartsWith(argument, "--benchmark_repetitions");
      rest.push_back(argv[i]);
    }
  }
  const absl::StatusOr<std::string> ledger = LedgerDirectory(record, option);
  if (!ledger.ok()) return Fail(argv[0], 2, ledger.status().message());
  absl::StatusOr<std::unique_ptr<Recorder>> recorder =
      Recorder::Start({.instrument = suite.instrument,
                       .harness = suite.harness,
                       .ledger = *ledger,
                       .prefix = suite.prefix});
  if (!recorder.ok()) return Fail(argv[0], 2, recorder.status().message());
  std::vector<std::string> more;
  if ((*recorder)->records() && !repetitions) {
    more = {"--benchmark_repetitions=10",
            "--benchmark_enable_random_interleaving=true"};
  }
  for (std::string& argument : more) rest.push_back(argument.data());
  int count = static_cast<int>(rest.size());
  benchmark::Initialize(&count, rest.data());
  if (benchmark::ReportUnrecognizedArguments(count, rest.data())) return 2;
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  benchmark::Shutdown();
  int code = collector.failed() ? 1 : 0;
  for (const std::unique_ptr<Series>& series : collector.series()) {
    if (const absl::Status status = (*recorder)->Record(*series);
        !status.ok()) {
      code = Fail(argv[0], 1, status.message());
    }
  }
  if (!(*recorder)->repaired().empty()) {
    fprintf(stderr, "%s\n", (*recorder)->repaired().c_str());
  }
  return code;
}

}  // namespace tactus::ledger
