// What the device where an MCP server runs sends: the server's output, its
// standard error apart, and how it ended.
//
// The other direction needs none of this: it is what the agent says, as it is.
//
// Example:
//
//   stream.Write(FrameHead(FrameKind::kOutput, part.size()) + part, deadline);
//
//   FrameReader reader;
//   absl::Status status = reader.Feed(bytes, [&](FrameKind kind, auto piece) {
//     if (kind == FrameKind::kOutput) Forward(piece);
//   });
//
// On the wire: a kind, one byte; the length of what follows, four bytes, the
// greatest first; that. Nothing of it is believed.
#ifndef TACTUS_TRANSFER_MCP_FRAME_H_
#define TACTUS_TRANSFER_MCP_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tactus::transfer {

enum class FrameKind : uint8_t {
  kOutput = 'o',
  kErrors = 'e',
  kPulse = 'p',  // means nothing: that it can be sent says that the link lives
  kEnd = 'x',    // once, the last
};

// As much as is read at once. One frame is in memory at a time.
inline constexpr size_t kLongestFrame = size_t{64} << 10;
inline constexpr size_t kFrameHead = 5;

// `size` is from 1 to kLongestFrame.
std::string FrameHead(FrameKind kind, size_t size);

// How the server ended, as the payload of kEnd.
struct EndNote {
  enum class Kind : uint8_t {
    kExited = 'c',      // `value` is the code
    kKilled = 's',      // `value` is the signal
    kNotStarted = 'n',  // `why` tells
  };
  Kind kind = Kind::kExited;
  uint8_t value = 0;
  std::string why = {};  // at most kLongestWhy bytes

  friend bool operator==(const EndNote&, const EndNote&) = default;
};
inline constexpr size_t kLongestWhy = 500;

std::string EncodeEndNote(const EndNote& note);
// Absent for what EncodeEndNote does not make.
std::optional<EndNote> DecodeEndNote(absl::string_view payload);

class FrameReader {
 public:
  // Calls `on_piece` for what came: of kOutput piece by piece, so that nothing
  // waits, of the others whole. DataLoss, and nothing after it, for what is no
  // frame and for what follows kEnd.
  absl::Status Feed(
      absl::string_view bytes,
      absl::FunctionRef<void(FrameKind kind, absl::string_view piece)>
          on_piece);

  // Whether all that was begun is complete.
  bool between_frames() const { return head_.empty() && left_ == 0; }

 private:
  std::string head_;
  FrameKind kind_ = FrameKind::kOutput;
  size_t left_ = 0;
  std::string whole_;  // of a frame that is not kOutput
  bool over_ = false;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MCP_FRAME_H_
