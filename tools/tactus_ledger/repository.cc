#include "tools/tactus_ledger/repository.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "ledger/file/file_name.h"
#include "ledger/provenance/git.h"

namespace tactus::ledger {
namespace {

namespace fs = std::filesystem;

// The top of the repository that holds `folder`; empty where none does.
absl::StatusOr<std::string> TopOf(const std::string& folder) {
  const absl::StatusOr<std::string> top =
      RunGit(folder, {"rev-parse", "--show-toplevel"});
  if (top.ok()) return std::string(absl::StripTrailingAsciiWhitespace(*top));
  // A bare one holds no folder that a ledger could be in.
  if (absl::StrContains(top.status().message(), "not a git repository") ||
      absl::StrContains(top.status().message(), "in a work tree")) {
    return "";
  }
  return top.status();
}

// `path` itself or the folder above it that is there.
fs::path FirstThatIsThere(fs::path path) {
  std::error_code ignored;
  while (!fs::is_directory(path, ignored) && path.has_relative_path()) {
    path = path.parent_path();
  }
  return path;
}

}  // namespace

absl::StatusOr<LedgerPlace> FindLedger(absl::string_view option,
                                       const std::string& here) {
  if (option.empty()) {
    const absl::StatusOr<std::string> top = TopOf(here);
    if (!top.ok()) return top.status();
    if (top->empty()) {
      return absl::NotFoundError(
          absl::StrCat(here,
                       " is in no git repository, so there is no default: name "
                       "the ledger with --ledger DIR"));
    }
    return LedgerPlace{.folder = absl::StrCat(*top, "/", kLedgerFolder),
                       .repository = *top,
                       .within = kLedgerFolder};
  }
  std::error_code error;
  const fs::path folder =
      fs::weakly_canonical(fs::path(here) / std::string(option), error);
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat("--ledger ", option, ": ", error.message()));
  }
  LedgerPlace place = {.folder = folder.string()};
  const absl::StatusOr<std::string> top =
      TopOf(FirstThatIsThere(folder).string());
  if (!top.ok()) return top.status();
  if (!top->empty()) {
    place.repository = *top;
    place.within = folder.lexically_relative(*top).string();
  }
  return place;
}

absl::StatusOr<std::string> ResolveCommit(const LedgerPlace& place,
                                          const std::string& revision) {
  if (place.repository.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("--commit: ", place.folder, " is in no git repository"));
  }
  const absl::StatusOr<std::string> commit = RunGit(
      place.repository, {"rev-parse", "--verify", "--quiet", "--end-of-options",
                         absl::StrCat(revision, "^{commit}")});
  if (!commit.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--commit '", revision,
                                                   "': ", place.repository,
                                                   " has no such commit"));
  }
  return std::string(absl::StripAsciiWhitespace(*commit));
}

absl::StatusOr<KnownCommits> ReadCommits(const LedgerPlace& place) {
  KnownCommits known;
  const absl::StatusOr<std::string> shallow =
      RunGit(place.repository, {"rev-parse", "--is-shallow-repository"});
  if (!shallow.ok()) return shallow.status();
  known.shallow = absl::StripAsciiWhitespace(*shallow) == "true";
  // Before the first commit there is no HEAD to begin at.
  const bool head =
      RunGit(place.repository, {"rev-parse", "--verify", "--quiet", "HEAD"})
          .ok();
  if (!head) return known;
  const absl::StatusOr<std::string> list =
      RunGit(place.repository, {"rev-list", "--all", "HEAD"});
  if (!list.ok()) return list.status();
  for (const absl::string_view commit :
       absl::StrSplit(*list, '\n', absl::SkipEmpty())) {
    known.commits.emplace(commit);
  }
  return known;
}

}  // namespace tactus::ledger
