#include "ledger/stats/simulation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ledger/stats/compare.h"
#include "ledger/stats/regression.h"

namespace tactus::ledger {
namespace {

class Noise {
 public:
  explicit Noise(const Scenario& scenario)
      : scenario_(scenario), random_(scenario.seed) {}

  // A measurement whose median is `truth`.
  double Measure(double truth) {
    const double value = truth * std::exp(scenario_.sigma * normal_(random_));
    if (scenario_.stalls == 0) return value;
    return uniform_(random_) < scenario_.stalls ? 3 * value : value;
  }

 private:
  const Scenario scenario_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

}  // namespace

absl::StatusOr<ComparisonRates> SimulateComparison(const ComparisonPlan& plan,
                                                   const Scenario& scenario) {
  Noise noise(scenario);
  ComparisonRates rates;
  const double share = 1 / static_cast<double>(scenario.runs);
  std::vector<double> pairs;
  for (int64_t run = 0; run < scenario.runs; ++run) {
    PairedComparison comparison(plan);
    while (comparison.verdict() == Comparison::kNeedsMore) {
      const double base = noise.Measure(100);
      const absl::Status added =
          comparison.Add(base, noise.Measure(100 * scenario.ratio));
      if (!added.ok()) return added;
    }
    switch (comparison.verdict()) {
      case Comparison::kSlower:
        rates.slower += share;
        break;
      case Comparison::kFaster:
        rates.faster += share;
        break;
      case Comparison::kSame:
        rates.same += share;
        break;
      default:
        rates.undecided += share;
    }
    pairs.push_back(static_cast<double>(comparison.pairs()));
    // The interval takes the square of the pairs: one run in five is enough.
    if (run % 5 != 0) continue;
    const absl::StatusOr<PairedComparison::Ratio> ratio = comparison.ratio();
    if (!ratio.ok()) return ratio.status();
    if (ratio->low <= scenario.ratio && scenario.ratio <= ratio->high) {
      rates.covered += 5 * share;
    }
  }
  std::sort(pairs.begin(), pairs.end());
  rates.median_pairs = pairs[pairs.size() / 2];
  rates.p95_pairs = pairs[pairs.size() * 95 / 100];
  return rates;
}

absl::StatusOr<double> SimulateBaseline(const Scenario& scenario) {
  Noise noise(scenario);
  double alarms = 0;
  for (int64_t run = 0; run < scenario.runs; ++run) {
    std::vector<double> history(20);
    for (double& row : history) row = noise.Measure(100);
    std::vector<double> present(3);
    for (double& value : present) value = noise.Measure(100 * scenario.ratio);
    const absl::StatusOr<BaselineCheck> check =
        CheckBaseline(history, present, {});
    if (!check.ok()) return check.status();
    if (check->verdict == BaselineVerdict::kRegressed ||
        check->verdict == BaselineVerdict::kDrifted) {
      alarms += 1;
    }
  }
  return alarms / static_cast<double>(scenario.runs);
}

}  // namespace tactus::ledger
