// How often the comparison in pairs and the stored baseline are wrong, or miss
// something, on made-up measurements: log-normal, with stalls if wanted.
//
// For the tests, and for `bazel run //ledger/stats:compare_simulation`.
#ifndef TACTUS_LEDGER_STATS_SIMULATION_H_
#define TACTUS_LEDGER_STATS_SIMULATION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "ledger/stats/compare.h"

namespace tactus::ledger {

struct Scenario {
  double ratio = 1;   // true time of present over base
  double sigma = 0;   // of the logarithm of one measurement
  double stalls = 0;  // the share of measurements that take three times as long
  int64_t runs = 10'000;
  uint64_t seed = 1;
};

// Shares of the runs.
struct ComparisonRates {
  double slower = 0;
  double faster = 0;
  double same = 0;
  double undecided = 0;
  // That the interval held the true ratio.
  double covered = 0;
  // Until the verdict.
  double median_pairs = 0;
  double p95_pairs = 0;
};
absl::StatusOr<ComparisonRates> SimulateComparison(const ComparisonPlan& plan,
                                                   const Scenario& scenario);

// The share of runs in which the baseline of 20 rows alarms at the median of
// three.
absl::StatusOr<double> SimulateBaseline(const Scenario& scenario);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_STATS_SIMULATION_H_
