// Lines from a file descriptor, with a look at whether the next one is there.
//
// Example:
//
//   LineReader lines(STDIN_FILENO, stop_fd);
//   for (;;) {
//     absl::StatusOr<std::optional<std::string>> line = lines.Next();
//     if (!line.ok()) return line.status();
//     if (!line->has_value()) break;                 // the end
//     if (lines.Waiting()) ...                       // more is there already
//   }
//
// A line is without its end, LF or CR LF; the last needs none. Errors:
// InvalidArgument for a line longer than kMostLine, or than was asked for,
// whose rest is dropped, so that the one after it can be read; DataLoss when
// reading fails.
#ifndef TACTUS_TOOLS_TACTUS_LINES_H_
#define TACTUS_TOOLS_TACTUS_LINES_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace tactus::cli {

class LineReader {
 public:
  // Of a line: more than any field takes at once.
  static constexpr size_t kMostLine = size_t{1} << 20;

  // What becomes readable on `stop_fd` (-1: nothing does) ends the input.
  explicit LineReader(int fd, int stop_fd = -1, size_t most = kMostLine)
      : fd_(fd), stop_fd_(stop_fd), most_(most) {}

  // Waits for a line; absent at the end.
  absl::StatusOr<std::optional<std::string>> Next();

  // Whether `Next` would return a line, or an error, at once.
  bool Waiting();

  // Whether it is `stop_fd` that ended the input, or would now.
  bool Stopped() const;

 private:
  // Reads what is there; waits for it when `wait`. False at the end or when
  // nothing is there.
  bool Fill(bool wait);

  const int fd_;
  const int stop_fd_;
  const size_t most_;  // bytes of a line
  std::string buffer_;
  size_t searched_ = 0;  // no line ends before
  bool end_ = false;
  bool dropping_ = false;  // the rest of a line that was too long
  bool failed_ = false;
};

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_LINES_H_
