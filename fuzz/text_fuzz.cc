// ax/text on any bytes: the fast functions agree with the slow reference, the
// conversions lose nothing, and the output edges are valid.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "ax/text/escape.h"
#include "ax/text/offsets.h"
#include "ax/text/reference.h"
#include "ax/text/utf.h"
#include "fuzz/check.h"

namespace tactus::ax {
namespace {

using Division = std::vector<ReferenceCodePoint>;

void CheckDivision(std::string_view text, const Division& division) {
  size_t at = 0;
  bool valid = true;
  size_t units = 0;
  for (const ReferenceCodePoint& one : division) {
    const DecodedCodePoint decoded = DecodeOne(text.substr(at));
    FUZZ_CHECK(decoded.code_point == one.code_point);
    FUZZ_CHECK(decoded.size == one.bytes);
    FUZZ_CHECK(decoded.Utf16Units() == one.utf16_units);
    FUZZ_CHECK((decoded.form == CodePointForm::kScalar) == one.valid_utf8);
    at += one.bytes;
    units += one.utf16_units;
    valid = valid && one.valid_utf8;
  }
  FUZZ_CHECK(at == text.size());
  FUZZ_CHECK(CodePointCount(text) == division.size());
  FUZZ_CHECK(Utf16Length(text) == units);
  FUZZ_CHECK(IsValidUtf8(text) == valid);
}

void CheckSanitize(std::string_view text, const Division& division) {
  const std::string sane = Sanitize(text);
  FUZZ_CHECK(IsValidUtf8(sane));
  FUZZ_CHECK(Sanitize(sane) == sane);
  FUZZ_CHECK(CodePointCount(sane) == division.size());
  FUZZ_CHECK(!IsValidUtf8(text) || sane == text);
}

void CheckUtf16(std::string_view text, const Division& division) {
  const std::u16string units = ToUtf16(text);
  FUZZ_CHECK(units.size() == Utf16Length(text));
  const std::string back = FromUtf16(units);
  FUZZ_CHECK(ToUtf16(back) == units);
  FUZZ_CHECK(CodePointCount(back) == division.size());
  FUZZ_CHECK(Sanitize(back) == Sanitize(text));
  FUZZ_CHECK(!IsValidUtf8(text) || back == text);

  // The same bytes as a UTF-16 server might have sent them.
  std::u16string raw(text.size() / 2, u'\0');
  std::memcpy(raw.data(), text.data(), raw.size() * 2);
  FUZZ_CHECK(ToUtf16(FromUtf16(raw)) == raw);
}

void CheckConversion(ConvertedOffset got, size_t ReferencePlace::* from,
                     size_t ReferencePlace::* to, size_t offset,
                     const std::vector<ReferencePlace>& boundaries) {
  const ReferencePlace floor = ReferenceFloor(boundaries, from, offset);
  FUZZ_CHECK(got.offset == floor.*to);
  FUZZ_CHECK(got.exact == (floor.*from == offset));
}

void CheckOffsets(std::string_view text, const Division& division) {
  const auto boundaries = ReferenceBoundaries(division);
  // The least stride, so that small inputs cross marks too.
  OffsetMap map(text, 6);
  constexpr auto kCodePoints = &ReferencePlace::code_points;
  constexpr auto kUtf16 = &ReferencePlace::utf16_units;
  constexpr auto kBytes = &ReferencePlace::bytes;
  // Every offset of short text, some 16 of a longer one: with all of them most
  // of a run's time went here.
  const size_t step = 1 + text.size() / 16;
  for (size_t i = 0; i <= text.size() + 1; i += step) {
    CheckConversion(map.Utf16FromCodePoint(i), kCodePoints, kUtf16, i,
                    boundaries);
    CheckConversion(map.ByteFromCodePoint(i), kCodePoints, kBytes, i,
                    boundaries);
    CheckConversion(map.CodePointFromUtf16(i), kUtf16, kCodePoints, i,
                    boundaries);
    CheckConversion(map.ByteFromUtf16(i), kUtf16, kBytes, i, boundaries);
    CheckConversion(map.CodePointFromByte(i), kBytes, kCodePoints, i,
                    boundaries);
    CheckConversion(map.Utf16FromByte(i), kBytes, kUtf16, i, boundaries);

    const std::string_view head = SubstrByCodePoints(text, 0, i);
    const std::string_view tail = SubstrByCodePoints(text, i, text.size());
    FUZZ_CHECK(head.size() + tail.size() == text.size());
    FUZZ_CHECK(head.size() == ReferenceFloor(boundaries, kCodePoints, i).bytes);
  }
}

void CheckEscape(std::string_view text) {
  const std::string shown = ForTerminal(text);
  FUZZ_CHECK(IsValidUtf8(shown));
  FUZZ_CHECK(shown.size() <= 4 * text.size());
  for (const ReferenceCodePoint& one : ReferenceDivision(shown)) {
    const char32_t c = one.code_point;
    FUZZ_CHECK(c >= 0x20 && (c < 0x7F || c > 0x9F));
    FUZZ_CHECK(c < 0x2028 || c > 0x202E);
    FUZZ_CHECK(c < 0x2066 || c > 0x2069);
    FUZZ_CHECK(c != 0x061C && c != 0x200E && c != 0x200F);
  }
}

}  // namespace
}  // namespace tactus::ax

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // No function here looks further than six bytes (a surrogate pair) or eight
  // (a word of ASCII): longer text only costs runs. -1 keeps it from the
  // corpus.
  if (size > 256) return -1;

  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto division = tactus::ax::ReferenceDivision(text);
  tactus::ax::CheckDivision(text, division);
  tactus::ax::CheckSanitize(text, division);
  tactus::ax::CheckUtf16(text, division);
  tactus::ax::CheckOffsets(text, division);
  tactus::ax::CheckEscape(text);
  return 0;
}
