#include "ledger/file/file_name.h"

#include <map>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace tactus::ledger {
namespace {

TEST(FileName, OfALabelIsItsWordsWithDots) {
  EXPECT_EQ(FileNameFor("//ax/atspi:edit_benchmark"),
            "ax.atspi.edit_benchmark.jsonl");
  EXPECT_EQ(FileNameFor("//ledger/file:read_benchmark"),
            "ledger.file.read_benchmark.jsonl");
  EXPECT_EQ(FileNameFor("hyperfine"), "hyperfine.jsonl");
  EXPECT_EQ(FileNameFor("google-benchmark"), "google-benchmark.jsonl");
}

TEST(FileName, OfWhatIsNoPlainLabelHasADigest) {
  const std::string name = FileNameFor("BM_Parse/8<int>");
  EXPECT_EQ(name.substr(0, 15), "BM_Parse-8-int~");
  EXPECT_EQ(name.size(), 15 + 16 + 6);
}

// Every text of up to four of these, which are all that the spelling looks at.
TEST(FileName, OfTwoInstrumentsIsNeverTheSame) {
  const absl::string_view alphabet = "a_-/:. ~";
  std::map<std::string, std::string> instruments;
  std::set<std::string> names = {""};
  for (int length = 1; length <= 4; ++length) {
    std::set<std::string> longer;
    for (const std::string& name : names) {
      for (const char c : alphabet) longer.insert(name + c);
    }
    for (const std::string& name : longer) {
      for (const std::string& instrument : {name, "//" + name, "//a:" + name}) {
        const auto [at, fresh] =
            instruments.emplace(FileNameFor(instrument), instrument);
        ASSERT_TRUE(fresh || at->second == instrument)
            << at->first << " is of '" << at->second << "' and '" << instrument
            << "'";
      }
    }
    names = longer;
  }
  EXPECT_EQ(names.size(), 8u * 8 * 8 * 8);
}

TEST(FileName, IsAlwaysOneThatAFolderCanHold) {
  for (const std::string& instrument :
       {std::string(), std::string(3000, 'a'), std::string("//:x"),
        std::string("../../etc/passwd"), std::string("--help"),
        std::string("."), std::string("-"), std::string("a\0b", 3),
        std::string("\xff\n"), "//" + std::string(200, 'b') + ":c",
        std::string("//a//b:c"), std::string("//a:b:c"), std::string("//a:")}) {
    const std::string name = FileNameFor(instrument);
    EXPECT_LE(name.size(), 128u) << name;
    EXPECT_TRUE(absl::EndsWith(name, ".jsonl")) << name;
    EXPECT_NE(name[0], '.') << name;
    EXPECT_NE(name[0], '-') << name;
    for (const char c : name) {
      EXPECT_TRUE(isalnum(static_cast<unsigned char>(c)) || c == '_' ||
                  c == '-' || c == '.' || c == '~')
          << name;
    }
  }
}

}  // namespace
}  // namespace tactus::ledger
