// From a toolkit's units to code points, and the text it answers to the text
// that is there.
//
// Example:
//
//   UnitText text(OffsetUnit::kUtf16, "a\U0001F600b");
//   text.ToCodePoints(3);  // 2: the b
//
// Use it on the text from its start: an offset can only be converted when what
// lies before it is known.
#ifndef TACTUS_AX_ATSPI_UNITS_H_
#define TACTUS_AX_ATSPI_UNITS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ax/atspi/quirks.h"
#include "ax/text/offsets.h"

namespace tactus::ax::atspi {

class UnitText {
 public:
  // `raw` is the text as it was answered, from its start.
  UnitText(OffsetUnit unit, std::string raw);

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
  OffsetUnit unit_;
  std::unique_ptr<std::string> text_;  // stable: the map holds a view of it
  int64_t code_points_;
  int64_t units_;
  OffsetMap map_;
};

}  // namespace tactus::ax::atspi

#endif  // TACTUS_AX_ATSPI_UNITS_H_
