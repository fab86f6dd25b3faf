// The main function of a Google Benchmark suite whose figures go to the ledger.
//
// Use it in place of benchmark_main: the suite then takes --record and --ledger
// beside Google Benchmark's own options, and needs no code for it.
//
// Example, a whole suite:
//
//   void BM_Read(benchmark::State& state) { for (auto _ : state) Read(); }
//   BENCHMARK(BM_Read);
//
//   int main(int argc, char** argv) {
//     return tactus::ledger::BenchmarkMain(
//         argc, argv, {.instrument = "//ledger/file:reader_benchmark",
//                      .harness = tactus::ledger::kHarnessDigest,
//                      .prefix = "ledger/reader/"});
//   }
//
// A sample is one repetition: the mean real time of its iterations, in the
// benchmark's unit. So a row has as many samples as there were repetitions;
// with
// --record there are ten, in random order between benchmarks, unless the
// command line says otherwise. A counter that is a rate (`SetItemsProcessed`,
// `SetBytesProcessed`) is a row of its own, of which more is better.
//
// Exit codes: 0 measured; 1 a benchmark or a row failed; 2 usage.
#ifndef TACTUS_LEDGER_RECORD_BENCHMARK_MAIN_H_
#define TACTUS_LEDGER_RECORD_BENCHMARK_MAIN_H_

#include <string>

namespace tactus::ledger {

struct BenchmarkSuite {
  std::string instrument;
  std::string harness;
  std::string prefix;  // of each series; the benchmark's name follows
};

int BenchmarkMain(int argc, char** argv, const BenchmarkSuite& suite);

// "BM_Read/8/threads:2" as a series may be called: "read/8/threads-2".
std::string BenchmarkSeriesName(const std::string& name);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_RECORD_BENCHMARK_MAIN_H_
