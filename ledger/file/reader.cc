#include "ledger/file/reader.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ledger/file/file_name.h"
#include "ledger/file/lines.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

// Some hundred rows a read.
constexpr size_t kBlock = size_t{64} << 10;

absl::Status Failed(absl::string_view what, absl::string_view path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", what, " ", path));
}

// The digest that an id spells.
using Id = std::array<uint64_t, 2>;

Id IdOf(absl::string_view text) {
  Id id = {};
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const uint64_t digit =
        static_cast<uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    id[i / 16 % 2] = id[i / 16 % 2] << 4 | digit;
  }
  return id;
}

absl::Status Scan(int fd, const std::string& path, RowScanner& scanner) {
  std::vector<char> block(kBlock);
  while (true) {
    const ssize_t n = read(fd, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("read", path);
    if (n == 0) return scanner.Finish();
    absl::Status status = scanner.Feed({block.data(), static_cast<size_t>(n)});
    if (!status.ok()) return status;
  }
}

}  // namespace

std::string DescribeRejection(const Rejection& rejection) {
  return absl::StrCat(rejection.file, ":", rejection.line, ": ",
                      rejection.reason);
}

RowScanner::RowScanner(std::string file, OnRow on_row, OnRejected on_rejected)
    : file_(std::move(file)),
      on_row_(on_row),
      on_rejected_(on_rejected),
      lines_(kMaxLine) {}

absl::Status RowScanner::Feed(absl::string_view piece) {
  lines_.Feed(piece, [this](const SplitLine& line) { return TakeLine(line); });
  return status_;
}

absl::Status RowScanner::Finish() {
  lines_.Finish([this](const SplitLine& line) { return TakeLine(line); });
  return status_;
}

bool RowScanner::TakeLine(const SplitLine& line) {
  ++counts_.lines;
  counts_.bytes += line.bytes;
  const auto reject = [&](Rejection::Kind kind, absl::string_view reason) {
    ++counts_.rejected;
    on_rejected_({.kind = kind,
                  .file = file_,
                  .line = line.number,
                  .reason = std::string(reason)});
    return true;
  };
  if (line.too_long) {
    return reject(
        Rejection::Kind::kTooLong,
        absl::StrCat("row: ", line.bytes, " bytes, of at most ", kMaxLine));
  }
  absl::StatusOr<Row> row = ParseRow(line.text);
  if (!row.ok() && !line.ended) {
    return reject(Rejection::Kind::kNoEnd,
                  "row: the file ends within it: its append was cut short, or "
                  "is not over yet");
  }
  if (!row.ok()) {
    return reject(Rejection::Kind::kMalformed, row.status().message());
  }
  ++counts_.rows;
  status_ = on_row_({.file = file_, .line = line.number, .text = line.text},
                    *std::move(row));
  return status_.ok();
}

absl::StatusOr<ReadCounts> ReadFile(const std::string& path, OnRow on_row,
                                    OnRejected on_rejected) {
  // Without O_NONBLOCK, opening a pipe waits for its writer.
  const int fd =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return Failed("open", path);
  const auto closed = absl::MakeCleanup([fd] { close(fd); });
  struct stat found;
  if (fstat(fd, &found) != 0) return Failed("look at", path);
  if (!S_ISREG(found.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, " is ", S_ISDIR(found.st_mode) ? "a folder" : "no regular file",
        ": a file of rows was expected"));
  }
  RowScanner scanner(path, on_row, on_rejected);
  if (absl::Status s = Scan(fd, path, scanner); !s.ok()) return s;
  ReadCounts counts = scanner.counts();
  counts.files = 1;
  return counts;
}

absl::StatusOr<std::vector<std::string>> LedgerFiles(
    const std::string& folder) {
  DIR* const stream = opendir(folder.c_str());
  if (stream == nullptr) return Failed("open the folder", folder);
  const auto closed = absl::MakeCleanup([stream] { closedir(stream); });
  std::vector<std::string> files;
  while (true) {
    errno = 0;
    const dirent* const entry = readdir(stream);
    if (entry == nullptr) break;
    const absl::string_view name = entry->d_name;
    // A hidden file is an editor's or a tool's, half written as like as not.
    if (absl::StartsWith(name, ".") || !absl::EndsWith(name, kLedgerSuffix)) {
      continue;
    }
    files.push_back(
        absl::StrCat(folder, absl::EndsWith(folder, "/") ? "" : "/", name));
  }
  if (errno != 0) return Failed("read the folder", folder);
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<ReadCounts> ReadFolder(const std::string& path, OnRow on_row,
                                      OnRejected on_rejected) {
  const absl::StatusOr<std::vector<std::string>> files = LedgerFiles(path);
  if (!files.ok()) return files.status();
  absl::flat_hash_set<Id> seen;
  ReadCounts counts;
  const auto once = [&](const Place& place, Row row) -> absl::Status {
    if (seen.insert(IdOf(row.id)).second) {
      ++counts.rows;
      return on_row(place, std::move(row));
    }
    ++counts.duplicates;
    on_rejected({.kind = Rejection::Kind::kDuplicate,
                 .file = std::string(place.file),
                 .line = place.line,
                 .reason = absl::StrCat("id: '", row.id,
                                        "' was there before: the same row, "
                                        "which counts once")});
    return absl::OkStatus();
  };
  for (const std::string& file : *files) {
    const absl::StatusOr<ReadCounts> of_file =
        ReadFile(file, once, on_rejected);
    if (!of_file.ok()) return of_file.status();
    ++counts.files;
    counts.bytes += of_file->bytes;
    counts.lines += of_file->lines;
    counts.rejected += of_file->rejected;
  }
  return counts;
}

}  // namespace tactus::ledger
