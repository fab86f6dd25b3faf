// Reads a file chunk by chunk, hashed, ahead of whoever wants them.
//
// Use it for what is sent: while one chunk is encrypted and written, the next
// ones are read and hashed by a worker. Of small files nothing is read ahead.
//
// Example:
//
//   ChunkReader reader(&worker, fd, {.size = info.st_size});
//   while (true) {
//     absl::StatusOr<ReadChunk> chunk = reader.Next(absl::Seconds(5));
//     if (!chunk.ok() || chunk->size == 0) break;     // failed, or the end
//     stream.Write(chunk->Frame(), deadline);
//   }
//
// It holds kAhead chunks. The worker is idle before and after its life.
#ifndef TACTUS_TRANSFER_FILES_CHUNK_READER_H_
#define TACTUS_TRANSFER_FILES_CHUNK_READER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "transfer/files/block.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/worker.h"

namespace tactus::transfer::files {

// Good until the next but one is asked for.
struct ReadChunk {
  absl::string_view bytes;  // none of a hole
  Hash128 hash;
  size_t size = 0;    // 0 is the end
  bool hole = false;  // nothing is stored there

  // The whole frame; only of what holds bytes.
  absl::string_view frame;
};

struct ChunkReaderOptions {
  // Whether `fd` is a plain file; otherwise it is read as it comes, and a chunk
  // is what is there, at least a byte.
  bool plain = true;
  // What the file was found to have; decides whether to read ahead.
  uint64_t size = 0;
  bool sparse = false;
  Sha256* sha256 = nullptr;
};

class ChunkReader {
 public:
  static constexpr size_t kAhead = 3;

  ChunkReader(Worker* worker, int fd, ChunkReaderOptions options);
  // Waits for what is being read.
  ~ChunkReader();

  // DeadlineExceeded when the next chunk is not there after `patience`: of a
  // pipe that says nothing. Ask again.
  absl::StatusOr<ReadChunk> Next(absl::Duration patience);

 private:
  struct Slot {
    Block block;
    Hash128 hash;
    size_t size = 0;
    bool hole = false;
    absl::Status status;
    uint64_t ticket = 0;
  };

  void Ask(Slot& slot);
  void Read(Slot& slot);
  absl::Status ReadPlain(Slot& slot);
  absl::Status ReadPipe(Slot& slot);

  Worker* const worker_;
  const int fd_;
  const ChunkReaderOptions options_;
  const bool ahead_;
  std::array<Slot, kAhead> slots_;
  size_t next_ = 0;   // the slot of the next chunk
  size_t asked_ = 0;  // slots that were asked for and not given out
  // Of the worker.
  uint64_t offset_ = 0;
  uint64_t data_until_ = 0;  // no hole begins before
  bool ended_ = false;
  std::atomic<bool> stop_ = false;
};

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_CHUNK_READER_H_
