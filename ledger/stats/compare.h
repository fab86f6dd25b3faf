// Whether a change made something faster or slower: two builds measured in turn
// on one machine, as many pairs as it takes to tell and no more.
//
// Use it for every claim that compares: what both builds met in the same minute
// drops out of their ratio, which a stored baseline of another day never gives
// (regression.h, which finds about half of the slowdowns of 10 %).
//
// Example:
//
//   absl::StatusOr<ComparisonPlan> plan = ComparisonPlan::Make({});
//   PairedComparison comparison(*plan);
//   while (comparison.verdict() == Comparison::kNeedsMore) {
//     // In turn, and which goes first changes: ABBA.
//     comparison.Add(Measure(base), Measure(present));
//   }
//   if (comparison.verdict() == Comparison::kSlower) ...
//
// What it promises. With the default plan all of these hold at once with 99 %,
// over all the looks that it takes at the data, whatever the distribution:
//
//   kSlower, kFaster   the two are not the same, and differ that way
//   kSame              they differ by less than 5 % either way
//   ratio()            the interval holds the true ratio
//
// So of builds that are the same fewer than 1 % are called slower or faster. Of
// builds that are 10 % slower at least 95 % are called so before the cap, as
// long as single measurements vary by no more than 10 % (one sigma,
// log-normal). `bazel run //ledger/stats:compare_simulation` prints what both
// come to. kUndecided says that the cap was reached: more noise, or a
// difference near to the margin. It is no pass.
//
// How. A pair gives the logarithm of present over base. At looks fixed
// beforehand (group-sequential) the Hodges-Lehmann interval is taken, which
// inverts Wilcoxon's signed-rank test: exact for whatever distribution that is
// symmetric around its middle, which the differences of exchangeable pairs are;
// outliers weigh as ranks and not by their size; equal pairs are kept, and make
// the closed interval cover more, never less. The error is divided evenly among
// the looks, which bounds its sum whatever they have in common (Bonferroni).
// Sources: Hodges and Lehmann, Estimates of Location Based on Rank Tests, 1963;
// Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3rd edition,
// section 3; the looks as in Pocock, Group Sequential Methods, 1977.
//
// The least number of pairs. With n pairs no rank test says less than p =
// 2^(1-n), so it looks first where that is below the error of a look: at 11
// pairs by default. Three against three by ranks would never be below p = 0.1.
//
// What it cannot see: what differs between both sides of every pair but the
// builds, such as the one that always runs second.
#ifndef TACTUS_LEDGER_STATS_COMPARE_H_
#define TACTUS_LEDGER_STATS_COMPARE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ledger/stats/better.h"

namespace tactus::ledger {

struct ComparisonOptions {
  // Which way the figures are better.
  Better better = Better::kLess;
  // All that is said is false with at most this, in (0, 0.5].
  double error = 0.01;
  // What is called the same: a ratio within 1/(1 + margin) and 1 + margin.
  double margin = 0.05;
  // Pairs after which it gives up; at most 10,000, since an estimate takes
  // their square.
  int64_t max_pairs = 300;
};

enum class Comparison {
  kNeedsMore,  // before the next look
  kFaster,
  kSlower,
  kSame,       // within the margin, though they may differ by less
  kUndecided,  // at the cap
};

absl::string_view ComparisonName(Comparison comparison);

// The looks of a comparison, worked out once for as many as are to be made.
class ComparisonPlan {
 public:
  struct Look {
    int64_t pairs = 0;
    // The interval is from the rank-th smallest of the averages of two
    // differences to the rank-th largest.
    int64_t rank = 0;
  };

  // InvalidArgument where an option is out of range, or where `max_pairs` are
  // too few for `error`; the message says how many it takes.
  static absl::StatusOr<ComparisonPlan> Make(const ComparisonOptions& options);

  const ComparisonOptions& options() const { return options_; }
  const std::vector<Look>& looks() const { return looks_; }
  // Fewer pairs than this decide nothing.
  int64_t min_pairs() const { return looks_.front().pairs; }

 private:
  ComparisonPlan() = default;

  ComparisonOptions options_;
  std::vector<Look> looks_;
};

class PairedComparison {
 public:
  explicit PairedComparison(ComparisonPlan plan);

  // One measurement of each, in the same unit. InvalidArgument where one is not
  // a positive finite number; FailedPrecondition where it is decided: to go on
  // until one likes the answer is what the plan is there against.
  absl::Status Add(double base, double present);

  Comparison verdict() const { return verdict_; }
  int64_t pairs() const { return static_cast<int64_t>(differences_.size()); }

  struct Ratio {
    double estimate = 1;  // present over base
    double low = 1;
    double high = 1;
    int64_t pairs = 0;  // of the look that it was taken at
  };
  // As of the last look. FailedPrecondition before the first. O(n^2).
  absl::StatusOr<Ratio> ratio() const;

 private:
  void Look();

  ComparisonPlan plan_;
  size_t next_look_ = 0;
  Comparison verdict_ = Comparison::kNeedsMore;
  std::vector<double> differences_;  // of the logarithms, in order of arrival
};

// How many of `n` differences' averages of two (each with itself as well) make
// the chance at most `tail` that a symmetric distribution's middle is not above
// that many of them. Exact up to 512, beyond by the normal approximation, whose
// tails are the longer ones. For the plan, and for its tests.
int64_t SignedRankCritical(int64_t n, double tail);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_STATS_COMPARE_H_
