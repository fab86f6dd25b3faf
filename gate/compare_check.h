// Two builds measured in turn until it is known which is faster, or that they
// are the same.
//
// It is the loop of `//gate:compare` without its builds: what measures is
// given, so that a test gives numbers.
//
// Example:
//
//   const Check check = CompareInTurn({.name = "edit/gtk3"}, base, present);
//
// Pairs go ABBA: who is first changes from pair to pair, so that what comes
// second all the time is not taken for slower.
//
// Slower is a breach. Faster and the same are passes. Undecided at the cap is
// not measurable: it is no proof of anything. Where the present build cannot be
// measured that is a breach; where the base cannot, nothing can be compared.
#ifndef TACTUS_GATE_COMPARE_CHECK_H_
#define TACTUS_GATE_COMPARE_CHECK_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gate/measurement.h"
#include "gate/verdict.h"
#include "ledger/stats/compare.h"

namespace tactus::gate {

struct CompareQuestion {
  std::string name;
  // `better` is what the measurements say.
  ledger::ComparisonOptions options;
  // Told after each pair; may be null.
  std::function<void(absl::string_view)> progress;
};

using MeasureSide = std::function<absl::StatusOr<Measurement>()>;

Check CompareInTurn(const CompareQuestion& question, const MeasureSide& base,
                    const MeasureSide& present);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_COMPARE_CHECK_H_
