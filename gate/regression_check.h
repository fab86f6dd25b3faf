// Whether a series has become worse than its own history, measured again where
// one look is not enough.
//
// Example:
//
//   Check check = CheckRegression(
//       {.name = history.key, .history = older, .present = {12.1, 11.8, 14.9},
//        .better = history.better()},
//       [&] { return MeasureThree(); });
//
// The rule, which docs/gates.md explains:
//
//   The median of three is held against the median of the recent rows and that
//   of an anchor, the oldest ones, so that many small steps do not pass
//   (ledger/stats/regression.h).
//   Worse by less than the noise, 10 %, is noise: it is measured again, and the
//   median of all is held against both.
//   Worse by more is measured again as well, and is a regression where the
//   second three say so by themselves. Where nothing can be measured again the
//   first three decide.
//   Better beyond belief, below zero, no number: a breach; the instrument is
//   broken. Too few rows, or fewer than three measurements: not measurable.
#ifndef TACTUS_GATE_REGRESSION_CHECK_H_
#define TACTUS_GATE_REGRESSION_CHECK_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gate/verdict.h"
#include "ledger/row/row.h"
#include "ledger/stats/better.h"

namespace tactus::gate {

struct RegressionQuestion {
  std::string name;
  std::vector<double> history;  // oldest first
  std::vector<double> present;
  ledger::Better better = ledger::Better::kLess;
  ledger::Unit unit = ledger::Unit::kMicroseconds;
};

// As many measurements as there were at first; null where none can be taken.
using Again = std::function<absl::StatusOr<std::vector<double>>()>;

Check CheckRegression(const RegressionQuestion& question, const Again& again);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_REGRESSION_CHECK_H_
