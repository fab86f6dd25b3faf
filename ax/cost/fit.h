// Finds what connections, flights, calls and bytes cost in measured traffic.
//
// Use it on what a CountingServer traced of one kind of target; its model then
// predicts (model.h), and says whether bytes cost anything that shows.
//
// Example:
//
//   std::vector<Observation> observations;
//   for (const TraceEntry& entry : counted.trace()) {
//     observations.push_back({entry.traffic, entry.elapsed});
//   }
//   absl::StatusOr<CostFit> fit = FitCosts(observations, {});
//   if (fit.ok() && !fit->bytes_matter) ...   // round trips are all that
//   counts
//
// How. Costs below zero are none, so the fit is least squares over costs that
// are not negative: of all choices of which costs are zero, the best one that
// holds (four costs have sixteen). Times vary by shares of themselves, so a
// distance is counted as a share of the prediction; otherwise first contacts of
// milliseconds would drown what warm calls say. What lies far off is weighed
// down, by Huber and then by Tukey's biweight, which forgets stalls altogether
// (Maronna, Martin and Yohai, Robust Statistics, 2006, chapter 4). One
// observation in five may be a stall.
//
// It needs observations that tell costs apart: calls that are always one a
// flight cannot say which of both it was. That is an error and not a guess. A
// cost whose count never occurs is left out by `terms`, and is then zero in the
// model because nobody asked, not because it was found to be none.
#ifndef TACTUS_AX_COST_FIT_H_
#define TACTUS_AX_COST_FIT_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/cost/model.h"
#include "ax/server/server.h"

namespace tactus::ax::cost {

struct Observation {
  Traffic traffic;
  absl::Duration elapsed;
};

// Which costs are to be found.
struct FitTerms {
  bool connections = true;
  bool flights = true;
  bool calls = true;
  bool bytes = true;
};

// About 95 % sure, from how far the observations lie off; not below zero.
struct CostInterval {
  absl::Duration low;
  absl::Duration high;
};

struct CostFit {
  CostModel model;
  // The same as `model.per_byte`, which counts in quarters of a nanosecond.
  double per_byte_ns = 0;

  CostInterval cold_connection;
  CostInterval per_flight;
  CostInterval per_call;
  CostInterval per_byte;

  // How far observations lie from the prediction, as shares of it: the median
  // of the distances, and the largest, with its place.
  double median_residual = 0;
  double largest_residual = 0;
  size_t farthest = 0;
  // Observations that were weighed down to less than a half.
  int64_t outliers = 0;

  // The chance that a fit with bytes would be so much better than the one
  // without if they cost nothing (the partial F test; approximate, since it
  // takes the weights for given). 1 where bytes were not fitted.
  double bytes_pvalue = 1;
  // The largest share of an observation's prediction that bytes have.
  double bytes_share = 0;
  // That bytes_pvalue is below 0.01 and they are 5 % of some observation at
  // least: what is less nobody needs a term for.
  bool bytes_matter = false;
};

// InvalidArgument where an observation has a negative count, none at all, or no
// positive finite time, or where nothing is to be fitted; FailedPrecondition
// where there are not more than twice as many observations as costs, or where
// they cannot tell two costs apart. The message says which and what to measure.
absl::StatusOr<CostFit> FitCosts(absl::Span<const Observation> observations,
                                 const FitTerms& terms);

}  // namespace tactus::ax::cost

#endif  // TACTUS_AX_COST_FIT_H_
