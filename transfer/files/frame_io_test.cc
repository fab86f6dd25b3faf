#include "transfer/files/frame_io.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/frame.h"
#include "transfer/files/limits.h"
#include "transfer/files/testing/tree.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer::files {
namespace {

constexpr absl::Time kNever = absl::InfiniteFuture();

// Gives what it was given, a piece a read at most; an empty piece is a deadline
// that passes. Then the end, or an error.
class Scripted : public Stream {
 public:
  explicit Scripted(std::deque<std::string> pieces = {},
                    absl::Status end = absl::OkStatus())
      : pieces_(std::move(pieces)), end_(std::move(end)) {}

  absl::StatusOr<size_t> Read(absl::Span<char> into, absl::Time) override {
    ++reads;
    if (pieces_.empty()) {
      if (!end_.ok()) return end_;
      return 0;
    }
    std::string& piece = pieces_.front();
    const size_t n = std::min(into.size(), piece.size());
    std::copy_n(piece.begin(), n, into.begin());
    piece.erase(0, n);
    if (piece.empty()) pieces_.pop_front();
    if (n == 0) return absl::DeadlineExceededError("not yet");
    return n;
  }
  absl::Status Write(absl::string_view bytes, absl::Time) override {
    written.emplace_back(bytes.data(), bytes.size());
    return end_;
  }
  absl::Status CloseWrite(absl::Time) override { return end_; }
  void Cancel() override {}
  const DeviceId& peer() const override { return peer_; }
  const StreamHeader& header() const override { return header_; }

  std::vector<std::string> written;
  int reads = 0;

