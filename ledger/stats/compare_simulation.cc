// Prints what the comparison in pairs and the stored baseline find, side by
// side, on made-up noise: how often each alarms when nothing changed, and when
// the present build is 10 % slower.
//
//   bazel run -c opt //ledger/stats:compare_simulation [-- SEED]
//
// Exit codes: 0 printed, 1 something failed, 2 usage.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "ledger/stats/compare.h"
#include "ledger/stats/simulation.h"

namespace tactus::ledger {
namespace {

int Run(uint64_t seed) {
  const absl::StatusOr<ComparisonPlan> plan = ComparisonPlan::Make({});
  if (!plan.ok()) {
    absl::FPrintF(stderr, "%s\n", plan.status().ToString());
    return EXIT_FAILURE;
  }
  absl::PrintF(
      "seed %d; 10000 runs a line; sigma is of one measurement's logarithm\n"
      "pairs: at most %d, error %g; baseline: median of 3 against 20 rows, "
      "10 %% noise\n\n"
      "ratio sigma stalls |  slower  faster    same undecided  pairs: median "
      " p95 | baseline alarms\n",
      seed, plan->options().max_pairs, plan->options().error);
  for (const double stalls : {0.0, 0.05}) {
    for (const double ratio : {1.0, 1.1}) {
      for (const double sigma : {0.03, 0.05, 0.07, 0.10}) {
        const Scenario scenario = {
            .ratio = ratio, .sigma = sigma, .stalls = stalls, .seed = seed};
        const absl::StatusOr<ComparisonRates> rates =
            SimulateComparison(*plan, scenario);
        const absl::StatusOr<double> alarms = SimulateBaseline(scenario);
        if (!rates.ok() || !alarms.ok()) {
          absl::FPrintF(stderr, "%s\n%s\n", rates.status().ToString(),
                        alarms.status().ToString());
          return EXIT_FAILURE;
        }
        absl::PrintF(
            "%5.2f %5.2f %5.0f%% | %6.2f%% %6.2f%% %6.2f%%   %6.2f%%      "
            "   %6.0f %4.0f | %14.2f%%\n",
            ratio, sigma, 100 * stalls, 100 * rates->slower,
            100 * rates->faster, 100 * rates->same, 100 * rates->undecided,
            rates->median_pairs, rates->p95_pairs, 100 * *alarms);
      }
    }
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace tactus::ledger

int main(int argc, char** argv) {
  char* end = nullptr;
  const uint64_t seed = argc > 1 ? std::strtoull(argv[1], &end, 10) : 20260301;
  if (argc > 2 || (argc == 2 && (*argv[1] == '\0' || *end != '\0'))) {
    std::fputs("usage: compare_simulation [SEED]\n", stderr);
    return 2;
  }
  return tactus::ledger::Run(seed);
}
