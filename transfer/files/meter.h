// How fast it goes, how long still, and what part is done: of a transfer, for
// people.
//
// Use it between an Observer and whatever shows its progress. The rate is of
// new bytes alone, since what the other side had costs no network and would
// promise a speed that is not there.
//
// Example:
//
//   Meter meter;
//   Reading reading = meter.Read(progress, clock.Now());
//   Show(reading.percent, reading.rate, reading.left);
//
// The time left is transfer/cost's, from a sample each half second.
#ifndef TACTUS_TRANSFER_FILES_METER_H_
#define TACTUS_TRANSFER_FILES_METER_H_

#include <cstdint>
#include <deque>
#include <optional>

#include "absl/time/time.h"
#include "transfer/cost/time_left.h"
#include "transfer/cost/units.h"
#include "transfer/files/progress.h"

namespace tactus::transfer::files {

struct Reading {
  // 0 to 100, and 100 only when all bytes are there; nothing where the total is
  // not known.
  std::optional<int> percent;
  // Of new bytes in the last few seconds; nothing at first.
  std::optional<cost::BitRate> rate;
  // Nothing while nobody can say.
  std::optional<absl::Duration> left;
};

class Meter {
 public:
  // `now` never goes backwards.
  Reading Read(const Progress& progress, absl::Time now);

 private:
  std::optional<absl::Time> begun_;
  int tries_ = 0;
  uint64_t before_ = 0;  // new bytes, before this try
  std::deque<cost::Progress> samples_;
};

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_METER_H_
