// A monotonic clock that a test can replace.
//
// Every wait in Tactus ends at a deadline that its caller gave, and a deadline
// is only as honest as the clock it is read on. `absl::Now()` jumps when the
// wall clock is set; this clock does not, so deadlines and measured durations
// both come from it.
//
// Example:
//
//   Clock& clock = Clock::Real();
//   const absl::Time deadline = clock.Now() + absl::Milliseconds(200);
//   while (clock.Now() < deadline) { ... }
//
// The values are `absl::Time` for its arithmetic; their epoch is arbitrary (the
// boot of the machine for the real clock), so never print one as a date.
#ifndef TACTUS_AX_CLOCK_CLOCK_H_
#define TACTUS_AX_CLOCK_CLOCK_H_

#include "absl/time/time.h"

namespace tactus::ax {

class Clock {
 public:
  virtual ~Clock() = default;

  // Never runs backwards.
  virtual absl::Time Now() = 0;

  // Returns at `time` or later; at once when that has passed.
  virtual void SleepUntil(absl::Time time) = 0;

  // CLOCK_MONOTONIC. Safe to call from any thread.
  static Clock& Real();
};

// A clock that moves only when told to. Not thread-safe.
//
//   SimulatedClock clock;
//   clock.Advance(absl::Seconds(3));
//   // clock.Now() == absl::UnixEpoch() + absl::Seconds(3)
class SimulatedClock : public Clock {
 public:
  absl::Time Now() override { return now_; }
  // Nobody waits: the time simply passes.
  void SleepUntil(absl::Time time) override { AdvanceTo(time); }

  // A negative duration is ignored: the clock is monotonic.
  void Advance(absl::Duration duration) {
    if (duration > absl::ZeroDuration()) now_ += duration;
  }

  // Moves to `time`, or stays where it is when that lies in the past.
  void AdvanceTo(absl::Time time) { Advance(time - now_); }

 private:
  absl::Time now_ = absl::UnixEpoch();
};

}  // namespace tactus::ax

#endif  // TACTUS_AX_CLOCK_CLOCK_H_
