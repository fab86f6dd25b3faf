#include "ax/text/offsets.h"

#include <string>
#include <string_view>
#include <vector>

#include "ax/text/reference.h"
#include "ax/text/utf.h"
#include "gtest/gtest.h"

namespace tactus::ax {

void PrintTo(const ConvertedOffset& converted, std::ostream* os) {
  *os << converted.offset << (converted.exact ? " exact" : " not exact");
}

namespace {

constexpr ConvertedOffset Exact(size_t offset) { return {offset, true}; }
constexpr ConvertedOffset Clamped(size_t offset) { return {offset, false}; }

// a (1 byte, 1 unit), e acute (2, 1), U+1F600 (4, 2), z (1, 1).
constexpr std::string_view kMixed = "a\xC3\xA9\xF0\x9F\x98\x80z";

TEST(OffsetMapTest, BoundariesConvertExactlyBetweenAllUnits) {
  OffsetMap map(kMixed);
  const size_t bytes[] = {0, 1, 3, 7, 8};
  const size_t units[] = {0, 1, 2, 4, 5};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(map.ByteFromCodePoint(i), Exact(bytes[i]));
    EXPECT_EQ(map.Utf16FromCodePoint(i), Exact(units[i]));
    EXPECT_EQ(map.CodePointFromByte(bytes[i]), Exact(i));
    EXPECT_EQ(map.CodePointFromUtf16(units[i]), Exact(i));
    EXPECT_EQ(map.Utf16FromByte(bytes[i]), Exact(units[i]));
    EXPECT_EQ(map.ByteFromUtf16(units[i]), Exact(bytes[i]));
  }
}

TEST(OffsetMapTest, InsideASurrogatePairGivesTheStartNotExact) {
  OffsetMap map(kMixed);
  EXPECT_EQ(map.CodePointFromUtf16(3), Clamped(2));
  EXPECT_EQ(map.ByteFromUtf16(3), Clamped(3));
}

TEST(OffsetMapTest, InsideACharactersBytesGivesTheStartNotExact) {
  OffsetMap map(kMixed);
  EXPECT_EQ(map.CodePointFromByte(2), Clamped(1));
  for (size_t byte = 4; byte < 7; ++byte) {
    EXPECT_EQ(map.CodePointFromByte(byte), Clamped(2));
    EXPECT_EQ(map.Utf16FromByte(byte), Clamped(2));
  }
}

TEST(OffsetMapTest, PastTheEndGivesTheEndNotExact) {
  OffsetMap map(kMixed);
  EXPECT_EQ(map.Utf16FromCodePoint(5), Clamped(5));
  EXPECT_EQ(map.CodePointFromUtf16(6), Clamped(4));
  EXPECT_EQ(map.ByteFromUtf16(6), Clamped(8));
}

TEST(OffsetMapTest, MinusOneFromAServerIsNeverExact) {
  OffsetMap map(kMixed);
  EXPECT_EQ(map.CodePointFromUtf16(static_cast<size_t>(-1)), Clamped(4));
  EXPECT_EQ(map.ByteFromCodePoint(static_cast<size_t>(-1)), Clamped(8));
}

TEST(OffsetMapTest, EmptyTextHasOneExactOffset) {
  OffsetMap map("");
  EXPECT_EQ(map.CodePointFromUtf16(0), Exact(0));
  EXPECT_EQ(map.CodePointFromUtf16(1), Clamped(0));
}

TEST(OffsetMapTest, IllFormedBytesAndLoneSurrogatesHaveOffsets) {
  // Cut-off sequence, lone high surrogate, lone byte.
  OffsetMap map("\xE2\x82\xED\xA0\xBD\xFF");
  EXPECT_EQ(map.ByteFromCodePoint(1), Exact(2));
  EXPECT_EQ(map.ByteFromCodePoint(2), Exact(5));
  EXPECT_EQ(map.ByteFromCodePoint(3), Exact(6));
  EXPECT_EQ(map.Utf16FromCodePoint(3), Exact(3));
}

TEST(OffsetMapTest, StrideOfZeroStillAdvances) {
  const std::string pair = "\xED\xA0\xBD\xED\xB8\x80";
  OffsetMap map(pair, 0);
  EXPECT_EQ(map.CodePointFromByte(6), Exact(1));
}

TEST(OffsetMapTest, LongTextConvertsAtBothEndsInEitherOrder) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += kMixed;
  OffsetMap from_the_end(text);
  EXPECT_EQ(from_the_end.Utf16FromCodePoint(400'000), Exact(500'000));
  EXPECT_EQ(from_the_end.CodePointFromUtf16(3), Clamped(2));
  EXPECT_EQ(from_the_end.CodePointFromUtf16(250'003), Clamped(200'002));
  EXPECT_EQ(from_the_end.ByteFromCodePoint(399'999), Exact(799'999));

  OffsetMap from_the_start(text);
  EXPECT_EQ(from_the_start.CodePointFromUtf16(3), Clamped(2));
  EXPECT_EQ(from_the_start.Utf16FromCodePoint(400'000), Exact(500'000));
}

