#include "transfer/identity/private_folder.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tactus::transfer {
namespace {

class PrivateFolderTest : public testing::Test {
 protected:
  PrivateFolderTest() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/folder.XXXXXX");
    root_ = mkdtemp(pattern.data());
  }

  std::string Path(const std::string& name) { return root_ + "/" + name; }

  static mode_t ModeOf(const std::string& path) {
    struct stat info = {};
    return lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 07777;
  }

  static int FilesIn(const std::string& path) {
    int count = 0;
    DIR* folder = opendir(path.c_str());
    while (const dirent* entry = readdir(folder)) {
      const std::string name = entry->d_name;
      count += name != "." && name != "..";
    }
    closedir(folder);
    return count;
  }

  std::string root_;
};

TEST_F(PrivateFolderTest, IsMadeForItsOwnerAloneWithItsParents) {
  const mode_t before = umask(0);
  EXPECT_TRUE(PrivateFolder::Open(Path("a/b/state")).ok());
  umask(before);
  EXPECT_EQ(ModeOf(Path("a")), 0700u);
  EXPECT_EQ(ModeOf(Path("a/b/state")), 0700u);
}

TEST_F(PrivateFolderTest, AFolderOpenToOthersIsRefusedWithTheRemedy) {
  mkdir(Path("state").c_str(), 0700);
  for (const mode_t mode : {0750, 0705, 0710, 0701, 0777}) {
    chmod(Path("state").c_str(), mode);
    const absl::StatusOr<PrivateFolder> folder =
        PrivateFolder::Open(Path("state"));
    EXPECT_EQ(folder.status().code(), absl::StatusCode::kPermissionDenied);
    EXPECT_TRUE(absl::StrContains(folder.status().message(),
                                  "chmod 0700 " + Path("state")));
  }
  chmod(Path("state").c_str(), 0700);
  EXPECT_TRUE(PrivateFolder::Open(Path("state")).ok());
}

TEST_F(PrivateFolderTest, AFolderOfAnotherOwnerIsRefused) {
  mkdir(Path("state").c_str(), 0700);
  // Nobody may give a folder away in a sandbox; so somebody else comes.
  const absl::StatusOr<PrivateFolder> folder =
      PrivateFolder::Open(Path("state"), geteuid() + 1);
  EXPECT_EQ(folder.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(absl::StrContains(folder.status().message(), "belongs to user"));
}

TEST_F(PrivateFolderTest, ALinkOrAFileInItsPlaceIsRefused) {
  mkdir(Path("real").c_str(), 0700);
  ASSERT_EQ(symlink(Path("real").c_str(), Path("link").c_str()), 0);
  std::ofstream(Path("file")) << "x";
  EXPECT_EQ(PrivateFolder::Open(Path("link")).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(PrivateFolder::Open(Path("file")).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(PrivateFolder::Open("state").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(PrivateFolderTest, ACreatedFileIsItsOwnersAndLeftAloneByTheSecond) {
  const PrivateFolder folder = *PrivateFolder::Open(Path("state"));
  const mode_t before = umask(0);
  EXPECT_TRUE(folder.Create("key", "first").ok());
  umask(before);
  EXPECT_EQ(ModeOf(Path("state/key")), 0600u);
  EXPECT_EQ(folder.Create("key", "second").code(),
            absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(*folder.Read("key", 100), "first");
  EXPECT_EQ(FilesIn(Path("state")), 1);
}

TEST_F(PrivateFolderTest, AReplacedFileHoldsTheNewBytesAlone) {
  const PrivateFolder folder = *PrivateFolder::Open(Path("state"));
  // What a crash between the two steps of a replacement leaves.
  std::ofstream(Path("state/.peers.new")) << "stale";
  EXPECT_TRUE(folder.Replace("peers", "one").ok());
  EXPECT_TRUE(folder.Replace("peers", "2").ok());
  EXPECT_EQ(*folder.Read("peers", 100), "2");
  EXPECT_EQ(ModeOf(Path("state/peers")), 0600u);
  EXPECT_EQ(FilesIn(Path("state")), 1);
}

TEST_F(PrivateFolderTest, AFileOpenToOthersIsRefusedWithTheRemedy) {
  const PrivateFolder folder = *PrivateFolder::Open(Path("state"));
  ASSERT_TRUE(folder.Create("key", "secret").ok());
  for (const mode_t mode : {0640, 0604, 0660, 0666}) {
    chmod(Path("state/key").c_str(), mode);
    const absl::StatusOr<std::string> read = folder.Read("key", 100);
    EXPECT_EQ(read.status().code(), absl::StatusCode::kPermissionDenied);
    EXPECT_TRUE(absl::StrContains(read.status().message(),
                                  "chmod 0600 " + Path("state/key")));
    EXPECT_FALSE(absl::StrContains(read.status().message(), "secret"));
  }
}

TEST_F(PrivateFolderTest, WhatIsNoPlainFileOrTooLargeIsRefused) {
  const PrivateFolder folder = *PrivateFolder::Open(Path("state"));
  ASSERT_TRUE(folder.Create("key", "12345").ok());
  EXPECT_EQ(*folder.Read("key", 5), "12345");
  EXPECT_EQ(folder.Read("key", 4).status().code(), absl::StatusCode::kDataLoss);
  ASSERT_EQ(symlink("key", Path("state/link").c_str()), 0);
  EXPECT_EQ(folder.Read("link", 9).status().code(),
            absl::StatusCode::kDataLoss);
  ASSERT_EQ(mkfifo(Path("state/pipe").c_str(), 0600), 0);
  EXPECT_EQ(folder.Read("pipe", 9).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(folder.Read("none", 9).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(PrivateFolderTest, APathIsNoName) {
  const PrivateFolder folder = *PrivateFolder::Open(Path("state"));
  for (const char* name : {"", ".", "..", "a/b", "/etc/passwd"}) {
    EXPECT_EQ(folder.Read(name, 9).status().code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(folder.Create(name, "x").code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(folder.Replace(name, "x").code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace tactus::transfer
