#include "tools/config/trusted_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <optional>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tactus::config {
namespace {

absl::Status Bad(const std::string& path, absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat(path, ": ", what));
}

absl::Status Failed(const std::string& path, absl::string_view what) {
  return Bad(path, absl::StrCat("it cannot be ", what, ": ", strerror(errno)));
}

// Those of the folders above `path` that are missing.
void MakeFolders(const std::string& path) {
  for (size_t at = path.find('/', 1); at != std::string::npos;
       at = path.find('/', at + 1)) {
    // What failed is told by who opens the file.
    (void)mkdir(path.substr(0, at).c_str(), 0700);
  }
}

bool WriteAll(int fd, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

}  // namespace

absl::StatusOr<std::optional<std::string>> ReadTrustedFile(
    const std::string& path, size_t most) {
  // A pipe in its place is not waited for.
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (fd < 0) return Failed(path, "opened");
  const auto closed = absl::MakeCleanup([fd] { close(fd); });
  struct stat found;
  if (fstat(fd, &found) != 0) return Failed(path, "looked at");
  if (!S_ISREG(found.st_mode)) return Bad(path, "it is no file");
  if ((found.st_uid != geteuid() && found.st_uid != 0) ||
      (found.st_mode & 022) != 0) {
    return Bad(path,
               "others can write to it, and so could take a denial out: chmod "
               "it to 600, and own it");
  }
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t n = read(fd, part, sizeof(part));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed(path, "read");
    if (n == 0) break;
    text.append(part, static_cast<size_t>(n));
    if (text.size() > most) {
      return Bad(path, absl::StrCat("it is longer than ", most, " bytes"));
    }
  }
  return text;
}

absl::Status ReplaceTrustedFile(const std::string& path,
                                absl::string_view text) {
  MakeFolders(path);
  const std::string fresh = absl::StrCat(path, ".new");
  // Left by one that was killed.
  (void)unlink(fresh.c_str());
  const int fd =
      open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return Failed(fresh, "made");
  const auto closed = absl::MakeCleanup([fd] { close(fd); });
  if (!WriteAll(fd, text) || fsync(fd) != 0) {
    absl::Status failed = Failed(fresh, "written");
    (void)unlink(fresh.c_str());
    return failed;
  }
  if (rename(fresh.c_str(), path.c_str()) != 0) return Failed(path, "replaced");
  return absl::OkStatus();
}

}  // namespace tactus::config
