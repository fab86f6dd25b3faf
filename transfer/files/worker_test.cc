#include "transfer/files/worker.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "transfer/sync/condition.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer::files {
namespace {

// Holds whoever passes until it is opened.
class Gate {
 public:
  void Pass() {
    MutexLock lock(&mutex_);
    while (!open_) changed_.WaitFor(&mutex_, absl::Hours(1));
  }
  void Open() {
    MutexLock lock(&mutex_);
    open_ = true;
    changed_.NotifyAll();
  }

 private:
  Mutex mutex_;
  Condition changed_;
  bool open_ ABSL_GUARDED_BY(mutex_) = false;
};

std::thread::id ThreadOf(Worker& worker) {
  std::thread::id id;
  worker.Post([&id] { id = std::this_thread::get_id(); });
  EXPECT_TRUE(worker.Drain());
  return id;
}

TEST(Worker, DoesWhatItIsGivenInOrderAndOnAnotherThread) {
  std::vector<int> done;
  std::thread::id where;
  {
    Worker worker(2);
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(worker.Post([&, i] {
        done.push_back(i);
        where = std::this_thread::get_id();
      }),
                static_cast<uint64_t>(i + 1));
    }
    ASSERT_TRUE(worker.Drain());
    ASSERT_EQ(done.size(), 100u);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(done[i], i);
    EXPECT_NE(where, std::this_thread::get_id());
  }
}

TEST(Worker, WaitingForATicketIsForThatAndAllBeforeIt) {
  Gate first;
  Gate second;
  std::atomic<int> done = 0;
  Worker worker(4);
  const uint64_t one = worker.Post([&] {
    first.Pass();
    ++done;
  });
  const uint64_t two = worker.Post([&] {
    second.Pass();
    ++done;
  });
  EXPECT_FALSE(worker.WaitFor(one, absl::ZeroDuration()));
  EXPECT_FALSE(worker.WaitFor(one, absl::Milliseconds(1)));
  first.Open();
  EXPECT_TRUE(worker.WaitFor(one));
  EXPECT_EQ(done, 1);
  EXPECT_FALSE(worker.WaitFor(two, absl::Milliseconds(1)));
  EXPECT_FALSE(worker.Drain(absl::Milliseconds(1)));
  second.Open();
  EXPECT_TRUE(worker.Drain());
  EXPECT_EQ(done, 2);
  // What is done is not waited for.
  EXPECT_TRUE(worker.WaitFor(one, absl::ZeroDuration()));
}

TEST(Worker, NoMoreWaitThanItIsToldAndWhoPostsWaits) {
  Gate gate;
  std::atomic<int> posted = 0;
  Worker worker(3);
  std::thread poster([&] {
    for (int i = 0; i < 8; ++i) {
      worker.Post([&gate] { gate.Pass(); });
      ++posted;
    }
  });
  // One is under way, three wait.
  while (posted < 4) std::this_thread::yield();
  absl::SleepFor(absl::Milliseconds(50));
  EXPECT_EQ(posted, 4);
  gate.Open();
  poster.join();
  EXPECT_EQ(posted, 8);
  EXPECT_TRUE(worker.Drain());
}

TEST(Worker, WhatATaskHoldsIsGoneBeforeAnybodyIsTold) {
  Worker worker(4);
  for (int i = 0; i < 50; ++i) {
    auto held = std::make_shared<int>(i);
    const uint64_t ticket = worker.Post([held] { (void)*held; });
    ASSERT_TRUE(worker.WaitFor(ticket));
    ASSERT_EQ(held.use_count(), 1);
  }
}

TEST(Worker, ItsEndDoesWhatWasPosted) {
  std::atomic<int> done = 0;
  {
    Worker worker(16);
    for (int i = 0; i < 10; ++i) worker.Post([&done] { ++done; });
  }
  EXPECT_EQ(done, 10);
  {
    const Worker nothing(1);
  }
}

TEST(Worker, TheNextOneTakesTheThreadOfTheLast) {
  std::thread::id last;
  for (int i = 0; i < 1000; ++i) {
    Worker worker(4);
    const std::thread::id now = ThreadOf(worker);
    if (now == last) return;
    last = now;
    // It may be on its way to where it waits, and would be missed then.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  FAIL() << "each took a thread of its own";
}

TEST(Worker, TwoAtATimeHaveAThreadEach) {
  Worker one(4);
  Worker other(4);
  EXPECT_NE(ThreadOf(one), ThreadOf(other));
}

}  // namespace
}  // namespace tactus::transfer::files
