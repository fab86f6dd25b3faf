#include "transfer/files/worker.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace tactus::transfer::files {
namespace {

std::thread::id ThreadOf(Worker& worker) {
  std::thread::id id;
  worker.Post([&id] { id = std::this_thread::get_id(); });
  EXPECT_TRUE(worker.Drain());
  return id;
}

TEST(Worker, TasksAreDoneInOrderOnOneOtherThread) {
  Worker worker(4);
  std::vector<int> done;
  std::set<std::thread::id> threads;
  for (int i = 0; i < 100; ++i) {
    worker.Post([&, i] {
      done.push_back(i);
      threads.insert(std::this_thread::get_id());
    });
  }
  ASSERT_TRUE(worker.Drain());
  ASSERT_EQ(done.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<size_t>(i)], i);
  EXPECT_EQ(threads.size(), 1u);
  EXPECT_EQ(threads.count(std::this_thread::get_id()), 0u);
}

TEST(Worker, WhatWasPostedIsDoneBeforeTheEnd) {
  int done = 0;
  {
    Worker worker(8);
    for (int i = 0; i < 8; ++i) worker.Post([&done] { ++done; });
  }
  EXPECT_EQ(done, 8);
}

TEST(Worker, ATicketIsWaitedForAndNoLongerThanPatience) {
  Worker worker(4);
  std::atomic<bool> go = false;
  worker.Post([] {});
  const uint64_t held = worker.Post([&go] {
    while (!go) std::this_thread::yield();
  });
  EXPECT_FALSE(worker.WaitFor(held, absl::Milliseconds(1)));
  go = true;
  EXPECT_TRUE(worker.WaitFor(held));
}

TEST(Worker, WhatATaskHoldsIsGoneWhenItIsDone) {
  Worker worker(4);
  auto held = std::make_shared<int>(0);
  worker.Post([held] {});
  ASSERT_TRUE(worker.Drain());
  EXPECT_EQ(held.use_count(), 1);
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
