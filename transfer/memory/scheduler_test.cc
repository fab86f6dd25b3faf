#include "transfer/memory/scheduler.h"

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "transfer/memory/schedule.h"

namespace tactus::transfer {
namespace {

absl::Time At(int seconds) { return absl::FromUnixSeconds(seconds); }

TEST(Scheduler, EveryOrderOfTwoProgramsIsRunOnce) {
  ExhaustiveSchedule schedule(20);
  std::multiset<std::string> traces;
  do {
    Scheduler scheduler(&schedule);
    std::string trace;
    scheduler.Run({
        [&] {
          trace += 'a';
          scheduler.Yield();
          trace += 'b';
        },
        [&] {
          trace += '1';
          scheduler.Yield();
          trace += '2';
        },
    });
    traces.insert(trace);
  } while (schedule.Next());
  // The interleavings of two and two: 4 over 2.
  EXPECT_EQ(traces, (std::multiset<std::string>{"ab12", "a1b2", "a12b", "1ab2",
                                                "1a2b", "12ab"}));
}

TEST(Scheduler, AConditionThatAnotherProgramMakesTrueEndsTheWait) {
  Scheduler scheduler(nullptr);
  bool ready = false;
  absl::Status waited = absl::UnknownError("not yet");
  scheduler.Run({
      [&] { waited = scheduler.Block([&] { return ready; }, At(10)); },
      [&] { ready = true; },
  });
  EXPECT_TRUE(waited.ok());
  EXPECT_EQ(scheduler.Now(), At(0));
}

TEST(Scheduler, TimePassesOnlyWhenNobodyCanGoOnAndToTheNextDeadline) {
  Scheduler scheduler(nullptr);
  std::string trace;
  scheduler.Run({
      [&] {
        scheduler.SleepUntil(At(5));
        EXPECT_EQ(scheduler.Now(), At(5));
        trace += "late";
      },
      [&] {
        EXPECT_EQ(scheduler.Block([] { return false; }, At(3)).code(),
                  absl::StatusCode::kDeadlineExceeded);
        EXPECT_EQ(scheduler.Now(), At(3));
        trace += "soon";
      },
      [&] {
        for (int i = 0; i < 5; ++i) scheduler.Yield();
        EXPECT_EQ(scheduler.Now(), At(0));
      },
  });
  EXPECT_EQ(trace, "soonlate");
}

TEST(Scheduler, WhatIsExpectedStopsTime) {
  Scheduler scheduler(nullptr);
  scheduler.Expect(At(2));
  scheduler.Run({[&] {
    EXPECT_TRUE(
        scheduler.Block([&] { return scheduler.Now() >= At(1); }, At(9)).ok());
    EXPECT_EQ(scheduler.Now(), At(2));
  }});
}

TEST(Scheduler, ProgramsThatWaitForEachOtherAreToldSo) {
  Scheduler scheduler(nullptr);
  int told = 0;
  const auto wait = [&] {
    const absl::Status status =
        scheduler.Block([] { return false; }, absl::InfiniteFuture());
    told += status.code() == absl::StatusCode::kAborted;
  };
  scheduler.Run({wait, wait});
  EXPECT_EQ(told, 2);
}

TEST(Scheduler, OutsideOfRunOneWaitsForTimeAlone) {
  Scheduler scheduler(nullptr);
  EXPECT_EQ(scheduler.Block([] { return false; }, At(3)).code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(scheduler.Now(), At(3));
  EXPECT_EQ(
      scheduler.Block([] { return false; }, absl::InfiniteFuture()).code(),
      absl::StatusCode::kAborted);
  scheduler.SleepUntil(At(4));
  EXPECT_EQ(scheduler.Now(), At(4));
  EXPECT_TRUE(scheduler.Block([] { return true; }, At(0)).ok());
}

}  // namespace
}  // namespace tactus::transfer
