#include "ax/text/escape.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "ax/text/utf.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

std::string Encode(char32_t code_point) {
  std::string out;
  AppendCodePoint(code_point, out);
  return out;
}

std::string Braced(char32_t code_point) {
  return absl::StrCat("\\u{", absl::Hex(code_point), "}");
}

TEST(ForTerminalTest, OrdinaryTextIsLeftAsItIs) {
  EXPECT_EQ(ForTerminal(""), "");
  EXPECT_EQ(ForTerminal("Hello, world ~"), "Hello, world ~");
  const std::string hebrew = "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D";
  EXPECT_EQ(ForTerminal(hebrew), hebrew);
}

TEST(ForTerminalTest, EmojiKeepsItsJoinersAndSelectors) {
  const std::string family = Encode(0x1F468) + Encode(0x200D) +
                             Encode(0x1F469) + Encode(0x200D) + Encode(0x1F467);
  EXPECT_EQ(ForTerminal(family), family);
  const std::string heart = Encode(0x2764) + Encode(0xFE0F);
  EXPECT_EQ(ForTerminal(heart), heart);
}

TEST(ForTerminalTest, EscapeSequencesCannotReachTheTerminal) {
  EXPECT_EQ(ForTerminal("\x1b[2J\x1b]0;title\x07"),
            "\\x1b[2J\\x1b]0;title\\x07");
}

TEST(ForTerminalTest, LineEndsAndTabsHaveTheirNames) {
  EXPECT_EQ(ForTerminal("a\nb\rc\td"), "a\\nb\\rc\\td");
}

TEST(ForTerminalTest, EveryAsciiControlIsEscapedAndNothingElseOfAscii) {
  for (int c = 0; c < 0x80; ++c) {
    const std::string text(1, static_cast<char>(c));
    const bool escaped = c < 0x20 || c == 0x7F || c == '\\';
    EXPECT_EQ(ForTerminal(text) != text, escaped) << c;
  }
  EXPECT_EQ(ForTerminal(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(ForTerminal("\x7F"), "\\x7f");
}

TEST(ForTerminalTest, BackslashIsDoubledSoThatTextCannotForgeAnEscape) {
  EXPECT_EQ(ForTerminal("\\x1b"), "\\\\x1b");
}

TEST(ForTerminalTest, EveryC1ControlIsEscapedAndItsNeighbourIsNot) {
  for (char32_t c = 0x80; c <= 0x9F; ++c) {
    EXPECT_EQ(ForTerminal(Encode(c)), Braced(c));
  }
  EXPECT_EQ(ForTerminal(Encode(0xA0)), Encode(0xA0));
}

TEST(ForTerminalTest, EveryBidiControlAndLineSeparatorIsEscaped) {
  int escaped = 0;
  for (char32_t c = 0xA0; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;
    if (ForTerminal(Encode(c)) == Encode(c)) continue;
    ++escaped;
    EXPECT_EQ(ForTerminal(Encode(c)), Braced(c));
  }
  // 12 characters have Bidi_Control in PropList.txt; 2 separate lines.
  EXPECT_EQ(escaped, 14);
  for (const char32_t c :
       {0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D,
        0x202E, 0x2066, 0x2067, 0x2068, 0x2069}) {
    EXPECT_EQ(ForTerminal(Encode(c)), Braced(c));
  }
}

TEST(ForTerminalTest, IllFormedBytesAreShownEach) {
  EXPECT_EQ(ForTerminal("a\xE2\x82z\xFF"), "a\\xe2\\x82z\\xff");
}

TEST(ForTerminalTest, RawC1ByteDiffersFromTheC1Character) {
  EXPECT_EQ(ForTerminal("\x9B"), "\\x9b");
  EXPECT_EQ(ForTerminal("\xC2\x9B"), "\\u{9b}");
}

TEST(ForTerminalTest, LoneSurrogateIsShownAndAPairIsItsCharacter) {
  EXPECT_EQ(ForTerminal("\xED\xA0\xBD"), "\\u{d83d}");
  EXPECT_EQ(ForTerminal("\xED\xA0\xBD\xED\xB8\x80"), Encode(0x1F600));
}

}  // namespace
}  // namespace tactus::ax
