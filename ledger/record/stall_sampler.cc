#include "ledger/record/stall_sampler.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/record/sampler.h"
#include "ledger/record/series.h"
#include "ledger/stats/quantile_confidence.h"

namespace tactus::ledger {
namespace {

constexpr char kAccount[] = "/proc/thread-self/schedstat";

absl::Duration ProcessorTime(clockid_t clock) {
  timespec time = {};
  if (clock_gettime(clock, &time) != 0) return absl::ZeroDuration();
  return absl::DurationFromTimespec(time);
}

class RealStallClock : public StallClock {
 public:
  RealStallClock()
      : account_(open(kAccount, O_RDONLY | O_CLOEXEC)), error_(errno) {}
  ~RealStallClock() override {
    if (account_ >= 0) close(account_);
  }
  RealStallClock(const RealStallClock&) = delete;
  RealStallClock& operator=(const RealStallClock&) = delete;

  absl::Duration Now() override { return MonotonicNow(); }

  absl::StatusOr<Scheduled> ReadScheduled() override {
    if (account_ < 0) {
      return absl::UnavailableError(
          absl::StrCat(kAccount, ": ", strerror(error_)));
    }
    // Kept open: to open it takes longer than a short sample.
    std::array<char, 128> text = {};
    const ssize_t n = pread(account_, text.data(), text.size() - 1, 0);
    uint64_t ran = 0, waited = 0;
    // NOLINTNEXTLINE(cert-err34-c): both are counted, and a kernel wrote them.
    if (n <= 0 ||
        sscanf(text.data(), "%" SCNu64 " %" SCNu64, &ran, &waited) != 2) {
      return absl::UnavailableError(absl::StrCat(kAccount, " is not readable"));
    }
    return Scheduled{.waited = absl::Nanoseconds(static_cast<int64_t>(waited)),
                     .others = ProcessorTime(CLOCK_PROCESS_CPUTIME_ID) -
                               ProcessorTime(CLOCK_THREAD_CPUTIME_ID)};
  }

 private:
  const int account_;
  const int error_;
};

// One try, and how much of it is proved not to be ours.
struct Try {
  absl::Status status;
  absl::Duration took;
  absl::Duration waited;
};

Try TakeOne(StallClock& clock, absl::FunctionRef<absl::Status()> take) {
  // The account is read outside of what is timed. What passes between it and
  // the sample may be in it, so all of that time is taken off.
  const absl::Duration outside_begin = clock.Now();
  const absl::StatusOr<Scheduled> before = clock.ReadScheduled();
  const absl::Duration begin = clock.Now();
  Try one;
  one.status = take();
  const absl::Duration end = clock.Now();
  const absl::StatusOr<Scheduled> after = clock.ReadScheduled();
  const absl::Duration outside = (begin - outside_begin) + (clock.Now() - end);
  one.took = end - begin;
  if (before.ok() && after.ok()) {
    const absl::Duration proved = (after->waited - before->waited) -
                                  (after->others - before->others) - outside;
    one.waited = std::clamp(proved, absl::ZeroDuration(), one.took);
  }
  return one;
}

// Whether some claim would not be shown though all that may still come were
// below its bound.
bool Hopeless(const StallLimits& limits, const std::vector<int64_t>& over) {
  for (size_t i = 0; i < over.size(); ++i) {
    const absl::StatusOr<int64_t> needed =
        SamplesNeeded({.p = limits.claims[i].p,
                       .confidence = limits.confidence,
                       .not_below = over[i]});
    if (!needed.ok() || *needed > limits.cap) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<StallClock> ThreadStallClock() {
  return std::make_unique<RealStallClock>();
}

absl::string_view EndName(StallSamples::End end) {
  switch (end) {
    case StallSamples::End::kSure:
      return "sure";
    case StallSamples::End::kHopeless:
      return "hopeless";
    case StallSamples::End::kTooBusy:
      return "too busy";
    case StallSamples::End::kFailed:
      return "failed";
    case StallSamples::End::kOutOfTime:
      return "out of time";
  }
  return "out of time";
}

StallSamples TakeStallSamples(std::string name, const StallLimits& limits,
                              StallClock& clock,
                              absl::FunctionRef<absl::Status()> take) {
  using End = StallSamples::End;
  StallSamples taken;
  taken.series.name = std::move(name);
  taken.series.unit = Unit::kMicroseconds;
  if (const absl::Status account = clock.ReadScheduled().status();
      !account.ok()) {
    taken.no_proof = std::string(account.message());
  }
  // Samples over the bound of each claim.
  std::vector<int64_t> over(limits.claims.size(), 0);
  absl::Duration widest;
  for (const QuantileClaim& claim : limits.claims) {
    widest = std::max(widest, claim.bound);
  }
  const absl::Duration begun = clock.Now();
  for (int tries = 0;; ++tries) {
    if (clock.Now() - begun >= limits.patience) {
      taken.end = End::kOutOfTime;
      return taken;
    }
    const Try one = TakeOne(clock, take);
    if (!one.status.ok()) {
      ++taken.series.failures;
      taken.series.failure = one.status.ToString();
      if (taken.series.failures >= limits.failures) {
        taken.end = End::kFailed;
        return taken;
      }
      continue;
    }
    if (tries < limits.warm_up) continue;
    if (one.took > widest && one.took - one.waited <= widest) {
      taken.excused.push_back({.took = one.took, .waited = one.waited});
      if (static_cast<int>(taken.excused.size()) > limits.excused) {
        taken.end = End::kTooBusy;
        return taken;
      }
      continue;
    }
    taken.series.samples.push_back(absl::ToDoubleMicroseconds(one.took));
    taken.waited.push_back(absl::ToDoubleMicroseconds(one.waited));
    if (one.took > widest) ++taken.over;
    for (size_t i = 0; i < over.size(); ++i) {
      if (one.took > limits.claims[i].bound) ++over[i];
    }
    const auto n = static_cast<int64_t>(taken.series.samples.size());
    if (n < limits.samples) continue;
    bool sure = true;
    for (size_t i = 0; i < over.size() && sure; ++i) {
      // What cannot be computed leaves no confidence at all.
      sure = ConfidenceBelow(
                 {.n = n, .not_below = over[i], .p = limits.claims[i].p})
                 .value_or(0) >= limits.confidence;
    }
    if (sure) {
      taken.end = End::kSure;
      return taken;
    }
    if (n >= limits.cap || Hopeless(limits, over)) {
      taken.end = End::kHopeless;
      return taken;
    }
  }
}

}  // namespace tactus::ledger
