#include "ax/text/offsets.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "ax/text/utf.h"

namespace tactus::ax {

// Less than the longest code point would leave a mark that cannot advance.
OffsetMap::OffsetMap(std::string_view text, size_t stride)
    : text_(text), stride_(std::max<size_t>(stride, 6)), marks_(1) {}

OffsetMap::Place OffsetMap::Advance(std::string_view text, Place place,
                                    Unit unit, size_t limit) {
  while (place.byte < text.size() && place.*unit < limit) {
    const std::string_view rest = text.substr(place.byte);
    // ASCII is one in each unit, so a run of it needs no decoding.
    const size_t run = AsciiPrefixLength(rest.substr(0, limit - place.*unit));
    if (run > 0) {
      place.byte += run;
      place.code_point += run;
      place.utf16 += run;
      continue;
    }
    const DecodedCodePoint decoded = DecodeOne(rest);
    Place next = place;
    next.byte += decoded.size;
    next.code_point += 1;
    next.utf16 += decoded.Utf16Units();
    if (next.*unit > limit) break;
    place = next;
  }
  return place;
}

ConvertedOffset OffsetMap::Convert(Unit from, Unit to, size_t offset) {
  while (marks_.back().*from < offset && marks_.back().byte < text_.size()) {
    const Place last = marks_.back();
    marks_.push_back(Advance(text_, last, &Place::byte, last.byte + stride_));
  }
  const auto after = std::upper_bound(
      marks_.begin(), marks_.end(), offset,
      [from](size_t value, const Place& mark) { return value < mark.*from; });
  const Place place = Advance(text_, *(after - 1), from, offset);
  return {place.*to, place.*from == offset};
}

ConvertedOffset OffsetMap::Utf16FromCodePoint(size_t code_points) {
  return Convert(&Place::code_point, &Place::utf16, code_points);
}

ConvertedOffset OffsetMap::ByteFromCodePoint(size_t code_points) {
  return Convert(&Place::code_point, &Place::byte, code_points);
}

ConvertedOffset OffsetMap::CodePointFromUtf16(size_t utf16_units) {
  return Convert(&Place::utf16, &Place::code_point, utf16_units);
}

ConvertedOffset OffsetMap::ByteFromUtf16(size_t utf16_units) {
  return Convert(&Place::utf16, &Place::byte, utf16_units);
}

ConvertedOffset OffsetMap::CodePointFromByte(size_t bytes) {
  return Convert(&Place::byte, &Place::code_point, bytes);
}

ConvertedOffset OffsetMap::Utf16FromByte(size_t bytes) {
  return Convert(&Place::byte, &Place::utf16, bytes);
}

size_t Utf16Length(std::string_view text) {
  size_t units = 0;
  while (!text.empty()) {
    const size_t run = AsciiPrefixLength(text);
    units += run;
    text.remove_prefix(run);
    if (text.empty()) break;
    const DecodedCodePoint decoded = DecodeOne(text);
    units += decoded.Utf16Units();
    text.remove_prefix(decoded.size);
  }
  return units;
}

std::string_view SubstrByCodePoints(std::string_view text, size_t begin,
                                    size_t end) {
  using Place = OffsetMap::Place;
  const Place first =
      OffsetMap::Advance(text, Place(), &Place::code_point, begin);
  const Place last = OffsetMap::Advance(text, first, &Place::code_point, end);
  return text.substr(first.byte, last.byte - first.byte);
}

}  // namespace tactus::ax
