#include "ax/text/utf.h"

#include <string>
#include <string_view>
#include <vector>

#include "ax/text/reference.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kGrin = "\xF0\x9F\x98\x80";  // U+1F600
constexpr std::string_view kHigh = "\xED\xA0\xBD";      // U+D83D
constexpr std::string_view kLow = "\xED\xB8\x80";       // U+DE00

std::string Join(std::string_view a, std::string_view b) {
  return std::string(a).append(b);
}

// `n` times U+FFFD.
std::string Replacements(size_t n) {
  std::string out;
  for (size_t i = 0; i < n; ++i) out += "\xEF\xBF\xBD";
  return out;
}

TEST(DecodeOneTest, EmptyTextGivesSizeZero) {
  EXPECT_EQ(DecodeOne("").size, 0);
}

TEST(DecodeOneTest, FirstAndLastOfEachLengthAreScalars) {
  const struct {
    std::string_view bytes;
    char32_t code_point;
  } cases[] = {
      {"\0"sv, 0},
      {"\x7F", 0x7F},
      {"\xC2\x80", 0x80},
      {"\xDF\xBF", 0x7FF},
      {"\xE0\xA0\x80", 0x800},
      {"\xED\x9F\xBF", 0xD7FF},
      {"\xEE\x80\x80", 0xE000},
      {"\xEF\xBF\xBF", 0xFFFF},
      {"\xF0\x90\x80\x80", 0x10000},
      {"\xF4\x8F\xBF\xBF", 0x10FFFF},
  };
  for (const auto& c : cases) {
    const DecodedCodePoint decoded = DecodeOne(Join(c.bytes, "z"));
    EXPECT_EQ(decoded.code_point, c.code_point);
    EXPECT_EQ(decoded.size, c.bytes.size());
    EXPECT_EQ(decoded.form, CodePointForm::kScalar);
    EXPECT_EQ(decoded.Utf16Units(), c.code_point > 0xFFFF ? 2u : 1u);

    std::string encoded;
    AppendCodePoint(c.code_point, encoded);
    EXPECT_EQ(encoded, c.bytes);
  }
}

TEST(DecodeOneTest, SurrogateAloneIsKept) {
  const DecodedCodePoint high = DecodeOne(kHigh);
  EXPECT_EQ(high.code_point, 0xD83Du);
  EXPECT_EQ(high.size, 3);
  EXPECT_EQ(high.form, CodePointForm::kLoneSurrogate);

  const DecodedCodePoint low = DecodeOne(Join(kLow, kHigh));
  EXPECT_EQ(low.code_point, 0xDE00u);
  EXPECT_EQ(low.form, CodePointForm::kLoneSurrogate);
}

TEST(DecodeOneTest, HighSurrogateBeforeHighStaysAlone) {
  EXPECT_EQ(DecodeOne(Join(kHigh, kHigh)).form, CodePointForm::kLoneSurrogate);
}

TEST(DecodeOneTest, SurrogatePairIsTheCharacterItMeans) {
  const DecodedCodePoint pair = DecodeOne(Join(kHigh, kLow));
  EXPECT_EQ(pair.code_point, 0x1F600u);
  EXPECT_EQ(pair.size, 6);
  EXPECT_EQ(pair.form, CodePointForm::kSurrogatePair);
  EXPECT_EQ(pair.Utf16Units(), 2u);
}

TEST(AppendCodePointTest, PastTheLastCodePointBecomesReplacement) {
  std::string out;
  AppendCodePoint(0x110000, out);
  EXPECT_EQ(out, Replacements(1));
}

TEST(AsciiPrefixLengthTest, StopsAtTheFirstOtherByteWhereverItStands) {
  for (size_t length = 0; length < 40; ++length) {
    const std::string ascii(length, 'a');
    EXPECT_EQ(AsciiPrefixLength(ascii), length);
    EXPECT_EQ(AsciiPrefixLength(ascii + "\x80" + ascii), length);
  }
}

