// Properties of ax/text over generated text. RapidCheck prints its seed; to
// replay: bazel test //ax/text:text_property_test --test_env=RC_PARAMS=seed=N

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ax/text/escape.h"
#include "ax/text/offsets.h"
#include "ax/text/reference.h"
#include "ax/text/utf.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

// Uniform units would almost never pair two surrogates.
rc::Gen<std::u16string> AnyUtf16() {
  const auto unit = rc::gen::oneOf(rc::gen::inRange<uint16_t>(0, 0x80),
                                   rc::gen::inRange<uint16_t>(0xD800, 0xDC00),
                                   rc::gen::inRange<uint16_t>(0xDC00, 0xE000),
                                   rc::gen::arbitrary<uint16_t>());
  return rc::gen::map(rc::gen::container<std::vector<uint16_t>>(unit),
                      [](const std::vector<uint16_t>& units) {
                        return std::u16string(units.begin(), units.end());
                      });
}

// Whole characters of each kind and stray bytes, joined: uniform bytes would
// almost never form a character of three or four.
rc::Gen<std::string> AnyBytes() {
  const auto code_point = rc::gen::map(
      rc::gen::oneOf(rc::gen::inRange<uint32_t>(0, 0x80),
                     rc::gen::inRange<uint32_t>(0x80, 0x800),
                     rc::gen::inRange<uint32_t>(0x800, 0x10000),
                     rc::gen::inRange<uint32_t>(0xD800, 0xE000),
                     rc::gen::inRange<uint32_t>(0x10000, 0x110000)),
      [](uint32_t value) {
        std::string out;
        AppendCodePoint(value, out);
        return out;
      });
  const auto byte = rc::gen::map(
      rc::gen::arbitrary<uint8_t>(),
      [](uint8_t value) { return std::string(1, static_cast<char>(value)); });
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(
                          rc::gen::oneOf(code_point, byte)),
                      [](const std::vector<std::string>& pieces) {
                        std::string out;
                        for (const std::string& piece : pieces) out += piece;
                        return out;
                      });
}

TEST(TextPropertyTest, Utf16SurvivesTheWayThereAndBack) {
  EXPECT_TRUE(rc::check("ToUtf16(FromUtf16(x)) == x", [] {
    const std::u16string units = *AnyUtf16();
    // Compared as bool: RapidCheck cannot print a u16string.
    RC_ASSERT((ToUtf16(FromUtf16(units)) == units));
  }));
}

TEST(TextPropertyTest, WellFormedWtf8SurvivesTheWayThereAndBack) {
  EXPECT_TRUE(rc::check("FromUtf16(ToUtf16(x)) == x for WTF-8 x", [] {
    const std::string text = FromUtf16(*AnyUtf16());
    RC_ASSERT(FromUtf16(ToUtf16(text)) == text);
  }));
}

TEST(TextPropertyTest, ValidUtf8SurvivesAndIsItsOwnSanitizedForm) {
  EXPECT_TRUE(rc::check("valid x is unchanged", [] {
    const std::string text = Sanitize(*AnyBytes());
    RC_ASSERT(IsValidUtf8(text));
    RC_ASSERT(FromUtf16(ToUtf16(text)) == text);
    RC_ASSERT(Sanitize(text) == text);
  }));
}

TEST(TextPropertyTest, EveryFunctionDividesTextAlike) {
  EXPECT_TRUE(rc::check("counts agree on any bytes", [] {
    const std::string text = *AnyBytes();
    const auto division = ReferenceDivision(text);
    const auto end = ReferenceBoundaries(division).back();
    RC_ASSERT(CodePointCount(text) == division.size());
    RC_ASSERT(CodePointCount(Sanitize(text)) == division.size());
    RC_ASSERT(CodePointCount(FromUtf16(ToUtf16(text))) == division.size());
    RC_ASSERT(ToUtf16(text).size() == end.utf16_units);
    RC_ASSERT(Utf16Length(text) == end.utf16_units);
    RC_ASSERT(Sanitize(text).size() <= 3 * text.size());
  }));
}

TEST(TextPropertyTest, OffsetConversionsInvertEachOtherAtBoundaries) {
  EXPECT_TRUE(rc::check("there and back is the same offset", [] {
    const std::string text = *AnyBytes();
    const size_t stride = *rc::gen::inRange<size_t>(6, 40);
    OffsetMap map(text, stride);
    const size_t count = CodePointCount(text);
    for (size_t i = 0; i <= count; ++i) {
      const ConvertedOffset there{i, true};
      const ConvertedOffset utf16 = map.Utf16FromCodePoint(i);
      const ConvertedOffset byte = map.ByteFromCodePoint(i);
      RC_ASSERT(utf16.exact && byte.exact);
      RC_ASSERT((map.CodePointFromUtf16(utf16.offset) == there));
      RC_ASSERT((map.CodePointFromByte(byte.offset) == there));
      RC_ASSERT((map.ByteFromUtf16(utf16.offset) == byte));
      RC_ASSERT((map.Utf16FromByte(byte.offset) == utf16));
    }
  }));
}

TEST(TextPropertyTest, CuttingAtACodePointLosesNothing) {
  EXPECT_TRUE(rc::check("head + tail == whole", [] {
    const std::string text = *AnyBytes();
    const size_t at = *rc::gen::inRange<size_t>(0, text.size() + 2);
    const std::string head(SubstrByCodePoints(text, 0, at));
    const std::string tail(
        SubstrByCodePoints(text, at, static_cast<size_t>(-1)));
    RC_ASSERT(head + tail == text);
  }));
}

TEST(TextPropertyTest, EscapedTextIsOnePrintableLineAndIsBounded) {
  EXPECT_TRUE(rc::check("ForTerminal is safe", [] {
    const std::string text = *AnyBytes();
    const std::string shown = ForTerminal(text);
    RC_ASSERT(IsValidUtf8(shown));
    RC_ASSERT(shown.size() <= 4 * text.size());
    for (const ReferenceCodePoint& one : ReferenceDivision(shown)) {
      RC_ASSERT(one.code_point >= 0x20);
      RC_ASSERT(one.code_point < 0x7F || one.code_point > 0x9F);
    }
  }));
}

}  // namespace
}  // namespace tactus::ax
