#include "ax/mock/code_points.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/string_view.h"
#include "ax/types/types.h"

namespace tactus::ax::mock {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// The length of the sequence that starts with `lead`, 0 when none does.
size_t SequenceLength(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

// The least code point that needs `length` bytes.
char32_t LeastOfLength(size_t length) {
  switch (length) {
    case 2:
      return 0x80;
    case 3:
      return 0x800;
    case 4:
      return 0x10000;
    default:
      return 0;
  }
}

}  // namespace

std::u32string DecodeUtf8(absl::string_view text) {
  std::u32string points;
  points.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const uint8_t lead = static_cast<uint8_t>(text[i]);
    const size_t length = SequenceLength(lead);
    char32_t point = length <= 1 ? lead : lead & (0x7Fu >> length);
    bool valid = length != 0 && length <= text.size() - i;
    for (size_t k = 1; valid && k < length; ++k) {
      const uint8_t next = static_cast<uint8_t>(text[i + k]);
      valid = (next & 0xC0) == 0x80;
      point = (point << 6) | (next & 0x3Fu);
    }
    valid = valid && point >= LeastOfLength(length) && point <= 0x10FFFF;
    points.push_back(valid ? point : kReplacement);
    i += valid ? length : 1;
  }
  return points;
}

bool IsUtf8(absl::string_view text) {
  const std::u32string points = DecodeUtf8(text);
  // A byte that is part of nothing comes back as three.
  return EncodeUtf8(points) == text &&
         std::none_of(points.begin(), points.end(), [](char32_t point) {
           return point >= 0xD800 && point <= 0xDFFF;
         });
}

std::string EncodeUtf8(std::u32string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (char32_t point : text) {
    if (point > 0x10FFFF) point = kReplacement;
    if (point < 0x80) {
      bytes.push_back(static_cast<char>(point));
    } else if (point < 0x800) {
      bytes.push_back(static_cast<char>(0xC0 | (point >> 6)));
      bytes.push_back(static_cast<char>(0x80 | (point & 0x3F)));
    } else if (point < 0x10000) {
      bytes.push_back(static_cast<char>(0xE0 | (point >> 12)));
      bytes.push_back(static_cast<char>(0x80 | ((point >> 6) & 0x3F)));
      bytes.push_back(static_cast<char>(0x80 | (point & 0x3F)));
    } else {
      bytes.push_back(static_cast<char>(0xF0 | (point >> 18)));
      bytes.push_back(static_cast<char>(0x80 | ((point >> 12) & 0x3F)));
      bytes.push_back(static_cast<char>(0x80 | ((point >> 6) & 0x3F)));
      bytes.push_back(static_cast<char>(0x80 | (point & 0x3F)));
    }
  }
  return bytes;
}

Range Clamp(Range range, int64_t length) {
  const int64_t begin = std::clamp<int64_t>(range.begin, 0, length);
  return {begin, std::clamp<int64_t>(range.end, begin, length)};
}

}  // namespace tactus::ax::mock
