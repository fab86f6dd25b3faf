// Takes over the rows of another ledger, verbatim.
//
// Use it for rows that another device measured: what an instrument wrote there
// is as measured here as it was there.
//
// Example:
//
//   absl::StatusOr<MergeCounts> merged = MergeLedger(theirs, ours, deadline,
//                                                    tell);
//
// A row that is here already, by its id, is skipped, so that a second time
// changes nothing. A line of theirs that is no row is told and skipped. Rows go
// to the file of their instrument, in their order. Memory: 40 bytes or so a row
// of both ledgers, and kMaxBatch of lines.
#ifndef TACTUS_TOOLS_TACTUS_LEDGER_MERGE_H_
#define TACTUS_TOOLS_TACTUS_LEDGER_MERGE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tactus::ledger {

// Of lines that are kept before they are appended: a few thousand rows share an
// fsync.
inline constexpr size_t kMaxBatch = size_t{1} << 20;

struct MergeCounts {
  int64_t appended = 0;
  int64_t skipped = 0;   // here already
  int64_t rejected = 0;  // lines of theirs that are no row
};

// NotFound where `theirs` is not there; `ours` may not be there yet. `patience`
// is for the lock of each append. Tells each rejection and each repair. After
// an error, what was appended before stays: running it again goes on.
absl::StatusOr<MergeCounts> MergeLedger(
    const std::string& theirs, const std::string& ours, absl::Duration patience,
    absl::FunctionRef<void(absl::string_view)> tell);

}  // namespace tactus::ledger

#endif  // TACTUS_TOOLS_TACTUS_LEDGER_MERGE_H_
