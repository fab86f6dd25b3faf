// Opens files beneath a folder and nowhere else, whatever lies in between.
//
// Use it for every path that is relative to a folder and was not made by
// whoever uses it. It is openat2 (Linux 5.6) with RESOLVE_BENEATH,
// RESOLVE_NO_SYMLINKS and RESOLVE_NO_MAGICLINKS: the kernel refuses a path that
// climbs, begins at the root, or has a link in it, its last name included, at
// the moment when it opens it, so that nobody can exchange a folder for a link
// in between.
//
// Example:
//
//   absl::StatusOr<UniqueFd> fd = OpenBeneath(folder, "a/b", O_RDONLY, 0);
//
// Caveat: a folder that is moved out by somebody of this machine, while it is
// open, is still written to. That is whoever may move it doing so.
#ifndef TACTUS_TRANSFER_FILES_BENEATH_H_
#define TACTUS_TRANSFER_FILES_BENEATH_H_

#include <sys/types.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "transfer/files/unique_fd.h"

namespace tactus::transfer::files {

// PermissionDenied for a path that leads out or over a link; NotFound;
// FailedPrecondition on a kernel without openat2; otherwise what errno says,
// with the path escaped. O_CLOEXEC and O_NOCTTY are added to `flags`.
absl::StatusOr<UniqueFd> OpenBeneath(int folder, const std::string& path,
                                     int flags, mode_t mode);

// A status of errno, with what could not be done and the path, escaped.
absl::Status ErrnoOf(int error, absl::string_view what, absl::string_view path);

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_BENEATH_H_
