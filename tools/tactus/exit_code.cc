#include "tools/tactus/exit_code.h"

#include "absl/status/status.h"
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

ExitCode ExitCodeFor(const ax::Snapshot& snapshot) {
  if (!snapshot.role.ok()) return ExitCode::kFailed;
  if (snapshot.secure || snapshot.value.ok() ||
      absl::IsUnimplemented(snapshot.value.status())) {
    return ExitCode::kDone;
  }
  return ExitCode::kFailed;
}

}  // namespace tactus::cli
