#include "transfer/files/frame_io.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/files/block.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/frame.h"
#include "transfer/stream/read_full.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer::files {
namespace {

// The largest record of TLS, which is what one read gives, and room for the
// largest frame that is no chunk.
constexpr size_t kBuffer = size_t{64} << 10;

}  // namespace

void FrameWriter::Add(const Frame& frame) { waiting_ += EncodeFrame(frame); }

void FrameWriter::AddChunk(const Hash128& hash, absl::string_view bytes) {
  const auto head = EncodeChunkHead(hash, bytes.size());
  waiting_.append(head.data(), head.size());
  waiting_.append(bytes.data(), bytes.size());
}

absl::Status FrameWriter::Flush(absl::Time deadline) {
  if (waiting_.empty()) return absl::OkStatus();
  absl::Status wrote = stream_->Write(waiting_, deadline);
  waiting_.clear();
  return wrote;
}

absl::Status FrameWriter::WriteEncoded(absl::string_view bytes,
                                       absl::Time deadline) {
  if (absl::Status flushed = Flush(deadline); !flushed.ok()) return flushed;
  return stream_->Write(bytes, deadline);
}

FrameReader::FrameReader(Stream* stream)
    : stream_(stream), buffer_(Block::Take(kBuffer)) {}

absl::Status FrameReader::Fill(size_t size, absl::Time deadline) {
  while (end_ - begin_ < size) {
    if (begin_ > 0) {
      std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    const absl::StatusOr<size_t> got = stream_->Read(
        absl::MakeSpan(buffer_.data() + end_, kBuffer - end_), deadline);
    if (!got.ok()) return got.status();
    if (*got == 0) {
      return end_ == 0 ? absl::OutOfRangeError("the peer said nothing more")
                       : absl::DataLossError("the peer ended amid a frame");
    }
    end_ += *got;
  }
  return absl::OkStatus();
}

absl::StatusOr<Incoming> FrameReader::Next(absl::Time deadline) {
  if (absl::Status head = Fill(kFrameHead, deadline); !head.ok()) return head;
  const absl::StatusOr<FrameHead> head = DecodeFrameHead(held());
  if (!head.ok()) return head.status();
  Incoming incoming;
  if (head->type != kChunkType) {
    absl::Status whole = Fill(kFrameHead + head->size, deadline);
    if (!whole.ok()) return whole;
    absl::StatusOr<Frame> frame =
        DecodeFrame(*head, held().substr(kFrameHead, head->size));
    if (!frame.ok()) return frame.status();
    begin_ += kFrameHead + head->size;
    incoming.frame = *std::move(frame);
    return incoming;
  }
  if (head->size <= kChunkHead) {
    return absl::InvalidArgumentError("a chunk is empty");
  }
  absl::Status began = Fill(kFrameHead + kChunkHead, deadline);
  if (!began.ok()) return began;
  Chunk chunk;
  std::memcpy(chunk.hash.bytes.data(), held().data() + kFrameHead, kChunkHead);
  begin_ += kFrameHead + kChunkHead;
  incoming.content = Block::Take(head->size - kChunkHead);
  const size_t here = std::min(held().size(), incoming.content.size());
  std::memcpy(incoming.content.data(), held().data(), here);
  begin_ += here;
  if (here < incoming.content.size()) {
    absl::Status rest = ReadFull(*stream_,
                                 absl::MakeSpan(incoming.content.data() + here,
                                                incoming.content.size() - here),
                                 deadline);
    if (absl::IsOutOfRange(rest) || absl::IsDeadlineExceeded(rest)) {
      return absl::DataLossError("the peer ended amid a chunk");
    }
    if (!rest.ok()) return rest;
  }
  incoming.frame = std::move(chunk);
  return incoming;
}

}  // namespace tactus::transfer::files
