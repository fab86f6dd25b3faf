// Makes files of the frames that a sender sends: what a receiver does to its
// disk, without the wire.
//
// Use it with a thread of its own (worker.h) behind the one that reads frames.
//
// Example:
//
//   Assembler assembler(&destination, &delivered, {.peer = "7ZK0-..."});
//   absl::Status applied = assembler.Apply(entry, Block());
//   applied = assembler.Apply(Chunk{hash}, std::move(bytes));
//   applied = assembler.Apply(FileEnd{...}, Block());
//   absl::StatusOr<uint64_t> synced = assembler.Finish(end);
//
// What it proves of a file that it puts in its place: the bytes that were
// handed to the kernel, or that were read from the unfinished file and kept,
// are those that the sender read, chunk by chunk and in their order; with a
// SHA-256 also that the kernel gave them back. It does not prove that the disk
// will.
//
// Frames are a peer's: any sequence of them may come, and what no sender says
// is InvalidArgument. An error is final. Not thread-safe.
#ifndef TACTUS_TRANSFER_FILES_ASSEMBLER_H_
#define TACTUS_TRANSFER_FILES_ASSEMBLER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "transfer/files/block.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/delivered.h"
#include "transfer/files/destination.h"
#include "transfer/files/frame.h"
#include "transfer/files/unique_fd.h"

namespace tactus::transfer::files {

struct AssemblerOptions {
  // Whose files they are; part of the names of unfinished ones.
  std::string peer;
  // What was offered: the first name of each path is one of these. Empty: of
  // more than were named, any.
  std::set<std::string> roots = {};
  // Where the one file goes that is sent to a pipe or a terminal; -1 is none.
  // Nothing else may be sent then, nor nothing. It is not closed.
  int sink = -1;
  // Called now and then while something takes long; true ends it, as Cancelled.
  std::function<bool()> stop = [] { return false; };
};

struct Assembled {
  uint64_t files = 0;
  uint64_t bytes = 0;     // of those files
  uint64_t replaced = 0;  // of those files
  uint64_t links_left_out = 0;
  uint64_t kept = 0;   // bytes that were there
  uint64_t fresh = 0;  // bytes that came
};

class Assembler {
 public:
  // Both outlive this; `destination` is null where there is a sink.
  Assembler(Destination* destination, Delivered* delivered,
            AssemblerOptions options);
  ~Assembler();

  // Entry, Chunk (its bytes are `content`), Hole, Keep, FileEnd.
  absl::Status Apply(Frame frame, Block content);

  // One for each file declared since the last turn, in order.
  absl::StatusOr<std::vector<Have>> TakeTurn();
  // The next group of the first file, whose last one is used up.
  absl::StatusOr<Have> NextGroup();

  // The sender says that this is all. OK when it is, and what was made is on
  // the disk.
  absl::Status Finish(const End& end);

  const Assembled& assembled() const { return assembled_; }

 private:
  struct File;

  absl::Status ApplyEntry(Entry entry);
  absl::Status ApplyChunk(const Chunk& chunk, const Block& content);
  absl::Status ApplyHole(const Hole& hole);
  absl::Status ApplyKeep(const Keep& keep);
  absl::Status ApplyFileEnd(const FileEnd& end);
  // The first of those declared; InvalidArgument where there is none.
  absl::StatusOr<File*> Current();
  // Opens what it is written to, with what was kept so far in it.
  absl::Status Writable(File& file);
  absl::Status WriteAt(File& file, absl::string_view bytes);
  absl::Status CopyKept(File& file, uint64_t from, uint64_t to);
  absl::Status ToSink(absl::string_view bytes);
  // Hashes of the chunks of `fd` from the chunk `first`, kGroup at most.
  absl::StatusOr<std::vector<Hash128>> HashGroup(int fd, uint64_t first);
  void FindBasis(File& file);
  absl::Status ReadBack(File& file, const FileEnd& end);
  // An unfinished file that fills the disk does not stay.
  absl::Status Failed(absl::Status why);
  Hash128 KeyOf(const File& file) const;

  Destination* const destination_;
  Delivered* const delivered_;
  const AssemblerOptions options_;
  const std::string folder_;
  const bool sink_waits_;
  std::deque<std::unique_ptr<File>> files_;
  Assembled assembled_;
  uint64_t entries_ = 0;
  bool links_ = false;  // only links and ends of folders may follow
  Block scratch_;
};

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_ASSEMBLER_H_
