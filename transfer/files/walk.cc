#include "transfer/files/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "transfer/files/beneath.h"
#include "transfer/files/path.h"
#include "transfer/files/unique_fd.h"

namespace tactus::transfer::files {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { closedir(dir); }
};

std::string Why(int error) {
  return std::string(absl::ErrnoToStatus(error, "it cannot be read").message());
}

absl::StatusOr<UniqueFd> PlainFile(UniqueFd fd, absl::string_view path) {
  struct stat info;
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return ErrnoOf(errno, "cannot open", path);
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::NotFoundError("it is no plain file any more");
  }
  return fd;
}

absl::Status WalkFolder(const Found& found, Visitor& visitor);

// What its type, as the folder tells it, says to do.
absl::Status WalkOne(const Found& found, unsigned char type, Visitor& visitor) {
  if (type == DT_UNKNOWN) {
    struct stat info;
    if (fstatat(found.folder, found.name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return visitor.OnLeftOut(found.path, Why(errno));
    }
    type = S_ISREG(info.st_mode)   ? DT_REG
           : S_ISDIR(info.st_mode) ? DT_DIR
           : S_ISLNK(info.st_mode) ? DT_LNK
                                   : DT_SOCK;
  }
  if (!CheckPath(found.path).ok()) {
    return visitor.OnLeftOut(
        found.path, "its path is too long or too deep, or its name is taken");
  }
  switch (type) {
    case DT_REG:
      return visitor.OnFile(found);
    case DT_DIR:
      return WalkFolder(found, visitor);
    case DT_LNK:
      return visitor.OnLink(found);
    default:
      return visitor.OnLeftOut(found.path,
                               "it is a socket, a pipe or a device");
  }
}

absl::Status WalkFolder(const Found& found, Visitor& visitor) {
  // A root may be named by a link.
  const int follow = found.folder == AT_FDCWD ? 0 : O_NOFOLLOW;
  UniqueFd fd(openat(found.folder, found.name,
                     O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow));
  struct stat info;
  if (!fd.valid() || fstat(fd.get(), &info) != 0) {
    return visitor.OnLeftOut(found.path, Why(errno));
  }
  const std::unique_ptr<DIR, CloseDir> dir(fdopendir(fd.get()));
  if (dir == nullptr) return visitor.OnLeftOut(found.path, Why(errno));
  const int folder = fd.Release();
  if (absl::Status entered = visitor.OnFolder(found, info); !entered.ok()) {
    return entered;
  }
  while (true) {
    errno = 0;
    const dirent* entry = readdir(dir.get());
    if (entry == nullptr && errno != 0) {
      absl::Status noted = visitor.OnLeftOut(found.path, Why(errno));
      if (!noted.ok()) return noted;
    }
    if (entry == nullptr) break;
    if (std::strcmp(entry->d_name, ".") == 0 ||
        std::strcmp(entry->d_name, "..") == 0) {
      continue;
    }
    const std::string path = absl::StrCat(found.path, "/", entry->d_name);
    absl::Status walked =
        WalkOne({path, folder, entry->d_name}, entry->d_type, visitor);
    if (!walked.ok()) return walked;
  }
  return visitor.OnFolderEnd(found, info);
}

}  // namespace

absl::Status Walk(const Root& root, Visitor& visitor) {
  struct stat info;
  if (stat(root.path.c_str(), &info) != 0) {
    return ErrnoOf(errno, "cannot send", root.path);
  }
  const Found found = {root.name, AT_FDCWD, root.path.c_str()};
  if (S_ISDIR(info.st_mode)) return WalkFolder(found, visitor);
  if (S_ISREG(info.st_mode)) return visitor.OnFile(found);
  return visitor.OnLeftOut(root.name, "it is a socket, a pipe or a device");
}

absl::StatusOr<UniqueFd> OpenFound(const Found& found) {
  const int follow = found.folder == AT_FDCWD ? 0 : O_NOFOLLOW;
  // A pipe that took its place must not be waited for.
  return PlainFile(
      UniqueFd(openat(found.folder, found.name,
                      O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | follow)),
      found.path);
}

absl::StatusOr<UniqueFd> OpenAgain(const Root& root, const std::string& path) {
  if (path == root.name) return OpenFound({path, AT_FDCWD, root.path.c_str()});
  const UniqueFd folder(
      open(root.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return ErrnoOf(errno, "cannot open", root.path);
  absl::StatusOr<UniqueFd> fd =
      OpenBeneath(folder.get(), path.substr(root.name.size() + 1),
                  O_RDONLY | O_NONBLOCK, 0);
  if (!fd.ok()) return fd.status();
  return PlainFile(*std::move(fd), path);
}

}  // namespace tactus::transfer::files
