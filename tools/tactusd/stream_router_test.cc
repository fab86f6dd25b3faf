#include "tools/tactusd/stream_router.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/sync/condition.h"
#include "ax/sync/mutex.h"
#include "gtest/gtest.h"
#include "tools/tactusd/threads.h"
#include "transfer/identity/device_id.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"

namespace tactus::daemon {
namespace {

using ax::MutexLock;
using transfer::DeviceId;
using transfer::KeyDigest;
using transfer::Stream;
using transfer::StreamHeader;
using transfer::StreamKind;

DeviceId Id(uint8_t seed) {
  return DeviceId(KeyDigest::OfPublicKey({&seed, 1}));
}

// A stream that nobody reads; it tells when it is gone.
class Silent : public Stream {
 public:
  Silent(DeviceId peer, StreamKind kind, std::atomic<int>* gone)
      : peer_(std::move(peer)), header_{.kind = kind}, gone_(*gone) {}
  ~Silent() override { ++gone_; }
  absl::StatusOr<size_t> Read(absl::Span<char>, absl::Time) override {
    return absl::UnavailableError("");
  }
  absl::Status Write(absl::string_view, absl::Time) override {
    return absl::OkStatus();
  }
  absl::Status CloseWrite(absl::Time) override { return absl::OkStatus(); }
  void Cancel() override {}
  const DeviceId& peer() const override { return peer_; }
  const StreamHeader& header() const override { return header_; }

 private:
  const DeviceId peer_;
  const StreamHeader header_;
  std::atomic<int>& gone_;
};

// Gives the streams that it was made with, one after the other, then ends.
class Scripted : public transfer::Transport {
 public:
  // Until all were given and what they were given to wants more.
  void WaitUntilAskedForMore() {
    MutexLock lock(&mutex_);
    while (!ended_) changed_.Wait(&mutex_);
  }
  void Give(DeviceId peer, StreamKind kind) {
    streams_.push_back(std::make_unique<Silent>(std::move(peer), kind, &gone));
  }
  absl::StatusOr<std::unique_ptr<Stream>> Open(const DeviceId&,
                                               const StreamHeader&,
                                               absl::Time) override {
    return absl::UnavailableError("");
  }
  absl::StatusOr<std::unique_ptr<Stream>> Accept(absl::Time) override {
    MutexLock lock(&mutex_);
    threads.insert(std::this_thread::get_id());
    if (next_ < streams_.size()) return std::move(streams_[next_++]);
    ended_ = true;
    changed_.NotifyAll();
    return absl::CancelledError("shut down");
  }
  void Forget(const DeviceId&) override {}
  void Shutdown() override {}

  std::atomic<int> gone = 0;
  std::set<std::thread::id> threads;  // that asked

 private:
  std::vector<std::unique_ptr<Stream>> streams_;
  ax::Mutex mutex_;
  ax::Condition changed_;
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
};

class StreamRouterTest : public testing::Test {
 protected:
  Scripted transport_;
  std::vector<std::string> logged_;
  StreamRouter router_{
      &transport_, Threads::OfTheSystem(),
      [this](const std::string& line) { logged_.push_back(line); }};
};

TEST_F(StreamRouterTest, EachKindGoesToItsHandlerWhichOwnsTheStream) {
  std::unique_ptr<Stream> file;
  std::unique_ptr<Stream> mcp;
  router_.Handle(StreamKind::kFile, [&](std::unique_ptr<Stream> stream) {
    file = std::move(stream);
  });
  router_.Handle(StreamKind::kMcp, [&](std::unique_ptr<Stream> stream) {
    mcp = std::move(stream);
  });
  transport_.Give(Id(1), StreamKind::kMcp);
  transport_.Give(Id(2), StreamKind::kFile);
  ASSERT_TRUE(router_.Start());
  transport_.WaitUntilAskedForMore();
  router_.Stop();
  ASSERT_TRUE(file != nullptr && mcp != nullptr);
  EXPECT_EQ(file->peer(), Id(2));
  EXPECT_EQ(mcp->peer(), Id(1));
  EXPECT_EQ(transport_.gone, 0);
  EXPECT_TRUE(logged_.empty());
}

TEST_F(StreamRouterTest, StreamThatNobodyServesIsCutAndLogged) {
  transport_.Give(Id(1), StreamKind::kControl);
  ASSERT_TRUE(router_.Start());
  transport_.WaitUntilAskedForMore();
  router_.Stop();
  EXPECT_EQ(transport_.gone, 1);
  ASSERT_EQ(logged_.size(), 1u);
  EXPECT_TRUE(absl::StrContains(logged_[0], Id(1).text()));
  EXPECT_TRUE(absl::StrContains(logged_[0], "(control)"));
}

TEST_F(StreamRouterTest, TheThreadThatTookAStreamServesIt) {
  std::thread::id served;
  router_.Handle(StreamKind::kFile, [&](const std::unique_ptr<Stream>&) {
    served = std::this_thread::get_id();
  });
  transport_.Give(Id(1), StreamKind::kFile);
  ASSERT_TRUE(router_.Start());
  transport_.WaitUntilAskedForMore();
  router_.Stop();
  EXPECT_EQ(transport_.threads.count(served), 1u);
  // The other one waits for what comes next meanwhile.
  EXPECT_EQ(transport_.threads.size(), 2u);
}

// Serves nothing before it is let go.
struct Gate {
  ax::Mutex mutex;
  ax::Condition changed;
  bool open ABSL_GUARDED_BY(mutex) = false;
  int served ABSL_GUARDED_BY(mutex) = 0;

