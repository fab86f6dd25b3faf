#include "ax/clock/clock.h"

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

TEST(SimulatedClockTest, MovesOnlyWhenTold) {
  SimulatedClock clock;
  EXPECT_EQ(clock.Now(), absl::UnixEpoch());
  clock.Advance(absl::Seconds(3));
  EXPECT_EQ(clock.Now(), absl::UnixEpoch() + absl::Seconds(3));
}

TEST(SimulatedClockTest, NeverRunsBackwards) {
  SimulatedClock clock;
  clock.Advance(absl::Seconds(3));
  clock.Advance(-absl::Seconds(1));
  clock.AdvanceTo(absl::UnixEpoch());
  EXPECT_EQ(clock.Now(), absl::UnixEpoch() + absl::Seconds(3));
}

TEST(RealClockTest, NeverRunsBackwards) {
  absl::Time before = Clock::Real().Now();
  for (int i = 0; i < 1000; ++i) {
    const absl::Time now = Clock::Real().Now();
    EXPECT_LE(before, now);
    before = now;
  }
}

}  // namespace
}  // namespace tactus::ax
