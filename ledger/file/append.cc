#include "ledger/file/append.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

// Of the pieces in which a torn tail is looked for and moved: it may be of any
// length, since whatever wrote it need not have been us.
constexpr int64_t kBlock = int64_t{64} << 10;
// Between two tries for the lock. flock has no deadline of its own. An append
// takes some milliseconds, nearly all of it the disk's.
constexpr absl::Duration kShortestPause = absl::Microseconds(100);
constexpr absl::Duration kLongestPause = absl::Milliseconds(5);

absl::Status Failed(absl::string_view what, absl::string_view path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", what, " ", path));
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

absl::Status Sync(int fd, const std::string& path) {
  if (fsync(fd) == 0) return absl::OkStatus();
  return Failed("bring to the disk", path);
}

// Its entries, without which a new file can be gone after a power failure.
absl::Status SyncFolder(const std::string& folder) {
  const Descriptor fd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() < 0) return Failed("open the folder", folder);
  // What a file system without such a thing answers.
  if (fsync(fd.get()) != 0 && errno != EINVAL) {
    return Failed("bring to the disk the folder", folder);
  }
  return absl::OkStatus();
}

absl::Status MakeFolder(const std::string& folder) {
  struct stat found;
  if (stat(folder.c_str(), &found) == 0) return absl::OkStatus();
  if (errno != ENOENT) return Failed("look at", folder);
  const std::string above = FolderOf(folder);
  if (absl::Status s = MakeFolder(above); !s.ok()) return s;
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) {
    return Failed("make the folder", folder);
  }
  return SyncFolder(above);
}

absl::Status CheckRegular(const struct stat& found, const std::string& path) {
  if (S_ISREG(found.st_mode)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      path, " is ", S_ISLNK(found.st_mode) ? "a link" : "no regular file",
      ": rows are appended to regular files alone; name another one"));
}

// Neither follows a link nor waits, and opens no device, for which opening it
// can be an act already. `flags` beside these.
absl::StatusOr<Descriptor> OpenRegular(const std::string& path, int flags) {
  struct stat found;
  if (lstat(path.c_str(), &found) == 0) {
    if (absl::Status s = CheckRegular(found, path); !s.ok()) return s;
  } else if (errno != ENOENT) {
    return Failed("look at", path);
  }
  Descriptor fd(open(path.c_str(),
                     flags | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW |
                         O_NONBLOCK | O_NOCTTY,
                     0666));
  if (fd.get() < 0) return Failed("open", path);
  if (fstat(fd.get(), &found) != 0) return Failed("look at", path);
  if (absl::Status s = CheckRegular(found, path); !s.ok()) return s;
  return fd;
}

absl::Status Lock(int fd, const std::string& path, absl::Time deadline) {
  absl::Duration pause = kShortestPause;
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return Failed("lock", path);
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) {
      return absl::DeadlineExceededError(
          absl::StrCat("others kept ", path,
                       " locked all the time; nothing was written. `fuser ",
                       path, "` names them"));
    }
    absl::SleepFor(std::min(pause, left));
    pause = std::min(pause * 2, kLongestPause);
  }
  return absl::OkStatus();
}

