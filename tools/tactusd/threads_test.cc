#include "tools/tactusd/threads.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <set>
#include <thread>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace tactus::daemon {
namespace {

// A minute at most, on whatever machine.
void AwaitNone(Threads& threads) {
  const absl::Time until = absl::Now() + absl::Minutes(1);
  while (threads.running() > 0 && absl::Now() < until) {
    absl::SleepFor(absl::Milliseconds(1));
  }
  ASSERT_EQ(threads.running(), 0u);
}

TEST(Threads, WorkThatFollowsAnotherIsDoneByTheSameThread) {
  std::atomic<int> spawned = 0;
  Threads threads(4, [&](std::function<void()> run) {
    ++spawned;
    return Threads::OfTheSystem()(std::move(run));
  });
  std::set<std::thread::id> ids;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(threads.Start([&] { ids.insert(std::this_thread::get_id()); }));
    AwaitNone(threads);
  }
  // Of a machine that stood still for longer than they wait, more.
  EXPECT_LE(ids.size(), static_cast<size_t>(spawned));
  EXPECT_LT(spawned, 20);
}

TEST(Threads, WorkAtTheSameTimeHasAThreadEachAndNoMoreThanTheBound) {
  Threads threads(3, Threads::OfTheSystem());
  std::atomic<bool> go_on = false;
  std::atomic<int> done = 0;
  const auto wait = [&] {
    while (!go_on) absl::SleepFor(absl::Milliseconds(1));
    ++done;
  };
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(threads.Start(wait));
  EXPECT_FALSE(threads.Start(wait));
  EXPECT_EQ(threads.running(), 3u);
  go_on = true;
  AwaitNone(threads);
  EXPECT_EQ(done, 3);
  // Three wait now, and each is given one.
  go_on = false;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(threads.Start(wait));
  EXPECT_FALSE(threads.Start(wait));
  go_on = true;
  threads.Join();
  EXPECT_EQ(done, 6);
}

TEST(Threads, JoinEndsThoseThatWaitAndStartsNothingMore) {
  Threads threads(2, Threads::OfTheSystem());
  ASSERT_TRUE(threads.Start([] {}));
  AwaitNone(threads);
  threads.Join();
  EXPECT_FALSE(threads.Start([] { FAIL(); }));
}

TEST(Threads, WorkOfManyStartersIsAllDone) {
  std::atomic<int> done = 0;
  int started = 0;
  {
    Threads threads(8, Threads::OfTheSystem());
    for (int i = 0; i < 2000; ++i) {
      if (threads.Start([&] { ++done; })) ++started;
    }
    threads.Join();
  }
  EXPECT_EQ(done, started);
  EXPECT_GT(started, 0);
}

TEST(Threads, InATestItRunsAtOnceAndNothingIsKept) {
  Threads threads(1, [](const std::function<void()>& run) {
    run();
    return std::thread();
  });
  int done = 0;
  EXPECT_TRUE(threads.Start([&] { ++done; }));
  EXPECT_TRUE(threads.Start([&] { ++done; }));
  EXPECT_EQ(done, 2);
  EXPECT_EQ(threads.running(), 0u);
}

TEST(Threads, WhereTheSystemGivesNoThreadItIsFalseAndCountsForNothing) {
  Threads threads(1,
                  [](const std::function<void()>&) { return std::thread(); });
  EXPECT_FALSE(threads.Start([] {}));
  EXPECT_EQ(threads.running(), 0u);
}

}  // namespace
}  // namespace tactus::daemon
