// A million rows are read in constant memory, by what the kernel says was the
// most of it that was ever in use.

#include <cstdint>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "ledger/file/reader.h"
#include "ledger/file/sample_row.h"
#include "ledger/file/scratch_folder.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

// What reading may add, however much is read: two of the longest lines, a block
// of 64 KiB, and what malloc keeps for what comes next.
constexpr int64_t kBound = int64_t{1} << 20;

// In bytes, since `ResetPeak`.
int64_t Peak() {
  std::ifstream in("/proc/self/status");
  std::string word;
  while (in >> word) {
    int64_t kibibytes = 0;
    if (word == "VmHWM:" && in >> kibibytes) return kibibytes << 10;
  }
  ADD_FAILURE() << "/proc/self/status tells no VmHWM";
  return 0;
}

void ResetPeak() {
  std::ofstream out("/proc/self/clear_refs");
  ASSERT_TRUE(out << "5" << std::flush) << "the kernel resets no peak";
}

// The same rows again and again.
void WriteRows(const std::string& path, int64_t times) {
  constexpr int64_t kDistinct = 1000;
  std::string block;
  for (int64_t i = 0; i < kDistinct; ++i) block += *FormatRow(SampleRow(i));
  std::ofstream out(path, std::ios::binary);
  for (int64_t i = 0; i < times; ++i) out << block;
  ASSERT_TRUE(out.flush());
}

int64_t CountRows(const std::string& path) {
  int64_t rows = 0;
  const absl::StatusOr<ReadCounts> read = ReadFile(
      path,
      [&](const Place&, const Row&) {
        ++rows;
        return absl::OkStatus();
      },
      [](const Rejection& rejection) {
        ADD_FAILURE() << DescribeRejection(rejection);
      });
  EXPECT_TRUE(read.ok()) << read.status();
  return rows;
}

TEST(ReaderMemory, MillionRowsTakeNoMoreThanAThousand) {
  const ScratchFolder scratch;
  const std::string few = scratch.File("few.jsonl");
  const std::string many = scratch.File("many.jsonl");
  WriteRows(few, 1);
  WriteRows(many, 1000);
  EXPECT_EQ(CountRows(few), 1000);
  ResetPeak();
  const int64_t before = Peak();
  EXPECT_EQ(CountRows(many), 1'000'000);
  EXPECT_LE(Peak() - before, kBound);
}

TEST(ReaderMemory, LineOfAGibibyteTakesNoMoreThanALine) {
  const ScratchFolder scratch;
  const std::string path = scratch.File("long.jsonl");
  {
    std::ofstream out(path, std::ios::binary);
    const std::string block(size_t{1} << 20, 'x');
    for (int i = 0; i < 1024; ++i) out << block;
    out << "\n" << *FormatRow(SampleRow());
    ASSERT_TRUE(out.flush());
  }
  ResetPeak();
  const int64_t before = Peak();
  int64_t rejected = 0;
  int64_t rows = 0;
  const absl::StatusOr<ReadCounts> read = ReadFile(
      path,
      [&](const Place& place, const Row&) {
        EXPECT_EQ(place.line, 2);
        ++rows;
        return absl::OkStatus();
      },
      [&](const Rejection& rejection) {
        EXPECT_EQ(rejection.kind, Rejection::Kind::kTooLong);
        ++rejected;
      });
  EXPECT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(rows, 1);
  EXPECT_EQ(rejected, 1);
  EXPECT_LE(Peak() - before, kBound);
}

// Of a folder the ids are kept: reader.h says how many bytes a row that is.
TEST(ReaderMemory, FolderTakesSixtyBytesARowAtMost) {
  constexpr int64_t kRows = 230'000;  // just after the set has grown
  const ScratchFolder scratch;
  {
    std::ofstream out(scratch.File("a.jsonl"), std::ios::binary);
    for (int64_t i = 0; i < kRows; ++i) out << *FormatRow(SampleRow(i));
    ASSERT_TRUE(out.flush());
  }
  ResetPeak();
  const int64_t before = Peak();
  const absl::StatusOr<ReadCounts> read = ReadFolder(
      scratch.path(), [](const Place&, const Row&) { return absl::OkStatus(); },
      [](const Rejection& rejection) {
        ADD_FAILURE() << DescribeRejection(rejection);
      });
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->rows, kRows);
  EXPECT_LE(Peak() - before, kBound + 60 * kRows);
}

}  // namespace
}  // namespace tactus::ledger
