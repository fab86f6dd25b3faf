#include "ledger/stats/compare.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ledger/stats/distributions.h"

namespace tactus::ledger {
namespace {

// The exact distribution takes n^3 / 4 steps: some ten milliseconds here.
constexpr int64_t kExactPairs = 512;

constexpr int64_t kMostPairs = 10'000;

// Each look has half as many pairs again as the one before: fewer looks wait
// too long, more of them cost each its error.
constexpr double kGrowth = 1.5;

// The sizes of the looks, from `first` to `last`.
std::vector<int64_t> LookSizes(int64_t first, int64_t last) {
  std::vector<int64_t> sizes;
  for (double size = static_cast<double>(first);
       size * 1.2 < static_cast<double>(last); size *= kGrowth) {
    sizes.push_back(static_cast<int64_t>(std::ceil(size)));
  }
  sizes.push_back(last);
  return sizes;
}

// Averages of two of the sorted `differences`, each with itself as well, that
// are at most `limit`.
int64_t AveragesUpTo(absl::Span<const double> sorted, double limit) {
  int64_t count = 0;
  size_t others = sorted.size();
  for (size_t i = 0; i < sorted.size(); ++i) {
    while (others > 0 && sorted[i] + sorted[others - 1] > 2 * limit) --others;
    if (others <= i) break;
    count += static_cast<int64_t>(others - i);
  }
  return count;
}

}  // namespace

absl::string_view ComparisonName(Comparison comparison) {
  switch (comparison) {
    case Comparison::kNeedsMore:
      return "needs more pairs";
    case Comparison::kFaster:
      return "faster";
    case Comparison::kSlower:
      return "slower";
    case Comparison::kSame:
      return "same";
    case Comparison::kUndecided:
      return "undecided";
  }
  return "unknown";
}

int64_t SignedRankCritical(int64_t n, double tail) {
  if (n > kExactPairs) {
    const double pairs = static_cast<double>(n);
    const double mean = pairs * (pairs + 1) / 4;
    const double deviation = std::sqrt(mean * (2 * pairs + 1) / 6);
    return static_cast<int64_t>(
        std::floor(mean + deviation * NormalQuantile(tail) + 0.5));
  }
  // The chance of each sum of ranks whose signs are coins, a rank at a time.
  const size_t middle = static_cast<size_t>(n * (n + 1) / 4);
  std::vector<double> chances(middle + 1, 0);
  chances[0] = 1;
  for (size_t rank = 1; rank <= static_cast<size_t>(n); ++rank) {
    for (size_t sum = middle + 1; sum-- > 0;) {
      chances[sum] =
          (chances[sum] + (sum >= rank ? chances[sum - rank] : 0)) / 2;
    }
  }
  int64_t rank = 0;
  double below = 0;
  for (const double chance : chances) {
    below += chance;
    if (below > tail) break;
    ++rank;
  }
  return rank;
}

absl::StatusOr<ComparisonPlan> ComparisonPlan::Make(
    const ComparisonOptions& options) {
  if (!(options.error > 0 && options.error <= 0.5)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "error is ", options.error, ": it must be above 0 and at most 0.5"));
  }
  if (!(options.margin > 0) || std::isinf(options.margin)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "margin is ", options.margin, ": it must be a number above 0"));
  }
  if (options.max_pairs < 1 || options.max_pairs > kMostPairs) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_pairs is ", options.max_pairs,
                     ": it must be from 1 to ", kMostPairs));
  }
  // The first look depends on the error of each, that on how many there are,
  // and that on where the first is. Beginning later makes them fewer, so this
  // ends.
  for (int64_t first = 1; first <= options.max_pairs; ++first) {
    const std::vector<int64_t> sizes = LookSizes(first, options.max_pairs);
    const double tail = options.error / 2 / static_cast<double>(sizes.size());
    if (std::ldexp(1, -static_cast<int>(std::min<int64_t>(first, 1000))) >
        tail) {
      continue;
    }
    ComparisonPlan plan;
    plan.options_ = options;
    for (const int64_t size : sizes) {
      plan.looks_.push_back({size, SignedRankCritical(size, tail)});
    }
    return plan;
  }
  int64_t needed = 1;
  while (std::ldexp(1, -static_cast<int>(needed)) > options.error / 2) {
    ++needed;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "max_pairs is ", options.max_pairs, ", and fewer than ", needed,
      " pairs can never tell anything at an error of ", options.error));
}