  void Pass() {
    MutexLock lock(&mutex);
    ++served;
    while (!open) changed.Wait(&mutex);
  }
  void Open() {
    MutexLock lock(&mutex);
    open = true;
    changed.NotifyAll();
  }
};

TEST_F(StreamRouterTest, PeerWithTooManyIsCutAndAnotherIsServed) {
  Gate gate;
  router_.Handle(StreamKind::kFile,
                 [&](const std::unique_ptr<Stream>&) { gate.Pass(); });
  for (int i = 0; i < 17; ++i) transport_.Give(Id(1), StreamKind::kFile);
  transport_.Give(Id(2), StreamKind::kFile);
  ASSERT_TRUE(router_.Start());
  transport_.WaitUntilAskedForMore();
  EXPECT_EQ(transport_.gone, 1);
  EXPECT_EQ(logged_.size(), 1u);
  gate.Open();
  router_.Stop();
  MutexLock lock(&gate.mutex);
  EXPECT_EQ(gate.served, 17);
}

TEST_F(StreamRouterTest, KindMayHaveABoundOfItsOwn) {
  Gate gate;
  router_.Handle(
      StreamKind::kMcp, [&](const std::unique_ptr<Stream>&) { gate.Pass(); },
      /*most=*/40);
  for (int i = 0; i < 41; ++i) transport_.Give(Id(1), StreamKind::kMcp);
  ASSERT_TRUE(router_.Start());
  transport_.WaitUntilAskedForMore();
  EXPECT_EQ(transport_.gone, 1);
  gate.Open();
  router_.Stop();
  MutexLock lock(&gate.mutex);
  EXPECT_EQ(gate.served, 40);
}

TEST_F(StreamRouterTest, NoMoreThanTwoHundredAndFiftySixAreServedAtOnce) {
  Gate gate;
  router_.Handle(StreamKind::kFile,
                 [&](const std::unique_ptr<Stream>&) { gate.Pass(); });
  for (uint8_t peer = 1; peer <= 64; ++peer) {
    for (int i = 0; i < 4; ++i) transport_.Give(Id(peer), StreamKind::kFile);
  }
  transport_.Give(Id(65), StreamKind::kFile);
  ASSERT_TRUE(router_.Start());
  transport_.WaitUntilAskedForMore();
  EXPECT_EQ(transport_.gone, 1);
  gate.Open();
  router_.Stop();
  MutexLock lock(&gate.mutex);
  EXPECT_EQ(gate.served, 256);
}

TEST_F(StreamRouterTest, TwoPeersThatTakeAllTheyMayKeepNobodyOut) {
  Gate gate;
  const auto serve = [&](const std::unique_ptr<Stream>&) { gate.Pass(); };
  const std::vector<StreamKind> kinds = {StreamKind::kMcp, StreamKind::kFile,
                                         StreamKind::kMessage};
  for (const StreamKind kind : kinds) {
    router_.Handle(kind, serve, kind == StreamKind::kMcp ? 128 : 16);
  }
  for (const StreamKind kind : kinds) {
    for (uint8_t peer = 1; peer <= 2; ++peer) {
      for (int i = 0; i < 128; ++i) transport_.Give(Id(peer), kind);
    }
  }
  // Of 192 all are theirs, and of what is left four of each other kind.
  const int theirs = 192 + 2 * 2 * 4;
  const int cut = 2 * 3 * 128 - theirs;
  for (const StreamKind kind : kinds) {
    for (int i = 0; i < 5; ++i) transport_.Give(Id(3), kind);
  }
  ASSERT_TRUE(router_.Start());
  transport_.WaitUntilAskedForMore();
  // And another's are served, four of each kind.
  EXPECT_EQ(transport_.gone, cut + 3);
  gate.Open();
  router_.Stop();
  MutexLock lock(&gate.mutex);
  EXPECT_EQ(gate.served, theirs + 3 * 4);
}

}  // namespace
}  // namespace tactus::daemon
