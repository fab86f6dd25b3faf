#include "transfer/files/path.h"

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "transfer/files/content_hash.h"

namespace tactus::transfer::files {
namespace {

constexpr absl::string_view kPartialBegin = ".tactus-";
constexpr absl::string_view kPartialEnd = ".part";

// The part up to the next slash; takes it and the slash off `path`.
absl::string_view TakeName(absl::string_view* path) {
  const size_t slash = path->find('/');
  const absl::string_view name = path->substr(0, slash);
  *path = slash == absl::string_view::npos ? absl::string_view()
                                           : path->substr(slash + 1);
  return name;
}

}  // namespace

absl::Status CheckName(absl::string_view name) {
  if (name.empty() || name == "." || name == "..") {
    return absl::InvalidArgumentError(
        "a path holds an empty name, a dot or two");
  }
  if (name.size() > kLongestName) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a name has ", name.size(), " bytes, more than ", kLongestName));
  }
  if (name.find('\0') != absl::string_view::npos ||
      name.find('/') != absl::string_view::npos) {
    return absl::InvalidArgumentError("a name holds a NUL or a slash");
  }
  if (IsPartialName(name)) {
    return absl::InvalidArgumentError(
        "a name is one of those that unfinished files have");
  }
  return absl::OkStatus();
}

absl::Status CheckPath(absl::string_view path) {
  if (path.size() > kLongestPath) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a path has ", path.size(), " bytes, more than ", kLongestPath));
  }
  if (path.empty() || path.back() == '/') {
    return absl::InvalidArgumentError("a path is empty or ends with a slash");
  }
  size_t depth = 0;
  while (!path.empty()) {
    if (++depth > kDeepestPath) {
      return absl::InvalidArgumentError(
          absl::StrCat("a path is deeper than ", kDeepestPath, " folders"));
    }
    if (absl::Status name = CheckName(TakeName(&path)); !name.ok()) return name;
  }
  return absl::OkStatus();
}

bool StaysInside(absl::string_view path, absl::string_view target) {
  if (target.empty() || target.size() > kLongestPath || target[0] == '/' ||
      target.find('\0') != absl::string_view::npos) {
    return false;
  }
  size_t above = 0;  // folders between the link and the folder of all
  for (const char c : path) above += c == '/' ? 1 : 0;
  bool climbing = true;
  while (!target.empty()) {
    const absl::string_view name = TakeName(&target);
    if (name == "..") {
      if (!climbing || above == 0) return false;
      --above;
    } else if (!name.empty() && name != ".") {
      climbing = false;
    }
  }
  return true;
}

std::string PartialName(absl::string_view sender, absl::string_view name) {
  return absl::StrCat(
      kPartialBegin,
      HashOf(absl::StrCat(sender, absl::string_view("\0", 1), name)).Hex(),
      kPartialEnd);
}

bool IsPartialName(absl::string_view name) {
  return absl::StartsWith(name, kPartialBegin) &&
         absl::EndsWith(name, kPartialEnd);
}

absl::string_view FolderOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? absl::string_view()
                                          : path.substr(0, slash);
}

absl::string_view NameOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace tactus::transfer::files
