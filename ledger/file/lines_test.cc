#include "ledger/file/lines.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace tactus::ledger {
namespace {

std::string Spell(const SplitLine& line) {
  return absl::StrCat(line.number, ":", line.text, line.too_long ? "LONG" : "",
                      ":", line.bytes, line.ended ? ";" : "!");
}

std::string Split(absl::string_view text, size_t most, size_t piece) {
  LineSplitter lines(most);
  std::string told;
  const auto on_line = [&told](const SplitLine& line) {
    absl::StrAppend(&told, Spell(line));
    return true;
  };
  while (!text.empty()) {
    EXPECT_TRUE(lines.Feed(text.substr(0, piece), on_line));
    text.remove_prefix(piece < text.size() ? piece : text.size());
  }
  EXPECT_TRUE(lines.Finish(on_line));
  return told;
}

// The same by looking at one byte after the other.
std::string Obvious(absl::string_view text, size_t most) {
  std::string told, line;
  int64_t number = 0;
  const auto tell = [&](bool ended) {
    absl::StrAppend(&told, ++number, ":", line.size() > most ? "LONG" : line,
                    ":", line.size() + (ended ? 1 : 0), ended ? ";" : "!");
    line.clear();
  };
  for (const char c : text) {
    if (c == '\n') {
      tell(true);
    } else {
      line.push_back(c);
    }
  }
  if (!line.empty()) tell(false);
  return told;
}

TEST(Lines, LastOneWithoutItsEndIsToldAsSuch) {
  EXPECT_EQ(Split("one\n\ntwo", 8, 100), "1:one:4;2::1;3:two:3!");
  EXPECT_EQ(Split("one\n", 8, 100), "1:one:4;");
  EXPECT_EQ(Split("", 8, 100), "");
}

TEST(Lines, OneThatIsTooLongIsSkippedAndTheNextIsWhole) {
  EXPECT_EQ(Split("123456789\nab\n", 8, 4), "1:LONG:10;2:ab:3;");
  EXPECT_EQ(Split("12345678\nab\n", 8, 4), "1:12345678:9;2:ab:3;");
  EXPECT_EQ(Split("123456789", 8, 4), "1:LONG:9!");
}

// Every text of up to eight of a letter and a line end, in every size of piece.
TEST(Lines, AreThoseOfTheObviousReaderInPiecesOfAnySize) {
  for (size_t length = 0; length <= 8; ++length) {
    for (unsigned code = 0; code < (1u << length); ++code) {
      std::string text;
      for (size_t i = 0; i < length; ++i) {
        text.push_back((code >> i) & 1 ? '\n' : static_cast<char>('a' + i));
      }
      for (size_t most = 0; most <= 4; ++most) {
        for (size_t piece = 1; piece <= 4; ++piece) {
          ASSERT_EQ(Split(text, most, piece), Obvious(text, most))
              << "'" << text << "' " << most << " " << piece;
        }
      }
    }
  }
}

TEST(Lines, NothingIsToldAfterTheCallbackStopped) {
  LineSplitter lines(8);
  int told = 0;
  const auto stop = [&told](const SplitLine&) { return ++told < 2; };
  EXPECT_FALSE(lines.Feed("a\nb\nc\nd", stop));
  EXPECT_FALSE(lines.Feed("e\n", stop));
  EXPECT_FALSE(lines.Finish(stop));
  EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace tactus::ledger
