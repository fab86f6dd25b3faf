#include "ledger/stats/changepoints.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ledger/stats/distributions.h"
#include "ledger/stats/summary.h"

namespace tactus::ledger {
namespace {

using Series = absl::Span<const double>;

constexpr double kMostMagnitude = 1e150;

struct Moments {
  double n = 0;
  double mean = 0;
  double squares = 0;  // of the deviations from the mean, summed
};

Moments MomentsOf(Series run) {
  Moments moments;
  moments.n = static_cast<double>(run.size());
  for (const double value : run) moments.mean += value;
  moments.mean /= moments.n;
  for (const double value : run) {
    moments.squares += (value - moments.mean) * (value - moments.mean);
  }
  return moments;
}

// What changes at `index` of a series between `begin` and `end`.
ChangePoint Judge(Series series, size_t begin, size_t index, size_t end) {
  const Moments before = MomentsOf(series.subspan(begin, index - begin));
  const Moments after = MomentsOf(series.subspan(index, end - index));
  ChangePoint point;
  point.index = static_cast<int64_t>(index);
  point.mean_before = before.mean;
  point.mean_after = after.mean;

  const double degrees = before.n + after.n - 2;
  const double difference = before.mean - after.mean;
  // Of two rows nothing says how much they vary; and what does not differ did
  // not change, though nothing varies.
  if (degrees > 0 && difference != 0) {
    // The pooled variance, of deviations of the population.
    const double variance = ((before.n - 1) * before.squares / before.n +
                             (after.n - 1) * after.squares / after.n) /
                            degrees;
    const double error = std::sqrt(variance * (1 / before.n + 1 / after.n));
    point.pvalue =
        error == 0 ? 0 : StudentTwoSided(difference / error, degrees);
  }
  if (before.mean != 0) {
    point.magnitude = std::abs(after.mean / before.mean - 1);
  }
  if (after.mean != 0) {
    point.magnitude =
        std::max(point.magnitude, std::abs(before.mean / after.mean - 1));
  }
  return point;
}

struct Candidate {
  size_t index = 0;
  double divergence = -std::numeric_limits<double>::infinity();
};

// The energy distance of a left run of `n` and a right run of `m` rows, times
// mn / (m + n), from the sums of the distances across, within the left and
// within the right.
double Divergence(double n, double m, double across, double left,
                  double right) {
  double result = across;
  if (n > 1) result -= m / (n - 1) * left;
  if (m > 1) result -= n / (m - 1) * right;
  return 2 / (n + m) * result;
}

// The split of series[begin, end), two rows at least, whose left side diverges
// most from what follows, up to whatever row. O(n^2) for the n rows there: all
// three sums grow by a row at a time.
Candidate BestSplit(Series series, size_t begin, size_t end) {
  const Series run = series.subspan(begin, end - begin);
  const size_t n = run.size();
  // all[k]: the distances within the first k rows, summed.
  std::vector<double> all(n + 1, 0);
  for (size_t k = 1; k <= n; ++k) {
    double row = 0;
    for (size_t i = 0; i + 1 < k; ++i) row += std::abs(run[i] - run[k - 1]);
    all[k] = all[k - 1] + row;
  }
  // right[k]: the distances within the rows from `split` to k, summed.
  std::vector<double> right(n + 1, 0);
  Candidate best;
  for (size_t split = n - 1; split >= 1; --split) {
    double row = 0;
    Candidate here;
    for (size_t k = split + 1; k <= n; ++k) {
      row += std::abs(run[split] - run[k - 1]);
      right[k] += row;
      const double divergence =
          Divergence(static_cast<double>(split), static_cast<double>(k - split),
                     all[k] - all[split] - right[k], all[split], right[k]);
      if (divergence > here.divergence) here = {begin + split, divergence};
    }
    // Splits come last to first; of equal ones the first is wanted.
    if (here.divergence >= best.divergence) best = here;
  }
  return best;
}

struct Run {
  size_t begin = 0;
  size_t end = 0;
  Candidate best;  // none where the run is a single row
};

Run RunOf(Series series, size_t begin, size_t end) {
  Run run = {begin, end, {}};
  if (end - begin > 1) run.best = BestSplit(series, begin, end);
  return run;
}

// The changes within series[begin, end), in order.
std::vector<size_t> SplitWindow(Series series, size_t begin, size_t end,
                                double max_pvalue) {
  std::vector<Run> runs = {RunOf(series, begin, end)};
  while (true) {
    const auto widest = std::max_element(
        runs.begin(), runs.end(), [](const Run& a, const Run& b) {
          return a.best.divergence < b.best.divergence;
        });
    const Run run = *widest;
    if (run.end - run.begin < 2 ||
        !(Judge(series, run.begin, run.best.index, run.end).pvalue <=
          max_pvalue)) {
      break;
    }
    *widest = RunOf(series, run.begin, run.best.index);
    runs.insert(widest + 1, RunOf(series, run.best.index, run.end));
  }
  std::vector<size_t> changes;
  for (size_t i = 1; i < runs.size(); ++i) changes.push_back(runs[i].begin);
  return changes;
}

std::vector<size_t> SplitAll(Series series, size_t window, double max_pvalue) {
  std::vector<size_t> changes;
  size_t start = 0;
  while (start < series.size()) {
    const size_t end = std::min(start + window, series.size());
    const std::vector<size_t> found =
        SplitWindow(series, start, end, max_pvalue);
    changes.insert(changes.end(), found.begin(), found.end());
    start += window / 2;
    if (!found.empty()) start = std::max(start, found.back());
  }
  // Windows overlap.
  std::sort(changes.begin(), changes.end());
  changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
  return changes;
}

// Drops the weakest of `points` until each is significant and large enough.
void Merge(Series series, const ChangePointOptions& options,
           std::vector<ChangePoint>& points) {
  const auto judge = [&](size_t i) {
    if (i >= points.size()) return;
    const size_t begin = i == 0 ? 0 : static_cast<size_t>(points[i - 1].index);
    const size_t end = i + 1 == points.size()
                           ? series.size()
                           : static_cast<size_t>(points[i + 1].index);
    points[i] = Judge(series, begin, static_cast<size_t>(points[i].index), end);
  };
  for (size_t i = 0; i < points.size(); ++i) judge(i);
  while (!points.empty()) {
    auto weakest =
        std::max_element(points.begin(), points.end(),
                         [](const ChangePoint& a, const ChangePoint& b) {
                           return a.pvalue < b.pvalue;
                         });
    if (weakest->pvalue < options.max_pvalue) {
      weakest =
          std::min_element(points.begin(), points.end(),
                           [](const ChangePoint& a, const ChangePoint& b) {
                             return a.magnitude < b.magnitude;
                           });
      if (weakest->magnitude > options.min_magnitude) break;
    }
    const size_t at = static_cast<size_t>(weakest - points.begin());
    points.erase(weakest);
    // As Otava does: the header says what that leaves out.
    judge(at);
    judge(at + 1);
  }
  for (size_t i = 0; i < points.size(); ++i) judge(i);
}

}  // namespace

absl::StatusOr<std::vector<ChangePoint>> FindChangePoints(
    absl::Span<const double> series, const ChangePointOptions& options) {
  absl::Status status = CheckSamples(series, "series");
  if (!status.ok()) return status;
  for (size_t i = 0; i < series.size(); ++i) {
    if (std::abs(series[i]) > kMostMagnitude) {
      return absl::InvalidArgumentError(
          absl::StrCat("series[", i, "] is ", series[i], ", beyond ",
                       kMostMagnitude, ": give it in a larger unit"));
    }
  }
  if (options.window_len < 3 || options.window_len > 1000) {
    return absl::InvalidArgumentError(absl::StrCat(
        "window_len is ", options.window_len, ": it must be from 3 to 1000"));
  }
  if (!(options.max_pvalue > 0 && options.max_pvalue < 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "max_pvalue is ", options.max_pvalue, ": it must be between 0 and 1"));
  }
  if (!(options.min_magnitude >= 0) || std::isinf(options.min_magnitude)) {
    return absl::InvalidArgumentError(
        absl::StrCat("min_magnitude is ", options.min_magnitude,
                     ": it must be a number from 0 on"));
  }
  // A change that its neighbours hide in a window may stand in the whole
  // series, so the first step lets more through.
  double relaxed = options.max_pvalue;
  if (relaxed < 0.05) {
    relaxed *= 10;
  } else if (relaxed < 0.5) {
    relaxed *= 2;
  }
  std::vector<ChangePoint> points;
  for (const size_t index :
       SplitAll(series, static_cast<size_t>(options.window_len), relaxed)) {
    points.push_back({.index = static_cast<int64_t>(index)});
  }
  Merge(series, options, points);
  return points;
}

}  // namespace tactus::ledger