PairedComparison::PairedComparison(ComparisonPlan plan)
    : plan_(std::move(plan)) {}

absl::Status PairedComparison::Add(double base, double present) {
  for (const auto& [value, name] :
       {std::pair(base, "base"), std::pair(present, "present")}) {
    if (!(value > 0) || std::isinf(value)) {
      return absl::InvalidArgumentError(
          absl::StrCat("pair ", pairs() + 1, ": ", name, " is ", value,
                       ", not a positive number: the run did not measure"));
    }
  }
  if (verdict_ != Comparison::kNeedsMore) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the comparison ended after ", pairs(), " pairs (",
        ComparisonName(verdict_), "): begin another for another answer"));
  }
  differences_.push_back(std::log(present) - std::log(base));
  if (pairs() == plan_.looks()[next_look_].pairs) Look();
  return absl::OkStatus();
}

void PairedComparison::Look() {
  const ComparisonPlan::Look& look = plan_.looks()[next_look_++];
  std::vector<double> sorted = differences_;
  std::sort(sorted.begin(), sorted.end());
  // Both without the averages: the rank-th smallest is above a limit where
  // fewer are up to it.
  const auto low_is_above = [&](double limit) {
    return AveragesUpTo(sorted, limit) < look.rank;
  };
  std::vector<double> turned(sorted.rbegin(), sorted.rend());
  for (double& difference : turned) difference = -difference;
  const auto high_is_below = [&](double limit) {
    return AveragesUpTo(turned, -limit) < look.rank;
  };
  const double margin = std::log1p(plan_.options().margin);
  const bool less = plan_.options().better == Better::kLess;
  if (low_is_above(-margin) && high_is_below(margin)) {
    verdict_ = Comparison::kSame;
  } else if (low_is_above(0)) {
    verdict_ = less ? Comparison::kSlower : Comparison::kFaster;
  } else if (high_is_below(0)) {
    verdict_ = less ? Comparison::kFaster : Comparison::kSlower;
  } else if (next_look_ == plan_.looks().size()) {
    verdict_ = Comparison::kUndecided;
  }
}

absl::StatusOr<PairedComparison::Ratio> PairedComparison::ratio() const {
  if (next_look_ == 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("there are ", pairs(), " pairs, and the first ",
                     plan_.min_pairs(), " say nothing yet"));
  }
  const ComparisonPlan::Look& look = plan_.looks()[next_look_ - 1];
  std::vector<double> averages;
  averages.reserve(static_cast<size_t>(look.pairs * (look.pairs + 1) / 2));
  for (size_t i = 0; i < static_cast<size_t>(look.pairs); ++i) {
    for (size_t j = 0; j <= i; ++j) {
      averages.push_back((differences_[i] + differences_[j]) / 2);
    }
  }
  const auto at = [&averages](size_t index) {
    const auto nth = averages.begin() + static_cast<ptrdiff_t>(index);
    std::nth_element(averages.begin(), nth, averages.end());
    return *nth;
  };
  const size_t n = averages.size();
  const size_t rank = static_cast<size_t>(look.rank);
  return Ratio{
      .estimate = std::exp((at((n - 1) / 2) + at(n / 2)) / 2),
      .low = std::exp(at(rank - 1)),
      .high = std::exp(at(n - rank)),
      .pairs = look.pairs,
  };
}

}  // namespace tactus::ledger
