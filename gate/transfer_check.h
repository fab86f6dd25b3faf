// What three runs of a probe between two paired devices come to, held to the
// budgets of a gate.
//
// Use it in //gate:transfer and //gate:mcp. It is pure, so that a run that
// fails and a machine that is too slow are tested without either.
//
// Example:
//
//   std::vector<Reading> runs = {ReadLines(first), ReadLines(second), …};
//   report.checks = JudgeRuns(budgets, "transfer.", runs);
//
// Of each run its median counts, and of the runs the median: rows of one series
// differ by some 15 % on one machine with nothing changed, and one of three may
// be off.
#ifndef TACTUS_GATE_TRANSFER_CHECK_H_
#define TACTUS_GATE_TRANSFER_CHECK_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gate/budgets.h"
#include "gate/reading.h"
#include "gate/verdict.h"

namespace tactus::gate {

// A check for each budget whose name begins with `prefix`. A series that a
// run lacks, a try that failed and a line that is broken are breaches: the
// probe ran. A breach of which the floor of the same runs, the series
// "NAME/openssl", misses the bound as well is not measurable: no program is
// faster than bare OpenSSL on this machine now.
std::vector<Check> JudgeRuns(const Budgets& budgets, absl::string_view prefix,
                             absl::Span<const Reading> runs);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_TRANSFER_CHECK_H_
