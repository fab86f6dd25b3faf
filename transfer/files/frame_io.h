// Frames over a stream: small ones are packed together, content goes without a
// copy.
//
// Use a FrameWriter and a FrameReader on each end of a stream, from the one
// thread that has the stream.
//
// Example:
//
//   writer.Add(offer);
//   writer.Flush(deadline);
//   absl::StatusOr<Incoming> answer = reader.Next(deadline);
//
// They hold kPack bytes that wait to be written, and as many that came.
#ifndef TACTUS_TRANSFER_FILES_FRAME_IO_H_
#define TACTUS_TRANSFER_FILES_FRAME_IO_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "transfer/files/block.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/frame.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer::files {

class FrameWriter {
 public:
  // Small frames leave when they come to this: fewer, larger writes.
  static constexpr size_t kPack = size_t{256} << 10;

  explicit FrameWriter(Stream* stream) : stream_(stream) {}

  // Puts it behind what waits. Ask `full` when to flush.
  void Add(const Frame& frame);
  // A chunk whose bytes are copied: small ones.
  void AddChunk(const Hash128& hash, absl::string_view bytes);
  bool full() const { return waiting_.size() >= kPack; }
  bool empty() const { return waiting_.empty(); }

  // Writes what waits. Errors are the stream's, and final.
  absl::Status Flush(absl::Time deadline);

  // Writes what waits and then a frame that is in `bytes`, as it is.
  absl::Status WriteEncoded(absl::string_view bytes, absl::Time deadline);

 private:
  Stream* stream_;
  std::string waiting_;
};

// A frame as it came. The bytes of a chunk are in `content`, and those of the
// frame itself are empty.
struct Incoming {
  Frame frame;
  Block content;
};

class FrameReader {
 public:
  explicit FrameReader(Stream* stream);

  // The next frame. OutOfRange when the peer closed its side before it;
  // InvalidArgument for what is no frame; otherwise what the stream said.
  // DeadlineExceeded loses nothing, and may be tried again, unless the frame is
  // a chunk that had begun.
  absl::StatusOr<Incoming> Next(absl::Time deadline);

  // Whether Next would at least begin with what has come already.
  bool has_some() const { return begin_ < end_; }

 private:
  absl::Status Fill(size_t size, absl::Time deadline);
  absl::string_view held() const {
    return absl::string_view(buffer_.view().substr(begin_, end_ - begin_));
  }

  Stream* stream_;
  Block buffer_;
  size_t begin_ = 0;  // of what came and was not taken
  size_t end_ = 0;
};

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_FRAME_IO_H_
