#include "ledger/record/benchmark_main.h"

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>

#include <string>

#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

void BM_Quick(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(state.iterations());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Quick)->Arg(8);

void BM_Broken(benchmark::State& state) {
  state.SkipWithError("the file is not there");
  for (auto _ : state) {
  }
}
BENCHMARK(BM_Broken);

int RunSuite(std::string filter) {
  std::string program = "suite";
  char* arguments[] = {program.data(), filter.data(), nullptr};
  return BenchmarkMain(2, arguments, {.instrument = "//some:benchmark"});
}

TEST(BenchmarkMain, SuiteThatRunsSucceeds) {
  EXPECT_EQ(RunSuite("--benchmark_filter=Quick"), 0);
}

TEST(BenchmarkMain, BenchmarkThatFailsIsAFailure) {
  EXPECT_EQ(RunSuite("--benchmark_filter=Broken"), 1);
}

TEST(BenchmarkMain, UnknownOptionIsAMistakeOfUse) {
  EXPECT_EQ(RunSuite("--no-such-option"), 2);
}

TEST(BenchmarkSeriesName, IsASeriesNameWhateverTheBenchmarkIsCalled) {
  EXPECT_EQ(BenchmarkSeriesName("BM_Read/8/threads:2"), "read/8/threads-2");
  EXPECT_EQ(BenchmarkSeriesName("BM_Sort<int>/real_time"),
            "sort-int-/real_time");
  EXPECT_TRUE(IsSeriesName(BenchmarkSeriesName("BM_Sort<Foo, 3>/a:1")));
}

}  // namespace
}  // namespace tactus::ledger
