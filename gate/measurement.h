// One measurement of a program that records: it is run with --ledger DIR, and
// what it has written there is read.
//
// Use it where a gate measures anew and must not add rows to the real ledger.
//
// Example:
//
//   absl::StatusOr<Measurement> one = MeasureOnce(
//       {.command = {"bazel-bin/ax/atspi/edit_benchmark", "--quick"},
//        .filter = {.device = "any", .series =
//        "focused_text/replace/tactus"}});
//
// Any program will do that takes --ledger DIR and appends rows of the format of
// docs/ledger.md, in whatever language. Its exit code is its own verdict and
// not asked: what was measured is in the ledger, or it was not measured.
#ifndef TACTUS_GATE_MEASUREMENT_H_
#define TACTUS_GATE_MEASUREMENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gate/histories.h"
#include "ledger/row/row.h"
#include "ledger/stats/better.h"

namespace tactus::gate {

struct MeasurementRequest {
  std::vector<std::string> command;
  std::string folder;  // where it runs; empty: here
  HistoryFilter filter;
  absl::Duration patience = absl::Minutes(20);
};

struct Measurement {
  double value = 0;
  int64_t n = 0;
  std::string key;
  ledger::Unit unit = ledger::Unit::kMicroseconds;
  ledger::Better better = ledger::Better::kLess;
};

// NotFound where it recorded no row of that series, with what it did record;
// FailedPrecondition where there are several and the filter must say which.
absl::StatusOr<Measurement> MeasureOnce(const MeasurementRequest& request);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_MEASUREMENT_H_
