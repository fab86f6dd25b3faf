// Files from one device to another, through memory: what arrives, what does
// not, and that both sides say the same of it.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/delivered.h"
#include "transfer/files/frame.h"
#include "transfer/files/frame_io.h"
#include "transfer/files/limits.h"
#include "transfer/files/path.h"
#include "transfer/files/progress.h"
#include "transfer/files/receiver.h"
#include "transfer/files/sender.h"
#include "transfer/files/testing/tree.h"
#include "transfer/files/testing/world.h"
#include "transfer/memory/network.h"
#include "transfer/memory/schedule.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer::files {
namespace {

namespace fs = std::filesystem;

class Watcher : public Observer {
 public:
  void OnProgress(const Progress& progress) override {
    if (progress.total_bytes != kSizeUnknown) {
      over = over || progress.bytes > progress.total_bytes;
    }
    if (on_progress) on_progress(progress);
  }
  void OnFile(absl::string_view path, uint64_t size,
              const std::optional<Sha256Digest>& sha256) override {
    files.push_back(absl::StrCat(path, " ", size, " ",
                                 sha256.has_value() ? Hex(*sha256) : ""));
  }
  void OnLeftOut(absl::string_view path, absl::string_view why) override {
    left_out.push_back(std::string(path));
  }
  void OnRetry(const absl::Status& why) override {
    ++retries;
    if (on_retry) on_retry();
  }

  bool over = false;
  int retries = 0;
  std::vector<std::string> files;
  std::vector<std::string> left_out;
  std::function<void()> on_retry;
  std::function<void(const Progress&)> on_progress;
};

TEST(Files, AFileOfAnySizeArrivesWithItsModeAndItsTime) {
  for (const size_t size :
       {size_t{0}, size_t{1}, kChunk - 1, kChunk, kChunk + 1, 3 * kChunk + 7}) {
    World world;
    WriteFile(world.source() + "/f", Noise(size, size), 0751);
    SetTime(world.source() + "/f", 1'600'000'000, 123'456'789);
    Watcher watcher;
    const TransferResult sent = world.Send({world.Root("f")}, &watcher);
    EXPECT_EQ(sent.outcome, Outcome::kDone) << sent.reason;
    EXPECT_EQ(sent.progress.fresh, size);
    EXPECT_EQ(sent.progress.tries, 1);
    EXPECT_EQ(sent.replaced, 0u);
    ASSERT_EQ(world.received().size(), 1u);
    EXPECT_EQ(world.received()[0].outcome, Outcome::kDone);
    EXPECT_EQ(world.received()[0].progress.fresh, size);
    EXPECT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));
    EXPECT_FALSE(watcher.over);
  }
}

TEST(Files, SmallFilesShareMessages) {
  World world;
  for (int i = 0; i < 200; ++i) {
    WriteFile(absl::StrCat(world.source(), "/d/", i), Noise(100, 7));
  }
  EXPECT_EQ(world.Send({world.Root("d")}).outcome, Outcome::kDone);
  EXPECT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));
  // The stream, offer, answer, all of the content with its end; the verdict;
  // and the ends of both sides.
  EXPECT_EQ(world.network.messages().size(), 7u);
}

void OddTree(const std::string& root) {
  for (const std::string& name :
       {std::string("caf\xc3\xa9"), std::string("cafe\xcc\x81"),
        std::string("Case"), std::string("case"), std::string("new\nline"),
        std::string("space "), std::string(" "), std::string("\xff\xfe"),
        std::string("\x1b[31mred\r"), std::string("\xe2\x80\xae") + "rtl",
        std::string(255, 'n'), std::string("..."), std::string("-rf"),
        std::string("CON"), std::string("a\\b"), std::string("*?")}) {
    WriteFile(root + "/names/" + name, name);
    SetTime(root + "/names/" + name, 1'000'000'000, 999'999'999);
  }
  WriteFile(root + "/empty", "");
  WriteFile(root + "/secret", "key", 0600);
  WriteFile(root + "/run", "#!", 0755);
  WriteFile(root + "/none", "-", 0);
  WriteFile(root + "/old", "-");
  SetTime(root + "/old", -1, 5);
  MakeFolders(root + "/hollow/in/hollow");
  fs::create_symlink("nowhere", root + "/dangling");
  fs::create_symlink("../empty", root + "/names/up");
  fs::create_symlink("hollow", root + "/folder");
  SetTime(root + "/dangling", 900'000'000, 1);
  WriteFile(root + "/locked/inside", "x", 0400);
  SetTime(root + "/locked", 1'100'000'000, 0);
  SetTime(root + "/hollow/in", 1'200'000'000, 0);
  chmod((root + "/locked").c_str(), 0555);
}

TEST(Files, AnOddTreeArrivesAsItIs) {
  World world;
  OddTree(world.source() + "/tree");
  const TransferResult sent = world.Send({world.Root("tree")});
  EXPECT_EQ(sent.outcome, Outcome::kDone) << sent.reason;
  EXPECT_EQ(sent.left_out, 0u);
  EXPECT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));
}

TEST(Files, SeveralRootsGoBeneathTheFolderThatIsAskedFor) {
  World world;
  WriteFile(world.source() + "/a", "1");
  WriteFile(world.source() + "/b/c", "2");
  SendOptions options = world.Options({world.Root("a"), world.Root("b")});
  options.folder = "x/y";
  Sender sender(&world.a, &world.network.clock(), options);
  EXPECT_EQ(world.Run(sender).outcome, Outcome::kDone);
  EXPECT_EQ(DescribeTree(world.inbox() + "/x/y"), DescribeTree(world.source()));
}

TEST(Files, HolesStayHoles) {
  World world;
  const std::string path = world.source() + "/sparse";
  WriteFile(path, "begin");
  const int fd = open(path.c_str(), O_WRONLY);
  const std::string data = Noise(10, 1);
  ASSERT_EQ(pwrite(fd, data.data(), 10, 40 * kChunk + 9000), 10);
  ASSERT_EQ(ftruncate(fd, 60 * kChunk + 5), 0);
  close(fd);
  EXPECT_EQ(world.Send({world.Root("sparse")}).outcome, Outcome::kDone);
  EXPECT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));
  struct stat info;
  ASSERT_EQ(stat((world.inbox() + "/sparse").c_str(), &info), 0);
  EXPECT_LE(info.st_blocks * 512, 64 << 10);
  size_t sent = 0;
  for (const MemoryMessage& message : world.network.messages()) {
    sent += message.bytes;
  }
  EXPECT_LT(sent, 4 * kChunk);
}

