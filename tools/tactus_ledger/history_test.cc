// The comparisons; command_test.py has the histories themselves.
#include "tools/tactus_ledger/history.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace tactus::ledger {
namespace {

TEST(History, FileThatGrewBeginsWithWhatItWas) {
  EXPECT_EQ(FirstChangedLine("", ""), 0);
  EXPECT_EQ(FirstChangedLine("", "a\n"), 0);
  EXPECT_EQ(FirstChangedLine("a\n", "a\nb\n"), 0);
}

TEST(History, FirstLineThatChangedIsNamed) {
  EXPECT_EQ(FirstChangedLine("a\nb\nc\n", "a\nx\nc\n"), 2);
  EXPECT_EQ(FirstChangedLine("a\nb\n", "a\n"), 2);
  EXPECT_EQ(FirstChangedLine("a\n", ""), 1);
  EXPECT_EQ(FirstChangedLine("a\n", "b\na\n"), 1);
  EXPECT_EQ(FirstChangedLine("a\n", "a"), 1);
}

std::vector<std::string> Lines(absl::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back().push_back(c);
    }
  }
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

// Tries every way to leave lines of `later` out.
bool IsSubsequence(const std::vector<std::string>& earlier,
                   const std::vector<std::string>& later) {
  for (unsigned kept = 0; kept < (1u << later.size()); ++kept) {
    std::vector<std::string> chosen;
    for (size_t i = 0; i < later.size(); ++i) {
      if ((kept >> i) & 1) chosen.push_back(later[i]);
    }
    if (chosen == earlier) return true;
  }
  return false;
}

// Every two texts of up to five of a letter, another and a line end.
TEST(History, LinesOfAMergedSideAreAllThereInTheirOrder) {
  std::vector<std::string> texts = {""};
  for (size_t from = 0, length = 1; length <= 4; ++length) {
    const size_t end = texts.size();
    for (; from < end; ++from) {
      for (const char c : {'a', 'b', '\n'}) texts.push_back(texts[from] + c);
    }
  }
  for (const std::string& earlier : texts) {
    for (const std::string& later : texts) {
      ASSERT_EQ(FirstLostLine(earlier, later) == 0,
                IsSubsequence(Lines(earlier), Lines(later)))
          << "'" << earlier << "' '" << later << "'";
    }
  }
  EXPECT_EQ(FirstLostLine("a\nb\nc\n", "a\nx\nc\n"), 2);
  EXPECT_EQ(FirstLostLine("a\nb\n", "b\na\n"), 2);
}

}  // namespace
}  // namespace tactus::ledger
