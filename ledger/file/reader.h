// Reads the rows of a ledger one by one, in constant memory.
//
// Use it for everything that looks at a ledger. A line that is no row is told
// with its file, its number and the reason, and the reading goes on; what could
// not be read at all is an error and never "no rows".
//
// Example:
//
//   absl::StatusOr<ReadCounts> read = ReadFolder(
//       "docs/perf/data",
//       [&](const Place& place, Row row) {
//         rows.push_back(std::move(row));
//         return absl::OkStatus();
//       },
//       [&](const Rejection& rejection) { Tell(DescribeRejection(rejection));
//       });
//   if (!read.ok()) return read.status();   // no such folder, say
//   if (read->rows == 0) …                  // it is there, and empty
//
// No lock is taken, so that a reader never keeps a measurement waiting. A row
// that is being appended meanwhile is seen, or told as a last line without an
// end, or not seen; a row whose append had answered before is seen.
//
// Memory: a row, a line of at most kMaxLine and a block of 64 KiB; for a folder
// its names as well, and 16 bytes a row of ids, by which a row that is there
// twice is told: 19 to 39 with the room that the set leaves, and at most 60
// while it grows.
#ifndef TACTUS_LEDGER_FILE_READER_H_
#define TACTUS_LEDGER_FILE_READER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ledger/file/lines.h"
#include "ledger/row/row.h"

namespace tactus::ledger {

// Where a row stands. Valid until the call returns.
struct Place {
  absl::string_view file;
  int64_t line = 0;        // from 1
  absl::string_view text;  // the line itself, without its end
};

// A line that is no row, or one of a row that was there before.
struct Rejection {
  enum class Kind {
    kMalformed,  // ParseRow refuses it; `reason` is what it says
    kTooLong,    // more than kMaxLine
    kNoEnd,      // the last line, with neither a line end nor a whole row
    kDuplicate,  // of the same id as a row before it: the same row
  };
  Kind kind = Kind::kMalformed;
  std::string file;
  int64_t line = 0;
  std::string reason;
};

// "FILE:LINE: REASON"
std::string DescribeRejection(const Rejection& rejection);

// lines == rows + rejected + duplicates.
struct ReadCounts {
  int64_t files = 0;
  int64_t bytes = 0;
  int64_t lines = 0;
  int64_t rows = 0;
  int64_t rejected = 0;
  int64_t duplicates = 0;  // of a folder
};

// An error ends the reading, which answers it.
using OnRow = absl::FunctionRef<absl::Status(const Place&, Row)>;
using OnRejected = absl::FunctionRef<void(const Rejection&)>;

// NotFound where `path` is not there, FailedPrecondition where it is a folder,
// a pipe or the like, and what the system says where reading fails half-way:
// the rows before that were told, and are not all.
absl::StatusOr<ReadCounts> ReadFile(const std::string& path, OnRow on_row,
                                    OnRejected on_rejected);

// Each *.jsonl of a folder, by name, not those of folders in it. A row that is
// there twice is told once; its second line is a rejection of kDuplicate.
// Errors as for ReadFile; the first file that cannot be read ends it.
absl::StatusOr<ReadCounts> ReadFolder(const std::string& path, OnRow on_row,
                                      OnRejected on_rejected);

// The paths of the files that ReadFolder reads, in its order.
absl::StatusOr<std::vector<std::string>> LedgerFiles(const std::string& folder);

// What the above are made of, for bytes that are in no file. `file` is what
// places and rejections name.
class RowScanner {
 public:
  RowScanner(std::string file, OnRow on_row, OnRejected on_rejected);

  // The first error of on_row, and nothing is told after it.
  absl::Status Feed(absl::string_view piece);
  absl::Status Finish();

  const ReadCounts& counts() const { return counts_; }

 private:
  bool TakeLine(const SplitLine& line);

  const std::string file_;
  const OnRow on_row_;
  const OnRejected on_rejected_;
  LineSplitter lines_;
  ReadCounts counts_;
  absl::Status status_;
};

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_FILE_READER_H_
