#include "ax/text/reference.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace tactus::ax {
namespace {

struct ByteRange {
  unsigned char low;
  unsigned char high;
};

using Row = std::vector<ByteRange>;

// Unicode 15, table 3-7, "Well-Formed UTF-8 Byte Sequences", row for row.
const std::vector<Row>& WellFormedRows() {
  static const auto& rows = *new std::vector<Row>{
      {{0x00, 0x7F}},
      {{0xC2, 0xDF}, {0x80, 0xBF}},
      {{0xE0, 0xE0}, {0xA0, 0xBF}, {0x80, 0xBF}},
      {{0xE1, 0xEC}, {0x80, 0xBF}, {0x80, 0xBF}},
      {{0xED, 0xED}, {0x80, 0x9F}, {0x80, 0xBF}},
      {{0xEE, 0xEF}, {0x80, 0xBF}, {0x80, 0xBF}},
      {{0xF0, 0xF0}, {0x90, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}},
      {{0xF1, 0xF3}, {0x80, 0xBF}, {0x80, 0xBF}, {0x80, 0xBF}},
      {{0xF4, 0xF4}, {0x80, 0x8F}, {0x80, 0xBF}, {0x80, 0xBF}},
  };
  return rows;
}

const Row& HighSurrogateRow() {
  static const auto& row = *new Row{{0xED, 0xED}, {0xA0, 0xAF}, {0x80, 0xBF}};
  return row;
}

const Row& LowSurrogateRow() {
  static const auto& row = *new Row{{0xED, 0xED}, {0xB0, 0xBF}, {0x80, 0xBF}};
  return row;
}

// How many bytes at the start of `text` agree with `row`.
size_t MatchLength(std::string_view text, const Row& row) {
  size_t matched = 0;
  while (matched < row.size() && matched < text.size()) {
    const auto byte = static_cast<unsigned char>(text[matched]);
    if (byte < row[matched].low || byte > row[matched].high) break;
    ++matched;
  }
  return matched;
}

bool Matches(std::string_view text, const Row& row) {
  return MatchLength(text, row) == row.size();
}

// Undoes the bit distribution of table 3-6 by arithmetic.
char32_t Value(std::string_view sequence) {
  static constexpr unsigned kLeadBase[] = {0, 0x00, 0xC0, 0xE0, 0xF0};
  char32_t value =
      static_cast<unsigned char>(sequence[0]) - kLeadBase[sequence.size()];
  for (size_t i = 1; i < sequence.size(); ++i) {
    value = value * 64 + (static_cast<unsigned char>(sequence[i]) - 0x80);
  }
  return value;
}

ReferenceCodePoint First(std::string_view text) {
  for (const Row& row : WellFormedRows()) {
    if (!Matches(text, row)) continue;
    const char32_t value = Value(text.substr(0, row.size()));
    return {value, row.size(), value > 0xFFFF ? 2u : 1u, true};
  }
  const bool high = Matches(text, HighSurrogateRow());
  if (high && Matches(text.substr(3), LowSurrogateRow())) {
    const char32_t value = 0x10000 +
                           (Value(text.substr(0, 3)) - 0xD800) * 0x400 +
                           (Value(text.substr(3, 3)) - 0xDC00);
    return {value, 6, 2, false};
  }
  if (high || Matches(text, LowSurrogateRow())) {
    return {Value(text.substr(0, 3)), 3, 1, false};
  }
  size_t maximal = 1;
  for (const Row& row : WellFormedRows()) {
    maximal = std::max(maximal, MatchLength(text, row));
  }
  return {0xFFFD, maximal, 1, false};
}

}  // namespace

std::vector<ReferenceCodePoint> ReferenceDivision(std::string_view text) {
  std::vector<ReferenceCodePoint> division;
  while (!text.empty()) {
    division.push_back(First(text));
    text.remove_prefix(division.back().bytes);
  }
  return division;
}

std::vector<ReferencePlace> ReferenceBoundaries(
    const std::vector<ReferenceCodePoint>& division) {
  std::vector<ReferencePlace> boundaries(1);
  for (const ReferenceCodePoint& one : division) {
    ReferencePlace next = boundaries.back();
    next.code_points += 1;
    next.utf16_units += one.utf16_units;
    next.bytes += one.bytes;
    boundaries.push_back(next);
  }
  return boundaries;
}

ReferencePlace ReferenceFloor(const std::vector<ReferencePlace>& boundaries,
                              size_t ReferencePlace::* unit, size_t offset) {
  // The first boundary is at zero, so one is always at or before.
  return *(std::partition_point(boundaries.begin(), boundaries.end(),
                                [&](const ReferencePlace& boundary) {
                                  return boundary.*unit <= offset;
                                }) -
           1);
}

}  // namespace tactus::ax