TEST(Files, LinksThatLeadOutAreLeftOutAndSaid) {
  World world;
  WriteFile(world.source() + "/d/f", "x");
  fs::create_symlink("/etc/passwd", world.source() + "/d/absolute");
  fs::create_symlink("../../x", world.source() + "/d/up");
  fs::create_symlink("f", world.source() + "/d/in");
  fs::create_symlink("a/../../../x", world.source() + "/d/down_and_up");
  Watcher watcher;
  const TransferResult sent = world.Send({world.Root("d")}, &watcher);
  EXPECT_EQ(sent.outcome, Outcome::kDone);
  EXPECT_EQ(sent.left_out, 3u);
  std::sort(watcher.left_out.begin(), watcher.left_out.end());
  EXPECT_EQ(watcher.left_out,
            (std::vector<std::string>{"d/absolute", "d/down_and_up", "d/up"}));
  EXPECT_EQ(fs::read_symlink(world.inbox() + "/d/in").string(), "f");
  EXPECT_FALSE(fs::is_symlink(world.inbox() + "/d/up"));
}

TEST(Files, WhatIsNoFileIsLeftOutAndWhatIsNotThereFails) {
  World world;
  WriteFile(world.source() + "/d/f", "x");
  ASSERT_EQ(mkfifo((world.source() + "/d/pipe").c_str(), 0600), 0);
  const TransferResult sent = world.Send({world.Root("d")});
  EXPECT_EQ(sent.outcome, Outcome::kDone);
  EXPECT_EQ(sent.left_out, 1u);
  EXPECT_FALSE(fs::exists(world.inbox() + "/d/pipe"));

  const TransferResult none = world.Send({world.Root("none")});
  EXPECT_EQ(none.outcome, Outcome::kFailed);
  EXPECT_EQ(none.progress.tries, 0);
}

TEST(Files, ModesAreNeverWidened) {
  World world;
  world.receiver_options.destination.umask = 027;
  WriteFile(world.source() + "/a", "new", 0777);
  WriteFile(world.source() + "/b", "new", 0644);
  WriteFile(world.source() + "/c", "new");
  ASSERT_EQ(chmod((world.source() + "/c").c_str(), 06755), 0);
  WriteFile(world.inbox() + "/b", "old", 0600);
  const TransferResult sent =
      world.Send({world.Root("a"), world.Root("b"), world.Root("c")});
  EXPECT_EQ(sent.outcome, Outcome::kDone);
  EXPECT_EQ(sent.replaced, 1u);
  EXPECT_EQ(ReadFile(world.inbox() + "/b"), "new");
  const auto mode = [&](const std::string& name) {
    struct stat info = {};
    (void)stat((world.inbox() + "/" + name).c_str(), &info);
    return info.st_mode & 07777;
  };
  EXPECT_EQ(mode("a"), 0750u);
  EXPECT_EQ(mode("b"), 0600u);
  EXPECT_EQ(mode("c"), 0750u);
}

TEST(Files, WhatHasTheNameOfAFolderIsNotReplacedByAFileNorTheOtherWay) {
  World world;
  WriteFile(world.source() + "/a", "x");
  WriteFile(world.inbox() + "/a/b", "y");
  EXPECT_EQ(world.Send({world.Root("a")}).outcome, Outcome::kFailed);
  WriteFile(world.source() + "/d/f", "x");
  WriteFile(world.inbox() + "/d", "y");
  const TransferResult sent = world.Send({world.Root("d")});
  EXPECT_EQ(sent.outcome, Outcome::kFailed);
  EXPECT_EQ(sent.reason, "a file is in the place of 'd': move it away");
  EXPECT_EQ(ReadFile(world.inbox() + "/d"), "y");
  EXPECT_EQ(ReadFile(world.inbox() + "/a/b"), "y");
  EXPECT_TRUE(PartialFiles(world.inbox()).empty() ||
              PartialFiles(world.inbox()).size() == 1u);
}

TEST(Files, ALinkInThePlaceOfAFileIsReplacedAndNotFollowed) {
  World world;
  WriteFile(world.source() + "/f", "new");
  WriteFile(world.scratch() + "/outside", "old");
  fs::create_symlink("../outside", world.inbox() + "/f");
  EXPECT_EQ(world.Send({world.Root("f")}).outcome, Outcome::kDone);
  EXPECT_EQ(ReadFile(world.scratch() + "/outside"), "old");
  EXPECT_FALSE(fs::is_symlink(world.inbox() + "/f"));
}

TEST(Files, ADigestIsOfWhatWasSentAndReadBack) {
  World world;
  WriteFile(world.source() + "/f", "abc");
  SendOptions options = world.Options({world.Root("f")});
  options.sha256 = true;
  Watcher watcher;
  Sender sender(&world.a, &world.network.clock(), options, &watcher);
  EXPECT_EQ(world.Run(sender).outcome, Outcome::kDone);
  // FIPS 180-2, appendix B.1.
  EXPECT_EQ(watcher.files,
            (std::vector<std::string>{
                "f 3 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f2"
                "0015ad"}));
}

TEST(Files, AMebibyteOfAPipeArrivesInAFileAndInAPipe) {
  const std::string bytes = Noise(kChunk + 12345, 3);
  for (const bool to_pipe : {false, true}) {
    World world;
    int in[2];
    int out[2];
    ASSERT_EQ(pipe(in), 0);
    ASSERT_EQ(pipe(out), 0);
    std::thread writer([&] {
      for (size_t at = 0; at < bytes.size();) {
        const ssize_t n = write(in[1], &bytes[at], bytes.size() - at);
        if (n <= 0) break;
        at += static_cast<size_t>(n);
      }
      close(in[1]);
    });
    std::string got;
    std::thread reader([&] {
      char buffer[4096];
      for (ssize_t n; (n = read(out[0], buffer, sizeof(buffer))) > 0;) {
        got.append(buffer, static_cast<size_t>(n));
      }
    });
    if (to_pipe) world.decision = {.accepted = true, .sink = out[1]};
    SendOptions options = world.Options({});
    options.pipe = in[0];
    options.pipe_name = "stream";
    Sender sender(&world.a, &world.network.clock(), options);
    const TransferResult sent = world.Run(sender);
    EXPECT_EQ(sent.outcome, Outcome::kDone) << sent.reason;
    close(out[1]);
    writer.join();
    reader.join();
    close(in[0]);
    close(out[0]);
    EXPECT_EQ(to_pipe ? got : ReadFile(world.inbox() + "/stream"), bytes);
    EXPECT_EQ(sent.progress.fresh, bytes.size());
  }
}

