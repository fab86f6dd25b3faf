#include "transfer/files/chunk_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/frame.h"
#include "transfer/files/limits.h"
#include "transfer/files/testing/tree.h"
#include "transfer/files/unique_fd.h"
#include "transfer/files/worker.h"

namespace tactus::transfer::files {
namespace {

constexpr absl::Duration kLong = absl::Minutes(1);

struct Piece {
  size_t size = 0;
  bool hole = false;
  friend bool operator==(const Piece&, const Piece&) = default;
};

// What a reader gave, with each chunk held against its hash and its frame.
struct Taken {
  std::vector<Piece> pieces;
  std::string bytes;
  absl::Status end;
};

Taken TakeAll(int fd, const ChunkReaderOptions& options) {
  Worker worker(ChunkReader::kAhead);
  ChunkReader reader(&worker, fd, options);
  Taken taken;
  while (true) {
    const absl::StatusOr<ReadChunk> chunk = reader.Next(kLong);
    taken.end = chunk.status();
    if (!chunk.ok() || chunk->size == 0) return taken;
    taken.pieces.push_back({chunk->size, chunk->hole});
    if (chunk->hole) {
      EXPECT_TRUE(chunk->bytes.empty());
      EXPECT_TRUE(chunk->frame.empty());
      EXPECT_EQ(chunk->hash, HashOfZeros(chunk->size));
      taken.bytes.append(chunk->size, '\0');
      continue;
    }
    const std::string bytes(chunk->bytes.data(), chunk->bytes.size());
    EXPECT_EQ(bytes.size(), chunk->size);
    EXPECT_EQ(chunk->hash, HashOf(bytes));
    EXPECT_TRUE(chunk->frame ==
                EncodeFrame(Chunk{.hash = chunk->hash, .bytes = bytes}));
    taken.bytes += bytes;
  }
}

struct File {
  ScratchFolder scratch;
  std::string path = scratch.path() + "/f";
  UniqueFd fd;

  explicit File(const std::string& bytes) {
    WriteFile(path, bytes);
    fd = UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC));
  }
};

TEST(ChunkReader, AFileComesInWholeChunksButForTheLast) {
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{4095}, size_t{4096}, kChunk - 1, kChunk,
        kChunk + 1, 2 * kChunk, ChunkReader::kAhead * kChunk,
        ChunkReader::kAhead * kChunk + 1}) {
    const std::string bytes = Noise(size, size);
    const File file(bytes);
    const Taken taken = TakeAll(file.fd.get(), {.size = size});
    EXPECT_TRUE(taken.end.ok()) << taken.end;
    EXPECT_TRUE(taken.bytes == bytes) << size;
    std::vector<Piece> wanted(size / kChunk, Piece{kChunk});
    if (size % kChunk > 0) wanted.push_back({size % kChunk});
    EXPECT_EQ(taken.pieces, wanted) << size;
  }
}

TEST(ChunkReader, AFileThatHasChangedIsReadAsItIs) {
  const std::string bytes = Noise(3 * kChunk + 7, 1);
  const File file(bytes);
  // It has grown since it was found, and lost some.
  for (const uint64_t found :
       {uint64_t{0}, uint64_t{10}, uint64_t{kChunk}, uint64_t{kChunk + 1},
        uint64_t{9 * kChunk}, UINT64_MAX - 1}) {
    const Taken taken = TakeAll(file.fd.get(), {.size = found});
    EXPECT_TRUE(taken.end.ok()) << taken.end;
    EXPECT_TRUE(taken.bytes == bytes) << found;
  }
}

TEST(ChunkReader, HolesOfWholeChunksAreNotRead) {
  const File file("");
  // A hole of two chunks, data that ends amid a chunk, a hole up to the end.
  const std::string data = Noise(kChunk + 100, 2);
  ASSERT_EQ(pwrite(file.fd.get(), data.data(), data.size(), 2 * kChunk),
            static_cast<ssize_t>(data.size()));
  const size_t size = 6 * kChunk + 5;
  ASSERT_EQ(ftruncate(file.fd.get(), static_cast<off_t>(size)), 0);
  std::string all(2 * kChunk, '\0');
  all += data;
  all.resize(size, '\0');
  const Taken taken = TakeAll(file.fd.get(), {.size = size, .sparse = true});
  EXPECT_TRUE(taken.end.ok()) << taken.end;
  EXPECT_TRUE(taken.bytes == all);
  // The file system says where holes are; the scratch folder's does.
  EXPECT_EQ(taken.pieces, (std::vector<Piece>{{kChunk, true},
                                              {kChunk, true},
                                              {kChunk, false},
                                              {kChunk, false},
                                              {kChunk, true},
                                              {kChunk, true},
                                              {5, false}}));
  // Unless nobody asked for them.
  const Taken plain = TakeAll(file.fd.get(), {.size = size});
  EXPECT_TRUE(plain.bytes == all);
  for (const Piece& piece : plain.pieces) EXPECT_FALSE(piece.hole);
}

