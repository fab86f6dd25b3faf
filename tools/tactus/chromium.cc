#include "tools/tactus/chromium.h"

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tools/tactus/processes.h"

namespace tactus::cli {
namespace {

std::string ProgramOf(const Process& process) {
  if (process.command.empty()) return "";
  // A child of Chromium writes its whole command line into the first argument.
  const std::string path =
      std::vector<std::string>(absl::StrSplit(process.command.front(), " --"))
          .front();
  return path.substr(path.rfind('/') + 1);
}

bool HasWord(const Process& process, absl::string_view word) {
  for (const std::string& argument : process.command) {
    for (absl::string_view piece : absl::StrSplit(argument, ' ')) {
      // --force-renderer-accessibility=complete is the same flag.
      if (piece == word ||
          (absl::StartsWith(piece, word) && piece[word.size()] == '=')) {
        return true;
      }
    }
  }
  return false;
}

bool IsChild(const Process& process) {
  for (absl::string_view type :
       {"--type=zygote", "--type=renderer", "--type=gpu-process"}) {
    if (HasWord(process, type)) return true;
  }
  return false;
}

}  // namespace

std::vector<Browser> RunningBrowsers(absl::Span<const Process> processes,
                                     uid_t user) {
  absl::flat_hash_map<pid_t, const Process*> by_pid;
  for (const Process& process : processes) by_pid[process.pid] = &process;

  std::map<pid_t, Browser> found;
  for (const Process& process : processes) {
    // Qt's own Chromium speaks to accessibility through Qt, flag or no flag.
    if (process.user != user || !IsChild(process) ||
        ProgramOf(process) == "QtWebEngineProcess") {
      continue;
    }
    // Renderers are children of the zygote, and that of the browser.
    const Process* main = &process;
    for (size_t steps = 0; IsChild(*main) && steps < processes.size();
         ++steps) {
      const auto parent = by_pid.find(main->parent);
      if (parent == by_pid.end()) break;
      main = parent->second;
    }
    // A browser that has ended leaves its children to others for a moment.
    // Electron starts them by another name of the same program.
    const std::string program = ProgramOf(process);
    if (IsChild(*main) || (program != "exe" && program != ProgramOf(*main))) {
      continue;
    }
    found[main->pid] = {main->pid, ProgramOf(*main),
                        HasWord(*main, kAccessibilityFlag)};
  }
  std::vector<Browser> browsers;
  for (const auto& [pid, browser] : found) browsers.push_back(browser);
  return browsers;
}

}  // namespace tactus::cli
