#include "transfer/stream/header.h"

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace tactus::transfer {
namespace {

std::string Bytes(std::initializer_list<int> values) {
  std::string bytes;
  for (const int value : values) bytes += static_cast<char>(value);
  return bytes;
}

TEST(StreamHeader, IsThreeBytesAndTheLabel) {
  EXPECT_EQ(*EncodeStreamHeader({.kind = StreamKind::kMcp, .label = "echo"}),
            Bytes({1, 4, 4}) + "echo");
  EXPECT_EQ(*EncodeStreamHeader({.kind = StreamKind::kControl}),
            Bytes({1, 1, 0}));
}

TEST(StreamHeader, EveryKindAndLengthReadsBackWithWhatFollowsLeft) {
  for (const StreamKind kind : {StreamKind::kControl, StreamKind::kMessage,
                                StreamKind::kFile, StreamKind::kMcp}) {
    for (size_t length = 0; length <= kLongestStreamLabel; ++length) {
      const StreamHeader header = {.kind = kind,
                                   .label = std::string(length, '~')};
      const std::string bytes = *EncodeStreamHeader(header);
      const auto decoded = DecodeStreamHeader(bytes + '\0' + "more");
      ASSERT_TRUE(decoded.ok() && decoded->has_value());
      EXPECT_EQ((*decoded)->header, header);
      EXPECT_EQ((*decoded)->size, bytes.size());
    }
  }
}

TEST(StreamHeader, EveryPrefixAsksForMore) {
  const std::string bytes = *EncodeStreamHeader({.label = "transfer-17"});
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto decoded = DecodeStreamHeader(bytes.substr(0, size));
    ASSERT_TRUE(decoded.ok()) << size;
    EXPECT_FALSE(decoded->has_value()) << size;
  }
}

// Against the definition, written down a second time.
TEST(StreamHeader, OfAllFirstBytesExactlyTheGoodOnesAreTaken) {
  for (int version = 0; version < 256; ++version) {
    EXPECT_EQ(DecodeStreamHeader(Bytes({version})).ok(), version == 1);
  }
  for (int kind = 0; kind < 256; ++kind) {
    EXPECT_EQ(DecodeStreamHeader(Bytes({1, kind})).ok(),
              kind >= 1 && kind <= 4);
  }
  for (int length = 0; length < 256; ++length) {
    EXPECT_EQ(DecodeStreamHeader(Bytes({1, 1, length})).ok(), length <= 128);
  }
  for (int c = 0; c < 256; ++c) {
    EXPECT_EQ(DecodeStreamHeader(Bytes({1, 1, 2, c})).ok(), c > 32 && c < 127);
  }
}

TEST(StreamHeader, LabelsThatCannotBeReadAreNotWritten) {
  EXPECT_FALSE(EncodeStreamHeader({.label = std::string(129, 'a')}).ok());
  EXPECT_FALSE(EncodeStreamHeader({.label = "a b"}).ok());
  EXPECT_FALSE(EncodeStreamHeader({.label = "\x1b[2J"}).ok());
  EXPECT_FALSE(EncodeStreamHeader({.label = "\xc3\xa4"}).ok());
}

TEST(StreamHeader, KindsHaveNames) {
  EXPECT_EQ(StreamKindName(StreamKind::kControl), "control");
  EXPECT_EQ(StreamKindName(StreamKind::kMessage), "message");
  EXPECT_EQ(StreamKindName(StreamKind::kFile), "file");
  EXPECT_EQ(StreamKindName(StreamKind::kMcp), "mcp");
}

}  // namespace
}  // namespace tactus::transfer
