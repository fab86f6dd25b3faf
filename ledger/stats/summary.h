// What a row of samples comes to: its quantiles, its ends, its mean.
//
// Use it for every figure that is published of raw samples, so that one word
// means one thing. Whether there were samples enough to say so is another
// question: quantile_confidence.h.
//
// Example:
//
//   absl::StatusOr<Summary> summary = Summarize(latencies_ms);
//   if (!summary.ok()) return summary.status();   // none, or a NaN
//   if (summary->p99 > 50) ...
//
// A quantile is the nearest rank: of n samples in order, the p-quantile is the
// one at rank ceil(p * n), so that it is always a value that was measured,
// never one made up between two. The p99 of 200 is the 198th value, the p50 of
// 4 is the 2nd. Fewer than 100 samples have their maximum for a p99.
//
// Units are the caller's, and so is the order: the samples are copied and
// sorted here. O(n log n).
#ifndef TACTUS_LEDGER_STATS_SUMMARY_H_
#define TACTUS_LEDGER_STATS_SUMMARY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tactus::ledger {

struct Summary {
  int64_t n = 0;
  double min = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;
  // Rounded once at the end: no sum of doubles overflows.
  double mean = 0;

  friend bool operator==(const Summary&, const Summary&) = default;
};

// InvalidArgument where there is no sample, or where one is NaN or infinite;
// the message says which.
absl::StatusOr<Summary> Summarize(absl::Span<const double> samples);

// One quantile by the same definition; 0 < p <= 1, InvalidArgument otherwise.
absl::StatusOr<double> Quantile(absl::Span<const double> samples, double p);

// The middle value, and of an even number the mean of the two in the middle, so
// that turning the direction round does not change what is in the middle. For
// ratios and baselines; what is published as p50 is Summary's.
absl::StatusOr<double> Median(absl::Span<const double> samples);

// The rank, counting from 1, of the p-quantile of n samples: ceil(p * n). That
// p is a double a little above what was written (0.07) does not count as more.
// 0 < p <= 1, n >= 1.
int64_t QuantileRank(int64_t n, double p);

// InvalidArgument where `samples` is empty or holds what is no finite number;
// `what` names them in the message. For every function here that takes samples.
absl::Status CheckSamples(absl::Span<const double> samples,
                          absl::string_view what = "samples");

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_STATS_SUMMARY_H_
