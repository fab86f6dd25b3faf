#include "ledger/file/append.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "ledger/file/reader.h"
#include "ledger/file/sample_row.h"
#include "ledger/file/scratch_folder.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

absl::Time Soon() { return absl::Now() + absl::Minutes(5); }

absl::StatusOr<Tail> AppendSample(const std::string& path, int64_t number) {
  return AppendRow(path, SampleRow(number), Soon());
}

std::string Line(int64_t number) { return *FormatRow(SampleRow(number)); }

// For thousands of appends: of the disk, each takes milliseconds, and what dies
// in these tests are processes, which the disk outlives as the memory does.
const char* InMemory() {
  return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TEST_TMPDIR");
}

// The numbers of the samples that a file holds, in its order. Any line that is
// no row is a failure.
std::vector<int64_t> Numbers(const std::string& path) {
  std::vector<int64_t> numbers;
  const absl::StatusOr<ReadCounts> read = ReadFile(
      path,
      [&](const Place&, const Row& row) {
        numbers.push_back(static_cast<int64_t>(row.samples.back()));
        return absl::OkStatus();
      },
      [](const Rejection& rejection) {
        ADD_FAILURE() << DescribeRejection(rejection);
      });
  EXPECT_TRUE(read.ok()) << read.status();
  return numbers;
}

// Runs `body` in a process of its own; answers how that ended, as waitpid does.
// What `body` answers is the exit code.
int InChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    // A signal that kills writes no core: the disk is not what is tested.
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    _exit(body());
  }
  int ending = 0;
  EXPECT_EQ(waitpid(child, &ending, 0), child);
  return ending;
}

