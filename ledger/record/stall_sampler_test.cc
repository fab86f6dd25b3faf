#include "ledger/record/stall_sampler.h"

#include <functional>
#include <memory>
#include <set>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace tactus::ledger {
namespace {

using End = StallSamples::End;

constexpr absl::Duration kMs = absl::Milliseconds(1);

// A machine whose time passes only when a test says so.
class Machine : public StallClock {
 public:
  absl::Duration Now() override { return now_; }
  absl::StatusOr<Scheduled> ReadScheduled() override {
    if (!account) return absl::UnavailableError("no account is kept");
    now_ += reading;
    return scheduled_;
  }

  // This thread runs, sleeps, or waits for an answer or a lock.
  void Pass(absl::Duration time) { now_ += time; }
  // It could run, and another program does.
  void Deschedule(absl::Duration time) {
    now_ += time;
    scheduled_.waited += time;
  }
  // It could run, and another thread of this process does.
  void OtherThread(absl::Duration time) {
    Deschedule(time);
    scheduled_.others += time;
  }

  bool account = true;
  absl::Duration reading;

 private:
  absl::Duration now_;
  Scheduled scheduled_;
};

// Reads of one millisecond; what else happens in the n-th try, from 0.
StallSamples Take(Machine& machine, const std::function<void(int)>& more,
                  StallLimits limits = {}) {
  limits.warm_up = 0;
  int n = 0;
  return TakeStallSamples("read", limits, machine, [&] {
    machine.Pass(kMs);
    more(n++);
    return absl::OkStatus();
  });
}

TEST(StallSampler, QuietMachineTakesAsManyAsMakeItSureAndNoMore) {
  Machine machine;
  const StallSamples taken = Take(machine, [](int) {});
  EXPECT_EQ(taken.end, End::kSure);
  // 200 give 86.6 %.
  EXPECT_EQ(taken.series.samples.size(), 299U);
  EXPECT_EQ(taken.series.samples.front(), 1000);
  EXPECT_TRUE(taken.excused.empty());
}

class Stalls : public ::testing::TestWithParam<int> {};

TEST_P(Stalls, WhatTheSchedulerDidIsTakenAgainAndLeavesNoTrace) {
  Machine machine;
  const StallSamples taken = Take(machine, [&](int n) {
    if (n % 60 == 7 && n / 60 < GetParam()) machine.Deschedule(80 * kMs);
  });
  EXPECT_EQ(taken.end, End::kSure);
  EXPECT_EQ(taken.excused.size(), static_cast<size_t>(GetParam()));
  EXPECT_EQ(taken.over, 0);
  EXPECT_EQ(taken.series.samples.size(), 299U);
}

// The other program is one that we wait for, so nothing is proved: it counts,
// and more samples show whether it is one in a hundred.
TEST_P(Stalls, WhatCannotBeProvedCountsAndMoreSamplesAreTaken) {
  Machine machine;
  const StallSamples taken = Take(machine, [&](int n) {
    if (n % 60 == 7 && n / 60 < GetParam()) machine.Pass(80 * kMs);
  });
  EXPECT_EQ(taken.end, End::kSure);
  EXPECT_TRUE(taken.excused.empty());
  EXPECT_EQ(taken.over, GetParam());
  constexpr size_t kNeeded[] = {299, 473, 628, 773};
  EXPECT_EQ(taken.series.samples.size(), kNeeded[GetParam()]);
}

INSTANTIATE_TEST_SUITE_P(In200, Stalls, ::testing::Values(0, 1, 2, 3));

TEST(StallSampler, UniformBreachIsNeverExcused) {
  Machine machine;
  const StallSamples taken =
      Take(machine, [&](int) { machine.Pass(60 * kMs); });
  EXPECT_EQ(taken.end, End::kHopeless);
  EXPECT_TRUE(taken.excused.empty());
  EXPECT_EQ(taken.over, 200);
}

TEST(StallSampler, StallOnTopOfAUniformBreachExcusesNothingOfIt) {
  Machine machine;
  const StallSamples taken = Take(machine, [&](int n) {
    machine.Pass(60 * kMs);
    if (n % 3 == 0) machine.Deschedule(80 * kMs);
  });
  EXPECT_EQ(taken.end, End::kHopeless);
  EXPECT_TRUE(taken.excused.empty());
  EXPECT_EQ(taken.over, 200);
}

TEST(StallSampler, ShortWaitOfTheSchedulerDoesNotExcuseALongOneOfOurs) {
  Machine machine;
  const StallSamples taken = Take(machine, [&](int) {
    machine.Pass(55 * kMs);
    machine.Deschedule(5 * kMs);
  });
  EXPECT_EQ(taken.end, End::kHopeless);
  EXPECT_TRUE(taken.excused.empty());
}

TEST(StallSampler, OwnThreadsThatTakeTheProcessorExcuseNothing) {
  Machine machine;
  const StallSamples taken =
      Take(machine, [&](int) { machine.OtherThread(80 * kMs); });
  EXPECT_EQ(taken.end, End::kHopeless);
  EXPECT_TRUE(taken.excused.empty());
}

TEST(StallSampler, SampleWithinTheBoundCountsWhateverHeldItUp) {
  Machine machine;
  const StallSamples taken =
      Take(machine, [&](int) { machine.Deschedule(40 * kMs); });
  EXPECT_EQ(taken.end, End::kSure);
  EXPECT_EQ(taken.series.samples.front(), 41000);
  EXPECT_EQ(taken.waited.size(), taken.series.samples.size());
  EXPECT_EQ(taken.waited.front(), 40000);
  EXPECT_TRUE(taken.excused.empty());
}

TEST(StallSampler, MachineThatStallsAllTheTimeIsTooBusyAndProvesNothing) {
  Machine machine;
  const StallSamples taken =
      Take(machine, [&](int) { machine.Deschedule(80 * kMs); });
  EXPECT_EQ(taken.end, End::kTooBusy);
  EXPECT_EQ(taken.excused.size(), 11U);
  EXPECT_TRUE(taken.series.samples.empty());
}

TEST(StallSampler, WithoutAnAccountNothingIsExcusedAndThatIsSaid) {
  Machine machine;
  machine.account = false;
  const StallSamples taken = Take(machine, [&](int n) {
    if (n == 7) machine.Deschedule(80 * kMs);
  });
  EXPECT_EQ(taken.end, End::kSure);
  EXPECT_EQ(taken.over, 1);
  EXPECT_EQ(taken.no_proof, "no account is kept");
}

TEST(StallSampler, WaitBesideTheSampleIsNotTakenForOneWithinIt) {
  // The thread is held up for 30 ms within each sample and for as long while
  // the account is read after it: only the former may count.
  class Late : public Machine {
   public:
    absl::StatusOr<Scheduled> ReadScheduled() override {
      Deschedule(30 * kMs);
      return Machine::ReadScheduled();
    }
  } machine;
  StallLimits limits;
  const StallSamples taken = Take(
      machine,
      [&](int) {
        machine.Pass(45 * kMs);
        machine.Pass(10 * kMs);
      },
      limits);
  EXPECT_EQ(taken.end, End::kHopeless);
  EXPECT_TRUE(taken.excused.empty());
}

TEST(StallSampler, MedianThatIsNotYetSureTakesMoreSamplesToo) {
  Machine machine;
  // 45 of 100 take 3 ms: the median is below 2 ms, and 299 do not show it.
  const StallSamples taken =
      Take(machine,
           [&](int n) {
             if (n % 100 < 45) machine.Pass(2 * kMs);
           },
           {.claims = {{0.99, 50 * kMs}, {0.5, 2 * kMs}}});
  EXPECT_EQ(taken.end, End::kSure);
  EXPECT_GT(taken.series.samples.size(), 299U);
  EXPECT_LE(taken.series.samples.size(), 400U);
  EXPECT_EQ(taken.over, 0);
}

TEST(StallSampler, MedianOverItsBoundIsHopelessAndNothingIsExcusedByIt) {
  Machine machine;
  const StallSamples taken =
      Take(machine, [&](int) { machine.Deschedule(6 * kMs); },
           {.claims = {{0.99, 50 * kMs}, {0.5, 2 * kMs}}});
  EXPECT_EQ(taken.end, End::kHopeless);
  EXPECT_TRUE(taken.excused.empty());
}

TEST(StallSampler, TriesThatFailAreNoSamplesAndEndIt) {
  Machine machine;
  const StallSamples taken =
      TakeStallSamples("read", {.warm_up = 0}, machine, [&] {
        machine.Pass(kMs);
        return absl::UnavailableError("gone");
      });
  EXPECT_EQ(taken.end, End::kFailed);
  EXPECT_TRUE(taken.series.samples.empty());
  EXPECT_EQ(taken.series.failures, 3);
  EXPECT_EQ(taken.series.failure, "UNAVAILABLE: gone");
}

TEST(StallSampler, TimeIsBounded) {
  Machine machine;
  const StallSamples taken =
      Take(machine, [&](int) { machine.Pass(absl::Seconds(5)); },
           {.patience = absl::Seconds(30)});
  EXPECT_EQ(taken.end, End::kOutOfTime);
  EXPECT_EQ(taken.series.samples.size(), 6U);
}

TEST(StallSampler, WarmUpIsNotKept) {
  Machine machine;
  int n = 0;
  const StallSamples taken =
      TakeStallSamples("read", {.warm_up = 3}, machine, [&] {
        machine.Pass(n++ < 3 ? absl::Seconds(1) : kMs);
        return absl::OkStatus();
      });
  EXPECT_EQ(taken.end, End::kSure);
  EXPECT_EQ(taken.over, 0);
}

TEST(StallSampler, SleepOfThisThreadIsInNoAccount) {
  const std::unique_ptr<StallClock> clock = ThreadStallClock();
  const absl::Duration begun = clock->Now();
  const absl::StatusOr<Scheduled> before = clock->ReadScheduled();
  if (!before.ok()) return;  // and then nothing is ever excused
  absl::SleepFor(absl::Milliseconds(20));
  const absl::StatusOr<Scheduled> after = clock->ReadScheduled();
  ASSERT_TRUE(after.ok());
  // On a busy machine it waits for the processor before and after the sleep,
  // and never during it.
  EXPECT_LE(after->waited - before->waited,
            clock->Now() - begun - absl::Milliseconds(20));
}

}  // namespace
}  // namespace tactus::ledger
