#include "transfer/files/delivered.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/testing/tree.h"

namespace tactus::transfer::files {
namespace {

constexpr size_t kRecord = 32;

Hash128 Number(uint64_t i) { return HashOf(absl::StrCat(i)); }

struct Place {
  ScratchFolder scratch;
  std::string file = scratch.path() + "/delivered";

  size_t Size() const {
    struct stat info = {};
    EXPECT_EQ(stat(file.c_str(), &info), 0);
    return static_cast<size_t>(info.st_size);
  }
};

TEST(Delivered, OfOneFileTheLastRootIsKnown) {
  Delivered delivered;
  const Hash128 key = Delivered::KeyOf("peer", "folder", "path");
  EXPECT_EQ(delivered.Find(key), std::nullopt);
  delivered.Add(key, Number(1));
  delivered.Add(key, Number(2));
  EXPECT_EQ(delivered.Find(key), Number(2));
}

TEST(Delivered, NoPeerFolderOrPathIsTakenForAnother) {
  const Hash128 key = Delivered::KeyOf("ab", "c", "d");
  EXPECT_EQ(key, Delivered::KeyOf("ab", "c", "d"));
  EXPECT_NE(key, Delivered::KeyOf("a", "bc", "d"));
  EXPECT_NE(key, Delivered::KeyOf("ab", "", "cd"));
  EXPECT_NE(key, Delivered::KeyOf("ab", "cd", ""));
  EXPECT_NE(key, Delivered::KeyOf("ab", "c", "e"));
}

TEST(Delivered, WhatIsInTheFileIsKnownAgain) {
  const Place place;
  {
    Delivered delivered;
    ASSERT_TRUE(delivered.Load(place.file).ok());
    delivered.Add(Number(1), Number(10));
    delivered.Add(Number(2), Number(20));
    delivered.Add(Number(1), Number(11));
  }
  struct stat info = {};
  ASSERT_EQ(stat(place.file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  EXPECT_EQ(place.Size(), 3 * kRecord);
  Delivered again;
  ASSERT_TRUE(again.Load(place.file).ok());
  EXPECT_EQ(again.Find(Number(1)), Number(11));
  EXPECT_EQ(again.Find(Number(2)), Number(20));
  EXPECT_EQ(again.Find(Number(3)), std::nullopt);
}

TEST(Delivered, ATornRecordIsCutOffAndSpoilsNoOther) {
  const Place place;
  {
    Delivered delivered;
    ASSERT_TRUE(delivered.Load(place.file).ok());
    delivered.Add(Number(1), Number(10));
    delivered.Add(Number(2), Number(20));
  }
  for (const size_t torn : {kRecord - 1, size_t{1}}) {
    ASSERT_EQ(truncate(place.file.c_str(), static_cast<off_t>(kRecord + torn)),
              0);
    Delivered again;
    ASSERT_TRUE(again.Load(place.file).ok());
    EXPECT_EQ(place.Size(), kRecord);
    EXPECT_EQ(again.Find(Number(1)), Number(10));
    EXPECT_EQ(again.Find(Number(2)), std::nullopt);
    again.Add(Number(2), Number(21));
    Delivered third;
    ASSERT_TRUE(third.Load(place.file).ok());
    EXPECT_EQ(third.Find(Number(2)), Number(21));
  }
}

TEST(Delivered, WithoutAFileItIsKeptInMemory) {
  const Place place;
  WriteFile(place.scratch.path() + "/real", "");
  ASSERT_EQ(symlink("real", place.file.c_str()), 0);
  Delivered delivered;
  // A link is not followed.
  EXPECT_FALSE(delivered.Load(place.file).ok());
  EXPECT_FALSE(delivered.Load(place.scratch.path()).ok());
  EXPECT_FALSE(delivered.Load(place.scratch.path() + "/no/where").ok());
  delivered.Add(Number(1), Number(10));
  EXPECT_EQ(delivered.Find(Number(1)), Number(10));
  EXPECT_EQ(ReadFile(place.scratch.path() + "/real"), "");
}

TEST(Delivered, TheOldestGoAndTheFileStaysBounded) {
  const Place place;
  Delivered delivered;
  ASSERT_TRUE(delivered.Load(place.file).ok());
  const uint64_t most = Delivered::kMost;
  for (uint64_t i = 0; i < most; ++i) delivered.Add(Number(i), Number(i));
  EXPECT_EQ(delivered.Find(Number(0)), Number(0));
  delivered.Add(Number(most), Number(most));
  EXPECT_EQ(delivered.Find(Number(0)), std::nullopt);
  EXPECT_EQ(delivered.Find(Number(1)), Number(1));
  for (uint64_t i = most + 1; i < 2 * most; ++i) {
    delivered.Add(Number(i), Number(i));
  }
  EXPECT_EQ(place.Size(), 2 * most * kRecord);
  // One more begins the file anew, with what is kept.
  delivered.Add(Number(2 * most), Number(7));
  EXPECT_EQ(place.Size(), most * kRecord);
  Delivered again;
  ASSERT_TRUE(again.Load(place.file).ok());
  EXPECT_EQ(again.Find(Number(2 * most)), Number(7));
  EXPECT_EQ(again.Find(Number(most + 1)), Number(most + 1));
  EXPECT_EQ(again.Find(Number(most)), std::nullopt);
}

}  // namespace
}  // namespace tactus::transfer::files
