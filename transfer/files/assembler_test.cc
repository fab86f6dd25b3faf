#include "transfer/files/assembler.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "transfer/files/block.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/delivered.h"
#include "transfer/files/destination.h"
#include "transfer/files/frame.h"
#include "transfer/files/limits.h"
#include "transfer/files/testing/tree.h"
#include "transfer/files/unique_fd.h"

namespace tactus::transfer::files {
namespace {

namespace fs = std::filesystem;

Entry FileAt(const std::string& path, uint64_t size, bool sparse = false) {
  return {.path = path,
          .mode = 0644,
          .mtime_seconds = 7,
          .size = size,
          .sparse = sparse};
}

// The end of a file that holds `bytes`.
FileEnd EndOf(const std::string& bytes) {
  RootHash root;
  for (size_t at = 0; at < bytes.size(); at += kChunk) {
    root.Add(HashOf(absl::string_view(bytes).substr(at, kChunk)));
  }
  return {.size = bytes.size(), .root = root.Digest()};
}

std::vector<Hash128> HashesOf(const std::string& bytes) {
  std::vector<Hash128> hashes;
  for (size_t at = 0; at < bytes.size(); at += kChunk) {
    hashes.push_back(HashOf(absl::string_view(bytes).substr(at, kChunk)));
  }
  return hashes;
}

class AssemblerTest : public testing::Test {
 protected:
  AssemblerTest() {
    MakeFolders(folder_);
    Begin({.peer = "ann"});
  }

  // As another connection does.
  void Begin(AssemblerOptions options) {
    assembler_.reset();
    auto opened = Destination::Open(folder_, "", {.umask = 022});
    EXPECT_TRUE(opened.ok()) << opened.status();
    destination_ = *std::move(opened);
    assembler_ = std::make_unique<Assembler>(destination_.get(), &delivered_,
                                             std::move(options));
  }
  void BeginSink(int sink, std::function<bool()> stop = [] { return false; }) {
    assembler_ = std::make_unique<Assembler>(
        nullptr, &delivered_,
        AssemblerOptions{.peer = "ann", .sink = sink, .stop = std::move(stop)});
  }

  absl::Status Apply(Frame frame) {
    return assembler_->Apply(std::move(frame), Block());
  }
  absl::Status ApplyBytes(absl::string_view bytes) {
    Block block = Block::Take(bytes.size());
    std::copy(bytes.begin(), bytes.end(), block.data());
    return assembler_->Apply(Chunk{.hash = HashOf(bytes)}, std::move(block));
  }
  absl::Status ApplyContent(const std::string& bytes) {
    for (size_t at = 0; at < bytes.size(); at += kChunk) {
      absl::Status applied =
          ApplyBytes(absl::string_view(bytes).substr(at, kChunk));
      if (!applied.ok()) return applied;
    }
    return absl::OkStatus();
  }
  absl::Status ApplyWhole(const std::string& path, const std::string& bytes) {
    absl::Status applied = Apply(FileAt(path, bytes.size()));
    if (applied.ok()) applied = ApplyContent(bytes);
    if (applied.ok()) applied = Apply(EndOf(bytes));
    return applied;
  }
  std::string At(const std::string& path) const { return folder_ + "/" + path; }

