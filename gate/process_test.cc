#include "gate/process.h"

#include <signal.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace tactus::gate {
namespace {

TEST(Process, CodeOutputAndErrorsAreTaken) {
  const absl::StatusOr<Ran> ran =
      RunProgram({"sh", "-c", "echo out; echo err >&2; exit 3"}, {});
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(ran->code, 3);
  EXPECT_EQ(ran->out, "out\n");
  EXPECT_EQ(ran->err, "err\n");
  EXPECT_FALSE(ran->timed_out);
}

TEST(Process, ProgramThatIsNotThereIsAnErrorAndNoExitCode) {
  EXPECT_TRUE(
      absl::IsNotFound(RunProgram({"no-such-program-anywhere"}, {}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(RunProgram({}, {}).status()));
}

TEST(Process, DeadlineEndsIt) {
  const absl::StatusOr<Ran> ran =
      RunProgram({"sleep", "1000"}, {.patience = absl::Milliseconds(50)});
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_TRUE(ran->timed_out);
  EXPECT_EQ(ran->code, 128 + SIGTERM);
}

TEST(Process, DaemonThatKeepsThePipeOpenDoesNotKeepUsWaiting) {
  const absl::StatusOr<Ran> ran = RunProgram(
      {"sh", "-c", "sleep 1000 & echo $!"}, {.patience = absl::Hours(1)});
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(ran->code, 0);
  EXPECT_FALSE(ran->timed_out);
  kill(static_cast<pid_t>(std::stoi(ran->out)), SIGKILL);
}

TEST(Process, MoreOutputThanIsKeptIsDroppedAndTheProgramGoesOn) {
  const absl::StatusOr<Ran> ran = RunProgram(
      {"sh", "-c", "head -c 100000 /dev/zero; exit 7"}, {.most = 10});
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(ran->out.size(), 10U);
  EXPECT_EQ(ran->code, 7);
}

TEST(Process, EnvironmentIsSetAndTakenAwayAndTheFolderChosen) {
  const absl::StatusOr<Ran> ran =
      RunProgram({"sh", "-c", "echo ${A-none} ${HOME-none}; pwd"},
                 {.folder = "/", .environment = {{"A", "b"}, {"HOME", ""}}});
  ASSERT_TRUE(ran.ok()) << ran.status();
  EXPECT_EQ(ran->out, "b none\n/\n");
}

TEST(Process, LastLineThatSaysSomethingIsTheReason) {
  EXPECT_EQ(LastLine("one\n two \n\n  \n"), "two");
  EXPECT_EQ(LastLine(""), "");
}

// The last one: what is stopped stays so.
TEST(ProcessStop, SignalEndsWhatRunsAndLetsTheCallerGoOn) {
  StopOnSignals();
  const absl::StatusOr<Ran> ran =
      RunProgram({"sh", "-c", "kill -TERM $PPID; exec sleep 1000"}, {});
  EXPECT_TRUE(absl::IsCancelled(ran.status())) << ran.status();
  EXPECT_EQ(StoppedBy(), SIGTERM);
  EXPECT_TRUE(absl::IsCancelled(RunProgram({"true"}, {}).status()));
}

}  // namespace
}  // namespace tactus::gate
