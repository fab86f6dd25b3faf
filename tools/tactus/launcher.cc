#include "tools/tactus/launcher.h"

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

namespace tactus::cli {
namespace {

std::string Environment(const char* name, const std::string& otherwise) {
  const char* value = getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

// Where the flag goes: before what stands for the files to open, or at the end.
// Not behind the first word, which may be `env` or `flatpak`.
size_t PlaceForFlag(const std::string& line) {
  for (size_t i = line.find(' '); i != std::string::npos;
       i = line.find(' ', i + 1)) {
    const std::string rest = line.substr(i + 1, 2);
    if (rest.size() == 2 &&
        ((rest[0] == '%' && rest[1] != '%') || rest == "@@")) {
      return i;
    }
  }
  return line.size();
}

}  // namespace

std::vector<std::string> LauncherFolders() {
  std::vector<std::string> folders = {Environment(
      "XDG_DATA_HOME", absl::StrCat(Environment("HOME", ""), "/.local/share"))};
  const std::vector<std::string> shared = absl::StrSplit(
      Environment("XDG_DATA_DIRS", "/usr/local/share:/usr/share"), ':',
      absl::SkipEmpty());
  folders.insert(folders.end(), shared.begin(), shared.end());
  for (std::string& folder : folders) folder.append("/applications");
  return folders;
}

absl::StatusOr<std::string> ReadLauncher(
    const std::string& name, absl::Span<const std::string> folders) {
  const absl::string_view stem = absl::StripSuffix(name, ".desktop");
  for (const std::string& folder : folders) {
    std::ifstream file(absl::StrCat(folder, "/", stem, ".desktop"),
                       std::ios::binary);
    if (!file) continue;
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  return absl::NotFoundError(
      absl::StrCat("there is no launcher ", stem, ".desktop in ",
                   absl::StrJoin(folders, ", "),
                   ": look there for the name of the application's own"));
}

absl::StatusOr<std::string> WithFlag(const std::string& launcher,
                                     const std::string& flag) {
  for (const char byte : launcher) {
    if ((static_cast<unsigned char>(byte) < 0x20 && byte != '\n' &&
         byte != '\t' && byte != '\r') ||
        byte == 0x7F) {
      return absl::DataLossError(
          "the launcher holds control characters: it is none");
    }
  }
  std::vector<std::string> lines = absl::StrSplit(launcher, '\n');
  bool any = false;
  for (std::string& line : lines) {
    // Started through D-Bus it would not be by its command line.
    if (absl::StartsWith(line, "DBusActivatable=")) {
      line = "DBusActivatable=false";
    }
    if (!absl::StartsWith(line, "Exec=")) continue;
    any = true;
    if (absl::StrContains(line, flag)) continue;
    line.insert(PlaceForFlag(line), absl::StrCat(" ", flag));
  }
  if (!any) return absl::DataLossError("the launcher has no Exec line");
  return absl::StrJoin(lines, "\n");
}

}  // namespace tactus::cli
