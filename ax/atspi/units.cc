#include "ax/atspi/units.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "ax/atspi/quirks.h"
#include "ax/text/offsets.h"
#include "ax/text/utf.h"

namespace tactus::ax::atspi {
namespace {

constexpr char kFiller[] = "\xEF\xBB\xBF";  // U+FEFF

// Drops one U+FEFF after each character of two units. A second one is the
// user's own.
std::string WithoutFiller(const std::string& raw) {
  std::string text;
  text.reserve(raw.size());
  for (size_t i = 0; i < raw.size();) {
    const bool two_units = (static_cast<unsigned char>(raw[i]) & 0xF8) == 0xF0;
    const size_t size = two_units && raw.size() - i >= 4 ? 4 : 1;
    text.append(raw, i, size);
    i += size;
    if (size == 4 && raw.compare(i, 3, kFiller) == 0) i += 3;
  }
  return text;
}

}  // namespace

UnitText::UnitText(OffsetUnit unit, std::string raw)
    : unit_(unit),
      text_(std::make_unique<std::string>(unit == OffsetUnit::kUtf16WithFiller
                                              ? WithoutFiller(raw)
                                              : std::move(raw))),
      code_points_(static_cast<int64_t>(CodePointCount(*text_))),
      units_(unit == OffsetUnit::kCodePoint
                 ? code_points_
                 : static_cast<int64_t>(Utf16Length(*text_))),
      map_(*text_) {}

std::optional<int64_t> UnitText::ToCodePoints(int64_t offset) {
  if (offset < 0 || offset > units_) return std::nullopt;
  if (unit_ == OffsetUnit::kCodePoint) return offset;
  return static_cast<int64_t>(
      map_.CodePointFromUtf16(static_cast<size_t>(offset)).offset);
}

}  // namespace tactus::ax::atspi
