#include "transfer/pairing/message.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace tactus::transfer {
namespace {

const std::string kShare(32, 's');
const std::string kTag(64, 't');

std::string Encoded(const PairingMessage& message) {
  const absl::StatusOr<std::string> bytes = EncodePairingMessage(message);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : "";
}

TEST(PairingMessage, EachIsItsKindAndItsBytes) {
  EXPECT_EQ(Encoded(ShareMessage{kShare}), absl::StrCat("\x01", kShare));
  EXPECT_EQ(Encoded(ConfirmMessage{kTag}), absl::StrCat("\x02", kTag));
  EXPECT_EQ(Encoded(AboutMessage{.name = "my.pc", .port = 0x1CF3, .tag = kTag}),
            absl::StrCat("\x03\x05my.pc\x1C\xF3", kTag));
  EXPECT_EQ(Encoded(DoneMessage{kTag}), absl::StrCat("\x04", kTag));
  EXPECT_EQ(Encoded(RefuseMessage{PairingRefusal::kNotKept}), "\x05\x02");
}

TEST(PairingMessage, EachIsReadFromItsBytesAndFromNoFewer) {
  const std::vector<PairingMessage> messages = {
      ShareMessage{kShare},
      ConfirmMessage{kTag},
      AboutMessage{.name = "a", .port = 65535, .tag = kTag},
      AboutMessage{.name = std::string(64, 'z'), .port = 0, .tag = kTag},
      DoneMessage{kTag},
      RefuseMessage{PairingRefusal::kWrongCode},
      RefuseMessage{PairingRefusal::kProtocol}};
  for (const PairingMessage& message : messages) {
    const std::string bytes = Encoded(message);
    EXPECT_LE(bytes.size(), kLongestPairingMessage);
    for (size_t size = 0; size < bytes.size(); ++size) {
      const auto decoded =
          DecodePairingMessage(absl::string_view(bytes).substr(0, size));
      ASSERT_TRUE(decoded.ok()) << decoded.status();
      EXPECT_FALSE(decoded->has_value());
    }
    const auto decoded = DecodePairingMessage(absl::StrCat(bytes, "\x01more"));
    ASSERT_TRUE(decoded.ok() && decoded->has_value());
    EXPECT_EQ((*decoded)->message, message);
    EXPECT_EQ((*decoded)->size, bytes.size());
  }
}

TEST(PairingMessage, WhatCannotBecomeOneIsRefusedAtOnce) {
  for (const absl::string_view bytes :
       {absl::string_view("\x00", 1), absl::string_view("\x06", 1),
        absl::string_view("\xFF", 1), absl::string_view("\x03\x00", 2),
        absl::string_view("\x03\x41", 2), absl::string_view("\x03\x05 ", 3),
        absl::string_view("\x03\x05-", 3), absl::string_view("\x03\x05m/", 4),
        absl::string_view("\x03\x02m\x1B", 4), absl::string_view("\x05\x00", 2),
        absl::string_view("\x05\x04", 2), absl::string_view("\x05\xFF", 2)}) {
    EXPECT_TRUE(absl::IsInvalidArgument(DecodePairingMessage(bytes).status()));
  }
}

TEST(PairingMessage, WhatIsNoneIsNotEncoded) {
  const std::vector<PairingMessage> messages = {
      ShareMessage{"short"},
      ConfirmMessage{kShare},
      DoneMessage{""},
      AboutMessage{.name = "", .tag = kTag},
      AboutMessage{.name = "-a", .tag = kTag},
      AboutMessage{.name = "a b", .tag = kTag},
      AboutMessage{.name = std::string(65, 'a'), .tag = kTag},
      AboutMessage{.name = "a", .tag = kShare}};
  for (const PairingMessage& message : messages) {
    EXPECT_TRUE(
        absl::IsInvalidArgument(EncodePairingMessage(message).status()));
  }
}

}  // namespace
}  // namespace tactus::transfer