// Against losing the marks, not against a slow machine: read from the start
// each time, this is 80 billion bytes and ends in the test's timeout.
TEST(OffsetMapTest, ManyConversionsInLongTextDoNotReadItAgain) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += kMixed;
  OffsetMap map(text);
  for (int i = 0; i < 50'000; ++i) {
    ASSERT_EQ(map.ByteFromCodePoint(800'000), Exact(1'600'000));
    ASSERT_EQ(map.CodePointFromUtf16(999'999), Exact(799'999));
  }
}

TEST(Utf16LengthTest, IsTheLengthOfTheUtf16Form) {
  EXPECT_EQ(Utf16Length(""), 0u);
  EXPECT_EQ(Utf16Length("abc"), 3u);
  EXPECT_EQ(Utf16Length(kMixed), 5u);
  EXPECT_EQ(Utf16Length("\xED\xA0\xBD\xFF"), 2u);
}

TEST(SubstrByCodePointsTest, GivesTheRangeAsAViewOfTheText) {
  const std::string_view part = SubstrByCodePoints(kMixed, 1, 3);
  EXPECT_EQ(part, "\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(part.data(), kMixed.data() + 1);
  EXPECT_EQ(SubstrByCodePoints(kMixed, 0, 4), kMixed);
}

TEST(SubstrByCodePointsTest, OutOfRangeIsClamped) {
  EXPECT_EQ(SubstrByCodePoints(kMixed, 3, static_cast<size_t>(-1)), "z");
  EXPECT_EQ(SubstrByCodePoints(kMixed, 9, 12), "");
  EXPECT_EQ(SubstrByCodePoints("", 0, 1), "");
}

TEST(SubstrByCodePointsTest, EndBeforeBeginGivesTheEmptyText) {
  EXPECT_EQ(SubstrByCodePoints(kMixed, 3, 1), "");
}

struct Conversion {
  ConvertedOffset (OffsetMap::*convert)(size_t);
  size_t ReferencePlace::* from;
  size_t ReferencePlace::* to;
};

constexpr Conversion kConversions[] = {
    {&OffsetMap::Utf16FromCodePoint, &ReferencePlace::code_points,
     &ReferencePlace::utf16_units},
    {&OffsetMap::ByteFromCodePoint, &ReferencePlace::code_points,
     &ReferencePlace::bytes},
    {&OffsetMap::CodePointFromUtf16, &ReferencePlace::utf16_units,
     &ReferencePlace::code_points},
    {&OffsetMap::ByteFromUtf16, &ReferencePlace::utf16_units,
     &ReferencePlace::bytes},
    {&OffsetMap::CodePointFromByte, &ReferencePlace::bytes,
     &ReferencePlace::code_points},
    {&OffsetMap::Utf16FromByte, &ReferencePlace::bytes,
     &ReferencePlace::utf16_units},
};

void ExpectAgreesWithReference(const std::string& text) {
  const auto boundaries = ReferenceBoundaries(ReferenceDivision(text));
  ASSERT_EQ(Utf16Length(text), boundaries.back().utf16_units);
  for (const Conversion& c : kConversions) {
    // The least stride, and from the end down, so that marks are both laid and
    // searched; the default one never leaves its first mark in short text.
    for (const size_t stride : {size_t{6}, OffsetMap::kDefaultStride}) {
      OffsetMap map(text, stride);
      for (size_t i = boundaries.back().*c.from + 2; i-- > 0;) {
        const ReferencePlace floor = ReferenceFloor(boundaries, c.from, i);
        ASSERT_EQ((map.*c.convert)(i),
                  (ConvertedOffset{floor.*c.to, floor.*c.from == i}))
            << "offset " << i << ", stride " << stride;
      }
    }
  }
  for (size_t begin = 0; begin <= boundaries.size(); ++begin) {
    for (size_t end = begin; end <= boundaries.size(); ++end) {
      const size_t from =
          ReferenceFloor(boundaries, &ReferencePlace::code_points, begin).bytes;
      const size_t to =
          ReferenceFloor(boundaries, &ReferencePlace::code_points, end).bytes;
      ASSERT_EQ(SubstrByCodePoints(text, begin, end),
                std::string_view(text).substr(from, to - from));
    }
  }
}

TEST(OffsetsExhaustiveTest, EveryShortSequenceOfPiecesAgreesWithReference) {
  // Each kind of code point, and bytes that end or begin one.
  const std::string_view pieces[] = {
      "abcdefgh",     "\xC3\xA9",     "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
      "\xED\xA0\xBD", "\xED\xB8\x80", "\xF0\x9F\x98", "\x80"};
  std::vector<std::string> texts = {""};
  for (int length = 1; length <= 4; ++length) {
    std::vector<std::string> longer;
    for (const std::string& text : texts) {
      for (const std::string_view piece : pieces) {
        longer.push_back(std::string(text).append(piece));
      }
    }
    texts = std::move(longer);
    // The longest are many: each seventh is enough to cross several marks.
    for (size_t i = 0; i < texts.size(); i += length == 4 ? 7 : 1) {
      ASSERT_NO_FATAL_FAILURE(ExpectAgreesWithReference(texts[i]))
          << testing::PrintToString(texts[i]);
    }
  }
}

}  // namespace
}  // namespace tactus::ax
