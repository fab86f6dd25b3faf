// Whether git saw a line of the ledger change after it was committed.
//
// Use it beside the reader: an id holds a row to itself, but whoever changes a
// row can compute its id anew, or take the line out. What was committed, and
// pushed, he cannot change.
//
// Example:
//
//   absl::StatusOr<HistoryReport> report =
//       CheckHistory("/src/tactus", "docs/perf/data");
//   for (const std::string& finding : report->findings) …
//
// What must hold: of each file, what a commit has begins with what the commit
// before it had, byte for byte, and what is on the disk begins with what HEAD
// has. A merge joins two files that have both grown, so there each side's lines
// must be in the result, in their order. Files are read one version at a time,
// of kMaxVersion at most.
#ifndef TACTUS_TOOLS_TACTUS_LEDGER_HISTORY_H_
#define TACTUS_TOOLS_TACTUS_LEDGER_HISTORY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::ledger {

// Two are in memory at once.
inline constexpr size_t kMaxVersion = size_t{512} << 20;

struct HistoryReport {
  std::vector<std::string> findings;
  int64_t commits = 0;  // that touched the ledger
};

// `within` is the ledger's folder below `repository`. An error is that git
// could not be asked; a repository without a commit has an empty report.
absl::StatusOr<HistoryReport> CheckHistory(const std::string& repository,
                                           const std::string& within);

// The first line, from 1, in which `later` does not begin with `earlier`; 0
// where it does.
int64_t FirstChangedLine(absl::string_view earlier, absl::string_view later);

// The first line of `earlier`, from 1, that is not in `later` behind the one
// before it; 0 where all are.
int64_t FirstLostLine(absl::string_view earlier, absl::string_view later);

}  // namespace tactus::ledger

#endif  // TACTUS_TOOLS_TACTUS_LEDGER_HISTORY_H_
