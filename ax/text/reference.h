#ifndef TACTUS_AX_TEXT_REFERENCE_H_
#define TACTUS_AX_TEXT_REFERENCE_H_

// A second division of text into code points, slow and obvious, written from
// the tables of the standards and sharing no code with ax/text/utf.h. Tests and
// fuzz targets hold the fast one against it.
//
// Example:
//   ReferenceDivision("a\xFF");  // {'a', 1 byte}, {U+FFFD, 1 byte}

#include <cstddef>
#include <string_view>
#include <vector>

namespace tactus::ax {

struct ReferenceCodePoint {
  char32_t code_point;  // U+FFFD where the bytes are ill-formed
  size_t bytes;
  size_t utf16_units;
  bool valid_utf8;
};

// The code points of `text` in order, as ax/text/utf.h defines them.
std::vector<ReferenceCodePoint> ReferenceDivision(std::string_view text);

// What an offset conversion must answer, found by counting from the start.
struct ReferencePlace {
  size_t code_points = 0;
  size_t utf16_units = 0;
  size_t bytes = 0;
};

// Each boundary of `division`, from the start to the end of the text.
std::vector<ReferencePlace> ReferenceBoundaries(
    const std::vector<ReferenceCodePoint>& division);

// The last of `boundaries` whose `unit` is at or before `offset`.
ReferencePlace ReferenceFloor(const std::vector<ReferencePlace>& boundaries,
                              size_t ReferencePlace::* unit, size_t offset);

}  // namespace tactus::ax

#endif  // TACTUS_AX_TEXT_REFERENCE_H_