TEST(Files, AFolderIsNotSentToAPipe) {
  World world;
  int out[2];
  ASSERT_EQ(pipe(out), 0);
  world.decision = {.accepted = true, .sink = out[1]};
  WriteFile(world.source() + "/d/f", "x");
  EXPECT_EQ(world.Send({world.Root("d")}).outcome, Outcome::kFailed);
  EXPECT_FALSE(world.receiver_has_it());
  close(out[0]);
  close(out[1]);
}

// A sender would begin a file anew; what went into a pipe would be there twice.
TEST(Files, WhatGoesIntoAPipeEndsWithItsConnectionAndBothSidesSaySo) {
  const std::string bytes = Noise(20'000, 7);
  int failed = 0;
  bool cut = true;
  for (size_t message = 0; cut; ++message) {
    World world({.faults = {{.message = message, .kind = MemoryFault::kCut}}});
    int out[2];
    ASSERT_EQ(pipe(out), 0);
    world.decision = {.accepted = true, .sink = out[1]};
    WriteFile(world.source() + "/f", bytes);
    const TransferResult sent = world.Send({world.Root("f")});
    close(out[1]);
    std::string got(3 * bytes.size(), '\0');
    size_t size = 0;
    for (ssize_t n; (n = read(out[0], &got[size], got.size() - size)) > 0;) {
      size += static_cast<size_t>(n);
    }
    close(out[0]);
    got.resize(size);
    cut = sent.progress.tries > 1;
    EXPECT_LE(world.asked, 1) << message;
    ASSERT_EQ(world.received().size(), 1u) << message;
    EXPECT_EQ(world.received()[0].outcome, sent.outcome) << message;
    EXPECT_FALSE(world.received()[0].parked);
    if (sent.outcome == Outcome::kDone) {
      EXPECT_EQ(got, bytes) << message;
    } else {
      ++failed;
      EXPECT_EQ(sent.outcome, Outcome::kFailed) << message;
      EXPECT_EQ(got, bytes.substr(0, got.size())) << message;
      EXPECT_NE(sent.reason.find("cannot be written again"), std::string::npos)
          << sent.reason;
    }
  }
  EXPECT_GT(failed, 0);
}

TEST(Files, WhatIsRefusedWritesNothingAndIsAskedOnce) {
  // The verdict is lost, and repeated: message 3 is the receiver's first.
  World world({.faults = {{.message = 2, .kind = MemoryFault::kCut}}});
  world.decision = {.accepted = false, .reason = "not now"};
  WriteFile(world.source() + "/f", "x");
  const TransferResult sent = world.Send({world.Root("f")});
  EXPECT_EQ(sent.outcome, Outcome::kRefused);
  EXPECT_EQ(sent.reason, "not now");
  EXPECT_EQ(sent.progress.tries, 2);
  EXPECT_EQ(world.asked, 1);
  EXPECT_TRUE(DescribeTree(world.inbox()).empty());
}

// A tree whose transfer takes messages of every kind.
void SomeTree(const std::string& root) {
  WriteFile(root + "/t/a", "a");
  WriteFile(root + "/t/big", Noise(2 * kChunk + 99, 5));
  WriteFile(root + "/t/d/b", Noise(70'000, 6));
  WriteFile(root + "/t/empty", "");
  fs::create_symlink("a", root + "/t/link");
}

size_t MessagesOfSomeTree() {
  World world;
  SomeTree(world.source());
  EXPECT_EQ(world.Send({world.Root("t")}).outcome, Outcome::kDone);
  return world.network.messages().size();
}

TEST(Files, ACutAtAnyMessageEndsInAWholeTreeThatBothAgreeOn) {
  const size_t messages = MessagesOfSomeTree();
  EXPECT_GE(messages, 9u);
  for (size_t message = 0; message < messages; ++message) {
    for (const size_t keep : {size_t{0}, size_t{3}, SIZE_MAX}) {
      for (const bool told : {true, false}) {
        World world({.faults = {{.message = message,
                                 .kind = MemoryFault::kCut,
                                 .keep = keep,
                                 .writer_told = told}}});
        SomeTree(world.source());
        const TransferResult sent = world.Send({world.Root("t")});
        ASSERT_EQ(sent.outcome, Outcome::kDone)
            << message << " " << keep << " " << told << " " << sent.reason;
        ASSERT_TRUE(world.receiver_has_it());
        ASSERT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));
        ASSERT_EQ(world.asked, 1) << message << " " << keep;
      }
    }
  }
}

TEST(Files, AMessageThatIsLostOrLateEndsInAWholeTree) {
  const size_t messages = MessagesOfSomeTree();
  for (size_t message = 0; message < messages; ++message) {
    for (const MemoryFault::Kind kind :
         {MemoryFault::kLose, MemoryFault::kDelay}) {
      World world({.faults = {{.message = message,
                               .kind = kind,
                               .delay = absl::Seconds(75)}}});
      SomeTree(world.source());
      const TransferResult sent = world.Send({world.Root("t")});
      ASSERT_EQ(sent.outcome, Outcome::kDone) << message << sent.reason;
      ASSERT_TRUE(world.receiver_has_it());
      ASSERT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));
    }
  }
}

// Of 6 chunks the first three or so arrive, then the connection is cut.
constexpr MemoryFault kHalfway = {
    .message = 7, .kind = MemoryFault::kCut, .keep = 0};

TEST(Files, AFileThatIsCutIsGoneOnWithFromWhatIsVerified) {
  World world({.faults = {kHalfway}});
  WriteFile(world.source() + "/f", Noise(6 * kChunk, 9));
  Watcher watcher;
  const TransferResult sent = world.Send({world.Root("f")}, &watcher);
  EXPECT_EQ(sent.outcome, Outcome::kDone);
  EXPECT_EQ(watcher.retries, 1);
  EXPECT_EQ(sent.progress.kept, 3 * kChunk);
  EXPECT_EQ(sent.progress.bytes, 6 * kChunk);
  EXPECT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));
  EXPECT_EQ(world.received().size(), 2u);
  EXPECT_TRUE(world.received()[0].parked);
}

