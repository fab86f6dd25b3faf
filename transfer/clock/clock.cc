#include "transfer/clock/clock.h"

#include <time.h>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace tactus::transfer {
namespace {

class MonotonicClock : public Clock {
 public:
  absl::Time Now() override {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return absl::TimeFromTimespec(now);
  }
  void SleepUntil(absl::Time time) override { absl::SleepFor(time - Now()); }
};

}  // namespace

Clock& Clock::Real() {
  static MonotonicClock clock;
  return clock;
}

}  // namespace tactus::transfer
