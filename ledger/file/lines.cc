#include "ledger/file/lines.h"

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace tactus::ledger {

bool LineSplitter::Feed(absl::string_view piece,
                        absl::FunctionRef<bool(const SplitLine&)> on_line) {
  while (!stopped_ && !piece.empty()) {
    const size_t end = piece.find('\n');
    const absl::string_view text = piece.substr(0, end);
    if (end == absl::string_view::npos) {
      start_bytes_ += static_cast<int64_t>(text.size());
      if (start_bytes_ <= static_cast<int64_t>(most_)) {
        start_.append(text.data(), text.size());
      } else {
        start_.clear();
      }
      return true;
    }
    piece.remove_prefix(end + 1);
    if (!Tell(text, true, on_line)) return false;
  }
  return !stopped_;
}

bool LineSplitter::Finish(absl::FunctionRef<bool(const SplitLine&)> on_line) {
  if (stopped_) return false;
  return start_bytes_ == 0 || Tell("", false, on_line);
}

bool LineSplitter::Tell(absl::string_view text, bool ended,
                        absl::FunctionRef<bool(const SplitLine&)> on_line) {
  const int64_t bytes = start_bytes_ + static_cast<int64_t>(text.size());
  SplitLine line = {.number = ++number_,
                    .bytes = bytes + (ended ? 1 : 0),
                    .too_long = bytes > static_cast<int64_t>(most_),
                    .ended = ended};
  if (!line.too_long && start_bytes_ > 0) {
    start_.append(text.data(), text.size());
    line.text = start_;
  } else if (!line.too_long) {
    line.text = text;  // whole in one piece: not copied
  }
  stopped_ = !on_line(line);
  start_.clear();
  start_bytes_ = 0;
  return !stopped_;
}

}  // namespace tactus::ledger
