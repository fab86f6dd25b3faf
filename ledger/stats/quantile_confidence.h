// How sure a quantile is that was read from so many samples, whatever their
// distribution.
//
// Use it wherever a quantile is held against a bound: "p99 below 50 ms" out of
// 200 samples is no proof, though every one of them was below. Where the
// confidence is short, SamplesNeeded() says how many samples would do.
//
// Example:
//
//   // 200 snapshots, all of them below 50 ms.
//   ConfidenceBelow({.n = 200, .not_below = 0, .p = 0.99});   // 0.866
//   SamplesNeeded({.p = 0.99, .confidence = 0.95});           // 299
//
// How: if the true p-quantile were not below the bound, each sample would fall
// below it with probability p at most, independently of the others, so their
// number is a binomial and its tail the chance of seeing so many. Exact, with
// nothing assumed of the shape; that the samples are independent is assumed,
// and a burst of stalls on one machine is not. Source: Conover, Practical
// Nonparametric Statistics, 3rd edition, chapter 3.
#ifndef TACTUS_LEDGER_STATS_QUANTILE_CONFIDENCE_H_
#define TACTUS_LEDGER_STATS_QUANTILE_CONFIDENCE_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tactus::ledger {

struct BoundCheck {
  int64_t n = 0;          // samples
  int64_t not_below = 0;  // how many of them were at or above the bound
  double p = 0.99;        // which quantile is claimed to be below it
};

// The confidence, from 0 to 1, that the p-quantile of what was sampled is below
// the bound. InvalidArgument where there is no sample, or a figure is out of
// range (p in (0, 1), not_below in [0, n]).
absl::StatusOr<double> ConfidenceBelow(const BoundCheck& check);

struct ConfidenceGoal {
  double p = 0.99;
  double confidence = 0.95;
  int64_t not_below = 0;  // samples at or above the bound to be borne
};

// The least number of samples, `not_below` of them at or above the bound, that
// gives at least that confidence. InvalidArgument where a figure is out of
// range (p and confidence in (0, 1)); OutOfRange where more than a thousand
// million would be needed, which no run takes.
absl::StatusOr<int64_t> SamplesNeeded(const ConfidenceGoal& goal);

// Between which two samples the p-quantile lies. Ranks count from 1; none means
// that there are too few samples to bound that side.
struct RankInterval {
  std::optional<int64_t> low;
  std::optional<int64_t> high;
  // What the interval really covers, at least what was asked for: ranks are
  // whole. Exact for a continuous distribution, and more where there are ties.
  double coverage = 0;

  friend bool operator==(const RankInterval&, const RankInterval&) = default;
};

// The narrowest interval of order statistics that misses the p-quantile on
// either side with at most (1 - confidence) / 2. InvalidArgument as above.
absl::StatusOr<RankInterval> QuantileRankInterval(int64_t n, double p,
                                                  double confidence);

// The same as values of `samples`, in whatever order those are.
struct QuantileInterval {
  std::optional<double> low;
  std::optional<double> high;
  double coverage = 0;
};
absl::StatusOr<QuantileInterval> QuantileIntervalOf(
    absl::Span<const double> samples, double p, double confidence);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_STATS_QUANTILE_CONFIDENCE_H_