TEST(Files, AByteThatTheDiskChangedIsSentAgain) {
  World world({.faults = {kHalfway}});
  WriteFile(world.source() + "/f", Noise(6 * kChunk, 9));
  Watcher watcher;
  watcher.on_retry = [&] {
    // The receiver has seen the cut by then, or sees it before it is asked.
    world.network.clock().SleepUntil(world.network.clock().Now() +
                                     absl::Seconds(1));
    const std::vector<std::string> partial = PartialFiles(world.inbox());
    ASSERT_EQ(partial.size(), 1u);
    std::string bytes = ReadFile(partial[0]);
    ASSERT_EQ(bytes.size(), 3 * kChunk);
    bytes[kChunk + 7] ^= 1;
    WriteFile(partial[0], bytes, 0600);
  };
  const TransferResult sent = world.Send({world.Root("f")}, &watcher);
  EXPECT_EQ(sent.outcome, Outcome::kDone);
  EXPECT_EQ(watcher.retries, 1);
  EXPECT_EQ(sent.progress.kept, 2 * kChunk);
  EXPECT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));
}

TEST(Files, ASourceThatChangedIsSentAsItIsNow) {
  for (const size_t size :
       {6 * kChunk, 5 * kChunk + 1, 2 * kChunk, size_t{0}}) {
    World world({.faults = {kHalfway}});
    WriteFile(world.source() + "/f", Noise(6 * kChunk, 9));
    Watcher watcher;
    watcher.on_retry = [&] {
      std::string bytes = Noise(6 * kChunk, 9).substr(0, size);
      if (size > 2 * kChunk) bytes[2 * kChunk] ^= 1;
      WriteFile(world.source() + "/f", bytes);
    };
    const TransferResult sent = world.Send({world.Root("f")}, &watcher);
    EXPECT_EQ(sent.outcome, Outcome::kDone) << sent.reason;
    EXPECT_EQ(sent.progress.kept, std::min(size, 2 * kChunk));
    EXPECT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));
  }
}

TEST(Files, AnotherTransferGoesOnWithWhatOneLeftAndNotWhatOthersLeft) {
  World world({.faults = {kHalfway}});
  WriteFile(world.source() + "/f", Noise(6 * kChunk, 9));
  SendOptions options = world.Options({world.Root("f")});
  options.give_up = absl::ZeroDuration();
  Sender first(&world.a, &world.network.clock(), options);
  const TransferResult cut = world.Run(first);
  EXPECT_EQ(cut.outcome, Outcome::kFailed);
  EXPECT_TRUE(cut.parked);
  EXPECT_EQ(PartialFiles(world.inbox()).size(), 1u);

  const TransferResult sent = world.Send({world.Root("f")});
  EXPECT_EQ(sent.outcome, Outcome::kDone);
  EXPECT_EQ(sent.progress.kept, 3 * kChunk);
  EXPECT_TRUE(PartialFiles(world.inbox()).empty());
  EXPECT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));
}

TEST(Files, WhatWasDeliveredIsNotSentAgainUnlessItWasChangedHere) {
  World world;
  Delivered delivered;
  ASSERT_TRUE(delivered.Load(world.scratch() + "/delivered").ok());
  world.receiver_options.delivered = &delivered;
  WriteFile(world.source() + "/d/a", Noise(kChunk + 5, 1));
  WriteFile(world.source() + "/d/b", "short");
  WriteFile(world.source() + "/d/c", "third");
  EXPECT_EQ(world.Send({world.Root("d")}).outcome, Outcome::kDone);
  TransferResult sent = world.Send({world.Root("d")});
  EXPECT_EQ(sent.outcome, Outcome::kDone);
  EXPECT_EQ(sent.progress.fresh, 0u);
  EXPECT_EQ(sent.progress.kept, kChunk + 15);
  EXPECT_EQ(sent.replaced, 0u);

  WriteFile(world.inbox() + "/d/b", "SHORT");
  WriteFile(world.source() + "/d/c", "THIRD");
  SetTime(world.source() + "/d/a", 1'500'000'000, 0);
  sent = world.Send({world.Root("d")});
  EXPECT_EQ(sent.outcome, Outcome::kDone);
  EXPECT_EQ(sent.progress.fresh, 10u);
  EXPECT_EQ(sent.replaced, 2u);
  EXPECT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));

  // It is remembered on the disk, and a torn record costs itself alone.
  Delivered again;
  std::string bytes = ReadFile(world.scratch() + "/delivered");
  EXPECT_EQ(bytes.size(), 5 * 32u);
  WriteFile(world.scratch() + "/delivered", bytes + "torn", 0600);
  ASSERT_TRUE(again.Load(world.scratch() + "/delivered").ok());
  Hash128 key;
  Hash128 root;
  std::copy_n(bytes.begin(), 16, key.bytes.begin());
  std::copy_n(bytes.begin() + 16, 16, root.bytes.begin());
  EXPECT_EQ(again.Find(key), root);
  EXPECT_EQ(ReadFile(world.scratch() + "/delivered").size(), 5 * 32u);
}

TEST(Files, OneByteOfAFileThatIsThereIsSentAsOneChunk) {
  World world;
  std::string bytes = Noise(4 * kChunk + 3, 2);
  WriteFile(world.source() + "/f", bytes);
  EXPECT_EQ(world.Send({world.Root("f")}).outcome, Outcome::kDone);
  bytes[2 * kChunk] ^= 1;
  WriteFile(world.source() + "/f", bytes);
  const TransferResult sent = world.Send({world.Root("f")});
  EXPECT_EQ(sent.outcome, Outcome::kDone);
  EXPECT_EQ(sent.progress.fresh, kChunk);
  EXPECT_EQ(sent.progress.kept, 3 * kChunk + 3);
  EXPECT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));
}

