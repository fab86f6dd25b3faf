// Whether a ledger is what it claims to be.
//
// Example:
//
//   absl::StatusOr<Verdict> verdict = Verify(place, [](absl::string_view line)
//   {
//     std::cout << line << '\n';
//   });
//   return verdict.ok() && verdict->findings == 0 ? 0 : 1;
//
// A finding: a line that is no row or has not its own id; a series of two units
// or directions; a commit that the repository does not have; a line that
// changed since it was committed; and no row at all. A note is what is no
// fault, or cannot be known here: a row that is there twice, commits in a
// shallow clone, a ledger outside of git.
#ifndef TACTUS_TOOLS_TACTUS_LEDGER_VERIFY_H_
#define TACTUS_TOOLS_TACTUS_LEDGER_VERIFY_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/tactus_ledger/repository.h"

namespace tactus::ledger {

struct Verdict {
  int64_t rows = 0;
  int64_t files = 0;
  int64_t findings = 0;
  int64_t notes = 0;
  int64_t unknown_commits = 0;  // that a clone with all of history may have
};

// Tells each finding, and each note after "note: ". An error is that the ledger
// or git could not be read, so that nothing is known.
absl::StatusOr<Verdict> Verify(const LedgerPlace& place,
                               absl::FunctionRef<void(absl::string_view)> tell);

// The last line: "12 rows in 3 files: 0 findings".
std::string DescribeVerdict(const Verdict& verdict);

}  // namespace tactus::ledger

#endif  // TACTUS_TOOLS_TACTUS_LEDGER_VERIFY_H_
