#include "ledger/file/reader.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ledger/file/sample_row.h"
#include "ledger/file/scratch_folder.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

std::string Line(int64_t number) { return *FormatRow(SampleRow(number)); }

// What a reader told, a line each: "FILE:LINE NUMBER" or "FILE:LINE: REASON".
struct Told {
  std::vector<std::string> rows;
  std::vector<std::string> rejections;
  std::vector<Rejection::Kind> kinds;

  absl::Status Row(const Place& place, const ledger::Row& row) {
    rows.push_back(
        absl::StrCat(place.file, ":", place.line, " ", row.samples.back()));
    EXPECT_EQ(absl::StrCat(place.text, "\n"), *FormatRow(row));
    return absl::OkStatus();
  }
  void Rejected(const Rejection& rejection) {
    rejections.push_back(DescribeRejection(rejection));
    kinds.push_back(rejection.kind);
  }
};

absl::StatusOr<ReadCounts> File(const std::string& path, Told& told) {
  return ReadFile(
      path,
      [&](const Place& place, const Row& row) { return told.Row(place, row); },
      [&](const Rejection& rejection) { told.Rejected(rejection); });
}

absl::StatusOr<ReadCounts> Folder(const std::string& path, Told& told) {
  return ReadFolder(
      path,
      [&](const Place& place, const Row& row) { return told.Row(place, row); },
      [&](const Rejection& rejection) { told.Rejected(rejection); });
}

// Of `text` as the one file there is, named "f"; in pieces of `piece` bytes.
Told Scan(absl::string_view text, size_t piece = 1 << 20) {
  Told told;
  const auto on_row = [&](const Place& place, const Row& row) {
    return told.Row(place, row);
  };
  const auto on_rejected = [&](const Rejection& r) { told.Rejected(r); };
  RowScanner scanner("f", on_row, on_rejected);
  const size_t size = text.size();
  while (!text.empty()) {
    EXPECT_TRUE(scanner.Feed(text.substr(0, piece)).ok());
    text.remove_prefix(piece < text.size() ? piece : text.size());
  }
  EXPECT_TRUE(scanner.Finish().ok());
  const ReadCounts& counts = scanner.counts();
  EXPECT_EQ(counts.bytes, static_cast<int64_t>(size));
  EXPECT_EQ(counts.rows, static_cast<int64_t>(told.rows.size()));
  EXPECT_EQ(counts.rejected, static_cast<int64_t>(told.rejections.size()));
  EXPECT_EQ(counts.lines, counts.rows + counts.rejected);
  return told;
}

TEST(Reader, RowsComeInOrderWithTheirPlaces) {
  const ScratchFolder scratch;
  const std::string path = scratch.File("a.jsonl");
  WriteAll(path, Line(1) + Line(2));
  Told told;
  const absl::StatusOr<ReadCounts> read = File(path, told);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(told.rows, (std::vector<std::string>{absl::StrCat(path, ":1 1"),
                                                 absl::StrCat(path, ":2 2")}));
  EXPECT_TRUE(told.rejections.empty());
  EXPECT_EQ(read->files, 1);
  EXPECT_EQ(read->lines, 2);
  EXPECT_EQ(read->rows, 2);
  EXPECT_EQ(read->bytes, static_cast<int64_t>((Line(1) + Line(2)).size()));
}

TEST(Reader, EmptyFileHasNoRowsAndIsNoError) {
  const ScratchFolder scratch;
  WriteAll(scratch.File("a.jsonl"), "");
  Told told;
  const absl::StatusOr<ReadCounts> read = File(scratch.File("a.jsonl"), told);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->lines, 0);
}

