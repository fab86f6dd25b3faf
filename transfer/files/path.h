// What a peer may call a file here, and where a link may lead.
//
// Use it on every path and target that came from a peer, before anything is
// done with them. Paths are bytes, as file systems have them: any encoding or
// none, line ends too. What they may not do is leave the folder that they are
// relative to. Linux itself holds that once more (destination.h); here it is
// refused before anybody asks Linux.
//
// Example:
//
//   CheckPath("photos/1.jpg").ok();          // true
//   CheckPath("photos/../../x").ok();        // false
//   StaysInside("photos/last", "1.jpg");     // true
//   StaysInside("photos/last", "../../x");   // false
//
// Escape a path before it reaches a terminal: it may hold anything but NUL.
#ifndef TACTUS_TRANSFER_FILES_PATH_H_
#define TACTUS_TRANSFER_FILES_PATH_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tactus::transfer::files {

// Linux's own: PATH_MAX with its NUL, and NAME_MAX.
inline constexpr size_t kLongestPath = 4095;
inline constexpr size_t kLongestName = 255;
// Folders in folders: who walks them holds one open for each.
inline constexpr size_t kDeepestPath = 128;

// InvalidArgument unless it is names with a slash between each two: none empty,
// `.` or `..`, none longer than kLongestName or reserved (IsPartialName), no
// NUL, and not more or longer than above.
absl::Status CheckPath(absl::string_view path);

// The same of one name.
absl::Status CheckName(absl::string_view name);

// Whether a link at `path` with that target leads beneath the folder that
// `path` is relative to, whatever else lies there: the target is relative,
// climbs only at its beginning, and not above that folder. One that goes down
// and then up again could climb out by another link, and counts as outside.
bool StaysInside(absl::string_view path, absl::string_view target);

// What a file is called while it is not whole: the same for the same sender and
// the same name, so that a later try finds it; hidden, and no valid name for a
// peer to give.
std::string PartialName(absl::string_view sender, absl::string_view name);
bool IsPartialName(absl::string_view name);

// "a/b" and "c" of "a/b/c"; "" and "c" of "c".
absl::string_view FolderOf(absl::string_view path);
absl::string_view NameOf(absl::string_view path);

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_PATH_H_
