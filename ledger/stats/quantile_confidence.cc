#include "ledger/stats/quantile_confidence.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ledger/stats/distributions.h"
#include "ledger/stats/summary.h"

namespace tactus::ledger {
namespace {

// No run takes so many, and the search below stays within a double's integers.
constexpr int64_t kMostSamples = 1'000'000'000;

absl::Status CheckShare(double share, absl::string_view name) {
  if (share > 0 && share < 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is ", share, ": it must be between 0 and 1"));
}

// The least integer in (low, high] that `holds`, which is monotone, false at
// `low` and true at `high`.
template <typename Predicate>
int64_t FirstThat(int64_t low, int64_t high, const Predicate& holds) {
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

// More than `not_below` of `n` fall at or above the bound with this probability
// if the quantile is not below it.
double Confidence(int64_t n, int64_t not_below, double p) {
  return BinomialAtLeast(n, not_below + 1, 1 - p);
}

}  // namespace

absl::StatusOr<double> ConfidenceBelow(const BoundCheck& check) {
  absl::Status status = CheckShare(check.p, "p");
  if (!status.ok()) return status;
  if (check.n <= 0 || check.n > kMostSamples) {
    return absl::InvalidArgumentError(absl::StrCat(
        "n is ", check.n, ": it must be from 1 to ", kMostSamples));
  }
  if (check.not_below < 0 || check.not_below > check.n) {
    return absl::InvalidArgumentError(
        absl::StrCat("not_below is ", check.not_below,
                     ": it must be from 0 to n = ", check.n));
  }
  return Confidence(check.n, check.not_below, check.p);
}

absl::StatusOr<int64_t> SamplesNeeded(const ConfidenceGoal& goal) {
  absl::Status status = CheckShare(goal.p, "p");
  if (status.ok()) status = CheckShare(goal.confidence, "confidence");
  if (!status.ok()) return status;
  if (goal.not_below < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "not_below is ", goal.not_below, ": it must not be negative"));
  }
  const auto enough = [&goal](int64_t n) {
    return Confidence(n, goal.not_below, goal.p) >= goal.confidence;
  };
  if (goal.not_below >= kMostSamples || !enough(kMostSamples)) {
    return absl::OutOfRangeError(absl::StrCat(
        "more than ", kMostSamples, " samples would be needed for p = ", goal.p,
        " at confidence ", goal.confidence, ": ask for less of either"));
  }
  // With no sample more than those at or above the bound nothing is proved.
  return FirstThat(goal.not_below, kMostSamples, enough);
}

absl::StatusOr<RankInterval> QuantileRankInterval(int64_t n, double p,
                                                  double confidence) {
  absl::Status status = CheckShare(p, "p");
  if (status.ok()) status = CheckShare(confidence, "confidence");
  if (!status.ok()) return status;
  if (n <= 0 || n > kMostSamples) {
    return absl::InvalidArgumentError(
        absl::StrCat("n is ", n, ": it must be from 1 to ", kMostSamples));
  }
  const double miss = (1 - confidence) / 2;
  // B samples are below the quantile. The sample at rank r is above it where
  // B < r: that may happen to `low` with `miss` at most, and B >= r, that it is
  // below, to `high`. By symmetry both are upper tails, which do not cancel.
  const auto below = [n, p](int64_t rank) {
    return BinomialAtLeast(n, n - rank + 1, 1 - p);  // P(B < rank)
  };
  const auto above = [n, p](int64_t rank) {
    return BinomialAtLeast(n, rank, p);  // P(B >= rank)
  };
  RankInterval interval;
  double missed = 0;
  // The last rank whose chance is small enough is before the first whose is
  // not.
  const int64_t low =
      FirstThat(0, n + 1,
                [&](int64_t rank) { return rank > n || below(rank) > miss; }) -
      1;
  if (low >= 1) {
    interval.low = low;
    missed += below(low);
  }
  const int64_t high = FirstThat(
      0, n + 1, [&](int64_t rank) { return rank > n || above(rank) <= miss; });
  if (high <= n) {
    interval.high = high;
    missed += above(high);
  }
  interval.coverage = 1 - missed;
  return interval;
}

absl::StatusOr<QuantileInterval> QuantileIntervalOf(
    absl::Span<const double> samples, double p, double confidence) {
  absl::Status status = CheckSamples(samples);
  if (!status.ok()) return status;
  const absl::StatusOr<RankInterval> ranks =
      QuantileRankInterval(static_cast<int64_t>(samples.size()), p, confidence);
  if (!ranks.ok()) return ranks.status();
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  QuantileInterval interval;
  interval.coverage = ranks->coverage;
  if (ranks->low) interval.low = sorted[static_cast<size_t>(*ranks->low - 1)];
  if (ranks->high) {
    interval.high = sorted[static_cast<size_t>(*ranks->high - 1)];
  }
  return interval;
}

}  // namespace tactus::ledger