TEST(Reader, WhatCannotBeReadIsAnErrorAndNotEmpty) {
  const ScratchFolder scratch;
  Told told;
  const absl::Status none = Folder(scratch.File("none"), told).status();
  EXPECT_EQ(none.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StrContains(none.message(), scratch.File("none")));
  EXPECT_EQ(File(scratch.File("none"), told).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(File(scratch.path(), told).status().code(),
            absl::StatusCode::kFailedPrecondition);
  WriteAll(scratch.File("file"), "");
  EXPECT_FALSE(Folder(scratch.File("file"), told).ok());
  // Nobody writes to the pipe: it is refused, and not waited for.
  ASSERT_EQ(mkfifo(scratch.File("pipe").c_str(), 0600), 0);
  EXPECT_EQ(File(scratch.File("pipe"), told).status().code(),
            absl::StatusCode::kFailedPrecondition);
  // One file of a folder that cannot be read makes the folder unread.
  ASSERT_EQ(mkdir(scratch.File("a.jsonl").c_str(), 0700), 0);
  EXPECT_EQ(Folder(scratch.path(), told).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(Reader, FileThatFailsHalfWayIsAnError) {
  Told told;
  // The kernel answers EIO for address 0 of this process.
  const absl::Status status = File("/proc/self/mem", told).status();
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(absl::StrContains(status.message(), "cannot read")) << status;
}

TEST(Reader, FolderIsItsLedgerFilesByNameAndNothingElse) {
  const ScratchFolder scratch;
  WriteAll(scratch.File("b.jsonl"), Line(2));
  WriteAll(scratch.File("a.jsonl"), Line(1));
  WriteAll(scratch.File("a.jsonl.torn"), "torn\n");
  WriteAll(scratch.File(".c.jsonl"), "hidden\n");
  WriteAll(scratch.File("README.md"), "not rows\n");
  ASSERT_EQ(mkdir(scratch.File("below").c_str(), 0700), 0);
  WriteAll(scratch.File("below/d.jsonl"), Line(4));
  Told told;
  const absl::StatusOr<ReadCounts> read = Folder(scratch.path(), told);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(told.rows, (std::vector<std::string>{scratch.File("a.jsonl:1 1"),
                                                 scratch.File("b.jsonl:1 2")}));
  EXPECT_TRUE(told.rejections.empty());
  EXPECT_EQ(read->files, 2);
  EXPECT_EQ(read->rows, 2);
  EXPECT_EQ(LedgerFiles(scratch.path() + "/")->front(),
            scratch.File("a.jsonl"));
}

TEST(Reader, RowThatIsThereTwiceIsToldOnce) {
  const ScratchFolder scratch;
  WriteAll(scratch.File("a.jsonl"), Line(1) + Line(2) + Line(1));
  WriteAll(scratch.File("b.jsonl"), Line(3) + Line(2));
  Told told;
  const absl::StatusOr<ReadCounts> read = Folder(scratch.path(), told);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->rows, 3);
  EXPECT_EQ(read->duplicates, 2);
  EXPECT_EQ(read->rejected, 0);
  EXPECT_EQ(read->lines, 5);
  EXPECT_EQ(told.rows.size(), 3u);
  const auto reason = [](int64_t number) {
    return absl::StrCat(": id: '", RowId(SampleRow(number)),
                        "' was there before: the same row, which counts once");
  };
  EXPECT_EQ(told.rejections,
            (std::vector<std::string>{scratch.File("a.jsonl:3") + reason(1),
                                      scratch.File("b.jsonl:2") + reason(2)}));
  EXPECT_EQ(told.kinds,
            (std::vector<Rejection::Kind>(2, Rejection::Kind::kDuplicate)));
}

TEST(Reader, EachBrokenLineIsToldWithItsNumberAndTheOthersAreRead) {
  const std::string not_canonical = absl::StrCat(" ", Line(9));
  const std::string text =
      absl::StrCat(Line(1), "\n", Line(2), "{\n", not_canonical, Line(3),
                   "null\n", std::string("\0\0\n", 3), "\xef\xbb\xbf", Line(9),
                   Line(9).substr(0, Line(9).size() - 1), "\r\n", Line(4));
  const Told told = Scan(text);
  EXPECT_EQ(told.rows,
            (std::vector<std::string>{"f:1 1", "f:3 2", "f:6 3", "f:11 4"}));
  ASSERT_EQ(told.rejections.size(), 7u);
  const std::vector<std::string> starts = {
      "f:2: row", "f:4: ", "f:5: ", "f:7: ", "f:8: ", "f:9: ", "f:10: "};
  for (size_t i = 0; i < starts.size(); ++i) {
    EXPECT_TRUE(absl::StartsWith(told.rejections[i], starts[i]))
        << told.rejections[i];
    EXPECT_EQ(told.kinds[i], Rejection::Kind::kMalformed);
  }
}

TEST(Reader, LastLineWithoutItsEndIsARowOrIsToldAsCutShort) {
  const std::string whole = Line(1) + Line(2);
  for (size_t cut = Line(1).size() + 1; cut < whole.size() - 1; ++cut) {
    const Told told = Scan(whole.substr(0, cut));
    ASSERT_EQ(told.rows, std::vector<std::string>{"f:1 1"});
    ASSERT_EQ(told.rejections,
              std::vector<std::string>{
                  "f:2: row: the file ends within it: its append was cut "
                  "short, or is not over yet"});
    ASSERT_EQ(told.kinds[0], Rejection::Kind::kNoEnd);
  }
  EXPECT_EQ(Scan(whole.substr(0, whole.size() - 1)).rows.size(), 2u);
}

TEST(Reader, LineThatIsTooLongIsSkippedWithoutBeingKept) {
  const std::string text =
      absl::StrCat(std::string(kMaxLine + 1, 'x'), "\n", Line(1));
  for (const size_t piece : {size_t{1000}, text.size()}) {
    const Told told = Scan(text, piece);
    EXPECT_EQ(told.rows, std::vector<std::string>{"f:2 1"});
    EXPECT_EQ(told.rejections, std::vector<std::string>{absl::StrCat(
                                   "f:1: row: ", kMaxLine + 2,
                                   " bytes, of at most ", kMaxLine)});
    EXPECT_EQ(told.kinds[0], Rejection::Kind::kTooLong);
  }
}

// A line of which one byte was changed has not the id that it says.
TEST(Reader, ChangeOfAnyByteIsTold) {
  const std::string line = Line(1);
  for (size_t at = 0; at + 1 < line.size(); ++at) {
    for (const char c : {'\0', ' ', '0', '9', 'a', '"', '}', '\xff'}) {
      if (c == line[at]) continue;
      std::string changed = line;
      changed[at] = c;
      const Told told = Scan(changed + Line(2));
      ASSERT_EQ(told.rows, std::vector<std::string>{"f:2 2"}) << changed;
      ASSERT_EQ(told.rejections.size(), 1u);
    }
  }
}

TEST(Reader, PieceOfAnySizeTellsTheSame) {
  const std::string text = absl::StrCat(Line(1), "x\n\n", Line(2), "y");
  const Told whole = Scan(text);
  EXPECT_EQ(whole.rejections.size(), 3u);
  for (size_t piece = 1; piece < 100; ++piece) {
    const Told told = Scan(text, piece);
    ASSERT_EQ(told.rows, whole.rows);
    ASSERT_EQ(told.rejections, whole.rejections);
  }
}

TEST(Reader, ErrorOfTheCallerEndsTheReading) {
  const ScratchFolder scratch;
  WriteAll(scratch.File("a.jsonl"), Line(1) + Line(2) + "x\n");
  WriteAll(scratch.File("b.jsonl"), Line(3));
  int rows = 0;
  const absl::StatusOr<ReadCounts> read = ReadFolder(
      scratch.path(),
      [&](const Place&, const Row&) {
        ++rows;
        return absl::CancelledError("enough");
      },
      [](const Rejection&) { ADD_FAILURE() << "told after the end"; });
  EXPECT_EQ(read.status(), absl::CancelledError("enough"));
  EXPECT_EQ(rows, 1);
}

}  // namespace
}  // namespace tactus::ledger