TEST(Files, AFolderIsGoneOnWithFileByFile) {
  World world({.faults = {{.message = 9, .kind = MemoryFault::kCut}}});
  for (int i = 0; i < 300; ++i) {
    WriteFile(absl::StrCat(world.source(), "/d/", i % 7, "/", i),
              Noise(20'000, static_cast<uint64_t>(i)));
  }
  const TransferResult sent = world.Send({world.Root("d")});
  EXPECT_EQ(sent.outcome, Outcome::kDone);
  EXPECT_EQ(sent.progress.tries, 2);
  EXPECT_GT(sent.progress.kept, 0u);
  EXPECT_EQ(sent.progress.bytes, 300 * 20'000u);
  EXPECT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));
}

TEST(Files, APipeThatIsCutFailsAndNothingStays) {
  World world({.faults = {{.message = 5, .kind = MemoryFault::kCut}}});
  int in[2];
  ASSERT_EQ(pipe(in), 0);
  ASSERT_EQ(write(in[1], "half", 4), 4);
  close(in[1]);
  SendOptions options = world.Options({});
  options.pipe = in[0];
  options.pipe_name = "stream";
  Sender sender(&world.a, &world.network.clock(), options);
  const TransferResult sent = world.Run(sender);
  EXPECT_EQ(sent.outcome, Outcome::kFailed) << sent.reason;
  EXPECT_FALSE(world.receiver_has_it());
  EXPECT_TRUE(DescribeTree(world.inbox()).empty());
  close(in[0]);
}

TEST(Files, CancelEndsItOnBothSides) {
  World world;
  WriteFile(world.source() + "/f", Noise(6 * kChunk, 9));
  Watcher watcher;
  Sender* running = nullptr;
  watcher.on_progress = [&](const Progress& progress) {
    if (progress.fresh == 3 * kChunk) running->Cancel();
  };
  Sender sender(&world.a, &world.network.clock(),
                world.Options({world.Root("f")}), &watcher);
  running = &sender;
  EXPECT_EQ(world.Run(sender).outcome, Outcome::kCancelled);
  EXPECT_FALSE(world.receiver_has_it());
  EXPECT_FALSE(fs::exists(world.inbox() + "/f"));
  // It would not begin anew under that id.
  SendOptions options = world.Options({world.Root("f")});
  options.id = sender.id();
  Sender late(&world.a, &world.network.clock(), options);
  EXPECT_EQ(world.Run(late).outcome, Outcome::kCancelled);
}

TEST(Files, TheReceiverEndsItAndTheSenderIsTold) {
  World world;
  WriteFile(world.source() + "/f", Noise(6 * kChunk, 9));
  Watcher watcher;
  Sender sender(&world.a, &world.network.clock(),
                world.Options({world.Root("f")}), &watcher);
  int cancelled = 0;
  watcher.on_progress = [&](const Progress& progress) {
    if (progress.fresh == 3 * kChunk && progress.bytes > 0 &&
        cancelled++ == 0) {
      EXPECT_TRUE(world.receiver().Cancel(TestId(1), sender.id()));
    }
  };
  const TransferResult sent = world.Run(sender);
  EXPECT_EQ(sent.outcome, Outcome::kCancelled);
  EXPECT_EQ(sent.reason, "it was cancelled by the receiver");
}

TEST(Files, ParkLeavesItToBeGoneOnWith) {
  World world;
  WriteFile(world.source() + "/f", Noise(6 * kChunk, 9));
  Watcher watcher;
  Sender* running = nullptr;
  watcher.on_progress = [&](const Progress& progress) {
    if (progress.fresh == 3 * kChunk) running->Park();
  };
  Sender sender(&world.a, &world.network.clock(),
                world.Options({world.Root("f")}), &watcher);
  running = &sender;
  const TransferResult parked = world.Run(sender);
  EXPECT_EQ(parked.outcome, Outcome::kCancelled);
  EXPECT_TRUE(parked.parked);
  SendOptions options = world.Options({world.Root("f")});
  options.id = sender.id();
  Sender again(&world.a, &world.network.clock(), options);
  const TransferResult sent = world.Run(again);
  EXPECT_EQ(sent.outcome, Outcome::kDone);
  EXPECT_GE(sent.progress.kept, 2 * kChunk);
}

TEST(Files, WhoSentAllAndReachesNobodyDoesNotKnow) {
  // Too much to go with the offer, so that the receiver says twice something:
  // its answer, and the verdict, which is lost with it.
  const std::string content = Noise(kEarlyBytes + 1, 2);
  World whole;
  WriteFile(whole.source() + "/f", content);
  EXPECT_EQ(whole.Send({whole.Root("f")}).outcome, Outcome::kDone);
  std::vector<size_t> said;
  const std::vector<MemoryMessage>& messages = whole.network.messages();
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages[i].from == TestId(2) &&
        messages[i].kind == MemoryMessage::kWrite) {
      said.push_back(i);
    }
  }
  ASSERT_EQ(said.size(), 2u);
  World lost({.faults = {{.message = said[1], .kind = MemoryFault::kCut}}});
  WriteFile(lost.source() + "/f", content);
  Watcher watcher;
  watcher.on_retry = [&] { lost.network.SetReachable(TestId(2), false); };
  const TransferResult sent = lost.Send({lost.Root("f")}, &watcher);
  EXPECT_EQ(sent.outcome, Outcome::kUnknown);
  EXPECT_TRUE(lost.receiver_has_it());
  EXPECT_TRUE(absl::StartsWith(sent.reason,
                               "all was sent, and the peer cannot be asked: "))
      << sent.reason;
  EXPECT_TRUE(sent.parked);

  // What goes with the offer is sent before anybody has agreed to it: that they
  // never did is told, and it can be gone on with.
  World silent({.faults = {{.message = 2, .kind = MemoryFault::kCut}}});
  WriteFile(silent.source() + "/f", "x");
  Watcher unanswered;
  unanswered.on_retry = [&] { silent.network.SetReachable(TestId(2), false); };
  const TransferResult offered = silent.Send({silent.Root("f")}, &unanswered);
  EXPECT_EQ(offered.outcome, Outcome::kUnknown);
  EXPECT_TRUE(absl::StartsWith(offered.reason,
                               "it was sent, and the peer never answered: "))
      << offered.reason;
  EXPECT_TRUE(offered.parked);

  // Nothing was sent whole: that is known.
  Watcher early;
  World gone({.faults = {{.message = 3, .kind = MemoryFault::kCut}}});
  WriteFile(gone.source() + "/f", Noise(3 * kChunk, 1));
  early.on_retry = [&] { gone.network.SetReachable(TestId(2), false); };
  const TransferResult failed = gone.Send({gone.Root("f")}, &early);
  EXPECT_EQ(failed.outcome, Outcome::kFailed);
  EXPECT_FALSE(gone.receiver_has_it());
}

