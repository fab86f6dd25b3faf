// Finds the fixed cost and the rate in measured transfers.
//
// Use it on samples of one path that differ in size; files of one size cannot
// say what of their time is fixed.
//
// Example:
//
//   absl::StatusOr<TransferFit> fit = FitTransfers(
//       {{Mebibytes(32), absl::Seconds(4.2)}, {Mebibytes(128), ...}, ...});
//   if (fit.ok()) Publish(fit->model, fit->largest_residual);
//
// The slope is the median of those through every two samples of different size
// (Theil 1950; Sen, Estimates of the Regression Coefficient Based on Kendall's
// Tau, 1968), the fixed cost the median of what is left. So nothing moves far
// for fewer than 29 % of outliers, whatever their size: one transfer in five
// may stall. Least squares would not bear one.
//
// O(n^2) in time and memory.
#ifndef TACTUS_TRANSFER_COST_FIT_H_
#define TACTUS_TRANSFER_COST_FIT_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/cost/model.h"
#include "transfer/cost/units.h"

namespace tactus::transfer::cost {

struct TransferSample {
  ByteCount size;
  absl::Duration elapsed;
};

struct TransferFit {
  TransferModel model;
  size_t samples = 0;
  // The samples together say that there is less than no fixed cost; it was set
  // to zero, and the rate is the median of the samples' own.
  bool without_fixed = false;
  // How far samples lie from the prediction, as shares of it: the median of the
  // distances, and the largest to either side.
  double median_residual = 0;
  double largest_residual = 0;        // slower than predicted
  double most_negative_residual = 0;  // faster; not above zero
};

// More samples than this are an error: there would be half a million slopes.
inline constexpr size_t kMostTransferSamples = 1000;

// InvalidArgument where a sample has no size, or no positive finite time, or
// where there are too many. FailedPrecondition where they cannot say: fewer
// than three, all of one size, or larger ones that do not take longer; the
// message says what to measure.
absl::StatusOr<TransferFit> FitTransfers(
    absl::Span<const TransferSample> samples);

// The rate alone, from the slope; for samples whose fixed cost means nothing,
// as those from the middle of a transfer. The same errors.
absl::StatusOr<BitRate> FitRate(absl::Span<const TransferSample> samples);

}  // namespace tactus::transfer::cost

#endif  // TACTUS_TRANSFER_COST_FIT_H_
