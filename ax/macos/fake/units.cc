#include "ax/macos/fake/units.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tactus::ax::macos::fake {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

}  // namespace

std::u16string ToUnits(std::u32string_view points) {
  std::u16string units;
  for (const char32_t point : points) {
    if (point > 0xFFFF) {
      units += static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10));
      units += static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF));
    } else {
      units += static_cast<char16_t>(point);
    }
  }
  return units;
}

std::u32string ToPoints(std::u16string_view units) {
  std::u32string points;
  for (size_t i = 0; i < units.size(); ++i) {
    const char32_t unit = units[i];
    if (unit >= 0xD800 && unit < 0xDC00 && i + 1 < units.size() &&
        units[i + 1] >= 0xDC00 && units[i + 1] < 0xE000) {
      points += 0x10000 + ((unit - 0xD800) << 10) + (units[i + 1] - 0xDC00);
      ++i;
    } else {
      points += unit;
    }
  }
  return points;
}

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? kMost : kLeast;
}

int64_t SaturatingSubtract(int64_t a, int64_t b) {
  int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return b < 0 ? kMost : kLeast;
}

int64_t UnitsBefore(std::u32string_view text, int64_t points) {
  if (points < 0) return points;
  const auto size = static_cast<int64_t>(text.size());
  int64_t units = 0;
  for (int64_t i = 0; i < points && i < size; ++i) {
    units += text[static_cast<size_t>(i)] > 0xFFFF ? 2 : 1;
  }
  return points > size ? SaturatingAdd(units, points - size) : units;
}

int64_t PointsBefore(std::u32string_view text, int64_t units) {
  if (units < 0) return units;
  int64_t points = 0;
  for (const char32_t point : text) {
    const int64_t taken = point > 0xFFFF ? 2 : 1;
    if (units < taken) return points;
    units -= taken;
    ++points;
  }
  return SaturatingAdd(points, units);
}

}  // namespace tactus::ax::macos::fake
