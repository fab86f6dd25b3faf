#include "tools/tactus/exit_code.h"

#include <string>

#include "absl/status/status.h"
#include "ax/edit/outcome.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::cli {
namespace {

ax::Snapshot Read(absl::StatusOr<std::string> value) {
  ax::Snapshot snapshot;
  snapshot.role = ax::RoleValue{ax::Role::kTextField, "entry"};
  snapshot.value = std::move(value);
  return snapshot;
}

TEST(ExitCodeTest, NumbersAreThoseOfTheDocumentation) {
  int expected = 0;
  for (const ExitCodeMeaning& entry : kExitCodes) {
    EXPECT_EQ(static_cast<int>(entry.code), expected++);
  }
  EXPECT_EQ(expected, 6);
}

TEST(ExitCodeTest, ErrorsOfReadingAreSafeToTryAgain) {
  for (const absl::Status& status :
       {absl::NotFoundError(""), absl::UnavailableError(""),
        absl::DeadlineExceededError(""), absl::PermissionDeniedError(""),
        absl::UnimplementedError(""), absl::DataLossError(""),
        absl::UnknownError(""), absl::InternalError("")}) {
    EXPECT_EQ(ExitCodeFor(status), ExitCode::kFailed) << status;
  }
}

TEST(ExitCodeTest, MachineThatCannotIsTold) {
  EXPECT_EQ(ExitCodeFor(absl::FailedPreconditionError("")),
            ExitCode::kCannotRun);
}

TEST(ExitCodeTest, WrongArgumentIsUsage) {
  EXPECT_EQ(ExitCodeFor(absl::InvalidArgumentError("")), ExitCode::kUsage);
}

TEST(ExitCodeTest, SuccessIsDone) {
  EXPECT_EQ(ExitCodeFor(absl::OkStatus()), ExitCode::kDone);
}

TEST(ExitCodeTest, EachOutcomeOfAnEditHasItsCode) {
  EXPECT_EQ(ExitCodeFor(ax::Outcome::kVerified), ExitCode::kDone);
  EXPECT_EQ(ExitCodeFor(ax::Outcome::kRefused), ExitCode::kFailed);
  EXPECT_EQ(ExitCodeFor(ax::Outcome::kFailed), ExitCode::kFailed);
  EXPECT_EQ(ExitCodeFor(ax::Outcome::kUnknown), ExitCode::kUnknown);
  EXPECT_EQ(ExitCodeFor(ax::Outcome::kDiverged), ExitCode::kDiverged);
}

TEST(ExitCodeTest, SnapshotWithTextIsDone) {
  EXPECT_EQ(ExitCodeFor(Read("text")), ExitCode::kDone);
}

TEST(ExitCodeTest, SecureFieldIsDoneWithoutText) {
  ax::Snapshot snapshot = Read(absl::PermissionDeniedError("secure"));
  snapshot.secure = true;
  EXPECT_EQ(ExitCodeFor(snapshot), ExitCode::kDone);
}

TEST(ExitCodeTest, ElementThatHoldsNoTextIsDone) {
  EXPECT_EQ(ExitCodeFor(Read(absl::UnimplementedError("no text"))),
            ExitCode::kDone);
}

TEST(ExitCodeTest, TextThatDidNotComeIsAFailure) {
  EXPECT_EQ(ExitCodeFor(Read(absl::DeadlineExceededError(""))),
            ExitCode::kFailed);
  EXPECT_EQ(ExitCodeFor(Read(absl::DataLossError(""))), ExitCode::kFailed);
}

TEST(ExitCodeTest, RoleThatDidNotComeIsAFailureThoughTreatedAsSecure) {
  ax::Snapshot snapshot = Read(absl::PermissionDeniedError("may be secure"));
  snapshot.role = absl::DeadlineExceededError("");
  snapshot.secure = true;
  EXPECT_EQ(ExitCodeFor(snapshot), ExitCode::kFailed);
}

}  // namespace
}  // namespace tactus::cli
