#include "tools/audit/audit.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace tactus::audit {
namespace {

std::string Folder() {
  const std::string folder = absl::StrCat(
      testing::TempDir(), "/",
      testing::UnitTest::GetInstance()->current_test_info()->name());
  mkdir(folder.c_str(), 0700);
  return folder;
}

Entry Of(const std::string& tool) {
  return {.time = absl::FromUnixMillis(1'700'000'000'123),
          .peer = "laptop",
          .server = "focused-text",
          .tool = tool,
          .outcome = "verified"};
}

TEST(Audit, LineTellsWhenWhoWhatAndHowItEnded) {
  const std::string folder = Folder();
  const Audit audit(folder);
  EXPECT_EQ(audit.Read().value(), "");
  ASSERT_EQ(audit.Append(Of("insert_text")), absl::OkStatus());
  EXPECT_EQ(
      audit.Read().value(),
      R"({"time":"2023-11-14T22:13:20.123Z","peer":"laptop","server":"focused-text","tool":"insert_text","outcome":"verified"})"
      "\n");
  struct stat found;
  ASSERT_EQ(stat(absl::StrCat(folder, "/audit.jsonl").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0600u);
}

TEST(Audit, FileThatHasGrownTakesThePlaceOfTheOneBefore) {
  const std::string folder = Folder();
  const Audit audit(folder, /*most_bytes=*/300);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(audit.Append(Of(absl::StrCat("tool", i))), absl::OkStatus());
  }
  const std::string kept = audit.Read().value();
  EXPECT_LE(kept.size(), 600u);
  EXPECT_FALSE(absl::StrContains(kept, "\"tool0\""));
  EXPECT_TRUE(absl::StrContains(kept, "\"tool19\""));
  // In order, and none is torn.
  EXPECT_LT(kept.find("\"tool18\""), kept.find("\"tool19\""));
  for (absl::string_view line : absl::StrSplit(kept, '\n', absl::SkipEmpty())) {
    EXPECT_TRUE(absl::StartsWith(line, "{\"time\"")) << line;
    EXPECT_TRUE(absl::EndsWith(line, "}")) << line;
  }
}

TEST(Audit, NothingElsePushesOutWhatTellsOfEdits) {
  const std::string folder = Folder();
  const Audit audit(folder, /*most_bytes=*/300);
  Entry edit = Of("the_edit");
  edit.edit = true;
  ASSERT_EQ(audit.Append(edit), absl::OkStatus());
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(audit.Append(Of(absl::StrCat("tool", i))), absl::OkStatus());
  }
  const std::string kept = audit.Read().value();
  EXPECT_FALSE(absl::StrContains(kept, "\"tool0\""));
  EXPECT_TRUE(absl::StrContains(kept, "\"the_edit\""));
  struct stat found;
  ASSERT_EQ(stat(absl::StrCat(folder, "/audit-edits.jsonl").c_str(), &found),
            0);
  EXPECT_EQ(found.st_mode & 07777, 0600u);
}

TEST(Audit, EditsAndTheRestAreReadInOrderOfTime) {
  const std::string folder = Folder();
  const Audit audit(folder);
  std::vector<std::string> tools;
  for (const auto& [tool, after_ms, edit] :
       std::vector<std::tuple<std::string, int, bool>>{{"a", 0, false},
                                                       {"b", 1, true},
                                                       {"c", 1000, true},
                                                       {"d", 1001, false},
                                                       {"e", 1002, true}}) {
    Entry entry = Of(tool);
    entry.time += absl::Milliseconds(after_ms);
    entry.edit = edit;
    ASSERT_EQ(audit.Append(entry), absl::OkStatus());
  }
  // What was torn has no time, and is a line all the same.
  std::ofstream(absl::StrCat(folder, "/audit.jsonl"), std::ios::app) << "{\"ti";
  const std::string kept = audit.Read().value();
  for (absl::string_view line : absl::StrSplit(kept, '\n', absl::SkipEmpty())) {
    const size_t at = line.find("\"tool\":\"");
    tools.emplace_back(at == line.npos ? line : line.substr(at + 8, 1));
  }
  EXPECT_EQ(tools,
            (std::vector<std::string>{"a", "b", "c", "d", "{\"ti", "e"}));
}

TEST(Audit, ManyWritersLoseAndTearNothing) {
  const std::string folder = Folder();
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 8; ++writer) {
    writers.emplace_back([&folder, writer] {
      // As of a process of its own.
      const Audit audit(folder);
      for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(audit.Append(Of(absl::StrCat("w", writer, ".", i, "."))),
                  absl::OkStatus());
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const std::string kept = Audit(folder).Read().value();
  EXPECT_EQ(std::count(kept.begin(), kept.end(), '\n'), 400);
  for (int writer = 0; writer < 8; ++writer) {
    for (int i = 0; i < 50; ++i) {
      EXPECT_TRUE(
          absl::StrContains(kept, absl::StrCat("\"w", writer, ".", i, ".\"")));
    }
  }
}

TEST(Audit, LineAfterOneThatWasTornIsALineOfItsOwn) {
  const std::string folder = Folder();
  std::ofstream(absl::StrCat(folder, "/audit.jsonl")) << R"({"time":"20)";
  ASSERT_EQ(Audit(folder).Append(Of("a")), absl::OkStatus());
  const std::vector<std::string> lines =
      absl::StrSplit(Audit(folder).Read().value(), '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(absl::StartsWith(lines[1], "{\"time\""));
}

TEST(Audit, WhatCannotBeKeptIsToldAndALinkIsNotFollowed) {
  EXPECT_EQ(Audit("").Append(Of("a")).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Audit("/nowhere").Append(Of("a")).code(),
            absl::StatusCode::kFailedPrecondition);
  const std::string folder = Folder();
  ASSERT_EQ(symlink("/dev/null", absl::StrCat(folder, "/audit.jsonl").c_str()),
            0);
  EXPECT_EQ(Audit(folder).Append(Of("a")).code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tactus::audit
