#include "ax/snapshot/token.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

SnapshotToken Sample() {
  return {.application = ":1.7",
          .pid = 4321,
          .path = "/org/a11y/atspi/accessible/11",
          .window = {0, 44},
          .character_count = 44,
          .caret = 9,
          .selection = {4, 9},
          .text_digest = DigestOf("The quick brown fox")};
}

TEST(TokenTest, DecodingGivesBackWhatWasEncoded) {
  EXPECT_EQ(*DecodeToken(EncodeToken(Sample())), Sample());
  EXPECT_EQ(*DecodeToken(EncodeToken(SnapshotToken())), SnapshotToken());
}

TEST(TokenTest, FieldsThatHoldSeparatorsSurvive) {
  SnapshotToken token = Sample();
  token.application = "3:a:";
  token.path = std::string("\0:9", 3);
  EXPECT_EQ(*DecodeToken(EncodeToken(token)), token);
}

TEST(TokenTest, TextIsNotInTheToken) {
  const std::string token = EncodeToken(Sample());
  std::string raw;
  ASSERT_TRUE(absl::WebSafeBase64Unescape(token.substr(3), &raw));
  EXPECT_FALSE(absl::StrContains(raw, "quick"));
}

TEST(TokenTest, DigestIsXxh3OfOneHundredTwentyEightBits) {
  // Published value for the empty input (xxHash, cli sanity tests).
  EXPECT_EQ(DigestOf(""), "99aa06d3014798d86001c324468d497f");
  EXPECT_NE(DigestOf("a"), DigestOf("b"));
}

TEST(TokenTest, EveryCutOfATokenIsRefused) {
  const std::string token = EncodeToken(Sample());
  for (size_t size = 0; size < token.size() - 1; ++size) {
    EXPECT_EQ(DecodeToken(token.substr(0, size)).status().code(),
              absl::StatusCode::kInvalidArgument)
        << size;
  }
}

TEST(TokenTest, ErrorSaysWhatIsWrongAndWhatToPass) {
  EXPECT_EQ(DecodeToken("hello").status().message(),
            "not a snapshot token (no \"t1.\" in front): pass the `token` that "
            "`tactus snapshot` printed");
  EXPECT_EQ(DecodeToken("t2.abcd").status().message(),
            "not a snapshot token (another version): pass the `token` that "
            "`tactus snapshot` printed");
  EXPECT_FALSE(DecodeToken(std::string(5000, 't')).ok());
  EXPECT_FALSE(
      DecodeToken(absl::StrCat("t1.", absl::WebSafeBase64Escape("9:a"))).ok());
}

}  // namespace
}  // namespace tactus::ax
