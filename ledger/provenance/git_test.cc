#include "ledger/provenance/git.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ledger/file/scratch_folder.h"

namespace tactus::ledger {
namespace {

class GitTest : public testing::Test {
 protected:
  void Git(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-c", "user.name=Somebody", "-c",
                                         "user.email=somebody@example.org"});
    const absl::StatusOr<std::string> printed = RunGit(folder_, arguments);
    ASSERT_TRUE(printed.ok()) << printed.status();
  }

  void Commit() {
    Git({"add", "-A"});
    Git({"commit", "-q", "-m", "Change it"});
  }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(absl::StrCat(folder_, "/", name)) << text;
  }

  // A repository of one commit, with a ledger.
  void Start() {
    Git({"init", "-q"});
    for (const char* name : {"docs", "docs/data"}) {
      mkdir(absl::StrCat(folder_, "/", name).c_str(), 0700);
    }
    Write("code", "one");
    Write("docs/data/ledger", "row\n");
    Write(".gitignore", "out\n");
    Commit();
  }

  Revision Read(const std::string& below = "") {
    const absl::StatusOr<Revision> revision =
        ReadRevision(folder_ + below, "docs/data");
    EXPECT_TRUE(revision.ok()) << revision.status();
    return revision.ok() ? *revision : Revision();
  }

  const ScratchFolder scratch_;
  const std::string folder_ = scratch_.path();
};

TEST_F(GitTest, TreeOfItsCommitIsClean) {
  Start();
  EXPECT_EQ(Read().commit.size(), 40);
  EXPECT_FALSE(Read().dirty);
}

TEST_F(GitTest, ChangedFileMakesItDirty) {
  Start();
  Write("code", "two");
  EXPECT_TRUE(Read().dirty);
}

TEST_F(GitTest, NewFileMakesItDirtyUnlessIgnored) {
  Start();
  Write("out", "built");
  EXPECT_FALSE(Read().dirty);
  Write("new", "made");
  EXPECT_TRUE(Read().dirty);
}

TEST_F(GitTest, StagedChangeMakesItDirty) {
  Start();
  Write("code", "two");
  Git({"add", "-A"});
  EXPECT_TRUE(Read().dirty);
}

TEST_F(GitTest, NewRowsLeaveItClean) {
  Start();
  Write("docs/data/ledger", "row\nanother\n");
  Write("docs/data/new", "row\n");
  EXPECT_FALSE(Read().dirty);
  EXPECT_FALSE(Read("/docs/data").dirty);
}

TEST_F(GitTest, SeenFromBelowItIsAsDirty) {
  Start();
  Write("code", "two");
  EXPECT_TRUE(Read("/docs").dirty);
}

TEST_F(GitTest, BeforeTheFirstCommitItIsDirtyAndHasNone) {
  Git({"init", "-q"});
  EXPECT_EQ(Read().commit, "");
  EXPECT_TRUE(Read().dirty);
}

TEST_F(GitTest, FolderOfNoRepositoryIsNotFound) {
  // So that none of the folders above counts.
  setenv("GIT_CEILING_DIRECTORIES", "/", 1);
  const absl::Status status = ReadRevision("/", "docs/data").status();
  EXPECT_EQ(status, absl::NotFoundError("/ is in no git repository"));
}

TEST_F(GitTest, WhatItSaysWhenItFailsIsTold) {
  const absl::Status status = RunGit(folder_, {"no-such-command"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(absl::StrContains(status.message(),
                                "git no-such-command: git: 'no-such-command'"))
      << status;
}

TEST_F(GitTest, WhatTakesTooLongIsStopped) {
  Git({"init", "-q"});
  const absl::Status status =
      RunGit(folder_, {"-c", "alias.wait=!sleep 60", "wait"},
             absl::Milliseconds(100))
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
}

TEST_F(GitTest, MoreThanWasAskedForIsRefused) {
  Start();
  EXPECT_EQ(
      RunGit(folder_, {"show", "HEAD"}, absl::Seconds(30), 10).status().code(),
      absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace tactus::ledger
