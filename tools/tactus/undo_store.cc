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
#include "ax/text/utf.h"
#include "tools/tactus/json.h"

namespace tactus::cli {
namespace {

// Of the file: a field of 64 Ki characters twice over, escaped, with room. What
// is longer could not be read back, so it is not written either.
constexpr size_t kMostBytes = size_t{8} << 20;

absl::Status Failed(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", what, " ", path));
}

// Whoever else can write there could make an undo write what he likes.
absl::Status CheckFolder(const std::string& folder) {
  struct stat found;
  if (lstat(folder.c_str(), &found) != 0) {
    return errno == ENOENT
               ? absl::NotFoundError(absl::StrCat("there is no ", folder))
               : Failed("look at", folder);
  }
  if (S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
      (found.st_mode & 077) == 0) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      folder,
      " is not a folder of yours alone; remove it, or chmod it to 700"));
}

absl::Status CannotKeep(absl::string_view why) {
  return absl::FailedPreconditionError(
      absl::StrCat("the edit cannot be undone later: ", why));
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
    return CannotKeep("XDG_RUNTIME_DIR is not set");
  }
  if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) {
    return Failed("make", folder_);
  }
  if (absl::Status ours = CheckFolder(folder_); !ours.ok()) {
    return CannotKeep(ours.message());
  }
  absl::Status status = Write(undo);
  // An undo that took back the edit before the last would be a wrong one.
  if (!status.ok()) Clear().IgnoreError();
  return status;
}

absl::Status UndoStore::Write(const ax::UndoRecord& undo) const {
  if (!ax::IsValidUtf8(undo.text) || !ax::IsValidUtf8(undo.expected)) {
    return CannotKeep("the field holds what is not valid UTF-8");
  }
  const std::string record = UndoJson(undo);
  if (record.size() > kMostBytes) {
    return CannotKeep(
        absl::StrCat("the text takes more than ", kMostBytes, " bytes"));
  }
  // Whole or not at all, also when two commands end at once.
  std::string temporary = absl::StrCat(folder_, "/undo.XXXXXX");
  const int fd = mkstemp(temporary.data());  // 0600
  if (fd < 0) return Failed("make a file in", folder_);
  absl::Status status = WriteAll(fd, record, temporary);
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
  if (absl::Status ours = CheckFolder(folder_); !ours.ok()) {
    return absl::IsNotFound(ours) ? none : ours;
  }
  const auto bad = [this](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat(path(), ": ", why, "; remove it"));
  };
  // A pipe in its place is not waited for.
  const int fd =
      open(path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ELOOP) return bad("it is a symbolic link");
  if (fd < 0) return errno == ENOENT ? none : Failed("read", path());
  const auto closed = absl::MakeCleanup([fd] { close(fd); });
  struct stat found;
  if (fstat(fd, &found) != 0) return Failed("look at", path());
  if (!S_ISREG(found.st_mode)) return bad("it is no file");
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t n = read(fd, part, sizeof(part));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("read", path());
    if (n == 0) break;
    text.append(part, static_cast<size_t>(n));
    if (text.size() > kMostBytes) {
      return bad("it is too long for a record of an edit");
    }
  }
  absl::StatusOr<ax::UndoRecord> undo = ParseUndo(text);
  if (!undo.ok()) return bad(undo.status().message());
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
