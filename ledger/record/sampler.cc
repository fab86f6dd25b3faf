#include "ledger/record/sampler.h"

#include <time.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"

namespace tactus::ledger {

absl::Duration MonotonicNow() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return absl::DurationFromTimespec(now);
}

void Sampler::Add(std::string name, std::function<absl::Status()> take,
                  std::function<absl::Status()> prepare) {
  ways_.push_back({.take = std::move(take), .prepare = std::move(prepare)});
  series_.push_back({.name = std::move(name), .unit = Unit::kMicroseconds});
}

void Sampler::Take(size_t index, bool keep) {
  Way& way = ways_[index];
  Series& series = series_[index];
  absl::Status status;
  absl::Duration elapsed;
  if (way.prepare) status = way.prepare();
  if (status.ok()) {
    const absl::Duration begun = clock_();
    status = way.take();
    elapsed = clock_() - begun;
  }
  way.worked |= status.ok();
  if (!status.ok()) {
    series.failure = status.ToString();
    // A first try may well fail: an application is still starting.
    if (keep) ++series.failures;
  } else if (keep) {
    series.samples.push_back(absl::ToDoubleMicroseconds(elapsed));
  }
}

bool Sampler::Round() {
  const bool keep = round_ >= limits_.warm_up;
  if (round_ == limits_.warm_up) {
    begun_ = clock_();
    for (size_t i = 0; i < ways_.size(); ++i) {
      if (limits_.warm_up == 0 || ways_[i].worked) continue;
      ways_[i].dropped = true;
      series_[i].failures = limits_.warm_up;
    }
  }
  const int kept = round_ - limits_.warm_up;
  if (kept >= limits_.rounds) return false;
  if (kept >= limits_.at_least && clock_() - begun_ >= limits_.budget) {
    return false;
  }
  for (size_t i = 0; i < ways_.size(); ++i) {
    const size_t index = (static_cast<size_t>(round_) + i) % ways_.size();
    if (!ways_[index].dropped) Take(index, keep);
  }
  ++round_;
  return true;
}

}  // namespace tactus::ledger
