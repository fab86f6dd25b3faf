#include "transfer/stream/read_full.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer {
namespace {

// Gives `text`, at most `step` bytes at a time, then `end`.
class Trickle : public Stream {
 public:
  Trickle(std::string text, size_t step, absl::Status end = absl::OkStatus())
      : text_(std::move(text)), step_(step), end_(std::move(end)) {}

  absl::StatusOr<size_t> Read(absl::Span<char> into, absl::Time) override {
    const size_t n = std::min({into.size(), step_, text_.size()});
    if (n == 0 && !end_.ok()) return end_;
    std::copy_n(text_.begin(), n, into.begin());
    text_.erase(0, n);
    return n;
  }
  absl::Status Write(absl::string_view, absl::Time) override { return end_; }
  absl::Status CloseWrite(absl::Time) override { return end_; }
  void Cancel() override {}
  const DeviceId& peer() const override { return peer_; }
  const StreamHeader& header() const override { return header_; }

 private:
  std::string text_;
  size_t step_;
  absl::Status end_;
  DeviceId peer_;
  StreamHeader header_;
};

TEST(ReadFull, BytesThatComeSinglyAreGatheredAndNoMoreAreTaken) {
  Trickle stream("abcdef", 1);
  char four[4];
  ASSERT_TRUE(
      ReadFull(stream, absl::MakeSpan(four), absl::InfiniteFuture()).ok());
  EXPECT_EQ(std::string(four, 4), "abcd");
  char two[2];
  ASSERT_TRUE(
      ReadFull(stream, absl::MakeSpan(two), absl::InfiniteFuture()).ok());
  EXPECT_EQ(std::string(two, 2), "ef");
}

TEST(ReadFull, AnEndBeforeAnyByteIsNoLoss) {
  Trickle stream("", 1);
  char four[4];
  EXPECT_EQ(
      ReadFull(stream, absl::MakeSpan(four), absl::InfiniteFuture()).code(),
      absl::StatusCode::kOutOfRange);
}

TEST(ReadFull, AnEndAmidTheBytesIsLossAndSaysHowManyCame) {
  Trickle stream("abc", 2);
  char four[4];
  const absl::Status status =
      ReadFull(stream, absl::MakeSpan(four), absl::InfiniteFuture());
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(absl::StrContains(status.message(), "3 of 4"));
}

TEST(ReadFull, AFailureIsPassedOn) {
  Trickle stream("abc", 2, absl::UnavailableError("cut"));
  char four[4];
  EXPECT_EQ(
      ReadFull(stream, absl::MakeSpan(four), absl::InfiniteFuture()).code(),
      absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tactus::transfer
