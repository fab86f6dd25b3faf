#include "transfer/clock/clock.h"

#include <time.h>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace tactus::transfer {
namespace {

TEST(Clock, RealClockReadsTheMonotonicClockSoThatDeadlinesMayBeHandedOn) {
  timespec before;
  timespec after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  const absl::Time now = Clock::Real().Now();
  clock_gettime(CLOCK_MONOTONIC, &after);
  EXPECT_GE(now, absl::TimeFromTimespec(before));
  EXPECT_LE(now, absl::TimeFromTimespec(after));
}

TEST(Clock, SleepingUntilTheFutureReturnsNoSooner) {
  const absl::Time wanted = Clock::Real().Now() + absl::Milliseconds(2);
  Clock::Real().SleepUntil(wanted);
  EXPECT_GE(Clock::Real().Now(), wanted);
}

}  // namespace
}  // namespace tactus::transfer
