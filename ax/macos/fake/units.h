// The fake's own arithmetic between the mock's code points and the UTF-16 units
// of macOS. Written apart from ax/text, which ax/macos uses, so that the two
// check each other.
//
// A position past the end stays as far past it, a negative one stays as it is,
// and one within a character moves to its start.
#ifndef TACTUS_AX_MACOS_FAKE_UNITS_H_
#define TACTUS_AX_MACOS_FAKE_UNITS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tactus::ax::macos::fake {

std::u16string ToUnits(std::u32string_view points);
std::u32string ToPoints(std::u16string_view units);

int64_t UnitsBefore(std::u32string_view text, int64_t points);
int64_t PointsBefore(std::u32string_view text, int64_t units);

// `a + b` and `a - b`, or the nearest that fits.
int64_t SaturatingAdd(int64_t a, int64_t b);
int64_t SaturatingSubtract(int64_t a, int64_t b);

}  // namespace tactus::ax::macos::fake

#endif  // TACTUS_AX_MACOS_FAKE_UNITS_H_
