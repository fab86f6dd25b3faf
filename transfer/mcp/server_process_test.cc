#include "transfer/mcp/server_process.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "transfer/clock/clock.h"
#include "transfer/mcp/open_files.h"
#include "transfer/mcp/testing/no_threads.h"

namespace tactus::transfer {
namespace {

// Long enough for a busy machine; what is late fails.
absl::Time Later() { return Clock::Real().Now() + absl::Seconds(60); }
absl::Time Soon() { return Clock::Real().Now() + absl::Milliseconds(50); }

std::unique_ptr<ServerProcess> Launch(std::vector<std::string> arguments) {
  auto server =
      ServerProcess::Start({.arguments = std::move(arguments)}, Later());
  EXPECT_TRUE(server.ok()) << server.status();
  return server.ok() ? *std::move(server) : nullptr;
}
std::unique_ptr<ServerProcess> Shell(const std::string& script) {
  return Launch({"sh", "-c", script});
}

// Up to the end of a line, or of all.
std::string ReadLine(ServerProcess& server) {
  std::string line;
  char byte = 0;
  while (server.Read(absl::MakeSpan(&byte, 1), Later()).value_or(0) == 1) {
    if (byte == '\n') break;
    line.push_back(byte);
  }
  return line;
}
std::string ReadAll(ServerProcess& server) {
  std::string all;
  char part[4096];
  for (;;) {
    const size_t n = server.Read(absl::MakeSpan(part), Later()).value_or(0);
    if (n == 0) return all;
    all.append(part, n);
  }
}

// Whether it has ended; one that nobody has waited for yet has.
bool IsGone(pid_t pid) {
  std::ifstream stat(absl::StrCat("/proc/", pid, "/stat"));
  std::string text;
  if (!std::getline(stat, text)) return true;
  const size_t name = text.rfind(')');
  return name == std::string::npos || text.substr(name, 3) == ") Z";
}
bool GoesAway(pid_t pid) {
  const absl::Time end = Later();
  while (!IsGone(pid)) {
    if (Clock::Real().Now() > end) return false;
    Clock::Real().SleepUntil(Clock::Real().Now() + absl::Milliseconds(5));
  }
  return true;
}
pid_t Number(const std::string& text) {
  int number = 0;
  EXPECT_TRUE(absl::SimpleAtoi(text, &number)) << text;
  return number;
}

TEST(ServerProcess, CarriesBytesBothWaysAndTellsTheExit) {
  const auto server = Launch({"cat"});
  const std::string bytes("a\0\xFF\r\nb", 6);
  ASSERT_TRUE(server->Write(bytes, Later()).ok());
  server->CloseInput();
  EXPECT_EQ(ReadAll(*server), bytes);
  EXPECT_EQ(server->Wait(Later()).value(), (ServerEnd{0, 0}));
}

TEST(ServerProcess, TellsTheCodeOrTheSignal) {
  EXPECT_EQ(Shell("exit 7")->Wait(Later()).value(), (ServerEnd{7, 0}));
  EXPECT_EQ(Shell("kill -ABRT $$")->Wait(Later()).value(),
            (ServerEnd{0, SIGABRT}));
}

TEST(ServerProcess, ProgramThatCannotBeRunIsTold) {
  const auto start = [](const std::string& program) {
    return ServerProcess::Start({.arguments = {program}}, Later()).status();
  };
  EXPECT_EQ(start("no-such-program-of-tactus").code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(start("/nowhere/at/all").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(start("/etc/passwd").code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(start("").code(), absl::StatusCode::kInvalidArgument);
}

TEST(ServerProcess, WhereTheSystemGivesNoThreadThatIsTold) {
  {
    const NoThreads none;
    EXPECT_EQ(ServerProcess::Start({.arguments = {"cat"}}, Later()).status(),
              absl::UnavailableError("the system gives no thread"));
  }
  EXPECT_EQ(Shell("exit 7")->Wait(Later()).value(), (ServerEnd{7, 0}));
}

TEST(ServerProcess, ServerHasTheLimitOfDescriptorsThatWasThere) {
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_GE(before.rlim_max, 600u) << "the hard limit is too low to tell";
  const rlimit few = {500, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_EQ(ReadAll(*Shell("ulimit -Sn")), "500\n");
  RaiseOpenFiles();
  // Another time changes nothing.
  RaiseOpenFiles();
  rlimit now;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &now), 0);
  EXPECT_EQ(now.rlim_cur, std::min<rlim_t>(kMostOpenFiles, before.rlim_max));
  EXPECT_EQ(now.rlim_max, before.rlim_max);
  EXPECT_EQ(ReadAll(*Shell("ulimit -Sn")), "500\n");
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(ServerProcess, MegabyteOfErrorsBeforeAReplyBlocksNothing) {
  const auto server = Shell(
      "head -c 1048576 /dev/zero | tr '\\0' e >&2; echo last >&2; echo done");
  EXPECT_EQ(ReadLine(*server), "done");
  EXPECT_EQ(ReadAll(*server), "");
  EXPECT_TRUE(server->Wait(Later()).ok());
  server->WaitForErrorsEnd(Later());
  const ServerErrors errors = server->TakeErrors();
  EXPECT_EQ(errors.text.size(), ServerProcess::kKeptErrors);
  EXPECT_EQ(errors.dropped, 1048576 + 5 - ServerProcess::kKeptErrors);
  EXPECT_EQ(errors.text.substr(errors.text.size() - 6), "elast\n");
  EXPECT_EQ(server->TakeErrors().text, "");
}

TEST(ServerProcess, ServerThatNeverAnswersIsALateReadAndNoMore) {
  const auto server = Launch({"sleep", "1000"});
  char byte = 0;
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      server->Read(absl::MakeSpan(&byte, 1), Soon()).status()));
  EXPECT_TRUE(absl::IsDeadlineExceeded(server->Wait(Soon()).status()));
  EXPECT_EQ(server->Stop(), (ServerEnd{0, SIGTERM}));
}

TEST(ServerProcess, ServerThatDoesNotReadIsALateWrite) {
  const auto server = Launch({"sleep", "1000"});
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      server->Write(std::string(1 << 20, 'a'), Soon())));
}

TEST(ServerProcess, ServerThatReadsNoMoreIsUnavailable) {
  const auto server = Shell("exec <&-; echo closed; exec sleep 1000");
  EXPECT_EQ(ReadLine(*server), "closed");
  EXPECT_TRUE(absl::IsUnavailable(server->Write("a", Later())));
}

TEST(ServerProcess, ServerThatIgnoresBeingAskedIsKilled) {
  const auto server =
      Shell("trap '' TERM; echo ready; while :; do sleep 1; done");
  EXPECT_EQ(ReadLine(*server), "ready");
  EXPECT_EQ(server->Stop(), (ServerEnd{0, SIGKILL}));
}

TEST(ServerProcess, NothingThatItStartedOutlivesIt) {
  const auto server = Shell(
      "sleep 1000 & echo $!; setsid sleep 1000 & sleep 0.2;"
      "pgrep -P $$ -n; exec cat");
  const pid_t in_group = Number(ReadLine(*server));
  const pid_t elsewhere = Number(ReadLine(*server));
  server->CloseInput();
  EXPECT_EQ(server->Wait(Later()).value(), (ServerEnd{0, 0}));
  EXPECT_TRUE(GoesAway(in_group));
  EXPECT_TRUE(GoesAway(elsewhere));
}

TEST(ServerProcess, ItHasNoDescriptorsButItsOwnThree) {
  // `ls` has one more, for the folder that it lists.
  EXPECT_EQ(ReadAll(*Launch({"ls", "/proc/self/fd"})), "0\n1\n2\n3\n");
}

TEST(ServerProcess, SignalsAreAsAtTheBeginning) {
  signal(SIGPIPE, SIG_IGN);
  const auto server =
      Shell("grep -E '^Sig(Blk|Ign):' /proc/self/status | cut -f2");
  signal(SIGPIPE, SIG_DFL);
  EXPECT_EQ(ReadLine(*server), "0000000000000000");
  // The C library's own, beyond 31, are not ours to change.
  uint64_t ignored = 0;
  ASSERT_TRUE(absl::SimpleHexAtoi(ReadLine(*server), &ignored));
  EXPECT_EQ(ignored & 0x7FFFFFFF, 0u);
}

TEST(ServerProcess, KeeperThatIsKilledTakesTheServerAlong) {
  const auto server = Shell("echo $PPID; echo $$; exec sleep 1000");
  const pid_t keeper = Number(ReadLine(*server));
  const pid_t pid = Number(ReadLine(*server));
  ASSERT_NE(keeper, getpid());
  kill(keeper, SIGKILL);
  EXPECT_TRUE(GoesAway(pid));
  EXPECT_EQ(server->Wait(Later()).value(), (ServerEnd{0, SIGKILL}));
}

TEST(ServerProcess, HundredThatAreKilledLeaveNothingBehind) {
  // Whoever runs a server is killed; the server ignores being asked, and so
  // does a helper of its own. Ten at a time, for the memory.
  for (int round = 0; round < 10; ++round) {
    std::vector<pid_t> left;
    std::vector<pid_t> runners;
    for (int i = 0; i < 10; ++i) {
      int told[2];
      ASSERT_EQ(pipe(told), 0);
      const pid_t runner = fork();
      ASSERT_GE(runner, 0);
      if (runner == 0) {
        auto server = Shell(
            "trap '' TERM; sleep 1000 & echo $$ $! $PPID; "
            "while :; do sleep 1; done");
        const std::string line = absl::StrCat(ReadLine(*server), "\n");
        if (write(told[1], line.data(), line.size()) < 0) _exit(1);
        for (;;) pause();
      }
      close(told[1]);
      std::string line;
      char byte = 0;
      while (read(told[0], &byte, 1) == 1 && byte != '\n') line.push_back(byte);
      close(told[0]);
      for (absl::string_view pid : absl::StrSplit(line, ' ')) {
        left.push_back(Number(std::string(pid)));
      }
      runners.push_back(runner);
    }
    for (const pid_t runner : runners) {
      kill(runner, SIGKILL);
      waitpid(runner, nullptr, 0);
    }
    ASSERT_EQ(left.size(), 30u);
    for (const pid_t pid : left) EXPECT_TRUE(GoesAway(pid)) << pid;
  }
}

}  // namespace
}  // namespace tactus::transfer
