#include "tools/tactus/undo_store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ax/edit/editor.h"
#include "tools/tactus/json.h"

namespace tactus::cli {
namespace {

// Of the file: a field of 64 Ki characters twice over, escaped, with room.
constexpr size_t kMostBytes = size_t{8} << 20;

absl::Status Failed(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", what, " ", path));
}

absl::Status WriteAll(int fd, absl::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("write", path);
    text.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

}  // namespace

std::string UndoStore::DefaultFolder() {
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  if (runtime == nullptr || runtime[0] != '/') return "";
  return absl::StrCat(runtime, "/tactus");
}

absl::Status UndoStore::Save(const ax::UndoRecord& undo) const {
  if (folder_.empty()) {
    return absl::FailedPreconditionError(
        "the edit cannot be undone later: XDG_RUNTIME_DIR is not set");
  }
  if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) {
    return Failed("make", folder_);
  }
  struct stat found;
  if (lstat(folder_.c_str(), &found) != 0) return Failed("look at", folder_);
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid() ||
      (found.st_mode & 077) != 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the edit cannot be undone later: ", folder_,
        " is not a folder of yours alone; remove it, or chmod it to 700"));
  }
  // Whole or not at all, also when two commands end at once.
  std::string temporary = absl::StrCat(folder_, "/undo.XXXXXX");
  const int fd = mkstemp(temporary.data());  // 0600
  if (fd < 0) return Failed("make a file in", folder_);
  absl::Status status = WriteAll(fd, UndoJson(undo), temporary);
  if (close(fd) != 0 && status.ok()) status = Failed("write", temporary);
  if (status.ok() && rename(temporary.c_str(), path().c_str()) != 0) {
    status = Failed("write", path());
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

absl::StatusOr<ax::UndoRecord> UndoStore::Load() const {
  const absl::Status none = absl::NotFoundError("no edit was kept to undo");
  if (folder_.empty()) return none;
  const int fd = open(path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? none : Failed("read", path());
  const auto closed = absl::MakeCleanup([fd] { close(fd); });
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t n = read(fd, part, sizeof(part));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("read", path());
    if (n == 0) break;
    text.append(part, static_cast<size_t>(n));
    if (text.size() > kMostBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat(path(), " is no record of an edit: too long"));
    }
  }
  absl::StatusOr<ax::UndoRecord> undo = ParseUndo(text);
  if (!undo.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path(), ": ", undo.status().message(), "; remove it"));
  }
  return undo;
}

absl::Status UndoStore::Clear() const {
  if (folder_.empty()) return absl::OkStatus();
  if (unlink(path().c_str()) != 0 && errno != ENOENT) {
    return Failed("remove", path());
  }
  return absl::OkStatus();
}

}  // namespace tactus::cli
