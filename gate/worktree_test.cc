#include "gate/worktree.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "ledger/provenance/git.h"

namespace tactus::gate {
namespace {

class WorktreeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    repository_ = std::string(getenv("TEST_TMPDIR")) + "/repository";
    std::filesystem::remove_all(repository_);
    std::filesystem::create_directories(repository_);
    Git({"init", "--quiet"});
    Write("one");
    Git({"add", "file"});
    Commit();
    Write("two");
    Git({"add", "file"});
    Commit();
  }

  void Write(const std::string& text) {
    std::ofstream(repository_ + "/file") << text;
  }

  void Commit() {
    Git({"-c", "user.name=n", "-c", "user.email=e", "commit", "--quiet", "-m",
         "m"});
  }

  std::string Git(std::vector<std::string> arguments) {
    absl::StatusOr<std::string> said = ledger::RunGit(repository_, arguments);
    EXPECT_TRUE(said.ok()) << said.status();
    return said.value_or("");
  }

  static std::string Read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file),
            std::istreambuf_iterator<char>()};
  }

  std::string repository_;
};

TEST_F(WorktreeTest, HoldsTheOtherCommitAndIsGoneAfterwards) {
  Write("changed");
  std::string scratch;
  {
    absl::StatusOr<std::unique_ptr<Worktree>> base =
        Worktree::Make(repository_, "HEAD~1");
    ASSERT_TRUE(base.ok()) << base.status();
    scratch = (*base)->scratch();
    EXPECT_EQ(Read((*base)->folder() + "/file"), "one");
    EXPECT_EQ((*base)->commit().size(), 40U);
    // As Bazel leaves what it has built.
    std::filesystem::create_directories(scratch + "/built/folder");
    std::ofstream(scratch + "/built/folder/program") << "x";
    std::filesystem::permissions(scratch + "/built/folder",
                                 std::filesystem::perms::owner_read |
                                     std::filesystem::perms::owner_exec);
  }
  EXPECT_FALSE(std::filesystem::exists(scratch));
  EXPECT_EQ(Git({"worktree", "list", "--porcelain"}).find(scratch),
            std::string::npos);
  // What was being worked on is as it was.
  EXPECT_EQ(Read(repository_ + "/file"), "changed");
}

TEST_F(WorktreeTest, CommitThatIsNotThereIsNotFound) {
  EXPECT_TRUE(
      absl::IsNotFound(Worktree::Make(repository_, "no-such-commit").status()));
  EXPECT_TRUE(absl::IsNotFound(Worktree::Make(repository_, "--help").status()));
  EXPECT_TRUE(absl::IsNotFound(
      Worktree::Make(std::string(getenv("TEST_TMPDIR")), "HEAD").status()));
}

}  // namespace
}  // namespace tactus::gate
