// What git says of a working tree, asked of the `git` command.
//
// Use it to say which commit was measured and whether the tree was that commit.
//
// Example:
//
//   absl::StatusOr<Revision> revision =
//       ReadRevision("/src/tactus", "docs/perf/data");
//   row.commit = revision->commit;
//   row.dirty = revision->dirty;
//
// The user's configuration is not read, so that a hook or an alias of theirs
// changes nothing.
#ifndef TACTUS_LEDGER_PROVENANCE_GIT_H_
#define TACTUS_LEDGER_PROVENANCE_GIT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tactus::ledger {

struct Revision {
  std::string commit;  // 40 digits; empty before the first commit
  bool dirty = false;
};

// Of the repository that holds `folder`. Dirty when anything differs from the
// commit, or is new and not ignored, but for what lies below `but`, which is
// relative to the top of the repository. NotFound where there is no repository.
absl::StatusOr<Revision> ReadRevision(const std::string& folder,
                                      absl::string_view but);

// What `git ARGUMENTS` prints when run in `folder`. Internal with what it said
// where it fails; DeadlineExceeded, and it is stopped; ResourceExhausted when
// it prints more than `most` bytes.
absl::StatusOr<std::string> RunGit(const std::string& folder,
                                   const std::vector<std::string>& arguments,
                                   absl::Duration patience = absl::Seconds(30),
                                   size_t most = size_t{64} << 20);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_PROVENANCE_GIT_H_