// Whether `fd` is what `path` leads to: `git checkout` puts a new file in the
// place of one that somebody waits for.
bool IsStillAt(int fd, const std::string& path) {
  struct stat ours;
  struct stat there;
  return fstat(fd, &ours) == 0 && lstat(path.c_str(), &there) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

absl::StatusOr<int64_t> SizeOf(int fd, const std::string& path) {
  struct stat found;
  if (fstat(fd, &found) != 0) return Failed("look at", path);
  return int64_t{found.st_size};
}

absl::StatusOr<std::string> ReadAt(int fd, int64_t from, int64_t count,
                                   const std::string& path) {
  std::string text(static_cast<size_t>(count), '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n =
        pread(fd, text.data() + done, text.size() - done,
              static_cast<off_t>(from) + static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("read", path);
    if (n == 0) {
      return absl::DataLossError(absl::StrCat(
          path,
          " became shorter while it was locked: something writes to it "
          "without the lock"));
    }
    done += static_cast<size_t>(n);
  }
  return text;
}

absl::Status WriteAll(int fd, absl::string_view text, const std::string& path,
                      int64_t* written) {
  *written = 0;
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    // The reason of a short write is told by the one that follows it.
    if (n < 0) return Failed("write", path);
    *written += n;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

// Where what follows the last line end begins.
absl::StatusOr<int64_t> StartOfLastLine(int fd, int64_t size,
                                        const std::string& path) {
  int64_t end = size;
  while (end > 0) {
    const int64_t from = std::max<int64_t>(0, end - kBlock);
    const absl::StatusOr<std::string> block =
        ReadAt(fd, from, end - from, path);
    if (!block.ok()) return block.status();
    const size_t at = block->rfind('\n');
    if (at != std::string::npos) return from + static_cast<int64_t>(at) + 1;
    end = from;
  }
  return 0;
}

// Copies what is from `from` to `to` to the end of the side file, a line end
// behind it. It is on the disk before anything is cut off.
absl::Status MoveAside(int fd, int64_t from, int64_t to,
                       const std::string& path, const std::string& side_file) {
  absl::StatusOr<Descriptor> side = OpenRegular(side_file, O_WRONLY);
  if (!side.ok()) return side.status();
  int64_t written = 0;
  for (int64_t at = from; at < to; at += kBlock) {
    const absl::StatusOr<std::string> block =
        ReadAt(fd, at, std::min(kBlock, to - at), path);
    if (!block.ok()) return block.status();
    if (absl::Status s = WriteAll(side->get(), *block, side_file, &written);
        !s.ok()) {
      return s;
    }
  }
  if (absl::Status s = WriteAll(side->get(), "\n", side_file, &written);
      !s.ok()) {
    return s;
  }
  if (absl::Status s = Sync(side->get(), side_file); !s.ok()) return s;
  if (absl::Status s = SyncFolder(FolderOf(side_file)); !s.ok()) return s;
  if (ftruncate(fd, static_cast<off_t>(from)) != 0) {
    return Failed("cut off the torn end of", path);
  }
  return absl::OkStatus();
}

// What an earlier writer left. A row that is whole is left where it is: its
// line end comes with the write that follows.
absl::StatusOr<Tail> RepairTail(int fd, int64_t size, const std::string& path) {
  if (size == 0) return Tail{};
  const absl::StatusOr<std::string> last = ReadAt(fd, size - 1, 1, path);
  if (!last.ok()) return last.status();
  if (*last == "\n") return Tail{};
  const absl::StatusOr<int64_t> start = StartOfLastLine(fd, size, path);
  if (!start.ok()) return start.status();
  Tail tail = {.bytes = size - *start};
  if (tail.bytes <= static_cast<int64_t>(kMaxLine)) {
    const absl::StatusOr<std::string> line =
        ReadAt(fd, *start, tail.bytes, path);
    if (!line.ok()) return line.status();
    if (ParseRow(*line).ok()) {
      tail.kind = Tail::Kind::kEnded;
      return tail;
    }
  }
  tail.kind = Tail::Kind::kMoved;
  tail.side_file = absl::StrCat(path, ".torn");
  if (absl::Status s = MoveAside(fd, *start, size, path, tail.side_file);
      !s.ok()) {
    return s;
  }
  return tail;
}

// So that an append that failed leaves no trace. Not where somebody wrote
// without the lock meanwhile: it is his, too, that would be cut off.
absl::Status CutBack(int fd, const std::string& path, int64_t size,
                     int64_t written, const absl::Status& why) {
  if (written == 0) return why;
  const absl::StatusOr<int64_t> now = SizeOf(fd, path);
  if (now.ok() && *now == size + written &&
      ftruncate(fd, static_cast<off_t>(size)) == 0) {
    fsync(fd);  // its failure leaves what a killed writer leaves
    return why;
  }
  return absl::Status(
      why.code(),
      absl::StrCat(why.message(), "; what had been written by then, ", written,
                   " bytes, could not be cut off"));
}

absl::StatusOr<Tail> AppendLocked(int fd, const std::string& path,
                                  absl::string_view text) {
  absl::StatusOr<int64_t> size = SizeOf(fd, path);
  if (!size.ok()) return size.status();
  if (*size == 0) {
    // Before the first byte: whoever finds bytes in the file need not ask
    // whether its name is on the disk.
    if (absl::Status s = SyncFolder(FolderOf(path)); !s.ok()) return s;
  }
  absl::StatusOr<Tail> tail = RepairTail(fd, *size, path);
  if (!tail.ok()) return tail.status();
  std::string with_end;
  if (tail->kind == Tail::Kind::kMoved) *size -= tail->bytes;
  if (tail->kind == Tail::Kind::kEnded) {
    with_end = absl::StrCat("\n", text);
    text = with_end;
  }
  int64_t written = 0;
  absl::Status status = WriteAll(fd, text, path, &written);
  if (status.ok()) status = Sync(fd, path);
  if (!status.ok()) return CutBack(fd, path, *size, written, status);
  return tail;
}

absl::StatusOr<Tail> Append(const std::string& path, absl::string_view text,
                            absl::Time deadline) {
  if (absl::Status s = MakeFolder(FolderOf(path)); !s.ok()) return s;
  while (true) {
    absl::StatusOr<Descriptor> fd = OpenRegular(path, O_RDWR);
    if (!fd.ok()) return fd.status();
    if (absl::Status s = Lock(fd->get(), path, deadline); !s.ok()) return s;
    if (IsStillAt(fd->get(), path)) {
      absl::StatusOr<Tail> tail = AppendLocked(fd->get(), path, text);
      // A file that was replaced since does not hold what was just written. If
      // its successor does, the row is there twice, which counts as once.
      if (!tail.ok() || IsStillAt(fd->get(), path)) return tail;
    }
    if (absl::Now() >= deadline) {
      return absl::DeadlineExceededError(absl::StrCat(
          path, " was replaced again and again; nothing was written to it"));
    }
  }
}

}  // namespace

std::string DescribeTail(absl::string_view path, const Tail& tail) {
  switch (tail.kind) {
    case Tail::Kind::kWhole:
      return "";
    case Tail::Kind::kEnded:
      return absl::StrCat(path,
                          " ended with a whole row without a line end: the "
                          "writer before did not finish. It got its line end.");
    case Tail::Kind::kMoved:
      return absl::StrCat(
          path, " ended with ", tail.bytes,
          " bytes of a line that the writer before did not finish, and did not "
          "report as written. They are now in ",
          tail.side_file, ".");
  }
  return "";
}

absl::StatusOr<Tail> AppendRow(const std::string& path, const Row& row,
                               absl::Time deadline) {
  return AppendRows(path, absl::MakeConstSpan(&row, 1), deadline);
}

absl::StatusOr<Tail> AppendRows(const std::string& path,
                                absl::Span<const Row> rows,
                                absl::Time deadline) {
  std::string text;
  for (const Row& row : rows) {
    const absl::StatusOr<std::string> line = FormatRow(row);
    if (!line.ok()) return line.status();
    text.append(*line);
  }
  if (text.empty()) return absl::InvalidArgumentError("there is no row");
  return Append(path, text, deadline);
}

absl::StatusOr<Tail> AppendLines(const std::string& path,
                                 absl::Span<const std::string> lines,
                                 absl::Time deadline) {
  std::string text;
  for (const std::string& line : lines) {
    if (!absl::EndsWith(line, "\n")) {
      return absl::InvalidArgumentError("a line has no line end");
    }
    if (absl::StatusOr<Row> row = ParseRow(line); !row.ok()) {
      return row.status();
    }
    text.append(line);
  }
  if (text.empty()) return absl::InvalidArgumentError("there is no line");
  return Append(path, text, deadline);
}

}  // namespace tactus::ledger
