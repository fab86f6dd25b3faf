#include "tools/audit/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/control/json_rpc.h"

namespace tactus::audit {
namespace {

using control::Quoted;

absl::Status Failed(const std::string& path, absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": it cannot be ", what, ": ", strerror(errno)));
}

std::string Line(const Entry& entry) {
  return absl::StrCat(
      "{\"time\":\"",
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", entry.time, absl::UTCTimeZone()),
      "\",\"peer\":", Quoted(entry.peer), ",\"server\":", Quoted(entry.server),
      ",\"tool\":", Quoted(entry.tool), ",\"outcome\":", Quoted(entry.outcome),
      "}\n");
}

absl::StatusOr<std::string> Whole(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0 && errno == ENOENT) return "";
  if (fd < 0) return Failed(path, "opened");
  const auto closed = absl::MakeCleanup([fd] { close(fd); });
  std::string text;
  char part[65536];
  for (;;) {
    const ssize_t n = read(fd, part, sizeof(part));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed(path, "read");
    if (n == 0) return text;
    text.append(part, static_cast<size_t>(n));
  }
}

// The lines of a file, and before them those of the one before it.
absl::StatusOr<std::string> Kept(const std::string& path) {
  absl::StatusOr<std::string> before = Whole(absl::StrCat(path, ".1"));
  if (!before.ok()) return before;
  absl::StatusOr<std::string> now = Whole(path);
  if (!now.ok()) return now;
  return absl::StrCat(*before, *now);
}

// As far as its time goes, which Line() has in front: text that is ordered as
// the times are.
absl::string_view TimeOf(absl::string_view lines) {
  constexpr absl::string_view kLike = R"({"time":"2026-03-01T12:00:00.000Z)";
  return lines.substr(0, std::min(kLike.size(), lines.find('\n')));
}

// The first of them, taken off, with its end.
absl::string_view TakeLine(absl::string_view& lines) {
  const size_t end = lines.find('\n');
  const size_t size = end == absl::string_view::npos ? lines.size() : end + 1;
  const absl::string_view line = lines.substr(0, size);
  lines.remove_prefix(size);
  return line;
}

}  // namespace

absl::Status Audit::Append(const Entry& entry) const {
  if (folder_.empty()) {
    return absl::FailedPreconditionError(
        "there is no folder to keep in what peers do: neither XDG_STATE_HOME "
        "nor HOME is set");
  }
  const std::string path =
      absl::StrCat(folder_, "/", entry.edit ? kEditsFile : kFile);
  const std::string line = Line(entry);
  // Once more where another process has put the file aside in between.
  for (int attempt = 0; attempt < 10; ++attempt) {
    const int fd =
        open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
             0600);
    if (fd < 0) return Failed(path, "opened");
    const auto closed = absl::MakeCleanup([fd] { close(fd); });
    if (flock(fd, LOCK_EX) != 0) return Failed(path, "locked");
    struct stat mine;
    struct stat there;
    if (fstat(fd, &mine) != 0) return Failed(path, "looked at");
    if (stat(path.c_str(), &there) != 0 || mine.st_ino != there.st_ino ||
        mine.st_dev != there.st_dev) {
      continue;
    }
    const auto size = static_cast<size_t>(mine.st_size);
    if (size > 0 && size + line.size() > most_bytes_) {
      if (rename(path.c_str(), absl::StrCat(path, ".1").c_str()) != 0) {
        return Failed(path, "put aside");
      }
      continue;
    }
    // A line that was torn when the machine went down is not to spoil this one.
    char last = '\n';
    const bool torn =
        size > 0 && pread(fd, &last, 1, mine.st_size - 1) == 1 && last != '\n';
    const std::string whole = torn ? absl::StrCat("\n", line) : line;
    if (write(fd, whole.data(), whole.size()) !=
        static_cast<ssize_t>(whole.size())) {
      return Failed(path, "written");
    }
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": it is put aside again and again"));
}

absl::StatusOr<std::string> Audit::Read() const {
  const auto others = Kept(absl::StrCat(folder_, "/", kFile));
  if (!others.ok()) return others;
  const auto edits = Kept(absl::StrCat(folder_, "/", kEditsFile));
  if (!edits.ok()) return edits;
  std::string all;
  absl::string_view left = *others;
  absl::string_view left_edits = *edits;
  while (!left.empty() || !left_edits.empty()) {
    const bool edit = left.empty() || (!left_edits.empty() &&
                                       TimeOf(left_edits) < TimeOf(left));
    absl::StrAppend(&all, TakeLine(edit ? left_edits : left));
    // One that was torn ends here all the same.
    if (all.back() != '\n') all.push_back('\n');
  }
  return all;
}

}  // namespace tactus::audit
