#include "transfer/pairing/code.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "transfer/pairing/words.h"

namespace tactus::transfer {
namespace {

TEST(PairingWords, AreInOrderLowerCaseAndToldApartByThreeLetters) {
  EXPECT_TRUE(std::is_sorted(
      kPairingWords.begin(), kPairingWords.end(),
      [](absl::string_view a, absl::string_view b) { return a < b; }));
  std::set<std::string> beginnings;
  for (const absl::string_view word : kPairingWords) {
    EXPECT_GE(word.size(), 3u);
    EXPECT_TRUE(std::all_of(word.begin(), word.end(), absl::ascii_islower))
        << word;
    beginnings.emplace(word.substr(0, 3));
  }
  EXPECT_EQ(beginnings.size(), 256u);
}

TEST(PairingCode, IsANumberAndTwoWordsEachOfWhichCanBeAny) {
  std::vector<uint32_t> bounds;
  EXPECT_EQ(PairingCode::Generate([&](uint32_t below) {
              bounds.push_back(below);
              return 0;
            })->text(),
            "100-acorn-acorn");
  EXPECT_EQ(bounds, (std::vector<uint32_t>{900, 256, 256}));
  EXPECT_EQ(
      PairingCode::Generate([](uint32_t below) { return below - 1; })->text(),
      "999-zipper-zipper");
}

TEST(PairingCode, TwoInARowDiffer) {
  // One pair of 58,982,400 is alike.
  EXPECT_NE(PairingCode::Generate()->text(), PairingCode::Generate()->text());
}

TEST(PairingCode, WhatPeopleTypeIsReadAsWhatWasShown) {
  for (const char* typed :
       {"417-maple-otter", "417 maple otter", "  417  Maple,\tOTTER\n",
        "417.maple.otter", "417_maple_otter", "417maple-otter", "417-map-ott",
        "417 mapl OTTE", "-417-maple-otter-"}) {
    const absl::StatusOr<PairingCode> code = PairingCode::Parse(typed);
    ASSERT_TRUE(code.ok()) << typed << ": " << code.status();
    EXPECT_EQ(code->text(), "417-maple-otter") << typed;
  }
}

TEST(PairingCode, WhatWasGeneratedIsParsedToItself) {
  for (const absl::string_view word : kPairingWords) {
    const std::string text = absl::StrCat("100-", word, "-", word);
    EXPECT_EQ(PairingCode::Parse(text)->text(), text);
  }
}

TEST(PairingCode, SlipIsToldWithTheWordThatMayHaveBeenMeant) {
  EXPECT_EQ(PairingCode::Parse("417-mepal-otter").status(),
            absl::InvalidArgumentError("'mepal' is no word of a pairing code: "
                                       "is it 'medal'?"));
  EXPECT_EQ(PairingCode::Parse("417-maple-oter").status(),
            absl::InvalidArgumentError("'oter' is no word of a pairing code: "
                                       "is it 'otter'?"));
  EXPECT_EQ(PairingCode::Parse("417-maple-xxxxxxxxx").status(),
            absl::InvalidArgumentError(
                "'xxxxxxxxx' is no word of a pairing code: look at what the "
                "other device shows"));
}

TEST(PairingCode, WhatIsNoneIsRefusedWithAnExample) {
  for (const std::string& text :
       {std::string(), std::string("417"), std::string("417-maple"),
        std::string("maple-otter-417"), std::string("41-maple-otter"),
        std::string("4170-maple-otter"), std::string("017-maple-otter"),
        std::string("417-maple-otter-owl"), std::string("417-maple-5"),
        std::string("417/maple/otter"), std::string("417-m\xC3\xA4ple-otter"),
        std::string("417-maple-otter\x1B"), std::string(65, 'a')}) {
    const absl::Status status = PairingCode::Parse(text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_TRUE(absl::StrContains(status.message(), "417-maple-otter")) << text;
  }
}

}  // namespace
}  // namespace tactus::transfer
