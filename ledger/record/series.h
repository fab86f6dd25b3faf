// Samples of one thing, as they are taken: what becomes a row.
//
// Example:
//
//   Series gaps{.name = "replace.gap", .samples = {1.5, 2}};
//   recorder.Record(gaps, {{"application", "gtk3"}});
#ifndef TACTUS_LEDGER_RECORD_SERIES_H_
#define TACTUS_LEDGER_RECORD_SERIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ledger/row/row.h"

namespace tactus::ledger {

struct Series {
  std::string name;  // "find.tactus": what is compared, then who did it
  Unit unit = Unit::kMicroseconds;
  Direction direction = Direction::kLessIsBetter;
  std::vector<double> samples;
  // Tries that ended in an error, and the last of those. They are no samples.
  int64_t failures = 0;
  std::string failure;
};

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_RECORD_SERIES_H_
