// From a toolkit's units to code points, and the text it answers to the text
// that is there.
//
// Example:
//
//   absl::StatusOr<UnitText> text = UnitText::Convert(
//       OffsetUnit::kUtf16, "a\U0001F600b", clock, deadline);
//   text->ToCodePoints(3);  // 2: the b
//
// Use it on the text from its start: an offset can only be converted when what
// lies before it is known.
#ifndef TACTUS_AX_ATSPI_UNITS_H_
#define TACTUS_AX_ATSPI_UNITS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/atspi/quirks.h"
#include "ax/clock/clock.h"
#include "ax/text/offsets.h"

namespace tactus::ax::atspi {

class UnitText {
 public:
  // Bytes that are converted between two looks at the clock, and without any:
  // they take less than a millisecond, and a short text that came just in time
  // is worth that.
  static constexpr size_t kChunk = size_t{64} << 10;

  // `raw` is the text as it was answered, from its start. DeadlineExceeded for
  // a long one that cannot be converted in time.
  static absl::StatusOr<UnitText> Convert(OffsetUnit unit, std::string raw,
                                          Clock& clock, absl::Time deadline);

  // The text without what the toolkit fills in.
  const std::string& text() const { return *text_; }
  int64_t code_points() const { return code_points_; }
  // Length in the toolkit's own unit.
  int64_t units() const { return units_; }

  // Of an offset in the toolkit's unit; nullopt when it lies past this text or
  // is negative. One that lies inside a character is moved to its start, since
  // no position in code points exists there.
  std::optional<int64_t> ToCodePoints(int64_t offset);

 private:
  UnitText(OffsetUnit unit, std::unique_ptr<std::string> text)
      : unit_(unit), text_(std::move(text)), map_(*text_) {}

  OffsetUnit unit_;
  std::unique_ptr<std::string> text_;  // stable: the map holds a view of it
  OffsetMap map_;
  int64_t code_points_ = 0;
  int64_t units_ = 0;
};

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_UNITS_H_
