#include "tools/tactus/doctor.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {
namespace {

using State = Check::State;

ax::Snapshot Field() {
  ax::Snapshot snapshot;
  snapshot.application.name = "editor";
  snapshot.role = ax::RoleValue{ax::Role::kTextArea, "text"};
  snapshot.value = "secret words";
  snapshot.window = {0, 12};
  snapshot.elapsed = absl::Microseconds(1250);
  return snapshot;
}

void ExpectHasRemedy(const Check& check) {
  EXPECT_NE(check.remedy, "") << check.name;
  EXPECT_NE(check.found, "") << check.name;
}

TEST(DoctorTest, VerdictIsTheWorstOfTheChecks) {
  const Check ok = {"a", State::kOk, "", ""};
  const Check note = {"b", State::kNote, "", ""};
  const Check missing = {"c", State::kMissing, "", ""};
  const Check failed = {"d", State::kFailed, "", ""};
  EXPECT_EQ(Verdict({{ok, note}}), ExitCode::kDone);
  EXPECT_EQ(Verdict({{ok, failed}}), ExitCode::kFailed);
  EXPECT_EQ(Verdict({{failed, missing}}), ExitCode::kCannotRun);
}

TEST(DoctorTest, SessionBusThatIsNotNeededIsNotMissing) {
  const absl::Status none = absl::FailedPreconditionError("not set");
  EXPECT_EQ(CheckSessionBus(absl::OkStatus(), true).state, State::kOk);
  EXPECT_EQ(CheckSessionBus(none, true).state, State::kMissing);
  EXPECT_EQ(CheckSessionBus(none, false).state, State::kNote);
  ExpectHasRemedy(CheckSessionBus(none, true));
}

TEST(DoctorTest, ServiceThatIsNotInstalledNamesItsPackage) {
  const Check check =
      CheckService(absl::FailedPreconditionError("ServiceUnknown"), true);
  EXPECT_EQ(check.state, State::kMissing);
  EXPECT_TRUE(absl::StrContains(check.remedy, "at-spi2-core"));
  EXPECT_EQ(CheckService(absl::OkStatus(), true).state, State::kOk);
  EXPECT_EQ(CheckService(absl::DeadlineExceededError("late"), true).state,
            State::kFailed);
}

TEST(DoctorTest, SwitchThatIsOffIsMissingWithTheCommandThatSetsIt) {
  const Check off = CheckSwitch(false);
  EXPECT_EQ(off.state, State::kMissing);
  EXPECT_TRUE(
      absl::StrContains(off.remedy,
                        "busctl --user set-property org.a11y.Bus /org/a11y/bus "
                        "org.a11y.Status IsEnabled b true"));
  EXPECT_EQ(CheckSwitch(true).state, State::kOk);
}

TEST(DoctorTest, AccessibilityBusThatHangsIsNoMissingOne) {
  EXPECT_EQ(CheckAccessibilityBus("unix:path=/x").state, State::kOk);
  EXPECT_EQ(CheckAccessibilityBus(absl::DeadlineExceededError("")).state,
            State::kFailed);
  const Check missing =
      CheckAccessibilityBus(absl::FailedPreconditionError("gone"));
  EXPECT_EQ(missing.state, State::kMissing);
  ExpectHasRemedy(missing);
}

TEST(DoctorTest, EitherDisplayWillDo) {
  const absl::Status none = absl::FailedPreconditionError("DISPLAY is not set");
  EXPECT_EQ(CheckDisplay(absl::OkStatus(), false).state, State::kOk);
  EXPECT_EQ(CheckDisplay(absl::OkStatus(), true).state, State::kOk);
  EXPECT_EQ(CheckDisplay(none, true).state, State::kOk);
  EXPECT_EQ(CheckDisplay(none, false).state, State::kMissing);
  ExpectHasRemedy(CheckDisplay(none, false));
}

TEST(DoctorTest, WindowManagerMustTellTheActiveWindowExceptOnWayland) {
  const absl::Status none = absl::NotFoundError("none");
  EXPECT_EQ(CheckWindowManager(WindowManager{"Openbox", true}, false).state,
            State::kOk);
  EXPECT_EQ(CheckWindowManager(WindowManager{"twm", false}, false).state,
            State::kMissing);
  EXPECT_EQ(CheckWindowManager(none, false).state, State::kMissing);
  EXPECT_EQ(CheckWindowManager(none, true).state, State::kNote);
  ExpectHasRemedy(CheckWindowManager(none, false));
}

TEST(DoctorTest, BrowserWithoutTheFlagIsNamedWithBothRemedies) {
  EXPECT_EQ(CheckBrowsers({}).state, State::kOk);
  EXPECT_EQ(CheckBrowsers({{{1, "chromium", true}}}).state, State::kOk);
  const Check check =
      CheckBrowsers({{{1, "chromium", true}, {20, "code", false}}});
  EXPECT_EQ(check.state, State::kMissing);
  EXPECT_TRUE(absl::StrContains(check.found, "code (process 20)"));
  EXPECT_FALSE(absl::StrContains(check.found, "chromium"));
  EXPECT_TRUE(
      absl::StrContains(check.remedy, "code --force-renderer-accessibility"));
  EXPECT_TRUE(absl::StrContains(check.remedy, "--launcher-override code"));
}

TEST(DoctorTest, ProgramsNameNeverBecomesPartOfACommandUnlessItIsPlain) {
  const Check check = CheckBrowsers({{{1, "a; rm -rf x", false}}});
  EXPECT_TRUE(absl::StrContains(check.found, "a; rm -rf x"));
  EXPECT_FALSE(absl::StrContains(check.remedy, "rm"));
}

TEST(DoctorTest, ReadIsToldWithoutItsText) {
  const Check check = CheckRead(Field());
  EXPECT_EQ(check.state, State::kOk);
  EXPECT_EQ(check.found, "12 characters: text of editor, 1.2 ms");
}

TEST(DoctorTest, ReadOfASecureFieldIsWell) {
  ax::Snapshot snapshot = Field();
  snapshot.secure = true;
  snapshot.value = absl::PermissionDeniedError("secure");
  EXPECT_EQ(CheckRead(snapshot).state, State::kOk);
}

TEST(DoctorTest, ReadOfWhatHoldsNoTextIsWell) {
  ax::Snapshot snapshot = Field();
  snapshot.value = absl::UnimplementedError("no text");
  EXPECT_EQ(CheckRead(snapshot).state, State::kOk);
}

TEST(DoctorTest, ConfigurationThatCannotBeUsedIsMissing) {
  const Check none = CheckConfiguration(config::Config());
  EXPECT_EQ(none.state, State::kOk);
  EXPECT_EQ(none.found, "none");
  const Check used =
      CheckConfiguration(config::Config{.denied = {"a", "b"}, .path = "/c"});
  EXPECT_EQ(used.state, State::kOk);
  EXPECT_EQ(used.found, "/c, which denies 2 applications");
  const Check wrong =
      CheckConfiguration(absl::FailedPreconditionError("/c:2: wrong"));
  EXPECT_EQ(wrong.state, State::kMissing);
  EXPECT_EQ(wrong.found, "/c:2: wrong");
  EXPECT_EQ(wrong.remedy, "edit that file, or remove it");
}

TEST(DoctorTest, ReadThatFailsSaysHowToTryAgain) {
  ax::Snapshot late = Field();
  late.value = absl::DeadlineExceededError("late");
  ax::Snapshot unknown = Field();
  unknown.role = absl::DataLossError("strange");
  unknown.secure = true;
  for (const Check& check :
       {CheckRead(absl::NotFoundError("nothing has the focus")),
        CheckRead(late), CheckRead(unknown)}) {
    EXPECT_EQ(check.state, State::kFailed);
    EXPECT_TRUE(absl::StrContains(check.remedy, "--in 3s"));
  }
}

}  // namespace
}  // namespace tactus::cli
