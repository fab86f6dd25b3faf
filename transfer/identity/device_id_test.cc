#include "transfer/identity/device_id.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace tactus::transfer {
namespace {

constexpr absl::string_view kAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

DeviceId Example() {
  const uint8_t key[] = {'a', 'b', 'c'};
  return DeviceId(KeyDigest::OfPublicKey(key));
}

TEST(KeyDigest, IsTheSha256OfTheKey) {
  const uint8_t abc[] = {'a', 'b', 'c'};
  // FIPS 180-2, appendix B.1.
  EXPECT_EQ(KeyDigest::OfPublicKey(abc).Hex(),
            "ba7816bf8f01cfea414140de5dae2223"
            "b00361a396177a9cb410ff61f20015ad");
}

TEST(KeyDigest, HexReadsBackAndAnythingElseIsRefused) {
  const std::string hex = KeyDigest::OfPublicKey({}).Hex();
  EXPECT_EQ(KeyDigest::ParseHex(hex)->Hex(), hex);
  EXPECT_FALSE(KeyDigest::ParseHex("").ok());
  EXPECT_FALSE(KeyDigest::ParseHex(hex.substr(1)).ok());
  EXPECT_FALSE(KeyDigest::ParseHex(hex + "0").ok());
  EXPECT_FALSE(KeyDigest::ParseHex(absl::AsciiStrToUpper(hex)).ok());
  EXPECT_FALSE(KeyDigest::ParseHex("g" + hex.substr(1)).ok());
}

// ba7816bf8f01cf... five bits at a time is Q9W1-DFWF-07..., the check character
// computed by hand from the definition.
TEST(DeviceId, ShowsTheFirstBitsOfTheDigestInGroupsOfFour) {
  const std::string text = Example().text();
  EXPECT_EQ(text.size(), 29u);
  EXPECT_TRUE(absl::StartsWith(text, "Q9W1-DFWF-"));
  for (size_t i = 4; i < text.size(); i += 5) EXPECT_EQ(text[i], '-');
}

TEST(DeviceId, WhatPeopleWriteIsTheSameId) {
  const std::string text = Example().text();
  EXPECT_EQ(DeviceId::Parse(text)->text(), text);
  EXPECT_EQ(DeviceId::Parse(absl::AsciiStrToLower(text))->text(), text);
  EXPECT_EQ(DeviceId::Parse(absl::StrReplaceAll(text, {{"-", ""}}))->text(),
            text);
  EXPECT_EQ(DeviceId::Parse(absl::StrReplaceAll(text, {{"-", " "}}))->text(),
            text);
  EXPECT_EQ(DeviceId::Parse(absl::StrReplaceAll(text, {{"0", "o"}, {"1", "l"}}))
                ->text(),
            text);
}

TEST(DeviceId, EveryWrongCharacterIsFound) {
  const std::string text = Example().text();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '-') continue;
    for (const char c : kAlphabet) {
      if (c == text[i]) continue;
      std::string wrong = text;
      wrong[i] = c;
      const absl::StatusOr<DeviceId> parsed = DeviceId::Parse(wrong);
      ASSERT_FALSE(parsed.ok()) << wrong;
      EXPECT_TRUE(absl::StrContains(parsed.status().message(), "wrong"));
    }
  }
}

TEST(DeviceId, EveryTwoCharactersThatChangedPlacesAreFound) {
  const std::string text = Example().text();
  for (size_t i = 0; i < text.size(); ++i) {
    for (size_t j = i + 1; j < text.size(); ++j) {
      if (text[i] == '-' || text[j] == '-' || text[i] == text[j]) continue;
      std::string wrong = text;
      std::swap(wrong[i], wrong[j]);
      EXPECT_FALSE(DeviceId::Parse(wrong).ok()) << wrong;
    }
  }
}

TEST(DeviceId, TooShortTooLongAndForeignCharactersAreSaid) {
  const std::string text = Example().text();
  EXPECT_TRUE(
      absl::StrContains(DeviceId::Parse(text.substr(0, 28)).status().message(),
                        "it has 23 characters"));
  EXPECT_TRUE(absl::StrContains(DeviceId::Parse(text + "0").status().message(),
                                "too long"));
  EXPECT_TRUE(absl::StrContains(
      DeviceId::Parse("\x1b" + text.substr(1)).status().message(),
      "it holds '\\x1b'"));
  EXPECT_TRUE(absl::StrContains(DeviceId::Parse("").status().message(),
                                "it has 0 characters"));
}

TEST(DeviceId, IdsOfDifferentKeysDiffer) {
  std::array<uint8_t, 32> bytes = {};
  const DeviceId zero{KeyDigest(bytes)};
  EXPECT_EQ(zero.text(), "0000-0000-0000-0000-0000-0000");
  bytes[14] = 0x20;  // bit 115, the first that is not shown, is in 0x10
  EXPECT_NE(DeviceId(KeyDigest(bytes)), zero);
  bytes[14] = 0x10;
  EXPECT_EQ(DeviceId(KeyDigest(bytes)), zero);
}

}  // namespace
}  // namespace tactus::transfer
