// Takes samples until quantiles are known to be below their bounds, and leaves
// out those in which the scheduler provably held this thread up.
//
// Use it for a gate on a latency whose bound one descheduling would break. Use
// Sampler for what is only recorded: there a stall is part of the truth.
//
// Example:
//
//   std::unique_ptr<StallClock> clock = ThreadStallClock();
//   const StallSamples taken = TakeStallSamples(
//       "snapshot", {.claims = {{0.99, absl::Milliseconds(50)}}}, *clock,
//       [&] { return Snapshot(); });
//   taken.series.samples;   // what counts
//   taken.excused;          // what was left out and taken again, with its
//   proof
//
// What excuses a sample. It took longer than the widest bound, and would not
// have without the time in which this very thread was runnable and another ran:
// the kernel's own account of it (run_delay, the second figure of
// /proc/thread-self/schedstat). Nothing else does. A sleep, a lock, a wait for
// an answer and a loop of ours add nothing to that account, and neither does a
// server that was descheduled, which no client can tell from one that is slow.
// What other threads of this process ran meanwhile is taken off, since they may
// be what this one waited for; so is what the account may have gained beside
// the sample.
//
// So a breach is never excused: of what is slow by itself the rest stays over
// the bound. An excused sample is taken again, and there is a bound to how
// many: beyond it the machine is too busy to say anything, and that is said.
//
// How many samples. `samples` at first; then as many as it takes to be sure
// that the quantile is below the bound (quantile_confidence.h), until there are
// `cap`, or so many over the bound that `cap` could not make up for them.
#ifndef TACTUS_LEDGER_RECORD_STALL_SAMPLER_H_
#define TACTUS_LEDGER_RECORD_STALL_SAMPLER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/record/series.h"

namespace tactus::ledger {

// What the scheduler has done with a thread so far.
struct Scheduled {
  absl::Duration waited;  // runnable, and another ran
  absl::Duration others;  // processor time of the process's other threads
};

class StallClock {
 public:
  virtual ~StallClock() = default;
  // On a clock that is never set.
  virtual absl::Duration Now() = 0;
  // Of the thread that calls. Unavailable where the kernel keeps no account.
  virtual absl::StatusOr<Scheduled> ReadScheduled() = 0;
};

// Of the thread that calls, and to be used by it alone.
std::unique_ptr<StallClock> ThreadStallClock();

// The p-quantile is at most `bound`.
struct QuantileClaim {
  double p = 0.99;
  absl::Duration bound;
};

struct StallLimits {
  int samples = 200;
  int cap = 1000;
  // Before those: they connect, fill caches and are not kept.
  int warm_up = 3;
  // What is to be shown of each, and with how much confidence.
  std::vector<QuantileClaim> claims = {{0.99, absl::Milliseconds(50)}};
  double confidence = 0.95;
  // One in twenty of the first samples. Where it is more, what is left has been
  // picked.
  int excused = 10;
  // Tries that fail. A gate needs but one; more only tell whether it is each.
  int failures = 3;
  // When this is used up no further sample is taken.
  absl::Duration patience = absl::Minutes(2);
};

struct Excused {
  absl::Duration took;
  absl::Duration waited;  // that much of it is proved
};

struct StallSamples {
  enum class End {
    kSure,      // the claim holds with the confidence asked for
    kHopeless,  // too many over the bound for `cap` to make up
    kTooBusy,   // more to be excused than may be
    kFailed,    // more tries failed than may
    kOutOfTime,
  };
  Series series;  // microseconds
  // Of each of these samples, how much the scheduler provably held it up.
  // Nothing is taken off: it tells a bound that was missed from one that only
  // the machine missed.
  std::vector<double> waited;
  std::vector<Excused> excused;
  End end = End::kOutOfTime;
  int64_t over = 0;      // samples over the widest bound
  std::string no_proof;  // why no sample could be excused; empty if one could
};

// "sure", "hopeless", "too busy", "failed", "out of time".
absl::string_view EndName(StallSamples::End end);

StallSamples TakeStallSamples(std::string name, const StallLimits& limits,
                              StallClock& clock,
                              absl::FunctionRef<absl::Status()> take);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_RECORD_STALL_SAMPLER_H_
