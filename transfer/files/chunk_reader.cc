#include "transfer/files/chunk_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "transfer/files/block.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/frame.h"
#include "transfer/files/limits.h"
#include "transfer/files/worker.h"

namespace tactus::transfer::files {
namespace {

constexpr size_t kHead = kFrameHead + kChunkHead;
constexpr size_t kLeast = 4096;
// How often a pipe that says nothing looks whether it is still wanted.
constexpr int kPipePollMs = 100;

}  // namespace

ChunkReader::ChunkReader(Worker* worker, int fd, ChunkReaderOptions options)
    : worker_(worker),
      fd_(fd),
      options_(options),
      ahead_(!options.plain || options.size > kChunk) {}

ChunkReader::~ChunkReader() {
  stop_ = true;
  if (ahead_) worker_->Drain();
}

void ChunkReader::Ask(Slot& slot) {
  if (slot.block.size() == 0) {
    // A byte more than it had when it was found, so that its end is seen; and
    // not a byte at a time of those that only say that they are empty.
    const size_t size = std::max<size_t>(
        kLeast,
        static_cast<size_t>(std::min<uint64_t>(options_.size + 1, kChunk)));
    slot.block = Block::Take(kHead + (ahead_ ? kChunk : size));
  }
  if (ahead_) {
    slot.ticket = worker_->Post([this, &slot] { Read(slot); });
  } else {
    Read(slot);
  }
}

void ChunkReader::Read(Slot& slot) {
  slot.size = 0;
  slot.hole = false;
  slot.status = absl::OkStatus();
  if (ended_ || stop_) return;
  slot.status = options_.plain ? ReadPlain(slot) : ReadPipe(slot);
  if (!slot.status.ok() || slot.size == 0) {
    ended_ = true;
    return;
  }
  const absl::string_view bytes(slot.block.data() + kHead, slot.size);
  slot.hash = slot.hole ? HashOfZeros(slot.size) : HashOf(bytes);
  if (options_.sha256 != nullptr) {
    if (slot.hole) std::memset(slot.block.data() + kHead, 0, slot.size);
    options_.sha256->Add(bytes);
  }
  if (slot.hole) return;
  const auto head = EncodeChunkHead(slot.hash, slot.size);
  std::memcpy(slot.block.data(), head.data(), head.size());
}

absl::Status ChunkReader::ReadPlain(Slot& slot) {
  const size_t most = slot.block.size() - kHead;
  if (options_.sparse && offset_ >= data_until_) {
    const off_t data = lseek(fd_, static_cast<off_t>(offset_), SEEK_DATA);
    const off_t end =
        data < 0 && errno == ENXIO ? lseek(fd_, 0, SEEK_END) : data;
    if (end >= 0 && static_cast<uint64_t>(end) >= offset_ + kChunk) {
      slot.hole = true;
      slot.size = kChunk;
      offset_ += kChunk;
      return absl::OkStatus();
    }
    // It is read as it is up to where the next hole begins.
    const off_t hole =
        data < 0 ? -1 : lseek(fd_, static_cast<off_t>(offset_), SEEK_HOLE);
    if (hole > 0) data_until_ = static_cast<uint64_t>(hole);
  }
  while (slot.size < most) {
    const ssize_t n =
        pread(fd_, slot.block.data() + kHead + slot.size, most - slot.size,
              static_cast<off_t>(offset_ + slot.size));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::ErrnoToStatus(errno, "it cannot be read");
    if (n == 0) break;
    slot.size += static_cast<size_t>(n);
  }
  offset_ += slot.size;
  return absl::OkStatus();
}

absl::Status ChunkReader::ReadPipe(Slot& slot) {
  while (slot.size < kChunk) {
    pollfd ready = {.fd = fd_, .events = POLLIN, .revents = 0};
    // What came is sent on before anything is waited for.
    const int is = poll(&ready, 1, slot.size > 0 ? 0 : kPipePollMs);
    if (is <= 0) {
      if (slot.size > 0 || stop_) break;
      continue;
    }
    const ssize_t n =
        read(fd_, slot.block.data() + kHead + slot.size, kChunk - slot.size);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) {
      return absl::ErrnoToStatus(errno, "standard input cannot be read");
    }
    if (n == 0) break;
    slot.size += static_cast<size_t>(n);
  }
  return absl::OkStatus();
}

absl::StatusOr<ReadChunk> ChunkReader::Next(absl::Duration patience) {
  // One slot is the caller's, who may still write it; see ReadChunk.
  const size_t most = ahead_ ? kAhead - 1 : 1;
  while (asked_ < most) {
    Ask(slots_[(next_ + asked_) % kAhead]);
    ++asked_;
  }
  Slot& slot = slots_[next_];
  if (ahead_ && !worker_->WaitFor(slot.ticket, patience)) {
    return absl::DeadlineExceededError("nothing came to be sent");
  }
  next_ = (next_ + 1) % kAhead;
  --asked_;
  if (!slot.status.ok()) return slot.status;
  ReadChunk chunk;
  chunk.hash = slot.hash;
  chunk.size = slot.size;
  chunk.hole = slot.hole;
  if (!slot.hole && slot.size > 0) {
    chunk.bytes = absl::string_view(slot.block.data() + kHead, slot.size);
    chunk.frame = absl::string_view(slot.block.data(), kHead + slot.size);
  }
  return chunk;
}

}  // namespace tactus::transfer::files
