#include "tools/config/state_folder.h"

#include <stdlib.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace tactus::config {

std::string StateFolder() {
  const char* home = getenv("XDG_STATE_HOME");
  if (home != nullptr && home[0] == '/') return absl::StrCat(home, "/tactus");
  home = getenv("HOME");
  if (home == nullptr || home[0] != '/') return "";
  return absl::StrCat(home, "/.local/state/tactus");
}

}  // namespace tactus::config
