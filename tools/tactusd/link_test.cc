// The connection on its thread, with desks of the test's own.
#include "tools/tactusd/link.h"

#include <stdlib.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/sync/mutex.h"
#include "gtest/gtest.h"
#include "tools/tactusd/desk.h"

namespace tactus::daemon {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);

absl::Time Soon() { return ax::Clock::Real().Now() + kPatience; }

// Nothing but a name: no test here reads by it.
class NamedDesk : public Desk {
 public:
  NamedDesk(std::string name, std::atomic<int>* gone)
      : name_(std::move(name)), gone_(*gone) {}
  ~NamedDesk() override { ++gone_; }
  ax::Server& reader() override { abort(); }
  ax::Server& writer() override { abort(); }
  ax::Editor& editor() override { abort(); }
  ax::FocusHints* hints() override { return nullptr; }
  std::string bus() const override { return name_; }
  std::string display() const override { return ""; }

 private:
  const std::string name_;
  std::atomic<int>& gone_;
};

class LinkTest : public testing::Test {
 protected:
  LinkOptions Options() {
    return {.open = [this](absl::Time, std::function<void()> lost)
                -> absl::StatusOr<std::shared_ptr<Desk>> {
              ax::MutexLock lock(&mutex_);
              ++opens_;
              if (failures_ > 0) {
                --failures_;
                return absl::FailedPreconditionError("no bus");
              }
              lost_ = std::move(lost);
              return std::make_shared<NamedDesk>(absl::StrCat("bus ", opens_),
                                                 &gone_);
            },
            .open_watch = [](const ax::ObserveOptions&,
                             absl::Time) -> absl::StatusOr<WatchedServer> {
              return absl::UnimplementedError("no watches here");
            },
            .is_lost = [](ax::Server&, absl::Time) { return true; }};
  }
  void Fail(int times) {
    ax::MutexLock lock(&mutex_);
    failures_ = times;
  }
  void Lose() {
    std::function<void()> lost;
    {
      ax::MutexLock lock(&mutex_);
      lost = lost_;
    }
    lost();
  }
  int opens() {
    ax::MutexLock lock(&mutex_);
    return opens_;
  }
  bool GoneAre(int count) {
    const absl::Time end = Soon();
    while (gone_ != count) {
      if (ax::Clock::Real().Now() > end) return false;
      absl::SleepFor(absl::Milliseconds(1));
    }
    return true;
  }
  static std::string BusOf(Link& link) {
    const absl::StatusOr<std::shared_ptr<Desk>> desk = link.Get(Soon());
    return desk.ok() ? (*desk)->bus() : std::string(desk.status().message());
  }

  std::atomic<int> gone_ = 0;
  ax::Mutex mutex_;
  int opens_ ABSL_GUARDED_BY(mutex_) = 0;
  int failures_ ABSL_GUARDED_BY(mutex_) = 0;
  std::function<void()> lost_ ABSL_GUARDED_BY(mutex_);
};

TEST_F(LinkTest, DeskIsWaitedForAndShared) {
  Link link(Options());
  EXPECT_EQ(BusOf(link), "bus 1");
  EXPECT_EQ(BusOf(link), "bus 1");
  const LinkState state = link.state();
  EXPECT_EQ(state.kind, LinkState::Kind::kConnected);
  EXPECT_EQ(state.bus, "bus 1");
  EXPECT_EQ(state.attempts, 0);
}

TEST_F(LinkTest, LossIsNoticedAndAnotherDeskIsMade) {
  Link link(Options());
  ASSERT_EQ(BusOf(link), "bus 1");
  Lose();
  EXPECT_EQ(BusOf(link), "bus 2");
  EXPECT_TRUE(GoneAre(1));
}

TEST_F(LinkTest, WhatIsUnderWayKeepsTheDeskThatIsLost) {
  Link link(Options());
  absl::StatusOr<std::shared_ptr<Desk>> desk = link.Get(Soon());
  ASSERT_TRUE(desk.ok());
  Lose();
  EXPECT_EQ(BusOf(link), "bus 2");
  EXPECT_EQ((*desk)->bus(), "bus 1");
  EXPECT_EQ(gone_, 0);
  desk->reset();
  EXPECT_EQ(gone_, 1);
}

TEST_F(LinkTest, FailureIsToldAndTriedAgain) {
  Fail(1000);
  Link link(Options());
  EXPECT_EQ(BusOf(link), "no bus");
  const LinkState state = link.state();
  EXPECT_EQ(state.kind, LinkState::Kind::kDisconnected);
  EXPECT_EQ(state.why, "no bus");
  EXPECT_GE(state.attempts, 1);
  Fail(0);
  EXPECT_EQ(BusOf(link), "bus " + std::to_string(opens()));
}

TEST_F(LinkTest, SecondLossOfTheSameDeskIsNone) {
  Link link(Options());
  ASSERT_EQ(BusOf(link), "bus 1");
  std::function<void()> first;
  {
    ax::MutexLock lock(&mutex_);
    first = lost_;
  }
  Lose();
  ASSERT_EQ(BusOf(link), "bus 2");
  first();
  EXPECT_EQ(BusOf(link), "bus 2");
}

TEST_F(LinkTest, PausedItLetsGoAndConnectsToNothing) {
  Link link(Options());
  ASSERT_EQ(BusOf(link), "bus 1");
  link.Pause();
  EXPECT_TRUE(GoneAre(1));
  EXPECT_TRUE(absl::IsCancelled(link.Get(Soon()).status()));
  EXPECT_TRUE(absl::IsCancelled(link.OpenWatch({}, Soon()).status()));
  EXPECT_EQ(link.state().kind, LinkState::Kind::kPaused);
  EXPECT_EQ(opens(), 1);
  link.Resume();
  EXPECT_EQ(BusOf(link), "bus 2");
}

TEST_F(LinkTest, EndsWhileItTriesInVain) {
  Fail(1000);
  Link link(Options());
  EXPECT_EQ(BusOf(link), "no bus");
}

}  // namespace
}  // namespace tactus::daemon