TEST(CodePointCountTest, CharactersOfEachLengthCountOne) {
  EXPECT_EQ(CodePointCount(""), 0u);
  EXPECT_EQ(CodePointCount("a\0b"sv), 3u);
  EXPECT_EQ(CodePointCount("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), 4u);
}

TEST(CodePointCountTest, SurrogatesCountOneAloneAndOneAsAPair) {
  EXPECT_EQ(CodePointCount(kHigh), 1u);
  EXPECT_EQ(CodePointCount(Join(kHigh, kLow)), 1u);
  EXPECT_EQ(CodePointCount(Join(kLow, kHigh)), 2u);
}

TEST(IsValidUtf8Test, OnlyScalarsAreValid) {
  EXPECT_TRUE(IsValidUtf8(""));
  EXPECT_TRUE(IsValidUtf8("plain"));
  EXPECT_TRUE(IsValidUtf8(kGrin));
  EXPECT_FALSE(IsValidUtf8(kHigh));
  EXPECT_FALSE(IsValidUtf8(Join(kHigh, kLow)));
  EXPECT_FALSE(IsValidUtf8("good until\xC3"));
}

TEST(ToUtf16Test, ScalarsBecomeTheirUnits) {
  EXPECT_EQ(ToUtf16(""), u"");
  EXPECT_EQ(ToUtf16("a\xC3\xA9\xE2\x82\xAC"), u"a\u00E9\u20AC");
  EXPECT_EQ(ToUtf16(kGrin), u"\xD83D\xDE00");
  EXPECT_EQ(ToUtf16("\xF4\x8F\xBF\xBF"), u"\xDBFF\xDFFF");
}

TEST(ToUtf16Test, LoneSurrogatesStayAndIllFormedBytesAreReplaced) {
  EXPECT_EQ(ToUtf16(Join(kLow, kHigh)), u"\xDE00\xD83D");
  EXPECT_EQ(ToUtf16("a\xFF\xE2\x82z"), u"a\xFFFD\xFFFDz");
}

TEST(FromUtf16Test, PairsJoinAndLoneSurrogatesAreKept) {
  EXPECT_EQ(FromUtf16(u"\xD83D\xDE00"), kGrin);
  EXPECT_EQ(FromUtf16(u"\xD83D"), kHigh);
  EXPECT_EQ(FromUtf16(u"\xD83D!"), Join(kHigh, "!"));
  EXPECT_EQ(FromUtf16(u"\xDE00\xD83D"), Join(kLow, kHigh));
  EXPECT_EQ(FromUtf16(u"\xD83D\xD83D\xDE00"), Join(kHigh, kGrin));
}

TEST(FromUtf16Test, TextCutInsideAPairJoinsAgainAfterItsReturn) {
  const std::string joined = FromUtf16(u"\xD83D") + FromUtf16(u"\xDE00");
  EXPECT_EQ(ToUtf16(joined), u"\xD83D\xDE00");
}

TEST(SanitizeTest, ValidTextIsReturnedAsItIs) {
  EXPECT_EQ(Sanitize(""), "");
  EXPECT_EQ(Sanitize("\0\x7F"sv), "\0\x7F"sv);
  EXPECT_EQ(Sanitize(kGrin), kGrin);
}

// Unicode 15, chapter 3.9, tables 3-8, 3-9 and 3-11: the standard's own
// examples of how many U+FFFD each run of bytes becomes.
TEST(SanitizeTest, StandardsExamplesGiveTheStandardsReplacements) {
  EXPECT_EQ(Sanitize("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            Replacements(8) + "A");
  EXPECT_EQ(Sanitize("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
            Replacements(5) + "A" + Replacements(2) + "B");
  EXPECT_EQ(Sanitize("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"),
            Replacements(4) + "A");
}

TEST(SanitizeTest, LoneSurrogateBecomesOneReplacement) {
  EXPECT_EQ(Sanitize(kHigh), Replacements(1));
  EXPECT_EQ(Sanitize(Join(kLow, kHigh)), Replacements(2));
}

TEST(SanitizeTest, SurrogateCutShortIsReplacedByteForByte) {
  EXPECT_EQ(Sanitize("\xED\xA0"), Replacements(2));
  EXPECT_EQ(Sanitize("\xED\xA0z"), Replacements(2) + "z");
}

TEST(SanitizeTest, SurrogatePairBecomesTheCharacterItMeans) {
  EXPECT_EQ(Sanitize(Join(kHigh, kLow)), kGrin);
}

// Holds every function against the reference for `text`.
void ExpectAgreesWithReference(std::string_view text) {
  std::string replaced;
  std::u16string utf16;
  bool valid = true;
  size_t at = 0;
  const auto division = ReferenceDivision(text);
  for (const ReferenceCodePoint& one : division) {
    const DecodedCodePoint decoded = DecodeOne(text.substr(at));
    ASSERT_EQ(decoded.code_point, one.code_point);
    ASSERT_EQ(decoded.size, one.bytes);
    ASSERT_EQ(decoded.form == CodePointForm::kScalar, one.valid_utf8);
    const bool lone = one.code_point >= 0xD800 && one.code_point <= 0xDFFF;
    AppendCodePoint(lone ? kReplacement : one.code_point, replaced);
    if (one.utf16_units == 1) {
      utf16.push_back(static_cast<char16_t>(one.code_point));
    } else {
      utf16.push_back(0xD800 + (one.code_point - 0x10000) / 0x400);
      utf16.push_back(0xDC00 + (one.code_point - 0x10000) % 0x400);
    }
    valid = valid && one.valid_utf8;
    at += one.bytes;
  }
  ASSERT_EQ(CodePointCount(text), division.size());
  ASSERT_EQ(IsValidUtf8(text), valid);
  ASSERT_EQ(ToUtf16(text), utf16);
  ASSERT_EQ(Sanitize(text), replaced);
}

// Both ends of each range of table 3-7 and their neighbours outside. Four bytes
// reach every branch of the decoder but the surrogate pair.
TEST(UtfExhaustiveTest, EveryShortStringOfBoundaryBytesAgreesWithReference) {
  constexpr std::string_view kBytes =
      "A\x7F\x80\x8F\x90\x9F\xA0\xBF\xC1\xC2\xDF\xE0\xE1\xED\xEE\xEF\xF0\xF1"
      "\xF4\xF5";
  std::vector<std::string> texts = {""};
  for (int length = 1; length <= 4; ++length) {
    std::vector<std::string> longer;
    for (const std::string& text : texts) {
      // Length 4 only where a four-byte sequence has begun, for time.
      if (length == 4 && static_cast<unsigned char>(text[0]) < 0xED) continue;
      for (const char byte : kBytes) longer.push_back(text + byte);
    }
    texts = std::move(longer);
    for (const std::string& text : texts) {
      ASSERT_NO_FATAL_FAILURE(ExpectAgreesWithReference(text))
          << testing::PrintToString(text);
    }
  }
}

TEST(UtfExhaustiveTest, EveryShortSequenceOfPiecesAgreesWithReference) {
  const std::string_view pieces[] = {"a",  "\xC3\xA9", kGrin,  kHigh,
                                     kLow, "\xED",     "\xA0", "\xF0\x9F"};
  std::vector<std::string> texts = {""};
  for (int length = 1; length <= 4; ++length) {
    std::vector<std::string> longer;
    for (const std::string& text : texts) {
      for (const std::string_view piece : pieces) {
        longer.push_back(Join(text, piece));
      }
    }
    texts = std::move(longer);
    for (const std::string& text : texts) {
      ASSERT_NO_FATAL_FAILURE(ExpectAgreesWithReference(text))
          << testing::PrintToString(text);
    }
  }
}

}  // namespace
}  // namespace tactus::ax
