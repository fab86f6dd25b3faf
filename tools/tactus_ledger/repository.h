// Where the ledger is, and the git repository around it.
//
// Example:
//
//   absl::StatusOr<LedgerPlace> place = FindLedger("", "/src/tactus/ax");
//   place->folder      // "/src/tactus/docs/perf/data"
//   place->repository  // "/src/tactus"
//   place->within      // "docs/perf/data"
#ifndef TACTUS_TOOLS_TACTUS_LEDGER_REPOSITORY_H_
#define TACTUS_TOOLS_TACTUS_LEDGER_REPOSITORY_H_

#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::ledger {

struct LedgerPlace {
  std::string folder;      // absolute; it may not be there yet
  std::string repository;  // the top of the one around it; empty without one
  std::string within;      // the folder below that
};

// `option` is a folder, relative to `here`; empty is docs/perf/data of the
// repository that holds `here`. NotFound where there is none.
absl::StatusOr<LedgerPlace> FindLedger(absl::string_view option,
                                       const std::string& here);

// The 40 digits of what git calls `revision`. InvalidArgument where it knows no
// such commit, FailedPrecondition without a repository.
absl::StatusOr<std::string> ResolveCommit(const LedgerPlace& place,
                                          const std::string& revision);

// The commits that branches, tags and HEAD lead to: those that somebody who
// clones the repository has as well.
struct KnownCommits {
  absl::flat_hash_set<std::string> commits;
  bool shallow = false;  // there may be more of them elsewhere
};
absl::StatusOr<KnownCommits> ReadCommits(const LedgerPlace& place);

}  // namespace tactus::ledger

#endif  // TACTUS_TOOLS_TACTUS_LEDGER_REPOSITORY_H_
