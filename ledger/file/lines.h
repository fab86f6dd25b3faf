// Splits bytes that come in pieces into lines, in memory of a line at most.
//
// Use it for a file that somebody else may have written: a line that is longer
// than it may be is told and skipped, and never buffered.
//
// Example:
//
//   LineSplitter lines(kMaxLine);
//   const auto on_line = [&](const SplitLine& line) { …; return true; };
//   while (read some bytes into piece) lines.Feed(piece, on_line);
//   lines.Finish(on_line);
//
// A line ends with '\n' and with nothing else. Every byte that was fed belongs
// to exactly one line; after the last '\n' there is one more only where bytes
// follow it.
#ifndef TACTUS_LEDGER_FILE_LINES_H_
#define TACTUS_LEDGER_FILE_LINES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace tactus::ledger {

struct SplitLine {
  int64_t number = 0;  // from 1
  // Without its end; empty where it is too long. Valid until the call returns.
  absl::string_view text;
  int64_t bytes = 0;  // of the whole line, its end included
  bool too_long = false;
  bool ended = true;  // false of the last alone, where '\n' is missing
};

class LineSplitter {
 public:
  // The longest text, its end not counted.
  explicit LineSplitter(size_t most) : most_(most) {}

  // False once the callback has answered false: nothing is told after that.
  bool Feed(absl::string_view piece,
            absl::FunctionRef<bool(const SplitLine&)> on_line);

  // The input is at its end.
  bool Finish(absl::FunctionRef<bool(const SplitLine&)> on_line);

 private:
  bool Tell(absl::string_view text, bool ended,
            absl::FunctionRef<bool(const SplitLine&)> on_line);

  const size_t most_;
  int64_t number_ = 0;
  // What was fed of the line that is not yet at its end.
  std::string start_;
  int64_t start_bytes_ =
      0;  // more than start_ holds, of a line that is too long
  bool stopped_ = false;
};

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_FILE_LINES_H_
