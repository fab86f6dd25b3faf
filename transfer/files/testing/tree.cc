#include "transfer/files/testing/tree.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <ios>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/path.h"

namespace tactus::transfer::files {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Die(const std::string& path) {
  std::perror(path.c_str());
  std::abort();
}

std::vector<std::string> PathsBeneath(const std::string& root) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  const char* base = getenv("TEST_TMPDIR");
  path_ = absl::StrCat(base == nullptr ? "/tmp" : base, "/files.XXXXXX");
  if (mkdtemp(path_.data()) == nullptr) Die(path_);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void MakeFolders(const std::string& path) { fs::create_directories(path); }

void WriteFile(const std::string& path, const std::string& bytes, mode_t mode) {
  MakeFolders(fs::path(path).parent_path().string());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file || chmod(path.c_str(), mode) != 0) Die(path);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void SetTime(const std::string& path, int64_t seconds, int64_t nanoseconds) {
  const timespec times[2] = {{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                             {.tv_sec = seconds, .tv_nsec = nanoseconds}};
  if (utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) {
    Die(path);
  }
}

std::string Noise(size_t size, uint64_t seed) {
  std::string bytes(size, '\0');
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (char& byte : bytes) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    byte = static_cast<char>(state >> 32);
  }
  return bytes;
}

std::vector<std::string> DescribeTree(const std::string& root) {
  std::vector<std::string> lines;
  for (const std::string& path : PathsBeneath(root)) {
    struct stat info;
    if (lstat(path.c_str(), &info) != 0) Die(path);
    std::string line =
        absl::StrCat(absl::BytesToHexString(path.substr(root.size() + 1)), " ",
                     S_ISDIR(info.st_mode)   ? "folder"
                     : S_ISLNK(info.st_mode) ? "link"
                     : S_ISREG(info.st_mode) ? "file"
                                             : "other",
                     " ", S_ISLNK(info.st_mode) ? 0 : info.st_mode & 07777, " ",
                     info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec);
    if (S_ISLNK(info.st_mode)) {
      absl::StrAppend(&line, " ", fs::read_symlink(path).string());
    }
    if (S_ISREG(info.st_mode)) {
      absl::StrAppend(&line, " ", info.st_size, " ",
                      HashOf(ReadFile(path)).Hex());
    }
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> PartialFiles(const std::string& root) {
  std::vector<std::string> found;
  for (const std::string& path : PathsBeneath(root)) {
    if (IsPartialName(NameOf(path))) found.push_back(path);
  }
  return found;
}

}  // namespace tactus::transfer::files
