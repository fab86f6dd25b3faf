#include "ax/text/utf.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tactus::ax {
namespace {

uint8_t ByteAt(std::string_view text, size_t at) {
  return static_cast<uint8_t>(text[at]);
}

bool InRange(uint8_t byte, uint8_t low, uint8_t high) {
  return low <= byte && byte <= high;
}

bool IsContinuationAt(std::string_view text, size_t at) {
  return at < text.size() && InRange(ByteAt(text, at), 0x80, 0xBF);
}

bool IsHighSurrogate(char32_t c) { return 0xD800 <= c && c <= 0xDBFF; }
bool IsLowSurrogate(char32_t c) { return 0xDC00 <= c && c <= 0xDFFF; }

char32_t JoinSurrogates(char32_t high, char32_t low) {
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

// The surrogate written as three bytes at `at`, or 0.
char32_t SurrogateAt(std::string_view text, size_t at) {
  if (text.size() < at + 3 || ByteAt(text, at) != 0xED ||
      !InRange(ByteAt(text, at + 1), 0xA0, 0xBF) ||
      !IsContinuationAt(text, at + 2)) {
    return 0;
  }
  return 0xD000 | ((ByteAt(text, at + 1) & 0x3Fu) << 6) |
         (ByteAt(text, at + 2) & 0x3Fu);
}

DecodedCodePoint IllFormed(uint8_t size) {
  return {kReplacement, size, CodePointForm::kIllFormed};
}

// The one definition that every other function follows; inline, since the
// loops below spend their time in it.
inline DecodedCodePoint Decode(std::string_view text) {
  if (text.empty()) return IllFormed(0);
  const uint8_t lead = ByteAt(text, 0);
  if (lead < 0x80) return {lead, 1, CodePointForm::kScalar};

  // Only the second byte has a range of its own after some leads: it keeps out
  // the overlong (E0, F0), the surrogates (ED) and what is past 0x10FFFF (F4).
  uint8_t low = 0x80;
  uint8_t high = 0xBF;
  uint8_t size;
  char32_t code_point;
  if (InRange(lead, 0xC2, 0xDF)) {
    size = 2;
    code_point = lead & 0x1F;
  } else if (InRange(lead, 0xE0, 0xEF)) {
    size = 3;
    code_point = lead & 0x0F;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (InRange(lead, 0xF0, 0xF4)) {
    size = 4;
    code_point = lead & 0x07;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return IllFormed(1);
  }

  if (text.size() < 2 || !InRange(ByteAt(text, 1), low, high)) {
    const char32_t first = SurrogateAt(text, 0);
    if (first == 0) return IllFormed(1);
    const char32_t second = IsHighSurrogate(first) ? SurrogateAt(text, 3) : 0;
    if (IsLowSurrogate(second)) {
      return {JoinSurrogates(first, second), 6, CodePointForm::kSurrogatePair};
    }
    return {first, 3, CodePointForm::kLoneSurrogate};
  }
  code_point = (code_point << 6) | (ByteAt(text, 1) & 0x3F);
  for (uint8_t i = 2; i < size; ++i) {
    if (!IsContinuationAt(text, i)) return IllFormed(i);
    code_point = (code_point << 6) | (ByteAt(text, i) & 0x3F);
  }
  return {code_point, size, CodePointForm::kScalar};
}

// Calls `on_ascii(run)` for each run of ASCII and `on_other(decoded, bytes)`
// for each other code point, in order.
template <typename OnAscii, typename OnOther>
void ForEachPiece(std::string_view text, OnAscii on_ascii, OnOther on_other) {
  while (!text.empty()) {
    if (ByteAt(text, 0) < 0x80) {
      const size_t run = AsciiPrefixLength(text);
      on_ascii(text.substr(0, run));
      text.remove_prefix(run);
    } else {
      const DecodedCodePoint decoded = Decode(text);
      on_other(decoded, text.substr(0, decoded.size));
      text.remove_prefix(decoded.size);
    }
  }
}

}  // namespace

DecodedCodePoint DecodeOne(std::string_view text) { return Decode(text); }

void AppendCodePoint(char32_t code_point, std::string& out) {
  if (code_point > 0x10FFFF) code_point = kReplacement;
  const auto append = [&out](char32_t byte) {
    out.push_back(static_cast<char>(byte));
  };
  if (code_point < 0x80) {
    append(code_point);
    return;
  }
  if (code_point < 0x800) {
    append(0xC0 | (code_point >> 6));
  } else {
    if (code_point < 0x10000) {
      append(0xE0 | (code_point >> 12));
    } else {
      append(0xF0 | (code_point >> 18));
      append(0x80 | ((code_point >> 12) & 0x3F));
    }
    append(0x80 | ((code_point >> 6) & 0x3F));
  }
  append(0x80 | (code_point & 0x3F));
}

size_t AsciiPrefixLength(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  size_t at = 0;
  while (text.size() - at >= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, text.data() + at, sizeof(word));
    if ((word & kHighBits) != 0) break;
    at += sizeof(word);
  }
  while (at < text.size() && ByteAt(text, at) < 0x80) ++at;
  return at;
}

size_t CodePointCount(std::string_view text) {
  size_t count = 0;
  ForEachPiece(
      text, [&](std::string_view run) { count += run.size(); },
      [&](const DecodedCodePoint&, std::string_view) { ++count; });
  return count;
}

bool IsValidUtf8(std::string_view text) {
  while (true) {
    text.remove_prefix(AsciiPrefixLength(text));
    if (text.empty()) return true;
    const DecodedCodePoint decoded = Decode(text);
    if (decoded.form != CodePointForm::kScalar) return false;
    text.remove_prefix(decoded.size);
  }
}

std::u16string ToUtf16(std::string_view text) {
  std::u16string out;
  // No code point has more UTF-16 units than bytes.
  out.reserve(text.size());
  ForEachPiece(
      text,
      [&](std::string_view run) {
        const size_t old_size = out.size();
        out.resize(old_size + run.size());
        std::copy(run.begin(), run.end(), out.begin() + old_size);
      },
      [&](const DecodedCodePoint& decoded, std::string_view) {
        char32_t c = decoded.code_point;
        if (c >= 0x10000) {
          c -= 0x10000;
          out.push_back(static_cast<char16_t>(0xD800 | (c >> 10)));
          c = 0xDC00 | (c & 0x3FF);
        }
        out.push_back(static_cast<char16_t>(c));
      });
  return out;
}

std::string FromUtf16(std::u16string_view units) {
  std::string out;
  out.reserve(units.size());
  for (size_t i = 0; i < units.size(); ++i) {
    char32_t c = units[i];
    if (IsHighSurrogate(c) && i + 1 < units.size() &&
        IsLowSurrogate(units[i + 1])) {
      c = JoinSurrogates(c, units[++i]);
    }
    AppendCodePoint(c, out);
  }
  return out;
}

std::string Sanitize(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  ForEachPiece(
      text, [&](std::string_view run) { out.append(run); },
      [&](const DecodedCodePoint& decoded, std::string_view bytes) {
        switch (decoded.form) {
          case CodePointForm::kScalar:
            out.append(bytes);
            break;
          case CodePointForm::kSurrogatePair:
            AppendCodePoint(decoded.code_point, out);
            break;
          case CodePointForm::kLoneSurrogate:
          case CodePointForm::kIllFormed:
            AppendCodePoint(kReplacement, out);
            break;
        }
      });
  return out;
}

}  // namespace tactus::ax
