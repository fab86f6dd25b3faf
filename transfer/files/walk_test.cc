#include "transfer/files/walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "transfer/files/path.h"
#include "transfer/files/testing/tree.h"
#include "transfer/files/unique_fd.h"

namespace tactus::transfer::files {
namespace {

namespace fs = std::filesystem;

size_t OpenDescriptors() {
  return static_cast<size_t>(std::distance(
      fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

// A line for each call: what, and the path. Fails at `fail_at`, where there is
// one.
class Notes : public Visitor {
 public:
  absl::Status OnFolder(const Found& found, const struct stat& info) override {
    EXPECT_TRUE(S_ISDIR(info.st_mode));
    return Note("folder", found.path);
  }
  absl::Status OnFolderEnd(const Found& found, const struct stat&) override {
    return Note("end", found.path);
  }
  absl::Status OnFile(const Found& found) override {
    if (open_files) {
      EXPECT_TRUE(OpenFound(found).ok()) << found.path;
    }
    return Note("file", found.path);
  }
  absl::Status OnLink(const Found& found) override {
    return Note("link", found.path);
  }
  absl::Status OnLeftOut(const std::string& path,
                         absl::string_view why) override {
    reasons.emplace_back(why.data(), why.size());
    return Note("left out", path);
  }

  std::vector<std::string> Sorted() const {
    std::vector<std::string> sorted = notes;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }
  size_t At(const std::string& note) const {
    return static_cast<size_t>(std::find(notes.begin(), notes.end(), note) -
                               notes.begin());
  }

  bool open_files = true;
  std::string fail_at;
  std::vector<std::string> notes;
  std::vector<std::string> reasons;

 private:
  absl::Status Note(absl::string_view what, const std::string& path) {
    notes.push_back(absl::StrCat(what, " ", path));
    if (notes.back() == fail_at) return absl::AbortedError("enough");
    return absl::OkStatus();
  }
};

using Lines = std::vector<std::string>;

TEST(Walk, AllThatIsThereComesOnceAndAFolderAroundWhatIsInIt) {
  const ScratchFolder scratch;
  WriteFile(scratch.path() + "/t/a", "a");
  WriteFile(scratch.path() + "/t/d/e/f", "f");
  WriteFile(scratch.path() + "/t/\xff\n", "odd");
  MakeFolders(scratch.path() + "/t/empty");
  const size_t before = OpenDescriptors();
  Notes notes;
  ASSERT_TRUE(Walk({scratch.path() + "/t", "name"}, notes).ok());
  EXPECT_EQ(OpenDescriptors(), before);
  EXPECT_EQ(notes.Sorted(),
            (Lines{"end name", "end name/d", "end name/d/e", "end name/empty",
                   "file name/a", "file name/d/e/f", "file name/\xff\n",
                   "folder name", "folder name/d", "folder name/d/e",
                   "folder name/empty"}));
  EXPECT_EQ(notes.notes.front(), "folder name");
  EXPECT_EQ(notes.notes.back(), "end name");
  EXPECT_LT(notes.At("folder name/d"), notes.At("folder name/d/e"));
  EXPECT_LT(notes.At("folder name/d/e"), notes.At("file name/d/e/f"));
  EXPECT_LT(notes.At("file name/d/e/f"), notes.At("end name/d/e"));
  EXPECT_LT(notes.At("end name/d/e"), notes.At("end name/d"));
}

TEST(Walk, LinksAreGivenAndNotFollowedButForARoot) {
  const ScratchFolder scratch;
  WriteFile(scratch.path() + "/t/f", "f");
  WriteFile(scratch.path() + "/outside/secret", "s");
  ASSERT_EQ(symlink("../outside", (scratch.path() + "/t/out").c_str()), 0);
  ASSERT_EQ(symlink(".", (scratch.path() + "/t/round").c_str()), 0);
  ASSERT_EQ(symlink("nowhere", (scratch.path() + "/t/broken").c_str()), 0);
  ASSERT_EQ(symlink("t", (scratch.path() + "/root").c_str()), 0);
  Notes notes;
  ASSERT_TRUE(Walk({scratch.path() + "/root", "r"}, notes).ok());
  EXPECT_EQ(notes.Sorted(),
            (Lines{"end r", "file r/f", "folder r", "link r/broken",
                   "link r/out", "link r/round"}));
  // And so is one to a file.
  ASSERT_EQ(symlink("t/f", (scratch.path() + "/one").c_str()), 0);
  Notes one;
  ASSERT_TRUE(Walk({scratch.path() + "/one", "o"}, one).ok());
  EXPECT_EQ(one.notes, Lines{"file o"});
}

TEST(Walk, WhatCannotBeSentIsLeftOutWithWhy) {
  const ScratchFolder scratch;
  const std::string root = scratch.path() + "/t";
  WriteFile(root + "/f", "f");
  WriteFile(root + "/" + PartialName("ann", "f"), "half");
  ASSERT_EQ(mkfifo((root + "/pipe").c_str(), 0600), 0);
  std::string deep = root;
  for (size_t i = 0; i < kDeepestPath + 1; ++i) deep += "/d";
  MakeFolders(deep);
  Notes notes;
  ASSERT_TRUE(Walk({root, "t"}, notes).ok());
  EXPECT_EQ(notes.reasons.size(), 3u);
  EXPECT_EQ(notes.At("left out t/pipe") < notes.notes.size(), true);
  EXPECT_LT(notes.At(absl::StrCat("left out t/", PartialName("ann", "f"))),
            notes.notes.size());
  // The deepest that there may be, and nothing below it.
  std::string path = "t";
  for (size_t i = 1; i < kDeepestPath; ++i) path += "/d";
  EXPECT_LT(notes.At("folder " + path), notes.notes.size());
  EXPECT_LT(notes.At("left out " + path + "/d"), notes.notes.size());
  EXPECT_EQ(notes.At("left out " + path + "/d/d"), notes.notes.size());
  // A root is, too.
  Notes pipe;
  ASSERT_TRUE(Walk({root + "/pipe", "p"}, pipe).ok());
  EXPECT_EQ(pipe.notes, Lines{"left out p"});
}

TEST(Walk, ARootThatIsNotThereIsNotFound) {
  const ScratchFolder scratch;
  Notes notes;
  const absl::Status walked = Walk({scratch.path() + "/no\x1b", "n"}, notes);
  EXPECT_TRUE(absl::IsNotFound(walked));
  EXPECT_TRUE(absl::StrContains(walked.message(), "/no\\033'")) << walked;
  EXPECT_TRUE(notes.notes.empty());
}

TEST(Walk, AnErrorOfTheVisitorEndsItAtOnceWhereverItCame) {
  const ScratchFolder scratch;
  WriteFile(scratch.path() + "/t/d/f", "f");
  ASSERT_EQ(symlink("f", (scratch.path() + "/t/d/l").c_str()), 0);
  ASSERT_EQ(mkfifo((scratch.path() + "/t/d/p").c_str(), 0600), 0);
  for (const char* at : {"folder t", "folder t/d", "file t/d/f", "link t/d/l",
                         "left out t/d/p", "end t/d", "end t"}) {
    const size_t before = OpenDescriptors();
    Notes notes;
    notes.fail_at = at;
    EXPECT_EQ(Walk({scratch.path() + "/t", "t"}, notes),
              absl::AbortedError("enough"));
    EXPECT_EQ(notes.notes.back(), at);
    EXPECT_EQ(OpenDescriptors(), before);
  }
}

TEST(Walk, WhatHasChangedSinceIsNotOpenedForWhatItWas) {
  const ScratchFolder scratch;
  const std::string root = scratch.path() + "/t";
  WriteFile(root + "/d/f", "f");
  WriteFile(scratch.path() + "/secret", "s");
  const Root named = {root, "t"};
  ASSERT_TRUE(OpenAgain(named, "t/d/f").ok());
  EXPECT_TRUE(absl::IsNotFound(OpenAgain(named, "t/d/g").status()));
  // A pipe is not waited for.
  ASSERT_EQ(unlink((root + "/d/f").c_str()), 0);
  ASSERT_EQ(mkfifo((root + "/d/f").c_str(), 0600), 0);
  EXPECT_TRUE(absl::IsNotFound(OpenAgain(named, "t/d/f").status()));
  const UniqueFd folder(open((root + "/d").c_str(), O_RDONLY | O_DIRECTORY));
  const std::string path = "t/d/f";
  EXPECT_TRUE(absl::IsNotFound(OpenFound({path, folder.get(), "f"}).status()));
  // Nor is a link followed, in the place of a file or of a folder.
  ASSERT_EQ(unlink((root + "/d/f").c_str()), 0);
  ASSERT_EQ(symlink("../../secret", (root + "/d/f").c_str()), 0);
  EXPECT_FALSE(OpenAgain(named, "t/d/f").ok());
  EXPECT_FALSE(OpenFound({path, folder.get(), "f"}).ok());
  fs::rename(root + "/d", root + "/e");
  ASSERT_EQ(symlink("..", (root + "/d").c_str()), 0);
  EXPECT_TRUE(
      absl::IsPermissionDenied(OpenAgain(named, "t/d/secret").status()));
}

TEST(Walk, AFileThatWasNamedIsOpenedByItsName) {
  const ScratchFolder scratch;
  WriteFile(scratch.path() + "/f", "text");
  const Root root = {scratch.path() + "/f", "other"};
  const absl::StatusOr<UniqueFd> fd = OpenAgain(root, "other");
  ASSERT_TRUE(fd.ok()) << fd.status();
  char text[8];
  EXPECT_EQ(read(fd->get(), text, sizeof(text)), 4);
}

}  // namespace
}  // namespace tactus::transfer::files