// A receiver that is played: what it is sent within a second, and when it has
// answered.
struct Played {
  std::vector<Frame> before;
  std::vector<Frame> after;
  size_t bytes_before = 0;
};

Played Play(World& world, Sender& sender, TransferResult& result) {
  Played played;
  Clock& clock = world.network.clock();
  const auto read = [&](FrameReader& reader, std::vector<Frame>& frames) {
    while (true) {
      auto came = reader.Next(clock.Now() + absl::Seconds(1));
      if (!came.ok()) return;
      frames.push_back(std::move(came->frame));
      if (std::holds_alternative<End>(frames.back())) return;
    }
  };
  const auto receive = [&] {
    auto stream = *world.b.Accept(clock.Now() + absl::Seconds(9));
    clock.SleepUntil(clock.Now() + absl::Seconds(5));
    for (const MemoryMessage& message : world.network.messages()) {
      played.bytes_before += message.bytes;
    }
    FrameReader reader(stream.get());
    FrameWriter writer(stream.get());
    read(reader, played.before);
    writer.Add(Accept());
    EXPECT_TRUE(writer.Flush(absl::InfiniteFuture()).ok());
    if (!std::holds_alternative<End>(played.before.back())) {
      read(reader, played.after);
    }
    writer.Add(Verdict{.id = std::get<Offer>(played.before[0]).id,
                       .outcome = Outcome::kDone});
    EXPECT_TRUE(writer.Flush(absl::InfiniteFuture()).ok());
    clock.SleepUntil(clock.Now() + absl::Seconds(1));
  };
  world.network.Run({[&] { result = sender.Run(); }, receive});
  return played;
}

TEST(Files, WhatIsSmallGoesWithItsOffer) {
  World world;
  WriteFile(world.source() + "/f", Noise(kEarlyBytes, 3));
  Sender sender(&world.a, &world.network.clock(),
                world.Options({world.Root("f")}));
  TransferResult result;
  const Played played = Play(world, sender, result);
  EXPECT_EQ(result.outcome, Outcome::kDone);
  ASSERT_EQ(played.before.size(), 5u);
  EXPECT_TRUE(std::holds_alternative<Offer>(played.before[0]));
  EXPECT_EQ(std::get<Entry>(played.before[1]).path, "f");
  EXPECT_TRUE(std::holds_alternative<Chunk>(played.before[2]));
  EXPECT_EQ(std::get<FileEnd>(played.before[3]).size, kEarlyBytes);
  EXPECT_EQ(std::get<End>(played.before[4]).entries, 1u);
}

TEST(Files, WhatIsLargerByAByteWaitsForTheAnswer) {
  World world;
  WriteFile(world.source() + "/f", Noise(kEarlyBytes + 1, 3));
  Sender sender(&world.a, &world.network.clock(),
                world.Options({world.Root("f")}));
  TransferResult result;
  const Played played = Play(world, sender, result);
  EXPECT_EQ(result.outcome, Outcome::kDone);
  EXPECT_EQ(played.before.size(), 1u);
  EXPECT_EQ(played.after.size(), 4u);
}

// No bytes and no files, and all the same more than goes with an offer.
TEST(Files, FoldersWithoutAnEndWaitForTheAnswer) {
  World world;
  for (int i = 0; i < 4000; ++i) {
    MakeFolders(absl::StrCat(world.source(), "/t/", std::string(100, 'x'), i));
  }
  Sender sender(&world.a, &world.network.clock(),
                world.Options({world.Root("t")}));
  TransferResult result;
  const Played played = Play(world, sender, result);
  EXPECT_EQ(result.outcome, Outcome::kDone);
  EXPECT_GE(played.bytes_before, FrameWriter::kPack);
  EXPECT_LT(played.bytes_before, FrameWriter::kPack + 1024);
  // The first of them, and each folder twice.
  EXPECT_EQ(std::get<End>(played.after.back()).entries, 2 * 4001u);
}

