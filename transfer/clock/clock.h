// The monotonic clock that deadlines of transfers are read on.
//
// Every operation on a stream takes a deadline, and this says when it is. A
// test replaces it by the clock of a memory network (transfer/memory), where
// time passes only when nobody can go on.
//
// Example:
//
//   stream->Read(into, clock.Now() + absl::Seconds(10));
//
// The real clock is CLOCK_MONOTONIC with an epoch of its own, as everywhere in
// Tactus, so a deadline may be handed from one part to the next; never print
// one as a date.
#ifndef TACTUS_TRANSFER_CLOCK_CLOCK_H_
#define TACTUS_TRANSFER_CLOCK_CLOCK_H_

#include "absl/time/time.h"

namespace tactus::transfer {

class Clock {
 public:
  virtual ~Clock() = default;

  // Never runs backwards.
  virtual absl::Time Now() = 0;

  // Returns at `time` or later; at once when that has passed.
  virtual void SleepUntil(absl::Time time) = 0;

  // Safe to call from any thread.
  static Clock& Real();
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_CLOCK_CLOCK_H_
