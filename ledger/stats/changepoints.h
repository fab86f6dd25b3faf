// Where a series of measurements changed for good: from which row on its mean
// is another one.
//
// Use it on the history of one benchmark, oldest row first, to show when it got
// slower or faster; it looks at the whole series and so sees both steps that a
// check of the newest row misses and drifts that pass each time. Do not use it
// to judge one new row: a change needs rows after it (regression.h judges
// those).
//
// Example:
//
//   absl::StatusOr<std::vector<ChangePoint>> points =
//       FindChangePoints(medians_ms, {.min_magnitude = 0.05});
//   for (const ChangePoint& point : *points) ...   // rows[point.index] changed
//   it
//
// The method is E-divisive (Matteson and James, A Nonparametric Approach for
// Multiple Change Point Analysis of Multivariate Data, arXiv:1306.4933) as
// Hunter uses it (Fleming et al., Hunter: Using Change Point Detection to Hunt
// for Performance Regressions, ICPE 2023, doi:10.1145/3578244.3583719), which
// is now Apache Otava; the tests hold it to the change points that Otava finds:
//
//   split   A window slides over the series by half its length, or to the last
//           change found. In each, the split that maximizes the energy distance
//           between both sides is a change where Student's t says so with a
//           relaxed p-value, and both sides are split further.
//   merge   Over the whole series, the change with the worst p-value goes as
//   long
//           as that is too large; then the smallest change, as long as that is
//           too small. Each time its neighbours are judged anew.
//
// Two things are Otava's and kept so that results are the same: the deviation
// in t is that of the population (divided by n, not n - 1), so that p-values of
// short runs are somewhat too small; and the p-values are not corrected for how
// many splits were looked at. Raise `min_magnitude` rather than trust a p-value
// alone.
//
// Deterministic: of equal candidates the first. Time O(n * w) for each level of
// splits in a window, at most O(n * w^2); and in the merge O(m * n) at most for
// the m changes that the first step found. Memory O(n).
#ifndef TACTUS_LEDGER_STATS_CHANGEPOINTS_H_
#define TACTUS_LEDGER_STATS_CHANGEPOINTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tactus::ledger {

struct ChangePointOptions {
  // Rows in a window, 3 to 1000: a change needs three to be told from noise,
  // and beyond a thousand the cube of it takes seconds. Short windows see short
  // changes, long ones small ones.
  int window_len = 50;
  // What is kept had a p-value below this when it was last judged; in (0, 1).
  double max_pvalue = 0.001;
  // And a magnitude above this: 0.05 ignores what is under 5 %.
  double min_magnitude = 0;
};

struct ChangePoint {
  // The first row after the change, counting from 0; never 0 itself.
  int64_t index = 0;
  // Means since the change before and until the change after.
  double mean_before = 0;
  double mean_after = 0;
  // Student's t, two-sided, of those two runs.
  double pvalue = 1;
  // The relative change, seen from the side where it is larger: from 100 to 50
  // and from 50 to 100 are both 1. A mean of zero has no relative change.
  double magnitude = 0;

  friend bool operator==(const ChangePoint&, const ChangePoint&) = default;
};

// In order of their index; none where nothing changed, or where there are fewer
// than three rows. InvalidArgument where the series is empty, holds what is no
// number or beyond 1e150 (its square overflows), or an option is out of range.
absl::StatusOr<std::vector<ChangePoint>> FindChangePoints(
    absl::Span<const double> series, const ChangePointOptions& options = {});

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_STATS_CHANGEPOINTS_H_
