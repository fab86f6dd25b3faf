#include "transfer/files/assembler.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "transfer/files/beneath.h"
#include "transfer/files/block.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/delivered.h"
#include "transfer/files/destination.h"
#include "transfer/files/frame.h"
#include "transfer/files/limits.h"

namespace tactus::transfer::files {
namespace {

// Zeros that were not sent as a hole are left out of sparse files by the block
// that file systems have.
constexpr size_t kFileBlock = 4096;
// How often a pipe that nobody reads looks whether to stop.
constexpr int kSinkPollMs = 100;

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("the peer sent what no sender does: ", what));
}

bool AllZero(absl::string_view bytes) {
  return bytes.empty() ||
         (bytes[0] == '\0' &&
          std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

uint64_t Chunks(uint64_t bytes) { return (bytes + kChunk - 1) / kChunk; }

// Whether a write to it may wait for a reader: not to files, nor to /dev/null.
bool MayWait(int fd) {
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) return true;
  return !S_ISREG(info.st_mode) &&
         !(S_ISCHR(info.st_mode) && info.st_rdev == makedev(1, 3));
}

// As much as there is, `size` at most.
absl::StatusOr<size_t> ReadAt(int fd, char* into, size_t size, uint64_t at,
                              absl::string_view path) {
  size_t got = 0;
  while (got < size) {
    const ssize_t n =
        pread(fd, into + got, size - got, static_cast<off_t>(at + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoOf(errno, "cannot read", path);
    if (n == 0) break;
    got += static_cast<size_t>(n);
  }
  return got;
}

bool DiskFull(const absl::Status& status) {
  // What absl makes of ENOSPC, EDQUOT, and EFBIG.
  return absl::IsResourceExhausted(status) || absl::IsOutOfRange(status);
}

}  // namespace

struct Assembler::File {
  Entry entry;
  bool asked = false;  // its turn has come
  // What may be kept: an unfinished file, or the file itself.
  std::optional<PartialFile> partial;
  UniqueFd whole;
  uint64_t basis_size = 0;
  // Of the group that is used now; the first is that of chunk have_first.
  std::vector<Hash128> have;
  uint64_t have_first = 0;
  // What came so far, kept or new.
  uint64_t position = 0;
  uint64_t chunks = 0;
  RootHash root;
};

Assembler::Assembler(Destination* destination, Delivered* delivered,
                     AssemblerOptions options)
    : destination_(destination),
      delivered_(delivered),
      options_(std::move(options)),
      folder_(destination == nullptr ? "" : destination->Identity()),
      sink_waits_(MayWait(options_.sink)) {}

Assembler::~Assembler() = default;

Hash128 Assembler::KeyOf(const File& file) const {
  return Delivered::KeyOf(options_.peer, folder_, file.entry.path);
}

absl::Status Assembler::Failed(absl::Status why) {
  if (DiskFull(why) && !files_.empty() && files_[0]->partial.has_value()) {
    files_[0]->partial->Discard();
  }
  return why;
}

absl::Status Assembler::Apply(Frame frame, Block content) {
  if (options_.stop()) return absl::CancelledError("it was stopped");
  if (auto* chunk = std::get_if<Chunk>(&frame)) {
    return Failed(ApplyChunk(*chunk, content));
  }
  if (auto* entry = std::get_if<Entry>(&frame)) {
    ++entries_;
    return ApplyEntry(std::move(*entry));
  }
  if (auto* end = std::get_if<FileEnd>(&frame)) {
    return Failed(ApplyFileEnd(*end));
  }
  if (auto* hole = std::get_if<Hole>(&frame)) return Failed(ApplyHole(*hole));
  if (auto* keep = std::get_if<Keep>(&frame)) return Failed(ApplyKeep(*keep));
  return Wrong("a frame that has no place here");
}

absl::Status Assembler::ApplyEntry(Entry entry) {
  if (options_.sink >= 0 && (entry.type != EntryType::kFile || entries_ > 1)) {
    return Wrong("a folder or a second file, to where one file can be");
  }
  if (!options_.roots.empty() &&
      options_.roots.count(entry.path.substr(0, entry.path.find('/'))) == 0) {
    return Wrong("what it did not offer");
  }
  const FileTime mtime = {entry.mtime_seconds, entry.mtime_nanoseconds};
  switch (entry.type) {
    case EntryType::kFile: {
      if (links_) return Wrong("a file after a link");
      if (files_.size() >= kMostDeclared)
        return Wrong("too many files at once");
      auto file = std::make_unique<File>();
      file->entry = std::move(entry);
      files_.push_back(std::move(file));
      return absl::OkStatus();
    }
    case EntryType::kFolder:
      if (links_) return Wrong("a folder after a link");
      return destination_->MakeFolder(entry.path, entry.mode);
    case EntryType::kFolderDone:
      if (!files_.empty()) return Wrong("the end of a folder amid files");
      return destination_->FinishFolder(entry.path, entry.mode, mtime);
    case EntryType::kLink: {
      if (!files_.empty()) return Wrong("a link amid files");
      links_ = true;
      const absl::StatusOr<bool> made =
          destination_->MakeLink(entry.path, entry.target, mtime);
      if (!made.ok()) return made.status();
      if (!*made) ++assembled_.links_left_out;
      return absl::OkStatus();
    }
  }
  return Wrong("an entry of no type");
}

absl::StatusOr<Assembler::File*> Assembler::Current() {
  if (files_.empty()) return Wrong("content of no file");
  return files_.front().get();
}

absl::Status Assembler::ToSink(absl::string_view bytes) {
  while (!bytes.empty()) {
    pollfd ready = {.fd = options_.sink, .events = POLLOUT, .revents = 0};
    if (poll(&ready, 1, kSinkPollMs) == 0 || (ready.revents & POLLOUT) == 0) {
      if (options_.stop()) return absl::CancelledError("it was stopped");
      if ((ready.revents & (POLLERR | POLLNVAL)) != 0) {
        return absl::FailedPreconditionError("nobody reads what is received");
      }
      continue;
    }
    // Not more than a pipe is sure to take, so that a reader who stops does not
    // stop this thread.
    const ssize_t n =
        write(options_.sink, bytes.data(),
              sink_waits_ ? std::min<size_t>(bytes.size(), kFileBlock)
                          : bytes.size());
    if (n < 0 && errno != EINTR && errno != EAGAIN) {
      return absl::ErrnoToStatus(errno, "cannot write what is received");
    }
    if (n > 0) bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

absl::Status Assembler::WriteAt(File& file, absl::string_view bytes) {
  uint64_t at = file.position;
  while (!bytes.empty()) {
    size_t size = bytes.size();
    if (file.entry.sparse && at >= file.partial->old_size()) {
      // A run of blocks that are all zero, or of such that are not.
      const bool zero = AllZero(bytes.substr(0, kFileBlock));
      size = std::min(bytes.size(), kFileBlock);
      while (size < bytes.size() &&
             AllZero(bytes.substr(size, kFileBlock)) == zero) {
        size = std::min(bytes.size(), size + kFileBlock);
      }
      if (zero) {
        at += size;
        bytes.remove_prefix(size);
        continue;
      }
    }
    const ssize_t n =
        pwrite(file.partial->fd(), bytes.data(), size, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoOf(errno, "cannot write", file.entry.path);
    at += static_cast<uint64_t>(n);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

absl::Status Assembler::CopyKept(File& file, uint64_t from, uint64_t to) {
  if (scratch_.size() == 0) scratch_ = Block::Take(kChunk);
  while (from < to) {
    if (options_.stop()) return absl::CancelledError("it was stopped");
    const size_t want = static_cast<size_t>(
        std::min<uint64_t>(to - from, kChunk - from % kChunk));
    const absl::StatusOr<size_t> got =
        ReadAt(file.whole.get(), scratch_.data(), want, from, file.entry.path);
    if (!got.ok()) return got.status();
    if (*got != want) return absl::DataLossError("a file here was cut");
    for (size_t done = 0; done < want;) {
      const ssize_t n = pwrite(file.partial->fd(), scratch_.data() + done,
                               want - done, static_cast<off_t>(from + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return ErrnoOf(errno, "cannot write", file.entry.path);
      done += static_cast<size_t>(n);
    }
    from += want;
  }
  return absl::OkStatus();
}

absl::Status Assembler::Writable(File& file) {
  if (file.partial.has_value()) return absl::OkStatus();
  absl::StatusOr<PartialFile> partial =
      destination_->OpenPartial(file.entry.path, options_.peer);
  if (!partial.ok()) return partial.status();
  file.partial.emplace(*std::move(partial));
  // Of what can be read but once nobody goes on with the half.
  if (file.entry.size == kSizeUnknown) file.partial->Discard();
  // What is in it was not asked about, and goes.
  if (file.partial->old_size() > 0 && ftruncate(file.partial->fd(), 0) != 0) {
    return ErrnoOf(errno, "cannot cut", file.entry.path);
  }
  if (!file.whole.valid() || file.position == 0) return absl::OkStatus();
  if (absl::Status copied = CopyKept(file, 0, file.position); !copied.ok()) {
    return copied;
  }
  // It may have changed since it was hashed.
  RootHash root;
  for (uint64_t chunk = 0; chunk < file.chunks; chunk += kGroup) {
    const auto hashes = HashGroup(file.partial->fd(), chunk);
    if (!hashes.ok()) return hashes.status();
    for (size_t i = 0; i < hashes->size() && chunk + i < file.chunks; ++i) {
      root.Add((*hashes)[i]);
    }
  }
  if (root.Digest() != file.root.Digest()) {
    return absl::DataLossError("a file here changed while it was kept");
  }
  return absl::OkStatus();
}

absl::Status Assembler::ApplyChunk(const Chunk& chunk, const Block& content) {
  const absl::StatusOr<File*> current = Current();
  if (!current.ok()) return current.status();
  File& file = **current;
  if (HashOf(content.view()) != chunk.hash) {
    return absl::DataLossError(
        absl::StrCat("what came of '", absl::Utf8SafeCEscape(file.entry.path),
                     "' is not what the sender read"));
  }
  if (content.size() > kLargestFile - file.position) {
    return Wrong("a file of more than there can be");
  }
  if (options_.sink >= 0) {
    if (absl::Status sunk = ToSink(content.view()); !sunk.ok()) return sunk;
  } else {
    if (absl::Status open = Writable(file); !open.ok()) return open;
    if (absl::Status put = WriteAt(file, content.view()); !put.ok()) return put;
  }
  file.position += content.size();
  ++file.chunks;
  file.root.Add(chunk.hash);
  assembled_.fresh += content.size();
  return absl::OkStatus();
}

absl::Status Assembler::ApplyHole(const Hole& hole) {
  const absl::StatusOr<File*> current = Current();
  if (!current.ok()) return current.status();
  File& file = **current;
  if (hole.bytes > kLargestFile - file.position) {
    return Wrong("a file of more than there can be");
  }
  if (options_.sink < 0) {
    if (absl::Status open = Writable(file); !open.ok()) return open;
    if (file.position < file.partial->old_size() &&
        fallocate(file.partial->fd(),
                  FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(file.position),
                  static_cast<off_t>(hole.bytes)) != 0) {
      return ErrnoOf(errno, "cannot make a hole in", file.entry.path);
    }
  }
  uint64_t left = hole.bytes;
  while (left > 0) {
    const size_t size = static_cast<size_t>(std::min<uint64_t>(left, kChunk));
    if (options_.sink >= 0) {
      if (scratch_.size() == 0) scratch_ = Block::Take(kChunk);
      std::memset(scratch_.data(), 0, size);
      absl::Status sunk = ToSink(scratch_.view().substr(0, size));
      if (!sunk.ok()) return sunk;
    }
    file.root.Add(HashOfZeros(size));
    ++file.chunks;
    left -= size;
  }
  file.position += hole.bytes;
  return absl::OkStatus();
}

absl::Status Assembler::ApplyKeep(const Keep& keep) {
  const absl::StatusOr<File*> current = Current();
  if (!current.ok()) return current.status();
  File& file = **current;
  const uint64_t from = file.position;
  for (uint32_t i = 0; i < keep.chunks; ++i) {
    if (file.chunks < file.have_first ||
        file.chunks - file.have_first >= file.have.size() ||
        file.position != file.chunks * kChunk) {
      return Wrong("to keep what is not there");
    }
    file.root.Add(file.have[file.chunks - file.have_first]);
    ++file.chunks;
    file.position = std::min(file.basis_size, file.position + kChunk);
  }
  assembled_.kept += file.position - from;
  // Of a file that was written to already, beside the one that is there.
  if (file.whole.valid() && file.partial.has_value()) {
    return CopyKept(file, from, file.position);
  }
  return absl::OkStatus();
}

absl::Status Assembler::ReadBack(File& file, const FileEnd& end) {
  if (scratch_.size() == 0) scratch_ = Block::Take(kChunk);
  const int fd =
      file.partial.has_value() ? file.partial->fd() : file.whole.get();
  Sha256 sha256;
  for (uint64_t at = 0; at < end.size;) {
    if (options_.stop()) return absl::CancelledError("it was stopped");
    const size_t want =
        static_cast<size_t>(std::min<uint64_t>(end.size - at, kChunk));
    const absl::StatusOr<size_t> got =
        ReadAt(fd, scratch_.data(), want, at, file.entry.path);
    if (!got.ok()) return got.status();
    // A hole at the end of a file that was not lengthened yet.
    if (*got < want) std::memset(scratch_.data() + *got, 0, want - *got);
    sha256.Add(scratch_.view().substr(0, want));
    at += want;
  }
  if (sha256.Finish() == *end.sha256) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("'", absl::Utf8SafeCEscape(file.entry.path),
                   "' does not read back as it was written"));
}

absl::Status Assembler::ApplyFileEnd(const FileEnd& end) {
  const absl::StatusOr<File*> current = Current();
  if (!current.ok()) return current.status();
  File& file = **current;
  if (end.left_out) {
    // What there was of it cannot be taken back from a pipe.
    if (options_.sink >= 0) {
      return absl::DataLossError("the sender could not read it to its end");
    }
    files_.pop_front();
    return absl::OkStatus();
  }
  if (end.size != file.position || end.root != file.root.Digest()) {
    return absl::DataLossError(
        absl::StrCat("'", absl::Utf8SafeCEscape(file.entry.path),
                     "' is not whole at its end"));
  }
  if (options_.sink < 0) {
    const FileTime mtime = {file.entry.mtime_seconds,
                            file.entry.mtime_nanoseconds};
    // Nothing of it is new.
    const bool same = file.whole.valid() && !file.partial.has_value() &&
                      end.size == file.basis_size;
    if (!same) {
      if (absl::Status open = Writable(file); !open.ok()) return open;
    }
    if (end.sha256.has_value()) {
      if (absl::Status read = ReadBack(file, end); !read.ok()) return read;
    }
    if (same) {
      absl::Status adopted = destination_->Adopt(
          file.whole.get(), file.entry.path, file.entry.mode, mtime);
      if (!adopted.ok()) return adopted;
    } else {
      const absl::StatusOr<bool> replaced =
          file.partial->Commit(end.size, file.entry.mode, mtime);
      if (!replaced.ok()) return replaced.status();
      if (*replaced) ++assembled_.replaced;
      delivered_->Add(KeyOf(file), end.root);
    }
  }
  ++assembled_.files;
  assembled_.bytes += end.size;
  files_.pop_front();
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Hash128>> Assembler::HashGroup(int fd,
                                                          uint64_t first) {
  if (scratch_.size() == 0) scratch_ = Block::Take(kChunk);
  std::vector<Hash128> hashes;
  while (hashes.size() < kGroup) {
    if (options_.stop()) return absl::CancelledError("it was stopped");
    const absl::StatusOr<size_t> got = ReadAt(
        fd, scratch_.data(), kChunk, (first + hashes.size()) * kChunk, "it");
    if (!got.ok()) return got.status();
    if (*got == 0) break;
    hashes.push_back(HashOf(scratch_.view().substr(0, *got)));
    if (*got < kChunk) break;
  }
  return hashes;
}

void Assembler::FindBasis(File& file) {
  // Whatever goes wrong here, there is nothing to keep then.
  absl::StatusOr<PartialFile> partial =
      destination_->OpenPartial(file.entry.path, options_.peer, /*made=*/false);
  if (partial.ok() && partial->old_size() > 0) {
    file.basis_size = partial->old_size();
    file.partial.emplace(*std::move(partial));
    return;
  }
  const std::optional<Hash128> root = delivered_->Find(KeyOf(file));
  if (!root.has_value()) return;
  absl::StatusOr<UniqueFd> whole = destination_->OpenFile(file.entry.path);
  struct stat info;
  if (!whole.ok() || fstat(whole->get(), &info) != 0) return;
  const uint64_t size = static_cast<uint64_t>(info.st_size);
  if (size == 0 || size != file.entry.size) return;
  RootHash found;
  for (uint64_t chunk = 0; chunk < Chunks(size); chunk += kGroup) {
    const auto hashes = HashGroup(whole->get(), chunk);
    if (!hashes.ok()) return;
    for (const Hash128& hash : *hashes) found.Add(hash);
  }
  if (found.Digest() != *root) return;
  file.basis_size = size;
  file.whole = *std::move(whole);
}

absl::StatusOr<std::vector<Have>> Assembler::TakeTurn() {
  if (options_.sink >= 0) return Wrong("a turn, where nothing can be kept");
  std::vector<Have> haves;
  for (const auto& file : files_) {
    if (file->asked) return Wrong("a turn before the last one has ended");
  }
  for (const auto& file : files_) {
    file->asked = true;
    FindBasis(*file);
    const absl::StatusOr<Have> have = [&]() -> absl::StatusOr<Have> {
      const int fd =
          file->partial.has_value() ? file->partial->fd() : file->whole.get();
      if (fd < 0) return Have();
      auto hashes = HashGroup(fd, 0);
      if (!hashes.ok()) return hashes.status();
      return Have{*std::move(hashes)};
    }();
    if (!have.ok()) return have.status();
    file->have = have->chunks;
    haves.push_back(*have);
  }
  return haves;
}

absl::StatusOr<Have> Assembler::NextGroup() {
  const absl::StatusOr<File*> current = Current();
  if (!current.ok()) return current.status();
  File& file = **current;
  if (file.have.size() != kGroup || file.chunks != file.have_first + kGroup) {
    return Wrong("a group before the last one has ended");
  }
  const int fd = file.whole.valid() ? file.whole.get() : file.partial->fd();
  auto hashes = HashGroup(fd, file.chunks);
  if (!hashes.ok()) return hashes.status();
  file.have_first = file.chunks;
  file.have = *hashes;
  return Have{*std::move(hashes)};
}

absl::Status Assembler::Finish(const End& end) {
  if (!files_.empty()) return Wrong("the end amid a file");
  if (end.entries != entries_) return Wrong("an end that counts otherwise");
  if (options_.sink < 0) return destination_->Sync();
  if (assembled_.files == 1) return absl::OkStatus();
  return absl::NotFoundError("no file came, to where one was to be");
}

}  // namespace tactus::transfer::files
