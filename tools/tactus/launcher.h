// Launchers (.desktop files), and a copy of one that starts its program with
// the flag by which Chromium shows its pages to accessibility.
//
// A file of the same name in the user's own folder takes the place of the
// system's, and survives its updates. It is made here and saved by the user,
// since it changes how their browser starts.
//
// Example:
//
//   absl::StatusOr<std::string> launcher =
//       ReadLauncher("chromium", LauncherFolders());
//   if (launcher.ok()) Print(*WithFlag(*launcher, kAccessibilityFlag));
//
// Source: Desktop Entry Specification 1.5; XDG Base Directory Specification.
#ifndef TACTUS_TOOLS_TACTUS_LAUNCHER_H_
#define TACTUS_TOOLS_TACTUS_LAUNCHER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tactus::cli {

// Where launchers are, the user's own first.
std::vector<std::string> LauncherFolders();

// The first NAME.desktop in `folders`. NotFound when there is none.
absl::StatusOr<std::string> ReadLauncher(const std::string& name,
                                         absl::Span<const std::string> folders);

// `launcher` with `flag` in each of its command lines; one that has it stays.
// DataLoss when it holds no command line, or control characters.
absl::StatusOr<std::string> WithFlag(const std::string& launcher,
                                     const std::string& flag);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_LAUNCHER_H_
