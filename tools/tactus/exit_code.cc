#include "tools/tactus/exit_code.h"

#include "absl/status/status.h"
#include "ax/edit/outcome.h"
#include "ax/snapshot/snapshot.h"

namespace tactus::cli {

ExitCode ExitCodeFor(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ExitCode::kDone;
    case absl::StatusCode::kInvalidArgument:
      return ExitCode::kUsage;
    case absl::StatusCode::kFailedPrecondition:
      return ExitCode::kCannotRun;
    default:
      return ExitCode::kFailed;
  }
}

ExitCode ExitCodeFor(ax::Outcome outcome) {
  switch (outcome) {
    case ax::Outcome::kVerified:
      return ExitCode::kDone;
    case ax::Outcome::kRefused:
    case ax::Outcome::kFailed:
      return ExitCode::kFailed;
    case ax::Outcome::kDiverged:
      return ExitCode::kDiverged;
    case ax::Outcome::kUnknown:
      return ExitCode::kUnknown;
  }
  return ExitCode::kUnknown;
}

ExitCode ExitCodeFor(const ax::Snapshot& snapshot) {
  if (!snapshot.role.ok()) return ExitCode::kFailed;
  if (snapshot.secure || snapshot.value.ok() ||
      absl::IsUnimplemented(snapshot.value.status())) {
    return ExitCode::kDone;
  }
  return ExitCode::kFailed;
}

}  // namespace tactus::cli
