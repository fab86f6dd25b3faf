#include "transfer/files/destination.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "transfer/files/path.h"
#include "transfer/files/testing/tree.h"

namespace tactus::transfer::files {
namespace {

namespace fs = std::filesystem;

struct Inbox {
  ScratchFolder scratch;
  std::string folder = scratch.path() + "/inbox";
  std::unique_ptr<Destination> destination;

  Inbox() {
    MakeFolders(folder);
    auto opened = Destination::Open(folder, "", {.umask = 022});
    EXPECT_TRUE(opened.ok()) << opened.status();
    destination = *std::move(opened);
  }
  mode_t Mode(const std::string& path) const {
    struct stat info = {};
    (void)stat((folder + "/" + path).c_str(), &info);
    return info.st_mode & 07777;
  }
};

TEST(Destination, AFileIsHiddenAndItsOwnersUntilItIsWhole) {
  Inbox inbox;
  auto partial = inbox.destination->OpenPartial("f", "ann");
  ASSERT_TRUE(partial.ok()) << partial.status();
  ASSERT_EQ(write(partial->fd(), "text", 4), 4);
  EXPECT_FALSE(fs::exists(inbox.folder + "/f"));
  EXPECT_EQ(inbox.Mode(PartialName("ann", "f")), 0600u);
  const absl::StatusOr<bool> replaced = partial->Commit(4, 0666, {7, 8});
  ASSERT_TRUE(replaced.ok());
  EXPECT_FALSE(*replaced);
  EXPECT_EQ(ReadFile(inbox.folder + "/f"), "text");
  EXPECT_EQ(inbox.Mode("f"), 0644u);
  EXPECT_TRUE(PartialFiles(inbox.folder).empty());
}

TEST(Destination, WhatIsNotCommittedStaysForItsSenderIfItHoldsAnything) {
  Inbox inbox;
  {
    ASSERT_TRUE(inbox.destination->OpenPartial("empty", "ann").ok());
  }
  {
    auto partial = inbox.destination->OpenPartial("f", "ann");
    ASSERT_EQ(write(partial->fd(), "half", 4), 4);
  }
  {
    auto partial = inbox.destination->OpenPartial("gone", "ann");
    ASSERT_EQ(write(partial->fd(), "half", 4), 4);
    partial->Discard();
  }
  EXPECT_EQ(PartialFiles(inbox.folder).size(), 1u);
  EXPECT_TRUE(absl::IsNotFound(
      inbox.destination->OpenPartial("f", "bob", false).status()));
  auto again = inbox.destination->OpenPartial("f", "ann", false);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->old_size(), 4u);
  EXPECT_TRUE(inbox.destination->Exists("f", "ann"));
  EXPECT_FALSE(inbox.destination->Exists("f", "bob"));
}

TEST(Destination, OfOneThatIsBeingWrittenASecondDoesNotStay) {
  Inbox inbox;
  auto first = inbox.destination->OpenPartial("f", "ann");
  ASSERT_EQ(write(first->fd(), "one", 3), 3);
  {
    auto second = inbox.destination->OpenPartial("f", "ann");
    ASSERT_TRUE(second.ok());
    ASSERT_EQ(write(second->fd(), "two", 3), 3);
    EXPECT_EQ(PartialFiles(inbox.folder).size(), 2u);
  }
  EXPECT_EQ(PartialFiles(inbox.folder).size(), 1u);
}

TEST(Destination, ALinkInThePlaceOfAnUnfinishedFileIsNotFollowed) {
  Inbox inbox;
  WriteFile(inbox.scratch.path() + "/outside", "old");
  fs::create_symlink("../outside",
                     inbox.folder + "/" + PartialName("ann", "f"));
  auto partial = inbox.destination->OpenPartial("f", "ann");
  ASSERT_TRUE(partial.ok()) << partial.status();
  ASSERT_EQ(write(partial->fd(), "new", 3), 3);
  ASSERT_TRUE(partial->Commit(3, 0644, {}).ok());
  EXPECT_EQ(ReadFile(inbox.scratch.path() + "/outside"), "old");
  EXPECT_EQ(ReadFile(inbox.folder + "/f"), "new");
}

TEST(Destination, NothingGoesOverALinkOrOutOfTheFolder) {
  Inbox inbox;
  MakeFolders(inbox.scratch.path() + "/outside");
  fs::create_symlink("../outside", inbox.folder + "/out");
  for (const char* path : {"out/f", "../f", "/f", "out"}) {
    EXPECT_FALSE(inbox.destination->MakeFolder(path, 0755).ok()) << path;
  }
  for (const char* path : {"out/f", "../f", "/f"}) {
    EXPECT_FALSE(inbox.destination->OpenPartial(path, "ann").ok()) << path;
    EXPECT_FALSE(inbox.destination->OpenFile(path).ok()) << path;
    EXPECT_FALSE(inbox.destination->MakeLink(path, "x", {}).ok()) << path;
    EXPECT_FALSE(inbox.destination->FinishFolder(path, 0755, {}).ok()) << path;
  }
  EXPECT_FALSE(inbox.destination->OpenFile("out").ok());
  EXPECT_FALSE(Destination::Open(inbox.folder, "out/x").ok());
  EXPECT_FALSE(Destination::Open(inbox.folder, "../x").ok());
  EXPECT_TRUE(fs::is_empty(inbox.scratch.path() + "/outside"));
}

TEST(Destination, AFolderOfSomebodyElseKeepsItsMode) {
  Inbox inbox;
  ASSERT_TRUE(inbox.destination->MakeFolder("new", 0555).ok());
  EXPECT_EQ(inbox.Mode("new"), 0755u);
  ASSERT_TRUE(inbox.destination->FinishFolder("new", 0555, {1, 2}).ok());
  EXPECT_EQ(inbox.Mode("new"), 0555u);
  MakeFolders(inbox.folder + "/old");
  chmod((inbox.folder + "/old").c_str(), 0700);
  ASSERT_TRUE(inbox.destination->MakeFolder("old", 0755).ok());
  ASSERT_TRUE(inbox.destination->FinishFolder("old", 0755, {1, 2}).ok());
  EXPECT_EQ(inbox.Mode("old"), 0700u);
}

}  // namespace
}  // namespace tactus::transfer::files
