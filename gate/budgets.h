// The reviewed file of what may be spent: one line for each promise, which
// gates hold measurements to and pages refer to by name.
//
// Use it in a gate, and in whatever shows a figure beside its budget. Another
// repository has a file of its own, given with --budgets FILE.
//
// The file:
//
//   {"schema": 1,
//    "budgets": [
//      {"name": "ax_read.p50", "series": "ax_read/snapshot",
//       "configuration": {"application": "gtk3"},
//       "statistic": "p50", "unit": "ms", "at_most": 2,
//       "plausible": [0.02, 10000], "why": "…"}],
//    "trips": {"mock": {"snapshot": {"flights": 4, "calls": 11}}}}
//
// A budget has `at_most` or `at_least`, never both. `plausible` is what can be
// true at all: a figure outside of it is an instrument that is broken, and a
// breach, however good it looks. `configuration` names what a row must have,
// and may have more. Units are those of rows; a time is converted, and a time
// is never taken for a rate.
//
// Unknown keys are errors: a budget with a spelling mistake in it would never
// be missed.
#ifndef TACTUS_GATE_BUDGETS_H_
#define TACTUS_GATE_BUDGETS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gate/verdict.h"
#include "ledger/row/row.h"

namespace tactus::gate {

struct Budget {
  std::string name;  // "ax_read.p50"
  std::string series;
  std::map<std::string, std::string> configuration;
  std::string statistic;  // "min", "p50", "p95", "p99", "max"
  ledger::Unit unit = ledger::Unit::kMilliseconds;
  bool at_most = true;  // or at least
  double bound = 0;
  double plausible_low = 0;
  double plausible_high = 0;
  // With how much confidence the samples must show it, of a quantile.
  double confidence = 0.95;
  std::string why;

  // The probability of the quantile; 0 for min and 1 for max.
  double p() const;
};

struct Trips {
  int64_t flights = 0;
  int64_t calls = 0;

  friend bool operator==(const Trips&, const Trips&) = default;
};

struct Budgets {
  std::vector<Budget> budgets;
  // Where ("mock", "gtk3"), then of what ("snapshot").
  std::map<std::string, std::map<std::string, Trips>> trips;

  // Null where there is none of that name.
  const Budget* Find(absl::string_view name) const;
};

// InvalidArgument, naming the place, for what is not as above.
absl::StatusOr<Budgets> ParseBudgets(absl::string_view json);

// NotFound where there is no such file.
absl::StatusOr<Budgets> ReadBudgets(const std::string& path);

// `value` of `from` in `to`; InvalidArgument where they measure different
// things.
absl::StatusOr<double> Convert(double value, ledger::Unit from,
                               ledger::Unit to);

// Whether samples, of the given unit, keep a budget. With how much confidence
// they show it is told, and is no pass where it is less than the budget asks
// for: not measurable when the figure itself is within. No sample, a figure
// that is not finite or not plausible: a breach, since whoever calls this has
// measured.
Check Judge(const Budget& budget, absl::Span<const double> samples,
            ledger::Unit unit);

// "at most 2 ms".
std::string BoundText(const Budget& budget);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_BUDGETS_H_
