#include "ax/atspi/units.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/atspi/quirks.h"
#include "ax/clock/clock.h"
#include "ax/text/offsets.h"

namespace tactus::ax::atspi {
namespace {

constexpr char kFiller[] = "\xEF\xBB\xBF";  // U+FEFF

// Appends to `text` what `raw` holds from `i` to `end` or a little further, but
// for one U+FEFF after each character of two units: a second one is the user's
// own. Returns where it stopped.
size_t DropFiller(const std::string& raw, size_t i, size_t end,
                  std::string& text) {
  while (i < end) {
    const bool two_units = (static_cast<unsigned char>(raw[i]) & 0xF8) == 0xF0;
    const size_t size = two_units && raw.size() - i >= 4 ? 4 : 1;
    text.append(raw, i, size);
    i += size;
    if (size == 4 && raw.compare(i, 3, kFiller) == 0) i += 3;
  }
  return i;
}

}  // namespace

absl::StatusOr<UnitText> UnitText::Convert(OffsetUnit unit, std::string raw,
                                           Clock& clock, absl::Time deadline) {
  const size_t size = raw.size();
  const auto late = [&](size_t done, size_t all) {
    return done < all && clock.Now() >= deadline;
  };
  const absl::Status no_time = absl::DeadlineExceededError(absl::StrCat(
      "a text of ", size, " bytes could not be converted in time"));
  auto text = std::make_unique<std::string>();
  if (unit == OffsetUnit::kUtf16WithFiller) {
    text->reserve(size);
    for (size_t done = 0; done < size;) {
      done = DropFiller(raw, done, std::min(size, done + kChunk), *text);
      if (late(done, size)) return no_time;
    }
  } else {
    *text = std::move(raw);
  }
  UnitText converted(unit, std::move(text));
  // Lays the map's marks, which is most of the work, a chunk at a time.
  OffsetMap& map = converted.map_;
  const size_t length = converted.text_->size();
  for (size_t done = 0; done < length;) {
    done = std::min(length, done + kChunk);
    map.CodePointFromByte(done);
    if (late(done, length)) return no_time;
  }
  converted.code_points_ =
      static_cast<int64_t>(map.CodePointFromByte(length).offset);
  converted.units_ =
      unit == OffsetUnit::kCodePoint
          ? converted.code_points_
          : static_cast<int64_t>(map.Utf16FromByte(length).offset);
  return converted;
}

std::optional<int64_t> UnitText::ToCodePoints(int64_t offset) {
  if (offset < 0 || offset > units_) return std::nullopt;
  if (unit_ == OffsetUnit::kCodePoint) return offset;
  return static_cast<int64_t>(
      map_.CodePointFromUtf16(static_cast<size_t>(offset)).offset);
}

}  // namespace tactus::ax::atspi
