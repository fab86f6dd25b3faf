// Who goes on serving the clipboard when the process that owned it has ended.
//
// A keeper is a small process of its own that takes the clipboard from a
// Clipboard, serves it until somebody else takes it, and ends. It ends with the
// display too, and on nothing else: the clipboard is the user's for as long as
// it is not replaced.
//
// Example: the whole of a keeper's program.
//
//   int main() {
//     return KeepClipboard(kKeeperContent, kKeeperReport).ok() ? 0 : 1;
//   }
//
// Caveat: KeepClipboard forks, so it is to be called before anything starts a
// thread.
#ifndef TACTUS_AX_X11_KEEPER_H_
#define TACTUS_AX_X11_KEEPER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ax/x11/selection.h"

namespace tactus::ax::x11 {

// The file descriptors that a keeper is started with: what to serve, and where
// to say that it does.
inline constexpr int kKeeperContent = 3;
inline constexpr int kKeeperReport = 4;

// Starts `program` (a path and its arguments) as a keeper and serves on until
// it owns the clipboard and all that was begun is handed out. On an error
// `selection` still owns what it owned: Unavailable with the keeper's reason,
// or DeadlineExceeded.
absl::Status HandToKeeper(Selection& selection, const std::string& display,
                          const std::vector<std::string>& program,
                          absl::Time deadline);

// Leaves the process that started it, takes the clipboard from the owner that
// `content_fd` names and serves it. Returns OK when somebody has taken the
// clipboard, or the display has ended; the error that was reported when it
// could not begin. Both descriptors are closed.
absl::Status KeepClipboard(int content_fd, int report_fd);

}  // namespace tactus::ax::x11

#endif  // TACTUS_AX_X11_KEEPER_H_
