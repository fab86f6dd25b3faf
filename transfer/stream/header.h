// What a stream is for: the first bytes on it, before anything else.
//
// Use it to write them, and to read them from a peer, whom nothing is believed.
// The transports do both; who opens a stream gives the header, and who accepts
// one gets it.
//
// Example:
//
//   absl::StatusOr<std::string> bytes =
//       EncodeStreamHeader({.kind = StreamKind::kMcp, .label = "echo"});
//   absl::StatusOr<std::optional<DecodedStreamHeader>> decoded =
//       DecodeStreamHeader(*bytes + "what follows");
//   // (*decoded)->size == 7
//
// On the wire (docs/protocol.md): a version, a kind, the length of the label,
// each one byte, then the label. There is one way to write a header, so that
// what is decoded encodes to the very bytes it came from.
#ifndef TACTUS_TRANSFER_STREAM_HEADER_H_
#define TACTUS_TRANSFER_STREAM_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::transfer {

enum class StreamKind : uint8_t {
  kControl = 1,  // the two daemons between themselves
  kMessage = 2,  // small messages that somebody waits for
  kFile = 3,     // bulk
  kMcp = 4,      // lines of the Model Context Protocol
};

// "control", "message", "file", "mcp".
absl::string_view StreamKindName(StreamKind kind);

struct StreamHeader {
  StreamKind kind = StreamKind::kMessage;
  // Whom it is for among those of the kind: the name of an MCP server, of a
  // transfer. At most 128 visible ASCII characters; may be empty.
  std::string label = {};

  friend bool operator==(const StreamHeader&, const StreamHeader&) = default;
};

inline constexpr uint8_t kStreamHeaderVersion = 1;
// A name that people type, and to spare: a header is read before anything is
// known of the peer but its key.
inline constexpr size_t kLongestStreamLabel = 128;
inline constexpr size_t kLongestStreamHeader = 3 + kLongestStreamLabel;

// InvalidArgument for a label that is too long or holds other characters.
absl::StatusOr<std::string> EncodeStreamHeader(const StreamHeader& header);

struct DecodedStreamHeader {
  StreamHeader header;
  size_t size = 0;  // bytes that the header took
};

// The header that `bytes` begins with. Nothing while all is well so far and
// more bytes are needed, at most kLongestStreamHeader; InvalidArgument as soon
// as no bytes could make it good.
absl::StatusOr<std::optional<DecodedStreamHeader>> DecodeStreamHeader(
    absl::string_view bytes);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_STREAM_HEADER_H_
