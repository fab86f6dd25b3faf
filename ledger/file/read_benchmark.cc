// How fast the reader is, beside what no reader of JSON can do without: the
// bare Boost.JSON parse of the same lines of the same file, in the same run.
//
//   bazel run -c opt //ledger/file:read_benchmark            # add -- --record
//
// items_per_second is rows a second. What the reader does beside parsing: exact
// numbers, every rule of a row, its digest, and its canonical spelling again.

#include <benchmark/benchmark.h>

#include <boost/json.hpp>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ledger/file/read_benchmark_harness.h"
#include "ledger/file/reader.h"
#include "ledger/file/sample_row.h"
#include "ledger/file/scratch_folder.h"
#include "ledger/record/benchmark_main.h"
#include "ledger/row/row.h"
#include "ledger/stats/summary.h"

namespace tactus::ledger {
namespace {

// Some seconds of neither way; in memory after the first reading.
constexpr int64_t kRows = 5000;

// A file of kRows rows of so many samples each, made once.
const std::string& FileOf(int64_t samples) {
  static const ScratchFolder scratch;
  static std::map<int64_t, std::string> paths;
  std::string& path = paths[samples];
  if (!path.empty()) return path;
  path = scratch.File(absl::StrCat(samples, ".jsonl"));
  std::ofstream out(path, std::ios::binary);
  for (int64_t number = 0; number < kRows; ++number) {
    Row row = SampleRow(number);
    row.samples.clear();
    for (int64_t i = 0; i < samples; ++i) {
      // As a benchmark writes them: a fraction of some digits.
      row.samples.push_back(
          400 + static_cast<double>((number * 31 + i * 17) % 1009) / 7);
    }
    row.summary = *Summarize(row.samples);
    out << *FormatRow(row);
  }
  if (!out.flush()) std::abort();
  return path;
}

void BM_Read(benchmark::State& state) {
  const std::string& path = FileOf(state.range(0));
  for (auto _ : state) {
    int64_t rows = 0;
    const absl::StatusOr<ReadCounts> read = ReadFile(
        path,
        [&](const Place&, const Row& row) {
          benchmark::DoNotOptimize(row.summary.p50);
          ++rows;
          return absl::OkStatus();
        },
        [](const Rejection&) {});
    if (!read.ok() || rows != kRows) {
      state.SkipWithError("not every row was read");
      return;
    }
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(BM_Read)->Arg(10)->Arg(200)->Unit(benchmark::kMillisecond);

void BM_BareParse(benchmark::State& state) {
  const std::string& path = FileOf(state.range(0));
  const auto buffer = std::make_unique<unsigned char[]>(size_t{64} << 10);
  for (auto _ : state) {
    int64_t rows = 0;
    std::ifstream in(path, std::ios::binary);
    std::string line;
    while (std::getline(in, line)) {
      boost::json::monotonic_resource memory(buffer.get(), size_t{64} << 10);
      boost::json::error_code error;
      const boost::json::value value = boost::json::parse(line, error, &memory);
      benchmark::DoNotOptimize(value.kind());
      rows += error ? 0 : 1;
    }
    if (rows != kRows) {
      state.SkipWithError("not every line was parsed");
      return;
    }
  }
  state.SetItemsProcessed(state.iterations() * kRows);
}
BENCHMARK(BM_BareParse)->Arg(10)->Arg(200)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tactus::ledger

int main(int argc, char** argv) {
  return tactus::ledger::BenchmarkMain(
      argc, argv,
      {.instrument = "//ledger/file:read_benchmark",
       .harness = tactus::ledger::kHarnessDigest,
       .prefix = "ledger/"});
}
