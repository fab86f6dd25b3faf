// What the two ends of a transfer say to each other, as values and as bytes.
//
// Use it to write a frame and to read one from a peer, whom nothing is
// believed. docs/protocol.md says which frame comes when; what a path may be is
// checked here already (path.h), so that nobody behind this ever holds one that
// leads out.
//
// Example:
//
//   std::string bytes = EncodeFrame(Entry{.type = EntryType::kFolder, ...});
//   absl::StatusOr<FrameHead> head = DecodeFrameHead(bytes);
//   absl::StatusOr<Frame> frame =
//       DecodeFrame(*head, bytes.substr(kFrameHead, head->size));
//
// On the wire: a type, one byte; the length of the body, four; the body. All
// numbers have a fixed size, most significant byte first. There is one way to
// write each frame: what is decoded encodes to the bytes it came from.
#ifndef TACTUS_TRANSFER_FILES_FRAME_H_
#define TACTUS_TRANSFER_FILES_FRAME_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "transfer/files/content_hash.h"

namespace tactus::transfer::files {

// Names one transfer, whatever connections it takes. Random.
struct TransferId {
  std::array<uint8_t, 16> bytes = {};

  static TransferId Random();
  std::string Hex() const;

  friend bool operator==(const TransferId&, const TransferId&) = default;
  friend auto operator<=>(const TransferId&, const TransferId&) = default;
};

// How a transfer ended.
enum class Outcome : uint8_t {
  kDone = 1,       // all of it is there, verified
  kRefused = 2,    // the receiver did not want it: nothing was written
  kFailed = 3,     // it cannot go on; files that were finished are there
  kCancelled = 4,  // one side ended it; files that were finished are there
  kUnknown = 5,    // whoever says so cannot know
};
absl::string_view OutcomeName(Outcome outcome);

// ---- From the sender.

// What it wants to send: the first frame of a stream.
struct Offer {
  TransferId id;
  // As they were counted before; nothing is promised by them. kSizeUnknown
  // where the content is not known yet.
  uint64_t files = 0;
  uint64_t bytes = 0;
  // Beneath the receiver's folder, made when it is not there; may be empty.
  std::string folder = {};
  // The first of `roots` that are sent, at most kMostNames.
  uint32_t roots = 0;
  std::vector<std::string> names = {};

  friend bool operator==(const Offer&, const Offer&) = default;
};

// How did it end? If it has not, it ends now: the sender will not go on. The
// first frame of a stream of its own.
struct Settle {
  TransferId id;
  friend bool operator==(const Settle&, const Settle&) = default;
};

enum class EntryType : uint8_t {
  kFile = 1,        // its content follows
  kFolder = 2,      // what lies in it follows
  kLink = 3,        // after all files and folders
  kFolderDone = 4,  // nothing in it follows
};

struct Entry {
  EntryType type = EntryType::kFile;
  std::string path = {};
  // Permissions, at most 0777: there is no way to say more. 0 of links.
  uint16_t mode = 0;
  // Of the last change of content, since 1970; 0 to 999,999,999 nanoseconds.
  int64_t mtime_seconds = 0;
  uint32_t mtime_nanoseconds = 0;
  // Of files alone: as it was when the file was found, or kSizeUnknown.
  uint64_t size = 0;
  bool sparse = false;  // it has holes that are to be kept
  // Of links alone.
  std::string target = {};

  friend bool operator==(const Entry&, const Entry&) = default;
};

// The next bytes of the first declared file whose content has not ended: one to
// kChunk of them, fewer only at its end or where its size was unknown.
struct Chunk {
  Hash128 hash;  // of bytes
  std::string bytes = {};
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

// Zeros, of which nothing need be stored: whole chunks, or up to the end; at
// most kGroup chunks.
struct Hole {
  uint64_t bytes = 0;
  friend bool operator==(const Hole&, const Hole&) = default;
};

// The next chunks are as the receiver has them; at most kGroup.
struct Keep {
  uint32_t chunks = 0;
  friend bool operator==(const Keep&, const Keep&) = default;
};

struct FileEnd {
  // It could not be read, or not to its end: leave it out.
  bool left_out = false;
  // Zero where it is left out.
  uint64_t size = 0;
  Hash128 root;
  // Where there is one, the receiver reads back what it wrote and compares.
  std::optional<Sha256Digest> sha256 = {};
  friend bool operator==(const FileEnd&, const FileEnd&) = default;
};

// What does the receiver have of the files declared since the last turn?
struct Turn {
  friend bool operator==(const Turn&, const Turn&) = default;
};

// All was sent.
struct End {
  uint64_t entries = 0;
  friend bool operator==(const End&, const End&) = default;
};

// ---- From the receiver.

struct Accept {
  // It may have some of it: ask by turns before sending content.
  bool ask = false;
  friend bool operator==(const Accept&, const Accept&) = default;
};

// The hashes of the chunks that are there, of the next group of one file: at
// most kGroup, the last of them maybe of a chunk that is short.
struct Have {
  std::vector<Hash128> chunks = {};
  friend bool operator==(const Have&, const Have&) = default;
};

// The end of the transfer. The last frame of a stream.
struct Verdict {
  TransferId id;
  Outcome outcome = Outcome::kUnknown;
  uint64_t files = 0;     // that are there now
  uint64_t bytes = 0;     // their sizes
  uint64_t replaced = 0;  // of them, files that were there before
  uint64_t links_left_out = 0;
  // For people, at most kLongestReason bytes of anything: escape it. Empty
  // where it is done.
  std::string reason = {};
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// ---- From both.

// It takes time, and goes on.
struct Alive {
  friend bool operator==(const Alive&, const Alive&) = default;
};

using Frame = std::variant<Offer, Settle, Entry, Chunk, Hole, Keep, FileEnd,
                           Turn, End, Accept, Have, Verdict, Alive>;

inline constexpr uint8_t kOfferType = 0x01;
inline constexpr uint8_t kChunkType = 0x11;
inline constexpr size_t kFrameHead = 5;
// Of a chunk's body, before its bytes.
inline constexpr size_t kChunkHead = 16;

struct FrameHead {
  uint8_t type = 0;
  uint32_t size = 0;  // of the body
};

// Of the first kFrameHead bytes. InvalidArgument for a type that there is not,
// or a body longer than any of its type: nothing is allocated for those.
absl::StatusOr<FrameHead> DecodeFrameHead(absl::string_view bytes);

// `body` has head.size bytes. InvalidArgument.
absl::StatusOr<Frame> DecodeFrame(const FrameHead& head,
                                  absl::string_view body);

// What is longer than it may be is the caller's bug, and aborts.
std::string EncodeFrame(const Frame& frame);

// What comes before the bytes of a chunk: kFrameHead and kChunkHead bytes.
std::array<char, kFrameHead + kChunkHead> EncodeChunkHead(const Hash128& hash,
                                                          size_t bytes);

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_FRAME_H_