 private:
  std::deque<std::string> pieces_;
  absl::Status end_;
  DeviceId peer_;
  StreamHeader header_;
};

std::string ChunkOf(const std::string& bytes) {
  return EncodeFrame(Chunk{.hash = HashOf(bytes), .bytes = bytes});
}

std::deque<std::string> Pieces(const std::string& bytes, size_t step) {
  std::deque<std::string> pieces;
  for (size_t at = 0; at < bytes.size(); at += step) {
    pieces.push_back(bytes.substr(at, step));
  }
  return pieces;
}

TEST(FrameReader, FramesAreTheSameHoweverTheyAreCut) {
  const std::string content = Noise(1000, 1);
  const std::string bytes = EncodeFrame(Accept{.ask = true}) +
                            ChunkOf(content) + EncodeFrame(Keep{7}) +
                            ChunkOf("x") + EncodeFrame(End{3});
  for (const size_t step : {size_t{1}, size_t{2}, size_t{5}, size_t{6},
                            size_t{21}, size_t{500}, bytes.size()}) {
    Scripted stream(Pieces(bytes, step));
    FrameReader reader(&stream);
    EXPECT_FALSE(reader.has_some());
    EXPECT_EQ(std::get<Accept>(reader.Next(kNever)->frame), Accept{true});
    const absl::StatusOr<Incoming> chunk = reader.Next(kNever);
    ASSERT_TRUE(chunk.ok()) << chunk.status() << " by " << step;
    EXPECT_EQ(std::get<Chunk>(chunk->frame).hash, HashOf(content));
    EXPECT_EQ(std::get<Chunk>(chunk->frame).bytes, "");
    EXPECT_EQ(chunk->content.view(), content) << step;
    EXPECT_EQ(std::get<Keep>(reader.Next(kNever)->frame), Keep{7});
    EXPECT_EQ(reader.Next(kNever)->content.view(), "x");
    EXPECT_EQ(std::get<End>(reader.Next(kNever)->frame), End{3});
    EXPECT_FALSE(reader.has_some());
    EXPECT_TRUE(absl::IsOutOfRange(reader.Next(kNever).status()));
  }
}

TEST(FrameReader, WhatHasComeIsSaidAndNeedsNoOtherRead) {
  Scripted stream({EncodeFrame(Turn()) + EncodeFrame(Turn())});
  FrameReader reader(&stream);
  ASSERT_TRUE(reader.Next(kNever).ok());
  EXPECT_TRUE(reader.has_some());
  ASSERT_TRUE(reader.Next(kNever).ok());
  EXPECT_FALSE(reader.has_some());
  EXPECT_EQ(stream.reads, 1);
}

TEST(FrameReader, TheLargestChunkComesWhole) {
  const std::string content = Noise(kChunk, 2);
  Scripted stream(Pieces(ChunkOf(content) + EncodeFrame(Turn()), 16384));
  FrameReader reader(&stream);
  const absl::StatusOr<Incoming> chunk = reader.Next(kNever);
  ASSERT_TRUE(chunk.ok()) << chunk.status();
  EXPECT_TRUE(chunk->content.view() == content);
  EXPECT_TRUE(std::holds_alternative<Turn>(reader.Next(kNever)->frame));
}

TEST(FrameReader, AnEndIsLossUnlessAFrameCouldBegin) {
  for (const std::string& frame :
       {EncodeFrame(Keep{7}), ChunkOf(Noise(100, 3))}) {
    for (size_t size = 0; size < frame.size(); ++size) {
      Scripted stream(Pieces(frame.substr(0, size), 1000));
      FrameReader reader(&stream);
      EXPECT_EQ(reader.Next(kNever).status().code(),
                size == 0 ? absl::StatusCode::kOutOfRange
                          : absl::StatusCode::kDataLoss)
          << size;
    }
  }
}

TEST(FrameReader, ADeadlineLosesNothingButAChunkThatHadBegun) {
  const std::string keep = EncodeFrame(Keep{7});
  for (size_t size = 0; size < keep.size(); ++size) {
    std::deque<std::string> pieces;
    if (size > 0) pieces.push_back(keep.substr(0, size));
    pieces.push_back("");
    pieces.push_back(keep.substr(size));
    Scripted stream(pieces);
    FrameReader reader(&stream);
    EXPECT_TRUE(absl::IsDeadlineExceeded(reader.Next(kNever).status()));
    const absl::StatusOr<Incoming> came = reader.Next(kNever);
    ASSERT_TRUE(came.ok()) << came.status() << " at " << size;
    EXPECT_EQ(std::get<Keep>(came->frame), Keep{7});
  }
  const std::string chunk = ChunkOf("content");
  const size_t head = kFrameHead + kChunkHead;
  // Up to its head it has not begun.
  Scripted early({chunk.substr(0, head - 1), "", chunk.substr(head - 1)});
  FrameReader first(&early);
  EXPECT_TRUE(absl::IsDeadlineExceeded(first.Next(kNever).status()));
  EXPECT_EQ(first.Next(kNever)->content.view(), "content");
  Scripted late({chunk.substr(0, head + 1), "", chunk.substr(head + 1)});
  FrameReader second(&late);
  EXPECT_TRUE(absl::IsDataLoss(second.Next(kNever).status()));
}

TEST(FrameReader, WhatIsNoFrameIsRefusedBeforeItsBodyIsRead) {
  const auto code = [](const std::string& bytes) {
    Scripted stream({bytes});
    FrameReader reader(&stream);
    return reader.Next(kNever).status().code();
  };
  EXPECT_EQ(code(std::string("\x7f\0\0\0\0", 5)),
            absl::StatusCode::kInvalidArgument);
  // One byte more than the largest chunk, and an empty one.
  std::string large = ChunkOf("x").substr(0, kFrameHead);
  const uint32_t size = kChunkHead + kChunk + 1;
  for (int i = 0; i < 4; ++i)
    large[1 + i] = static_cast<char>(size >> (24 - 8 * i));
  EXPECT_EQ(code(large), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(std::string("\x11\0\0\0\x10", 5) + std::string(16, 'h')),
            absl::StatusCode::kInvalidArgument);
}

TEST(FrameReader, TheStreamsOwnFailureIsPassedOn) {
  Scripted stream({"\x15"}, absl::UnavailableError("cut"));
  FrameReader reader(&stream);
  EXPECT_EQ(reader.Next(kNever).status(), absl::UnavailableError("cut"));
}

TEST(FrameWriter, SmallFramesLeaveTogetherAndLargeOnesBehindThem) {
  Scripted stream;
  FrameWriter writer(&stream);
  EXPECT_TRUE(writer.empty());
  ASSERT_TRUE(writer.Flush(kNever).ok());
  EXPECT_TRUE(stream.written.empty());
  writer.Add(Turn());
  writer.AddChunk(HashOf("x"), "x");
  EXPECT_FALSE(writer.empty());
  EXPECT_TRUE(stream.written.empty());
  const std::string large = ChunkOf(Noise(kChunk, 4));
  ASSERT_TRUE(writer.WriteEncoded(large, kNever).ok());
  ASSERT_EQ(stream.written.size(), 2u);
  EXPECT_EQ(stream.written[0], EncodeFrame(Turn()) + ChunkOf("x"));
  EXPECT_TRUE(stream.written[1] == large);
  EXPECT_TRUE(writer.empty());
  // Nothing waits any more.
  ASSERT_TRUE(writer.WriteEncoded("y", kNever).ok());
  EXPECT_EQ(stream.written.size(), 3u);
}

TEST(FrameWriter, ItIsFullAtItsPack) {
  Scripted stream;
  FrameWriter writer(&stream);
  const size_t head = kFrameHead + kChunkHead;
  const std::string bytes(FrameWriter::kPack - head - 1, 'x');
  writer.AddChunk(HashOf(bytes), bytes);
  EXPECT_FALSE(writer.full());
  writer.Add(Turn());
  EXPECT_TRUE(writer.full());
  ASSERT_TRUE(writer.Flush(kNever).ok());
  EXPECT_FALSE(writer.full());
  ASSERT_EQ(stream.written.size(), 1u);
}

TEST(FrameWriter, AWriteThatFailsIsNotTriedAgain) {
  Scripted stream({}, absl::UnavailableError("cut"));
  FrameWriter writer(&stream);
  writer.Add(Turn());
  EXPECT_EQ(writer.WriteEncoded("y", kNever), absl::UnavailableError("cut"));
  EXPECT_EQ(stream.written.size(), 1u);
  EXPECT_TRUE(writer.empty());
}

}  // namespace
}  // namespace tactus::transfer::files
