#include "transfer/files/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "transfer/files/unique_fd.h"

namespace tactus::transfer::files {
namespace {

// The kernel asks to try again when something was renamed just then.
constexpr int kTries = 64;

}  // namespace

absl::Status ErrnoOf(int error, absl::string_view what,
                     absl::string_view path) {
  return absl::ErrnoToStatus(
      error, absl::StrCat(what, " '", absl::Utf8SafeCEscape(path), "'"));
}

absl::StatusOr<UniqueFd> OpenBeneath(int folder, const std::string& path,
                                     int flags, mode_t mode) {
  open_how how = {};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC | O_NOCTTY);
  // openat2 takes no mode for what is not made.
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  int error = 0;
  for (int i = 0; i < kTries; ++i) {
    const long fd =
        syscall(SYS_openat2, folder, path.c_str(), &how, sizeof(how));
    if (fd >= 0) return UniqueFd(static_cast<int>(fd));
    error = errno;
    if (error != EAGAIN && error != EINTR) break;
  }
  if (error == ELOOP || error == EXDEV) {
    return absl::PermissionDeniedError(
        absl::StrCat("'", absl::Utf8SafeCEscape(path),
                     "' leads over a link, or out of its folder"));
  }
  if (error == ENOSYS) {
    return absl::FailedPreconditionError(
        "this kernel has no openat2: receiving files needs Linux 5.6");
  }
  return ErrnoOf(error, "cannot open", path);
}

}  // namespace tactus::transfer::files