TEST(ChunkReader, TheDigestIsOfTheBytesAndOfTheHolesToo) {
  const File file("");
  ASSERT_EQ(pwrite(file.fd.get(), "x", 1, 2 * kChunk), 1);
  std::string all(2 * kChunk, '\0');
  all += 'x';
  Sha256 wanted;
  wanted.Add(all);
  Sha256 sha256;
  const Taken taken = TakeAll(
      file.fd.get(), {.size = all.size(), .sparse = true, .sha256 = &sha256});
  EXPECT_TRUE(taken.bytes == all);
  EXPECT_EQ(taken.pieces[0], (Piece{kChunk, true}));
  EXPECT_EQ(sha256.Finish(), wanted.Finish());
}

TEST(ChunkReader, WhatCannotBeReadIsAnErrorAndNoEnd) {
  const ScratchFolder scratch;
  const UniqueFd folder(
      open(scratch.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const uint64_t size : {uint64_t{1}, uint64_t{5 * kChunk}}) {
    const Taken taken = TakeAll(folder.get(), {.size = size});
    EXPECT_FALSE(taken.end.ok()) << size;
    EXPECT_TRUE(taken.pieces.empty());
  }
  const Taken pipe = TakeAll(folder.get(), {.plain = false});
  EXPECT_FALSE(pipe.end.ok());
}

struct Pipe {
  UniqueFd read;
  UniqueFd write;
  Pipe() {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    read = UniqueFd(ends[0]);
    write = UniqueFd(ends[1]);
  }
  void Say(const std::string& text) {
    ASSERT_EQ(::write(write.get(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }
};

TEST(ChunkReader, APipeIsSentOnAsItSpeaks) {
  Pipe pipe;
  Worker worker(ChunkReader::kAhead);
  ChunkReader reader(&worker, pipe.read.get(), {.plain = false});
  for (const std::string said : {"a", "bcd", "e"}) {
    pipe.Say(said);
    const absl::StatusOr<ReadChunk> chunk = reader.Next(kLong);
    ASSERT_TRUE(chunk.ok()) << chunk.status();
    EXPECT_EQ(chunk->bytes, said);
  }
  // While it says nothing there is nothing, and nothing is lost.
  EXPECT_TRUE(
      absl::IsDeadlineExceeded(reader.Next(absl::Milliseconds(1)).status()));
  EXPECT_TRUE(
      absl::IsDeadlineExceeded(reader.Next(absl::ZeroDuration()).status()));
  pipe.Say("late");
  pipe.write.Reset();
  EXPECT_EQ(reader.Next(kLong)->bytes, "late");
  EXPECT_EQ(reader.Next(kLong)->size, 0u);
  EXPECT_EQ(reader.Next(kLong)->size, 0u);
}

TEST(ChunkReader, AReaderOfASilentPipeCanGo) {
  Pipe pipe;
  Worker worker(ChunkReader::kAhead);
  {
    ChunkReader reader(&worker, pipe.read.get(), {.plain = false});
    EXPECT_TRUE(
        absl::IsDeadlineExceeded(reader.Next(absl::Milliseconds(1)).status()));
  }
  // Its worker is free again.
  EXPECT_TRUE(worker.Drain(kLong));
}

TEST(ChunkReader, AChunkStaysGoodUntilTheNextButOneIsAskedFor) {
  const std::string bytes = Noise(6 * kChunk, 3);
  const File file(bytes);
  Worker worker(ChunkReader::kAhead);
  ChunkReader reader(&worker, file.fd.get(), {.size = bytes.size()});
  absl::StatusOr<ReadChunk> before = reader.Next(kLong);
  for (size_t i = 1; i < 6; ++i) {
    const absl::StatusOr<ReadChunk> next = reader.Next(kLong);
    ASSERT_TRUE(next.ok());
    ASSERT_TRUE(worker.Drain(kLong));
    EXPECT_TRUE(before->bytes == bytes.substr((i - 1) * kChunk, kChunk)) << i;
    before = next;
  }
}

}  // namespace
}  // namespace tactus::transfer::files