  const ScratchFolder scratch_;
  const std::string folder_ = scratch_.path() + "/inbox";
  Delivered delivered_;
  std::unique_ptr<Destination> destination_;
  std::unique_ptr<Assembler> assembler_;
};

TEST_F(AssemblerTest, FilesOfEachSizeRoundAChunkAreWhole) {
  uint64_t entries = 0;
  uint64_t bytes = 0;
  for (const size_t size :
       {size_t{0}, size_t{1}, kChunk - 1, kChunk, kChunk + 1, 2 * kChunk}) {
    const std::string content = Noise(size, size);
    const std::string path = absl::StrCat("f", size);
    ASSERT_TRUE(ApplyWhole(path, content).ok()) << size;
    EXPECT_TRUE(ReadFile(At(path)) == content) << size;
    ++entries;
    bytes += size;
  }
  EXPECT_TRUE(assembler_->Finish({entries}).ok());
  const Assembled& made = assembler_->assembled();
  EXPECT_EQ(made.files, entries);
  EXPECT_EQ(made.bytes, bytes);
  EXPECT_EQ(made.fresh, bytes);
  EXPECT_EQ(made.kept, 0u);
  EXPECT_EQ(made.replaced, 0u);
  EXPECT_EQ(PartialFiles(folder_), std::vector<std::string>());
}

TEST_F(AssemblerTest, WhatIsNotWhatWasReadGetsNoName) {
  ASSERT_TRUE(Apply(FileAt("f", 3)).ok());
  Block block = Block::Take(3);
  std::copy_n("abd", 3, block.data());
  EXPECT_TRUE(absl::IsDataLoss(
      assembler_->Apply(Chunk{.hash = HashOf("abc")}, std::move(block))));
  EXPECT_FALSE(fs::exists(At("f")));
  // Nor what is too short, too long, or in another order.
  for (const FileEnd& end : {EndOf("ab"), EndOf("abcd"), EndOf("acb"),
                             FileEnd{.size = 3, .root = HashOf("abc")}}) {
    Begin({.peer = "ann"});
    ASSERT_TRUE(Apply(FileAt("f", 3)).ok());
    ASSERT_TRUE(ApplyBytes("abc").ok());
    EXPECT_TRUE(absl::IsDataLoss(Apply(end)));
    EXPECT_FALSE(fs::exists(At("f")));
  }
}

TEST_F(AssemblerTest, ADigestIsComparedWithWhatIsReadBack) {
  Sha256 sha256;
  sha256.Add("abc");
  FileEnd end = EndOf("abc");
  end.sha256 = sha256.Finish();
  ASSERT_TRUE(Apply(FileAt("f", 3)).ok());
  ASSERT_TRUE(ApplyBytes("abc").ok());
  EXPECT_TRUE(Apply(end).ok());
  end.sha256->front() ^= 1;
  ASSERT_TRUE(Apply(FileAt("g", 3)).ok());
  ASSERT_TRUE(ApplyBytes("abc").ok());
  EXPECT_TRUE(absl::IsDataLoss(Apply(end)));
  EXPECT_FALSE(fs::exists(At("g")));
}

TEST_F(AssemblerTest, FramesThatNoSenderSaysAreRefused) {
  const auto wrong = [this](Frame frame) {
    return absl::IsInvalidArgument(Apply(std::move(frame)));
  };
  EXPECT_TRUE(wrong(Chunk{.hash = HashOf("")}));
  EXPECT_TRUE(wrong(Hole{1}));
  EXPECT_TRUE(wrong(Keep{1}));
  EXPECT_TRUE(wrong(FileEnd{}));
  EXPECT_TRUE(wrong(Turn()));
  EXPECT_TRUE(wrong(Offer()));
  EXPECT_TRUE(absl::IsInvalidArgument(assembler_->NextGroup().status()));
  ASSERT_TRUE(Apply(FileAt("f", 9)).ok());
  EXPECT_TRUE(wrong(Keep{1}));  // of what is not there
  EXPECT_TRUE(
      wrong(Entry{.type = EntryType::kLink, .path = "l", .target = "f"}));
  EXPECT_TRUE(wrong(Entry{.type = EntryType::kFolderDone, .path = "d"}));
  EXPECT_TRUE(absl::IsInvalidArgument(assembler_->Finish({3})));  // amid a file
  ASSERT_TRUE(Apply(FileEnd{.left_out = true}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(assembler_->Finish({2})));  // miscounted
  EXPECT_TRUE(assembler_->Finish({3}).ok());
  ASSERT_TRUE(
      Apply(Entry{.type = EntryType::kLink, .path = "l", .target = "f"}).ok());
  // Links come last.
  EXPECT_TRUE(wrong(FileAt("g", 0)));
  EXPECT_TRUE(wrong(Entry{.type = EntryType::kFolder, .path = "d"}));
}

TEST_F(AssemblerTest, OnlySoManyFilesAreDeclaredAtATime) {
  for (size_t i = 0; i < kMostDeclared; ++i) {
    ASSERT_TRUE(Apply(FileAt(absl::StrCat("f", i), 0)).ok());
  }
  EXPECT_TRUE(absl::IsInvalidArgument(Apply(FileAt("more", 0))));
  ASSERT_TRUE(Apply(EndOf("")).ok());
  EXPECT_TRUE(Apply(FileAt("more", 0)).ok());
}

TEST_F(AssemblerTest, WhatWasNotOfferedIsRefused) {
  Begin({.peer = "ann", .roots = {"a", "b"}});
  EXPECT_TRUE(ApplyWhole("a", "x").ok());
  EXPECT_TRUE(Apply(Entry{.type = EntryType::kFolder, .path = "b"}).ok());
  EXPECT_TRUE(ApplyWhole("b/c", "x").ok());
  EXPECT_TRUE(absl::IsInvalidArgument(Apply(FileAt("c", 1))));
  EXPECT_TRUE(absl::IsInvalidArgument(
      Apply(Entry{.type = EntryType::kFolder, .path = "ab"})));
}

TEST_F(AssemblerTest, NothingIsMadeOutsideOfTheFolder) {
  WriteFile(scratch_.path() + "/secret", "s");
  ASSERT_EQ(symlink("..", At("up").c_str()), 0);
  const std::vector<std::string> before = DescribeTree(scratch_.path());
  // The decoder lets none of these through; here they are refused once more.
  for (const char* path : {"../made", "../secret", "/tmp/made", "a/../../made",
                           "up/made", "up/secret", ".."}) {
    Begin({.peer = "ann"});
    EXPECT_FALSE(ApplyWhole(path, "x").ok()) << path;
    Begin({.peer = "ann"});
    EXPECT_FALSE(
        Apply(Entry{.type = EntryType::kFolder, .path = path, .mode = 0755})
            .ok())
        << path;
    Begin({.peer = "ann"});
    EXPECT_FALSE(
        Apply(Entry{.type = EntryType::kLink, .path = path, .target = "x"})
            .ok())
        << path;
  }
  Begin({.peer = "ann"});
  EXPECT_TRUE(
      Apply(Entry{.type = EntryType::kLink, .path = "l", .target = "../secret"})
          .ok());
  EXPECT_EQ(assembler_->assembled().links_left_out, 1u);
  EXPECT_EQ(DescribeTree(scratch_.path()), before);
}

TEST_F(AssemblerTest, HolesAreZerosOfWhichNothingIsStored) {
  std::string all(3 * kChunk, '\0');
  all += "data";
  ASSERT_TRUE(Apply(FileAt("f", all.size(), /*sparse=*/true)).ok());
  ASSERT_TRUE(Apply(Hole{3 * kChunk}).ok());
  ASSERT_TRUE(ApplyBytes("data").ok());
  ASSERT_TRUE(Apply(EndOf(all)).ok());
  EXPECT_TRUE(ReadFile(At("f")) == all);
  struct stat info;
  ASSERT_EQ(stat(At("f").c_str(), &info), 0);
  EXPECT_LT(info.st_blocks * 512, static_cast<blkcnt_t>(kChunk));
  EXPECT_EQ(assembler_->assembled().fresh, 4u);
  // One that reaches to the end, and one of all of it.
  for (const size_t size : {kChunk + 5, size_t{1}}) {
    const std::string zeros(size, '\0');
    ASSERT_TRUE(Apply(FileAt("g", size, true)).ok());
    ASSERT_TRUE(Apply(Hole{size}).ok());
    ASSERT_TRUE(Apply(EndOf(zeros)).ok());
    EXPECT_TRUE(ReadFile(At("g")) == zeros) << size;
  }
  // Blocks of zeros that were sent are none of a sparse file's either.
  const std::string sent(kChunk, '\0');
  ASSERT_TRUE(Apply(FileAt("h", kChunk, true)).ok());
  ASSERT_TRUE(ApplyBytes(sent).ok());
  ASSERT_TRUE(Apply(EndOf(sent)).ok());
  ASSERT_EQ(stat(At("h").c_str(), &info), 0);
  EXPECT_EQ(info.st_size, static_cast<off_t>(kChunk));
  EXPECT_EQ(info.st_blocks, 0);
}

TEST_F(AssemblerTest, AFileOfMoreThanThereCanBeIsRefused) {
  ASSERT_TRUE(Apply(FileAt("f", 1)).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(Apply(Hole{kLargestFile + 1})));
}

TEST_F(AssemblerTest, WhatWasCutIsToldAndKept) {
  const std::string all = Noise(2 * kChunk + 100, 1);
  ASSERT_TRUE(Apply(FileAt("f", all.size())).ok());
  ASSERT_TRUE(ApplyBytes(absl::string_view(all).substr(0, kChunk)).ok());
  ASSERT_TRUE(ApplyBytes(absl::string_view(all).substr(kChunk, kChunk)).ok());
  Begin({.peer = "ann"});
  EXPECT_EQ(PartialFiles(folder_).size(), 1u);
  ASSERT_TRUE(Apply(FileAt("f", all.size())).ok());
  const auto haves = assembler_->TakeTurn();
  ASSERT_TRUE(haves.ok()) << haves.status();
  ASSERT_EQ(haves->size(), 1u);
  EXPECT_EQ((*haves)[0].chunks, HashesOf(all.substr(0, 2 * kChunk)));
  // A turn is once a file.
  EXPECT_TRUE(absl::IsInvalidArgument(assembler_->TakeTurn().status()));
  ASSERT_TRUE(Apply(Keep{2}).ok());
  // Not more than was told of.
  EXPECT_TRUE(absl::IsInvalidArgument(Apply(Keep{1})));
  Begin({.peer = "ann"});
  ASSERT_TRUE(Apply(FileAt("f", all.size())).ok());
  ASSERT_TRUE(assembler_->TakeTurn().ok());
  ASSERT_TRUE(Apply(Keep{2}).ok());
  ASSERT_TRUE(ApplyBytes(absl::string_view(all).substr(2 * kChunk)).ok());
  ASSERT_TRUE(Apply(EndOf(all)).ok());
  EXPECT_TRUE(ReadFile(At("f")) == all);
  EXPECT_EQ(assembler_->assembled().kept, 2 * kChunk);
  EXPECT_EQ(assembler_->assembled().fresh, 100u);
}

TEST_F(AssemblerTest, WhatAnotherPeerLeftIsToldToNobodyElse) {
  const std::string all = Noise(kChunk, 2);
  ASSERT_TRUE(Apply(FileAt("f", all.size())).ok());
  ASSERT_TRUE(ApplyBytes(all).ok());
  Begin({.peer = "bob"});
  ASSERT_TRUE(Apply(FileAt("f", all.size())).ok());
  EXPECT_EQ((*assembler_->TakeTurn())[0].chunks, std::vector<Hash128>());
  // Nor what lay there before anybody sent it.
  WriteFile(At("own"), all);
  Begin({.peer = "ann"});
  ASSERT_TRUE(Apply(FileAt("own", all.size())).ok());
  EXPECT_EQ((*assembler_->TakeTurn())[0].chunks, std::vector<Hash128>());
}

TEST_F(AssemblerTest, WhatAPeerDeliveredIsKeptUnlessItHasChanged) {
  const std::string all = Noise(kChunk + 9, 3);
  ASSERT_TRUE(ApplyWhole("f", all).ok());
  Begin({.peer = "ann"});
  ASSERT_TRUE(Apply(FileAt("f", all.size())).ok());
  EXPECT_EQ((*assembler_->TakeTurn())[0].chunks, HashesOf(all));
  ASSERT_TRUE(Apply(Keep{2}).ok());
  ASSERT_TRUE(Apply(EndOf(all)).ok());
  EXPECT_EQ(assembler_->assembled().kept, all.size());
  EXPECT_EQ(assembler_->assembled().replaced, 0u);
  // Its end is new: what is kept is copied beside it.
  std::string other = all;
  other.replace(kChunk, 9, "different");
  Begin({.peer = "ann"});
  ASSERT_TRUE(Apply(FileAt("f", other.size())).ok());
  ASSERT_TRUE(assembler_->TakeTurn().ok());
  ASSERT_TRUE(Apply(Keep{1}).ok());
  ASSERT_TRUE(ApplyBytes("different").ok());
  ASSERT_TRUE(Apply(EndOf(other)).ok());
  EXPECT_TRUE(ReadFile(At("f")) == other);
  EXPECT_EQ(assembler_->assembled().replaced, 1u);
  // Somebody wrote to it.
  std::string changed = other;
  changed[0] ^= 1;
  WriteFile(At("f"), changed);
  Begin({.peer = "ann"});
  ASSERT_TRUE(Apply(FileAt("f", other.size())).ok());
  EXPECT_EQ((*assembler_->TakeTurn())[0].chunks, std::vector<Hash128>());
}

TEST_F(AssemblerTest, WhatChangesWhileItIsKeptIsNoticed) {
  const std::string all = Noise(2 * kChunk, 4);
  ASSERT_TRUE(ApplyWhole("f", all).ok());
  Begin({.peer = "ann"});
  ASSERT_TRUE(Apply(FileAt("f", all.size())).ok());
  ASSERT_TRUE(assembler_->TakeTurn().ok());
  ASSERT_TRUE(Apply(Keep{1}).ok());
  const UniqueFd fd(open(At("f").c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(pwrite(fd.get(), "changed", 7, 0), 7);
  // It is copied now, before what follows is written beside it.
  EXPECT_TRUE(absl::IsDataLoss(ApplyBytes(Noise(kChunk, 5))));
}

TEST_F(AssemblerTest, WhatIsStoppedSaysSo) {
  bool stopped = false;
  Begin({.peer = "ann", .stop = [&stopped] { return stopped; }});
  ASSERT_TRUE(Apply(FileAt("f", 3)).ok());
  stopped = true;
  EXPECT_TRUE(absl::IsCancelled(ApplyBytes("abc")));
}

TEST_F(AssemblerTest, APipeTakesOneFileAndItsHolesAsZeros) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd read_end(ends[0]);
  const UniqueFd write_end(ends[1]);
  BeginSink(write_end.get());
  ASSERT_TRUE(Apply(FileAt("f", kSizeUnknown)).ok());
  ASSERT_TRUE(ApplyBytes("ab").ok());
  ASSERT_TRUE(Apply(Hole{3}).ok());
  char text[16];
  ASSERT_EQ(read(read_end.get(), text, sizeof(text)), 5);
  EXPECT_EQ(std::string(text, 5), std::string("ab\0\0\0", 5));
  EXPECT_TRUE(absl::IsInvalidArgument(assembler_->TakeTurn().status()));
  RootHash root;
  root.Add(HashOf("ab"));
  root.Add(HashOfZeros(3));
  ASSERT_TRUE(Apply(FileEnd{.size = 5, .root = root.Digest()}).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(Apply(FileAt("g", 1))));
}

TEST_F(AssemblerTest, APipeIsNoPlaceForAFolderNorForNothing) {
  const UniqueFd nothing(open("/dev/null", O_WRONLY | O_CLOEXEC));
  BeginSink(nothing.get());
  EXPECT_TRUE(absl::IsInvalidArgument(
      Apply(Entry{.type = EntryType::kFolder, .path = "d"})));
  BeginSink(nothing.get());
  EXPECT_TRUE(absl::IsNotFound(assembler_->Finish({0})));
  // What could not be read to its end cannot be taken back.
  BeginSink(nothing.get());
  ASSERT_TRUE(Apply(FileAt("f", 1)).ok());
  EXPECT_TRUE(absl::IsDataLoss(Apply(FileEnd{.left_out = true})));
  // And one file is what it is for.
  BeginSink(nothing.get());
  ASSERT_TRUE(ApplyWhole("f", Noise(kChunk + 1, 6)).ok());
  EXPECT_TRUE(assembler_->Finish({1}).ok());
  EXPECT_EQ(assembler_->assembled().bytes, kChunk + 1);
}

TEST_F(AssemblerTest, AFileAsASinkIsWrittenFromWhereItIs) {
  WriteFile(scratch_.path() + "/out", "head");
  const UniqueFd out(open((scratch_.path() + "/out").c_str(),
                          O_WRONLY | O_APPEND | O_CLOEXEC));
  BeginSink(out.get());
  const std::string all = Noise(kChunk + 4097, 7);
  ASSERT_TRUE(ApplyWhole("f", all).ok());
  EXPECT_TRUE(ReadFile(scratch_.path() + "/out") == "head" + all);
}

TEST_F(AssemblerTest, AReaderThatGoesOrStopsEndsIt) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  UniqueFd read_end(ends[0]);
  const UniqueFd write_end(ends[1]);
  // Who does not read is waited for, until that is not wanted any more. Nothing
  // that a pipe has no room for blocks the thread.
  int looks = 0;
  BeginSink(write_end.get(), [&looks] { return ++looks > 3; });
  ASSERT_TRUE(Apply(FileAt("f", kChunk)).ok());
  EXPECT_TRUE(absl::IsCancelled(ApplyBytes(Noise(kChunk, 8))));
  BeginSink(write_end.get());
  ASSERT_TRUE(Apply(FileAt("f", 1)).ok());
  read_end.Reset();
  EXPECT_TRUE(absl::IsFailedPrecondition(ApplyBytes("x")));
}

}  // namespace
}  // namespace tactus::transfer::files
