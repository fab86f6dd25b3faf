#include "gate/worktree.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "ledger/provenance/git.h"

namespace tactus::gate {
namespace {

// To check out a large repository on a slow disk.
constexpr absl::Duration kPatience = absl::Minutes(5);

}  // namespace

absl::StatusOr<std::unique_ptr<Worktree>> Worktree::Make(
    const std::string& repository, const std::string& revision) {
  absl::StatusOr<std::string> commit = ledger::RunGit(
      repository, {"rev-parse", "--quiet", "--verify", "--end-of-options",
                   absl::StrCat(revision, "^{commit}")});
  if (!commit.ok()) {
    return absl::NotFoundError(
        absl::StrCat("git knows no commit '", revision, "' in ", repository));
  }
  std::error_code error;
  const std::filesystem::path base =
      std::filesystem::temp_directory_path(error);
  std::string scratch =
      absl::StrCat(error ? "/tmp" : base.string(), "/tactus-compare-XXXXXX");
  if (mkdtemp(scratch.data()) == nullptr) {
    return absl::InternalError(absl::StrCat("cannot make ", scratch));
  }
  // make_unique cannot reach a private constructor. From here on it is removed
  // whatever happens.
  std::unique_ptr<Worktree> worktree(new Worktree(
      repository, std::string(absl::StripAsciiWhitespace(*commit)), scratch));
  absl::StatusOr<std::string> added =
      ledger::RunGit(repository,
                     {"worktree", "add", "--quiet", "--detach",
                      worktree->folder(), worktree->commit()},
                     kPatience);
  if (!added.ok()) return added.status();
  return worktree;
}

Worktree::~Worktree() {
  if (std::error_code error; std::filesystem::exists(folder(), error)) {
    const absl::StatusOr<std::string> removed = ledger::RunGit(
        repository_, {"worktree", "remove", "--force", folder()}, kPatience);
    if (!removed.ok()) {
      fprintf(stderr, "%s\n", removed.status().ToString().c_str());
    }
  }
  // Bazel makes what it has built read-only, folders as well.
  std::error_code error;
  for (auto at = std::filesystem::recursive_directory_iterator(
           scratch_, std::filesystem::directory_options::skip_permission_denied,
           error);
       !error && at != std::filesystem::recursive_directory_iterator();
       at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored) && !at->is_symlink(ignored)) {
      std::filesystem::permissions(at->path(),
                                   std::filesystem::perms::owner_all,
                                   std::filesystem::perm_options::add, ignored);
    }
  }
  std::filesystem::remove_all(scratch_, error);
  if (error) {
    fprintf(stderr, "%s is left: %s\n", scratch_.c_str(),
            error.message().c_str());
  }
}

}  // namespace tactus::gate
