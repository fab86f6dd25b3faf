// Times several ways to do the same thing, one after the other, round by round.
//
// Two figures of a machine that other work shares can be compared only when
// both were exposed to it alike. So no way is measured and then the next: each
// round takes one sample of each, and a different one goes first in every
// round.
//
// Example:
//
//   Sampler sampler(MonotonicNow, {.rounds = 300});
//   sampler.Add("find.tactus", [&] { return Ours(); });
//   sampler.Add("find.libatspi", [&] { return Theirs(); });
//   sampler.Run();
//   for (const Series& series : sampler.series()) recorder.Record(series);
//
// A try that fails is no sample; it is counted. A way of which every try failed
// while warming up is tried no more.
#ifndef TACTUS_LEDGER_RECORD_SAMPLER_H_
#define TACTUS_LEDGER_RECORD_SAMPLER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ledger/record/series.h"

namespace tactus::ledger {

// Time since an arbitrary moment, on a clock that is never set.
absl::Duration MonotonicNow();

class Sampler {
 public:
  using Clock = std::function<absl::Duration()>;

  struct Limits {
    int rounds = 300;
    // When this is used up no further round starts: what takes a second a try
    // gets fewer.
    absl::Duration budget = absl::Seconds(8);
    // ... but these many whatever they take.
    int at_least = 5;
    // Rounds before those, which connect, fill caches and are not kept.
    int warm_up = 3;
  };

  Sampler(Clock clock, const Limits& limits)
      : clock_(std::move(clock)), limits_(limits) {}

  // `take` is timed. `prepare`, where there is one, comes before each try and
  // is not; its failure counts as that of the try.
  void Add(std::string name, std::function<absl::Status()> take,
           std::function<absl::Status()> prepare = nullptr);

  // Takes one round; false when there have been enough, and nothing was done.
  bool Round();
  void Run() {
    while (Round()) {
    }
  }

  // In the order of Add. Microseconds.
  const std::vector<Series>& series() const { return series_; }

 private:
  struct Way {
    std::function<absl::Status()> take;
    std::function<absl::Status()> prepare;
    bool worked = false;
    bool dropped = false;
  };

  void Take(size_t index, bool keep);

  const Clock clock_;
  const Limits limits_;
  std::vector<Way> ways_;
  std::vector<Series> series_;
  int round_ = 0;  // warm-up included
  absl::Duration begun_;
};

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_RECORD_SAMPLER_H_