TEST(Files, AReceiverThatDoesNotReadIsGivenUpAndNothingPilesUp) {
  World world({.capacity = 100'000});
  WriteFile(world.source() + "/f", Noise(6 * kChunk, 9));
  SendOptions options = world.Options({world.Root("f")});
  options.give_up = absl::ZeroDuration();
  Sender sender(&world.a, &world.network.clock(), options);
  TransferResult result;
  world.network.Run({[&] { result = sender.Run(); },
                     [&] {
                       auto stream = *world.b.Accept(
                           world.network.clock().Now() + absl::Seconds(9));
                       FrameReader reader(stream.get());
                       EXPECT_TRUE(reader.Next(absl::InfiniteFuture()).ok());
                       FrameWriter writer(stream.get());
                       writer.Add(Accept());
                       EXPECT_TRUE(writer.Flush(absl::InfiniteFuture()).ok());
                       world.network.clock().SleepUntil(
                           world.network.clock().Now() + absl::Hours(1));
                     }});
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  size_t chunks = 0;
  for (const MemoryMessage& message : world.network.messages()) {
    chunks += message.bytes > kChunk ? 1 : 0;
  }
  EXPECT_EQ(chunks, 1u);
}

TEST(Files, ACancelIsHeardWithinASecondThoughNobodyReadsOrAnswers) {
  World world({.capacity = 100'000});
  WriteFile(world.source() + "/f", Noise(6 * kChunk, 9));
  Clock& clock = world.network.clock();
  Sender sender(&world.a, &clock, world.Options({world.Root("f")}));
  TransferResult result;
  absl::Duration took;
  world.network.Run({[&] {
                       const absl::Time begun = clock.Now();
                       result = sender.Run();
                       took = clock.Now() - begun;
                     },
                     [&] {
                       auto stream =
                           *world.b.Accept(clock.Now() + absl::Seconds(9));
                       FrameReader reader(stream.get());
                       EXPECT_TRUE(reader.Next(absl::InfiniteFuture()).ok());
                       FrameWriter writer(stream.get());
                       writer.Add(Accept());
                       EXPECT_TRUE(writer.Flush(absl::InfiniteFuture()).ok());
                       clock.SleepUntil(clock.Now() + absl::Hours(1));
                     },
                     [&] {
                       clock.SleepUntil(clock.Now() + absl::Seconds(5));
                       sender.Cancel();
                     }});
  EXPECT_EQ(result.outcome, Outcome::kCancelled);
  EXPECT_GE(took, absl::Seconds(5));
  EXPECT_LE(took, absl::Seconds(6));
}

TEST(Files, ADiskThatIsFullFailsOnBothSidesAndIsGivenBack) {
  World world;
  WriteFile(world.source() + "/f", Noise(3 * kChunk, 9));
  signal(SIGXFSZ, SIG_IGN);
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = kChunk + 100;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const TransferResult sent = world.Send({world.Root("f")});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(sent.outcome, Outcome::kFailed);
  EXPECT_EQ(sent.reason, "cannot write 'f': File too large");
  EXPECT_EQ(sent.progress.tries, 1);
  EXPECT_EQ(world.received().at(0).outcome, Outcome::kFailed);
  EXPECT_TRUE(DescribeTree(world.inbox()).empty());
}

TEST(Files, AFolderThatCannotBeWrittenFailsOnBothSides) {
  World world;
  // Root may write where modes say no; nobody may make files there.
  world.decision.folder = "/sys/kernel";
  WriteFile(world.source() + "/f", "x");
  const TransferResult sent = world.Send({world.Root("f")});
  EXPECT_EQ(sent.outcome, Outcome::kFailed);
  EXPECT_EQ(world.received().at(0).outcome, Outcome::kFailed);
  world.decision.folder = world.scratch() + "/none";
  EXPECT_EQ(world.Send({world.Root("f")}).outcome, Outcome::kFailed);
}

TEST(Files, TwoThatWriteTheSameFileAtOnceBothWriteAllOfOne) {
  World world;
  WriteFile(world.source() + "/f", Noise(3 * kChunk, 1));
  Sender other(&world.a, &world.network.clock(),
               world.Options({world.Root("f")}));
  TransferResult beside;
  world.beside = {[&] { beside = other.Run(); }};
  SeededSchedule schedule(4);
  const TransferResult sent = world.Send({world.Root("f")});
  EXPECT_EQ(sent.outcome, Outcome::kDone);
  EXPECT_EQ(beside.outcome, Outcome::kDone);
  EXPECT_EQ(DescribeTree(world.inbox()), DescribeTree(world.source()));
}

// What a hostile sender says after it was let in, frame by frame.
using Script = std::vector<Frame>;

std::vector<Script> HostileScripts() {
  std::vector<Script> scripts;
  const auto file = [](const std::string& path) {
    return Entry{.type = EntryType::kFile, .path = path, .mode = 0644};
  };
  const Script content = {Chunk{HashOf("evil"), "evil"},
                          FileEnd{.size = 4, .root = [] {
                                    RootHash root;
                                    root.Add(HashOf("evil"));
                                    return root.Digest();
                                  }()}};
  const auto add = [&](Script begin) {
    begin.insert(begin.end(), content.begin(), content.end());
    begin.push_back(End{1});
    scripts.push_back(std::move(begin));
  };
  for (const std::string& path : {std::string("../evil"),
                                  std::string("../outside/canary"),
                                  std::string("/tmp/evil"),
                                  std::string("a/../../evil"),
                                  std::string("./../evil"),
                                  std::string(".."),
                                  std::string("."),
                                  std::string(""),
                                  std::string("/"),
                                  std::string("//evil"),
                                  std::string("a//evil"),
                                  std::string("evil/"),
                                  std::string("a\0b", 3),
                                  std::string("out/evil"),
                                  std::string("out/canary"),
                                  std::string("deep/out/evil"),
                                  std::string("loop/evil"),
                                  std::string("proc/self/evil"),
                                  std::string("magic/evil"),
                                  std::string("..\\evil/../../evil"),
                                  std::string(5000, 'a'),
                                  std::string(256, 'n'),
                                  std::string("x/") + std::string(256, 'n'),
                                  PartialName("peer", "x"),
                                  std::string("missing/evil")}) {
    add({file(path)});
    scripts.push_back(
        {Entry{.type = EntryType::kFolder, .path = path},
         Entry{.type = EntryType::kFolderDone, .path = path, .mode = 0777},
         End{2}});
    scripts.push_back(
        {Entry{.type = EntryType::kFolderDone, .path = path, .mode = 0777},
         End{1}});
    scripts.push_back(
        {Entry{.type = EntryType::kLink, .path = path, .target = "../outside"},
         End{1}});
  }
  // A link first, and then through it.
  for (const std::string& target :
       {std::string("../outside"), std::string("/tmp"), std::string("."),
        std::string("d/../.."), std::string("out")}) {
    add({Entry{.type = EntryType::kLink, .path = "l", .target = target},
         file("l/evil")});
    scripts.push_back(
        {Entry{.type = EntryType::kLink, .path = "l", .target = target},
         Entry{.type = EntryType::kLink, .path = "l/m", .target = "x"},
         End{2}});
    scripts.push_back(
        {Entry{.type = EntryType::kLink, .path = "l", .target = target},
         Entry{.type = EntryType::kFolderDone, .path = "l", .mode = 0777},
         End{2}});
  }
  // Out of order, and counted wrong.
  scripts.push_back(content);
  scripts.push_back({file("f"), End{1}});
  scripts.push_back({file("f"), FileEnd{.size = 9}, End{1}});
  scripts.push_back({file("f"), Chunk{HashOf("other"), "evil"}});
  scripts.push_back({file("f"), Keep{1}, End{1}});
  scripts.push_back({file("f"), Turn(), Turn(), End{1}});
  scripts.push_back({file("f"), Turn(), Keep{kGroup}, End{1}});
  scripts.push_back({End{7}});
  scripts.push_back({Keep{1}});
  scripts.push_back({Hole{4096}});
  scripts.push_back({FileEnd{.left_out = true}});
  scripts.push_back({Offer()});
  scripts.push_back({Accept{true}});
  scripts.push_back({Verdict{.outcome = Outcome::kDone}});
  Script many;
  for (size_t i = 0; i <= kMostDeclared; ++i) many.push_back(file("f"));
  scripts.push_back(many);
  // A file of more than any disk: only holes.
  Script vast = {file("f")};
  for (int i = 0; i < 5; ++i) vast.push_back(Hole{kGroup * kChunk});
  vast.push_back(FileEnd{.size = 1});
  scripts.push_back(vast);
  return scripts;
}

TEST(Files, AHundredHostileSendersWriteNothingOutside) {
  const std::vector<Script> scripts = HostileScripts();
  EXPECT_GE(scripts.size(), 100u);
  for (size_t i = 0; i < scripts.size(); ++i) {
    World world;
    const std::string outside = world.scratch() + "/outside";
    WriteFile(outside + "/canary", "alive", 0600);
    SetTime(outside + "/canary", 1'000'000'000, 0);
    SetTime(outside, 1'000'000'000, 0);
    fs::create_symlink("../outside", world.inbox() + "/out");
    MakeFolders(world.inbox() + "/deep");
    fs::create_symlink(outside, world.inbox() + "/deep/out");
    fs::create_symlink("loop", world.inbox() + "/loop");
    fs::create_symlink("/proc/self/cwd", world.inbox() + "/magic");
    const std::vector<std::string> before = DescribeTree(outside);
    const auto beside = [&] {
      std::vector<std::string> names;
      for (const auto& entry : fs::directory_iterator(world.scratch())) {
        names.push_back(entry.path().filename().string());
      }
      std::sort(names.begin(), names.end());
      return names;
    };
    const std::vector<std::string> names = beside();
    std::optional<TransferResult> received;
    world.network.Run(
        {[&] {
           auto stream = *world.a.Open(TestId(2), {.kind = StreamKind::kFile},
                                       absl::InfiniteFuture());
           FrameWriter writer(stream.get());
           FrameReader reader(stream.get());
           const absl::Time deadline =
               world.network.clock().Now() + absl::Hours(1);
           // More than are named, so that any name may come.
           Offer offer = {.roots = 99};
           offer.names.assign(kMostNames, "out");
           writer.Add(offer);
           (void)writer.Flush(deadline);
           (void)reader.Next(deadline);
           for (const Frame& frame : scripts[i]) writer.Add(frame);
           (void)writer.Flush(deadline);
           (void)stream->CloseWrite(deadline);
           while (reader.Next(deadline).ok()) {
           }
         },
         [&] {
           auto stream =
               world.b.Accept(world.network.clock().Now() + absl::Seconds(1));
           received = world.receiver().Serve(*std::move(stream));
         }});
    EXPECT_EQ(DescribeTree(outside), before) << i;
    EXPECT_EQ(beside(), names) << i;
    ASSERT_TRUE(received.has_value()) << i;
    for (const std::string& line : DescribeTree(world.inbox())) {
      EXPECT_EQ(line.find("6576696c"), std::string::npos) << i << " " << line;
    }
  }
}

// Offers what `offer` says and sends `frames`.
Outcome Sneak(World& world, const Offer& offer, const Script& frames) {
  Outcome outcome = Outcome::kUnknown;
  world.network.Run(
      {[&] {
         auto stream = *world.a.Open(TestId(2), {.kind = StreamKind::kFile},
                                     absl::InfiniteFuture());
         FrameWriter writer(stream.get());
         FrameReader reader(stream.get());
         const absl::Time deadline =
             world.network.clock().Now() + absl::Hours(1);
         writer.Add(offer);
         (void)writer.Flush(deadline);
         auto answer = reader.Next(deadline);
         if (answer.ok() && std::holds_alternative<Accept>(answer->frame)) {
           for (const Frame& frame : frames) writer.Add(frame);
           (void)writer.Flush(deadline);
           answer = reader.Next(deadline);
         }
         if (answer.ok() && std::holds_alternative<Verdict>(answer->frame)) {
           outcome = std::get<Verdict>(answer->frame).outcome;
         }
       },
       [&] {
         auto stream =
             world.b.Accept(world.network.clock().Now() + absl::Seconds(1));
         (void)world.receiver().Serve(*std::move(stream));
       }});
  return outcome;
}

// The same with one empty file of that name.
Outcome Sneak(World& world, const Offer& offer, const std::string& name) {
  return Sneak(world, offer,
               Script{Entry{.type = EntryType::kFile, .path = name},
                      FileEnd{.size = 0, .root = RootHash().Digest()}, End{1}});
}

TEST(Files, AFileThatIsNotSentToItsEndIsNotDoneInAPipe) {
  int out[2];
  ASSERT_EQ(pipe(out), 0);
  const Offer offer = {.files = 1, .roots = 1, .names = {"f"}};
  const Entry file = {.type = EntryType::kFile, .path = "f"};
  const std::vector<Script> scripts = {
      {End{0}},
      {file, FileEnd{.left_out = true}, End{1}},
      {file, Chunk{HashOf("half"), "half"}, FileEnd{.left_out = true}, End{1}},
      {file, Chunk{HashOf("half"), "half"}, FileEnd{.size = 4}, End{1}}};
  for (const Script& script : scripts) {
    World world;
    world.decision = {.accepted = true, .sink = out[1]};
    EXPECT_EQ(Sneak(world, offer, script), Outcome::kFailed);
  }
  World world;
  world.decision = {.accepted = true, .sink = out[1]};
  EXPECT_EQ(Sneak(world, offer, "f"), Outcome::kDone);
  close(out[0]);
  close(out[1]);
}

TEST(Files, OnlyWhatWasOfferedIsTaken) {
  World world;
  EXPECT_EQ(Sneak(world, {.roots = 1, .names = {"good"}}, "good"),
            Outcome::kDone);
  const TransferId id = {{7}};
  EXPECT_EQ(Sneak(world, {.id = id, .roots = 1, .names = {"good"}}, "other"),
            Outcome::kFailed);
  EXPECT_FALSE(fs::exists(world.inbox() + "/other"));
}

TEST(Files, AnotherOfferUnderAnAgreedNameIsAskedAbout) {
  World world({.faults = {{.message = 3, .kind = MemoryFault::kCut}}});
  const TransferId id = {{7}};
  EXPECT_EQ(Sneak(world, {.id = id, .roots = 1, .names = {"good"}}, "good"),
            Outcome::kUnknown);
  EXPECT_EQ(world.asked, 1);
  world.decision = {.accepted = false};
  EXPECT_EQ(Sneak(world, {.id = id, .roots = 1, .names = {"other"}}, "other"),
            Outcome::kRefused);
  EXPECT_EQ(world.asked, 2);
}

}  // namespace
}  // namespace tactus::transfer::files
