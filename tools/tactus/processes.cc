#include "tools/tactus/processes.h"

#include <sys/stat.h>
#include <sys/types.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tactus::cli {
namespace {

// Of one file of /proc. A browser's command line takes some 4 KiB; what is
// longer than this is not looked at.
constexpr size_t kMaxBytes = size_t{256} << 10;

std::string ReadStart(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content(kMaxBytes, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(
      static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return content;
}

// The fourth field of /proc/PID/stat. The second is the name in parentheses and
// may hold spaces and parentheses of its own.
std::optional<pid_t> ParentIn(const std::string& stat) {
  const size_t name_end = stat.rfind(") ");
  if (name_end == std::string::npos) return std::nullopt;
  const std::vector<std::string> fields =
      absl::StrSplit(stat.substr(name_end + 2), absl::MaxSplits(' ', 2));
  pid_t parent = 0;
  if (fields.size() < 3 || !absl::SimpleAtoi(fields[1], &parent)) {
    return std::nullopt;
  }
  return parent;
}

}  // namespace

std::vector<Process> AllProcesses(const std::string& proc) {
  std::vector<Process> processes;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(proc, error), end;
       !error && entry != end; entry.increment(error)) {
    Process process;
    if (!absl::SimpleAtoi(entry->path().filename().string(), &process.pid)) {
      continue;
    }
    const std::string folder = entry->path().string();
    struct stat info = {};
    if (stat(folder.c_str(), &info) != 0) continue;
    process.user = info.st_uid;
    const std::optional<pid_t> parent =
        ParentIn(ReadStart(absl::StrCat(folder, "/stat")));
    if (!parent.has_value()) continue;
    process.parent = *parent;
    const std::string command = ReadStart(absl::StrCat(folder, "/cmdline"));
    process.command =
        absl::StrSplit(absl::StripSuffix(command, std::string(1, '\0')), '\0');
    processes.push_back(std::move(process));
  }
  return processes;
}

std::string ProcessName(const std::string& proc, pid_t pid) {
  const std::string name = ReadStart(absl::StrCat(proc, "/", pid, "/comm"));
  return std::string(absl::StripSuffix(name, "\n"));
}

}  // namespace tactus::cli
