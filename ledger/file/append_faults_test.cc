// Appends on a disk that fails: write, fsync and ftruncate of this program are
// the ones below, which fail when a test says so.

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "ledger/file/append.h"
#include "ledger/file/sample_row.h"
#include "ledger/file/scratch_folder.h"
#include "ledger/row/row.h"

namespace {

// Of the next calls on the ledger's disk: negative is an errno, else so many
// bytes are written at most. None: as it should be.
std::deque<int64_t> g_writes;
std::deque<int> g_syncs;
int g_truncate_error = 0;
bool g_faulty = false;
int g_sync_calls = 0;

}  // namespace

extern "C" ssize_t write(int fd, const void* data, size_t size) {
  if (g_faulty && fd > 2 && !g_writes.empty()) {
    const int64_t next = g_writes.front();
    g_writes.pop_front();
    if (next < 0) {
      errno = static_cast<int>(-next);
      return -1;
    }
    if (size > static_cast<size_t>(next)) size = static_cast<size_t>(next);
  }
  return syscall(SYS_write, fd, data, size);
}

extern "C" int fsync(int fd) {
  if (g_faulty) {
    ++g_sync_calls;
    if (!g_syncs.empty()) {
      const int next = g_syncs.front();
      g_syncs.pop_front();
      if (next != 0) {
        errno = next;
        return -1;
      }
    }
  }
  return static_cast<int>(syscall(SYS_fsync, fd));
}

extern "C" int ftruncate(int fd, off_t size) noexcept {
  if (g_faulty && g_truncate_error != 0) {
    errno = g_truncate_error;
    return -1;
  }
  return static_cast<int>(syscall(SYS_ftruncate, fd, size));
}

namespace tactus::ledger {
namespace {

std::string Line(int64_t number) { return *FormatRow(SampleRow(number)); }

class AppendFaults : public testing::Test {
 protected:
  AppendFaults() { WriteAll(path_, Line(1)); }
  ~AppendFaults() override { g_faulty = false; }

  absl::StatusOr<Tail> Append(int64_t number) {
    g_faulty = true;
    g_sync_calls = 0;
    absl::StatusOr<Tail> tail =
        AppendRow(path_, SampleRow(number), absl::Now() + absl::Seconds(30));
    g_faulty = false;
    g_writes.clear();
    g_syncs.clear();
    g_truncate_error = 0;
    return tail;
  }

  const ScratchFolder scratch_;
  const std::string path_ = scratch_.File("a.jsonl");
};

TEST_F(AppendFaults, FullDiskAtAnyByteIsAnErrorAndCutBack) {
  for (int64_t at = 0; at < static_cast<int64_t>(Line(2).size()); ++at) {
    if (at > 0) g_writes.push_back(at);
    g_writes.push_back(-ENOSPC);
    const absl::Status status = Append(2).status();
    ASSERT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    ASSERT_FALSE(absl::StrContains(status.message(), "could not be cut off"));
    ASSERT_EQ(ReadAll(path_), Line(1));
  }
}

TEST_F(AppendFaults, SignalsAndShortWritesAreGoneOnWith) {
  g_writes = {-EINTR, 10, -EINTR, 1};
  ASSERT_TRUE(Append(2).ok());
  EXPECT_EQ(ReadAll(path_), Line(1) + Line(2));
}

TEST_F(AppendFaults, FailedSyncIsNoSuccessAndLeavesNoRow) {
  g_syncs = {EIO};
  const absl::Status status = Append(2).status();
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(absl::StrContains(status.message(), "cannot bring to the disk"));
  EXPECT_EQ(ReadAll(path_), Line(1));
}

TEST_F(AppendFaults, PieceThatCannotBeCutOffIsToldAndMovedByTheNext) {
  g_writes = {10, -ENOSPC};
  g_truncate_error = EIO;
  const absl::Status status = Append(2).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(absl::StrContains(
      status.message(),
      "what had been written by then, 10 bytes, could not be cut off"))
      << status;
  EXPECT_EQ(ReadAll(path_), Line(1) + Line(2).substr(0, 10));
  const absl::StatusOr<Tail> tail = Append(3);
  ASSERT_TRUE(tail.ok()) << tail.status();
  EXPECT_EQ(tail->kind, Tail::Kind::kMoved);
  EXPECT_EQ(ReadAll(path_), Line(1) + Line(3));
}

TEST_F(AppendFaults, TornPieceIsCutOffOnlyOnceItIsSafeAside) {
  const std::string torn = Line(1) + "torn";
  for (const bool full : {true, false}) {
    WriteAll(path_, torn);
    if (full) {
      g_writes = {2, -ENOSPC};
    } else {
      g_syncs = {EIO};
    }
    EXPECT_FALSE(Append(2).ok());
    EXPECT_EQ(ReadAll(path_), torn);
  }
  g_truncate_error = EIO;
  EXPECT_FALSE(Append(2).ok());
  EXPECT_EQ(ReadAll(path_), torn);
}

TEST_F(AppendFaults, FolderOfANewFileIsSyncedBeforeItsFirstByte) {
  ASSERT_TRUE(Append(2).ok());
  EXPECT_EQ(g_sync_calls, 1);
  WriteAll(path_, "");
  ASSERT_TRUE(Append(2).ok());
  EXPECT_EQ(g_sync_calls, 2);
  WriteAll(path_, "");
  g_syncs = {EIO};
  EXPECT_FALSE(Append(2).ok());
  EXPECT_EQ(ReadAll(path_), "");
  // A file system that has no such thing is no reason to fail.
  g_syncs = {EINVAL};
  EXPECT_TRUE(Append(2).ok());
}

}  // namespace
}  // namespace tactus::ledger
