// Another commit of this repository, checked out outside of the tree.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<Worktree>> base =
//       Worktree::Make("/src/tactus", "main");
//   if (!base.ok()) return base.status();
//   Build((*base)->folder());
//
// It is gone from the disk and from git's list when this is destroyed, and so
// is everything that was put in its scratch folder.
#ifndef TACTUS_GATE_WORKTREE_H_
#define TACTUS_GATE_WORKTREE_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace tactus::gate {

class Worktree {
 public:
  // NotFound where git knows no such commit in `repository`.
  static absl::StatusOr<std::unique_ptr<Worktree>> Make(
      const std::string& repository, const std::string& revision);
  ~Worktree();
  Worktree(const Worktree&) = delete;
  Worktree& operator=(const Worktree&) = delete;

  std::string folder() const { return scratch_ + "/tree"; }
  // Beside the tree: a place for what is built from it.
  const std::string& scratch() const { return scratch_; }
  const std::string& commit() const { return commit_; }

 private:
  Worktree(std::string repository, std::string commit, std::string scratch)
      : repository_(std::move(repository)),
        commit_(std::move(commit)),
        scratch_(std::move(scratch)) {}

  const std::string repository_;
  const std::string commit_;
  const std::string scratch_;
};

}  // namespace tactus::gate

#endif  // TACTUS_GATE_WORKTREE_H_
