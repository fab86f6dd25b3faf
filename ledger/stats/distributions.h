// Tail probabilities of the distributions that the statistics here need.
//
// Use it beneath a test or an interval; a caller outside of ledger/stats wants
// one of those instead. Arguments out of range are a mistake of the caller and
// give NaN, never an exception.
//
// Each is a value of the regularised incomplete beta function (Abramowitz and
// Stegun 26.5), or of the error function, by Boost.Math. The tests hold them to
// 11 digits, small tails too.
#ifndef TACTUS_LEDGER_STATS_DISTRIBUTIONS_H_
#define TACTUS_LEDGER_STATS_DISTRIBUTIONS_H_

#include <cstdint>

namespace tactus::ledger {

// The probability of `k` or more successes in `n` trials that each succeed with
// probability `p`. 1 where k <= 0, 0 where k > n.
double BinomialAtLeast(int64_t n, int64_t k, double p);

// The probability that a Student t of `degrees` of freedom is as far from zero
// as `t`, on either side. 1 at t = 0, 0 at infinity. `degrees` > 0.
double StudentTwoSided(double t, double degrees);

// The `t` that StudentTwoSided() gives probability `p` for, in (0, 1].
double StudentTwoSidedQuantile(double p, double degrees);

// The value that a standard normal is below with probability `p`, in (0, 1).
double NormalQuantile(double p);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_STATS_DISTRIBUTIONS_H_
