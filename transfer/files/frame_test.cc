// The names that a peer may give, and the frames that it may send.

#include "transfer/files/frame.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/limits.h"
#include "transfer/files/path.h"

namespace tactus::transfer::files {
namespace {

absl::StatusOr<Frame> Decode(absl::string_view bytes) {
  const auto head = DecodeFrameHead(bytes);
  if (!head.ok()) return head.status();
  return DecodeFrame(*head, bytes.substr(kFrameHead));
}

std::vector<Frame> OneOfEach() {
  const TransferId id = {{1, 2, 3}};
  const Hash128 hash = HashOf("x");
  return {
      Offer{.id = id,
            .files = 7,
            .bytes = kSizeUnknown,
            .folder = "in/box",
            .roots = 2,
            .names = {"a", "\xff\n\x1b[2J"}},
      Settle{id},
      Entry{.type = EntryType::kFile,
            .path = "a/b",
            .mode = 0640,
            .mtime_seconds = -1,
            .mtime_nanoseconds = 999'999'999,
            .size = 5,
            .sparse = true},
      Entry{.type = EntryType::kFolder, .path = "a", .mode = 0777},
      Entry{.type = EntryType::kFolderDone, .path = "a", .mode = 0},
      Entry{.type = EntryType::kLink, .path = "l", .target = "../../etc"},
      Chunk{.hash = hash, .bytes = "x"},
      Hole{kGroup * kChunk},
      Keep{kGroup},
      FileEnd{.size = 1, .root = hash},
      FileEnd{.size = 1, .root = hash, .sha256 = Sha256().Finish()},
      FileEnd{.left_out = true},
      Turn(),
      End{9},
      Accept{true},
      Have{{hash, hash}},
      Have{},
      Verdict{.id = id,
              .outcome = Outcome::kFailed,
              .files = 1,
              .bytes = 2,
              .replaced = 3,
              .links_left_out = 4,
              .reason = std::string(kLongestReason, 'r')},
      Alive(),
  };
}

TEST(Frame, EachDecodesToWhatItWas) {
  for (const Frame& frame : OneOfEach()) {
    const std::string bytes = EncodeFrame(frame);
    const auto decoded = Decode(bytes);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_TRUE(*decoded == frame) << frame.index();
    EXPECT_EQ(EncodeFrame(*decoded), bytes);
  }
}

TEST(Frame, WhatIsWrittenIsWhatTheProtocolSays) {
  EXPECT_EQ(EncodeFrame(Keep{258}), std::string("\x13\0\0\0\4\0\0\1\2", 9));
  EXPECT_EQ(
      EncodeFrame(Entry{.type = EntryType::kLink,
                        .path = "l",
                        .mtime_seconds = 1,
                        .mtime_nanoseconds = 2,
                        .target = "t"}),
      std::string("\x10\0\0\0\x13\3\0\1l\0\0\0\0\0\0\0\1\0\0\0\2\0\1t", 24));
  const auto head = EncodeChunkHead(HashOf("x"), 1);
  EXPECT_EQ(std::string(head.data(), head.size()) + "x",
            EncodeFrame(Chunk{HashOf("x"), "x"}));
}

// XXH3-128 and its root, so that another implementation can be held against it.
TEST(Frame, HashesAreTheOnesOfTheProtocol) {
  EXPECT_EQ(HashOf("").Hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(RootHash().Digest().Hex(), "99aa06d3014798d86001c324468d497f");
  RootHash root;
  root.Add(HashOf("a"));
  EXPECT_EQ(root.Digest(),
            HashOf(absl::string_view(
                reinterpret_cast<const char*>(HashOf("a").bytes.data()), 16)));
  EXPECT_EQ(HashOfZeros(3), HashOf(absl::string_view("\0\0\0", 3)));
  EXPECT_EQ(HashOfZeros(kChunk), HashOf(std::string(kChunk, '\0')));
}

TEST(Frame, EveryCutAndEveryByteMoreIsRefused) {
  for (const Frame& frame : OneOfEach()) {
    const std::string bytes = EncodeFrame(frame);
    const auto head = DecodeFrameHead(bytes);
    ASSERT_TRUE(head.ok());
    for (size_t size = kFrameHead; size < bytes.size(); ++size) {
      EXPECT_FALSE(
          DecodeFrame(*head, bytes.substr(kFrameHead, size - kFrameHead)).ok());
    }
    EXPECT_FALSE(DecodeFrame(*head, bytes.substr(kFrameHead) + "x").ok());
  }
}

TEST(Frame, ABodyThatIsTooLongIsRefusedByItsHead) {
  EXPECT_TRUE(DecodeFrameHead(std::string("\x11\0\x10\0\x10", 5)).ok());
  EXPECT_FALSE(DecodeFrameHead(std::string("\x11\0\x10\0\x11", 5)).ok());
  EXPECT_FALSE(DecodeFrameHead("\x10\xff\xff\xff\xff").ok());
  EXPECT_FALSE(DecodeFrameHead(std::string("\x03\0\0\0\0", 5)).ok());
  EXPECT_FALSE(DecodeFrameHead("\x15").ok());
}

TEST(Frame, WhatNoSenderWouldSayIsRefused) {
  const auto refused = [](const Frame& frame) {
    return !Decode(EncodeFrame(frame)).ok();
  };
  const Entry good = {.type = EntryType::kFile, .path = "a"};
  EXPECT_FALSE(refused(good));
  for (const auto change : std::vector<void (*)(Entry&)>{
           [](Entry& entry) { entry.path = "../a"; },
           [](Entry& entry) { entry.path = "/a"; },
           [](Entry& entry) { entry.path = ""; },
           [](Entry& entry) { entry.mode = 04755; },
           [](Entry& entry) { entry.mtime_nanoseconds = 1'000'000'000; },
           [](Entry& entry) { entry.size = kLargestFile + 1; },
           [](Entry& entry) { entry.type = static_cast<EntryType>(5); },
           [](Entry& entry) { entry.type = static_cast<EntryType>(0); },
           [](Entry& entry) { entry.type = EntryType::kLink; },  // no target
       }) {
    Entry entry = good;
    change(entry);
    EXPECT_TRUE(refused(entry));
  }
  EXPECT_TRUE(refused(Hole{0}));
  EXPECT_TRUE(refused(Hole{kGroup * kChunk + 1}));
  EXPECT_TRUE(refused(Keep{0}));
  EXPECT_TRUE(refused(Keep{kGroup + 1}));
  EXPECT_TRUE(refused(FileEnd{.size = kLargestFile + 1}));
  EXPECT_TRUE(refused(Chunk{}));
  EXPECT_TRUE(refused(Offer{.folder = ".."}));
  EXPECT_TRUE(refused(Offer{.roots = 1, .names = {"a/b"}}));
  EXPECT_TRUE(refused(Offer{.roots = 2, .names = {"a"}}));
  EXPECT_TRUE(refused(Verdict{.outcome = static_cast<Outcome>(6)}));
}

TEST(Path, OnlyNamesBelowNamesAreGood) {
  for (const std::string& good :
       {std::string("a"), std::string("a/b"), std::string(255, 'n'),
        std::string("..."), std::string("..a"), std::string(" "),
        std::string("a\nb"), std::string("\xff\xfe"), std::string("C:"),
        std::string("\\"), std::string(".tactus-x"), std::string("\x1b[2J")}) {
    EXPECT_TRUE(CheckPath(good).ok()) << good;
  }
  std::string deep = "d";
  for (size_t i = 1; i < kDeepestPath; ++i) deep += "/d";
  EXPECT_TRUE(CheckPath(deep).ok());
  for (const std::string& bad :
       {std::string(), std::string("/"), std::string("/a"), std::string("a/"),
        std::string("a//b"), std::string("."), std::string(".."),
        std::string("a/../b"), std::string("./a"), std::string("a/."),
        std::string("a\0b", 3), std::string(256, 'n'), deep + "/d",
        PartialName("peer", "a"), "a/" + PartialName("peer", "a"),
        std::string(4096, 'a')}) {
    EXPECT_FALSE(CheckPath(bad).ok()) << bad;
  }
  EXPECT_EQ(CheckPath("a\x1b/../b").message().find('\x1b'),
            absl::string_view::npos);
}

TEST(Path, ALinkStaysInsideWhenItClimbsNoHigherThanItLies) {
  EXPECT_TRUE(StaysInside("l", "a"));
  EXPECT_TRUE(StaysInside("l", "a/b/"));
  EXPECT_TRUE(StaysInside("l", "."));
  EXPECT_TRUE(StaysInside("d/l", "../a"));
  EXPECT_TRUE(StaysInside("d/l", ".."));
  EXPECT_TRUE(StaysInside("d/e/l", ".././../a"));
  EXPECT_FALSE(StaysInside("l", ".."));
  EXPECT_FALSE(StaysInside("d/l", "../.."));
  EXPECT_FALSE(StaysInside("d/l", "../../x"));
  EXPECT_FALSE(StaysInside("l", "/etc/passwd"));
  EXPECT_FALSE(StaysInside("l", ""));
  EXPECT_FALSE(StaysInside("l", absl::string_view("a\0", 2)));
  // Beside a link that leads up to the top, this one would lead out.
  EXPECT_FALSE(StaysInside("p", "a/b/c/../x"));
}

TEST(Path, AnUnfinishedFileIsFoundByItsSenderAlone) {
  EXPECT_EQ(PartialName("ann", "a"), PartialName("ann", "a"));
  EXPECT_NE(PartialName("ann", "a"), PartialName("bob", "a"));
  EXPECT_NE(PartialName("ann", "a"), PartialName("ann", "b"));
  EXPECT_NE(PartialName("ann", "a"), PartialName("anna", ""));
  EXPECT_TRUE(IsPartialName(PartialName("ann", std::string(255, 'x'))));
  EXPECT_EQ(FolderOf("a/b/c"), "a/b");
  EXPECT_EQ(NameOf("a/b/c"), "c");
  EXPECT_EQ(FolderOf("c"), "");
  EXPECT_EQ(NameOf("c"), "c");
}

}  // namespace
}  // namespace tactus::transfer::files
