#include "ax/text/graphemes.h"

#include <utf8proc.h>

#include <cstddef>
#include <string_view>

#include "ax/text/utf.h"

namespace tactus::ax {
namespace {

// The boundaries round `offset`: the last at or before it, the first at or
// after it. Of what lies past the end, the end.
struct Around {
  size_t floor = 0;
  size_t ceiling = 0;
};

Around BoundariesAround(std::string_view text, size_t offset) {
  size_t floor = 0;
  size_t at = 0;  // in code points
  utf8proc_int32_t state = 0;
  char32_t before = 0;
  while (!text.empty()) {
    const DecodedCodePoint next = DecodeOne(text);
    text.remove_prefix(next.size);
    if (at == 0 ||
        utf8proc_grapheme_break_stateful(
            static_cast<utf8proc_int32_t>(before),
            static_cast<utf8proc_int32_t>(next.code_point), &state)) {
      if (at == offset) return {at, at};
      if (at > offset) return {floor, at};
      floor = at;
    }
    before = next.code_point;
    ++at;
  }
  if (offset >= at) return {at, at};
  return {floor, at};
}

}  // namespace

bool IsGraphemeBoundary(std::string_view text, size_t offset) {
  const Around around = BoundariesAround(text, offset);
  return around.floor == offset && around.ceiling == offset;
}

size_t GraphemeFloor(std::string_view text, size_t offset) {
  return BoundariesAround(text, offset).floor;
}

size_t GraphemeCeiling(std::string_view text, size_t offset) {
  return BoundariesAround(text, offset).ceiling;
}

}  // namespace tactus::ax