void LimitFileSize(uint64_t bytes) {
  const rlimit limit = {bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

TEST(Append, MakesFileAndFoldersAndAddsALineEachTime) {
  const ScratchFolder scratch;
  const std::string path = scratch.File("docs/perf/data/a.jsonl");
  const absl::StatusOr<Tail> tail = AppendSample(path, 1);
  ASSERT_TRUE(tail.ok()) << tail.status();
  EXPECT_EQ(tail->kind, Tail::Kind::kWhole);
  EXPECT_EQ(DescribeTail(path, *tail), "");
  ASSERT_TRUE(AppendRows(path, {SampleRow(2), SampleRow(3)}, Soon()).ok());
  ASSERT_TRUE(AppendLines(path, {Line(4)}, Soon()).ok());
  EXPECT_EQ(ReadAll(path), Line(1) + Line(2) + Line(3) + Line(4));
}

TEST(Append, RefusedRowMakesNoFile) {
  const ScratchFolder scratch;
  const std::string path = scratch.File("a.jsonl");
  Row row = SampleRow(1);
  row.series = "No Series";
  EXPECT_EQ(AppendRow(path, row, Soon()).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(AppendRows(path, {SampleRow(1), row}, Soon()).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(AppendRows(path, {}, Soon()).ok());
  EXPECT_FALSE(AppendLines(path, {}, Soon()).ok());
  std::string line = Line(1);
  EXPECT_FALSE(AppendLines(path, {Line(1), "{}\n"}, Soon()).ok());
  line.pop_back();
  EXPECT_EQ(AppendLines(path, {line}, Soon()).status().message(),
            "a line has no line end");
  EXPECT_FALSE(std::filesystem::exists(path));
}

// The kernel stops the write at the limit and kills who goes on with it.
TEST(Append, WriterKilledAtEveryByteLosesNothingThatWasAcknowledged) {
  const ScratchFolder scratch(InMemory());
  const std::string before = Line(1) + Line(2);
  const std::string line = Line(3);
  for (size_t offset = 0; offset <= line.size(); ++offset) {
    const std::string path = scratch.File(absl::StrCat(offset, ".jsonl"));
    WriteAll(path, before);
    const int ending = InChild([&] {
      LimitFileSize(before.size() + offset);
      return AppendSample(path, 3).ok() ? 0 : 1;
    });
    if (offset == line.size()) {
      ASSERT_TRUE(WIFEXITED(ending) && WEXITSTATUS(ending) == 0) << ending;
    } else {
      ASSERT_TRUE(WIFSIGNALED(ending) && WTERMSIG(ending) == SIGXFSZ) << ending;
    }
    ASSERT_EQ(ReadAll(path), before + line.substr(0, offset));

    const absl::StatusOr<Tail> tail = AppendSample(path, 4);
    ASSERT_TRUE(tail.ok()) << tail.status();
    const std::string side_file = absl::StrCat(path, ".torn");
    // Only the line end is missing: the row is there, so it is kept.
    const bool whole = offset + 1 >= line.size();
    ASSERT_EQ(ReadAll(path), before + (whole ? line : "") + Line(4)) << offset;
    if (whole || offset == 0) {
      ASSERT_FALSE(std::filesystem::exists(side_file)) << offset;
      ASSERT_EQ(tail->kind, offset + 1 == line.size() ? Tail::Kind::kEnded
                                                      : Tail::Kind::kWhole);
    } else {
      ASSERT_EQ(tail->kind, Tail::Kind::kMoved);
      ASSERT_EQ(tail->bytes, static_cast<int64_t>(offset));
      ASSERT_EQ(tail->side_file, side_file);
      ASSERT_EQ(ReadAll(side_file), line.substr(0, offset) + "\n");
    }
    std::filesystem::remove(path);
    std::filesystem::remove(side_file);
  }
}

// Where the kernel refuses and does not kill, the append itself cuts back.
TEST(Append, WriteThatEndsEarlyAtAnyByteIsCutBackAndSaysWhy) {
  const ScratchFolder scratch;
  const std::string path = scratch.File("a.jsonl");
  const std::string before = Line(1) + Line(2);
  WriteAll(path, before);
  for (size_t offset = 0; offset < Line(3).size(); offset += 7) {
    const int ending = InChild([&] {
      signal(SIGXFSZ, SIG_IGN);
      LimitFileSize(before.size() + offset);
      const absl::StatusOr<Tail> tail =
          AppendRows(path, {SampleRow(3), SampleRow(4)}, Soon());
      return absl::StrContains(tail.status().message(), "File too large") ? 3
                                                                          : 4;
    });
    ASSERT_TRUE(WIFEXITED(ending) && WEXITSTATUS(ending) == 3) << ending;
    ASSERT_EQ(ReadAll(path), before) << offset;
  }
}

TEST(Append, WriterKilledAtAnyMomentLosesNothingThatWasAcknowledged) {
  const ScratchFolder scratch;
  const std::string path = scratch.File("a.jsonl");
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  std::mt19937 random(seed);
  std::vector<int64_t> acknowledged;
  int64_t next = 0;
  for (int round = 0; round < 40; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
    const int64_t first = next;
    const pid_t child = fork();
    if (child == 0) {
      for (int64_t number = first;; ++number) {
        if (!AppendSample(path, number).ok()) _exit(1);
        if (write(pipe_ends[1], "+", 1) != 1) _exit(1);
      }
    }
    close(pipe_ends[1]);
    absl::SleepFor(absl::Microseconds(random() % 20'000));
    kill(child, SIGKILL);
    int ending = 0;
    ASSERT_EQ(waitpid(child, &ending, 0), child);
    ASSERT_TRUE(WIFSIGNALED(ending)) << "the writer failed by itself";
    char told[4096];
    ssize_t n;
    while ((n = read(pipe_ends[0], told, sizeof(told))) > 0) {
      for (ssize_t i = 0; i < n; ++i) acknowledged.push_back(next++);
    }
    close(pipe_ends[0]);
    // One more may be there that nobody was told of.
    next += 1;
  }
  ASSERT_TRUE(AppendSample(path, next).ok());
  acknowledged.push_back(next);
  // In order, with perhaps one between two rounds that was not acknowledged.
  const std::vector<int64_t> there = Numbers(path);
  size_t at = 0;
  for (const int64_t number : there) {
    if (at < acknowledged.size() && acknowledged[at] == number) ++at;
  }
  EXPECT_EQ(at, acknowledged.size());
  EXPECT_LE(there.size(), acknowledged.size() + 40);
}

// 64 times 1,000.
TEST(Append, SixtyFourProcessesAtOnceLoseAndMixNothing) {
  constexpr int kProcesses = 64;
  constexpr int64_t kRows = 1000;
  constexpr int64_t kMillion = 1'000'000;
  const ScratchFolder scratch(InMemory());
  const std::string path = scratch.File("a.jsonl");
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      for (int64_t i = 0; i < kRows; ++i) {
        const absl::StatusOr<Tail> tail =
            AppendSample(path, kMillion + process * kRows + i);
        if (!tail.ok() || tail->kind != Tail::Kind::kWhole) _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int ending = 0;
    ASSERT_EQ(waitpid(child, &ending, 0), child);
    EXPECT_EQ(ending, 0);
  }
  // Each process's rows in its order, and nothing else.
  std::map<int64_t, int64_t> next;
  const std::vector<int64_t> numbers = Numbers(path);
  ASSERT_EQ(numbers.size(), kProcesses * kRows);
  for (const int64_t number : numbers) {
    const int64_t of_process = number - kMillion;
    ASSERT_EQ(of_process % kRows, next[of_process / kRows]++);
  }
  EXPECT_EQ(next.size(), size_t{kProcesses});
  EXPECT_FALSE(std::filesystem::exists(absl::StrCat(path, ".torn")));
}

TEST(Append, WhatIsNoRowAtTheEndIsMovedWhateverItIs) {
  const ScratchFolder scratch;
  std::string long_row = Line(2);
  long_row.pop_back();
  const std::string zeros(5000, '\0');  // a power failure leaves such
  const std::string big(3 * kMaxLine, 'x');
  const std::string two = long_row + long_row;
  int number = 0;
  for (const std::string& piece :
       {std::string("{"), std::string("\r"), zeros, big, two,
        std::string("null"), std::string(" ") + long_row, long_row + " "}) {
    for (const std::string& before : {std::string(), Line(1)}) {
      const std::string path = scratch.File(absl::StrCat(++number, ".jsonl"));
      WriteAll(path, before + piece);
      const absl::StatusOr<Tail> tail = AppendSample(path, 3);
      ASSERT_TRUE(tail.ok()) << tail.status();
      EXPECT_EQ(tail->kind, Tail::Kind::kMoved);
      EXPECT_EQ(tail->bytes, static_cast<int64_t>(piece.size()));
      EXPECT_EQ(ReadAll(path), before + Line(3));
      EXPECT_EQ(ReadAll(tail->side_file), piece + "\n");
      EXPECT_EQ(
          DescribeTail(path, *tail),
          absl::StrCat(path, " ended with ", piece.size(),
                       " bytes of a line that the writer before did not "
                       "finish, and did not report as written. They are now "
                       "in ",
                       path, ".torn."));
    }
  }
}

TEST(Append, SecondTornPieceIsAddedToTheSideFile) {
  const ScratchFolder scratch;
  const std::string path = scratch.File("a.jsonl");
  WriteAll(path, "one");
  ASSERT_TRUE(AppendSample(path, 1).ok());
  WriteAll(path, ReadAll(path) + "two");
  ASSERT_TRUE(AppendSample(path, 2).ok());
  EXPECT_EQ(ReadAll(path), Line(1) + Line(2));
  EXPECT_EQ(ReadAll(path + ".torn"), "one\ntwo\n");
}

TEST(Append, TornPieceStaysWhereTheSideFileCannotBeWritten) {
  const ScratchFolder scratch;
  const std::string path = scratch.File("a.jsonl");
  WriteAll(path, "one");
  ASSERT_EQ(mkdir((path + ".torn").c_str(), 0700), 0);
  EXPECT_EQ(AppendSample(path, 1).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ReadAll(path), "one");
}

TEST(Append, BrokenLinesBeforeTheLastAreLeftToTheReader) {
  const ScratchFolder scratch;
  const std::string path = scratch.File("a.jsonl");
  WriteAll(path, "one\n\ntwo\n");
  const absl::StatusOr<Tail> tail = AppendSample(path, 1);
  ASSERT_TRUE(tail.ok()) << tail.status();
  EXPECT_EQ(tail->kind, Tail::Kind::kWhole);
  EXPECT_EQ(ReadAll(path), "one\n\ntwo\n" + Line(1));
}

TEST(Append, LockThatOthersHoldIsWaitedForUntilTheDeadline) {
  const ScratchFolder scratch;
  const std::string path = scratch.File("a.jsonl");
  WriteAll(path, Line(1));
  const int held = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  const absl::Time start = absl::Now();
  const absl::Status status =
      AppendRow(path, SampleRow(2), start + absl::Milliseconds(50)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(50));
  EXPECT_TRUE(absl::StrContains(status.message(), "nothing was written"));
  EXPECT_EQ(ReadAll(path), Line(1));
  close(held);
  EXPECT_TRUE(AppendSample(path, 2).ok());
}

TEST(Append, FileThatIsReplacedDuringTheWaitGetsTheRow) {
  const ScratchFolder scratch;
  const std::string path = scratch.File("a.jsonl");
  WriteAll(path, Line(1));
  const int held = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(held);  // a lock lasts until its last descriptor is closed
    _exit(AppendSample(path, 2).ok() ? 0 : 1);
  }
  // Long enough for the child to have opened the old file, most of the time;
  // whether it had changes nothing that is asserted.
  absl::SleepFor(absl::Milliseconds(100));
  WriteAll(scratch.File("new"), Line(7));
  ASSERT_EQ(rename(scratch.File("new").c_str(), path.c_str()), 0);
  close(held);
  int ending = 0;
  ASSERT_EQ(waitpid(child, &ending, 0), child);
  EXPECT_EQ(ending, 0);
  EXPECT_EQ(ReadAll(path), Line(7) + Line(2));
}

TEST(Append, NothingIsWrittenToWhatIsNoRegularFile) {
  const ScratchFolder scratch;
  const std::string target = scratch.File("target");
  WriteAll(target, "");
  const std::string link = scratch.File("link.jsonl");
  ASSERT_EQ(symlink(target.c_str(), link.c_str()), 0);
  const std::string dangling = scratch.File("dangling.jsonl");
  ASSERT_EQ(symlink(scratch.File("gone").c_str(), dangling.c_str()), 0);
  const std::string pipe = scratch.File("pipe.jsonl");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string folder = scratch.File("folder.jsonl");
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  for (const std::string& path :
       {link, dangling, pipe, folder, std::string("/dev/null")}) {
    const absl::Status status = AppendSample(path, 1).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), path)) << status;
  }
  EXPECT_EQ(ReadAll(target), "");
  EXPECT_FALSE(std::filesystem::exists(scratch.File("gone")));
  // The folder is made only of folders.
  EXPECT_FALSE(AppendSample(target + "/a.jsonl", 1).ok());
}

}  // namespace
}  // namespace tactus::ledger
