#include "transfer/files/meter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "transfer/cost/time_left.h"
#include "transfer/cost/units.h"
#include "transfer/files/limits.h"
#include "transfer/files/progress.h"

namespace tactus::transfer::files {
namespace {

constexpr absl::Duration kEvery = absl::Milliseconds(500);
// As many as TimeLeft looks at, and one to begin with.
constexpr size_t kMostSamples = 61;
// The rate is that of the last three seconds.
constexpr size_t kRateSamples = 6;

int64_t Signed(uint64_t bytes) {
  return static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX));
}

}  // namespace

Reading Meter::Read(const Progress& progress, absl::Time now) {
  if (!begun_.has_value() || progress.tries != tries_) {
    // A try begins with what is there, and its bytes are counted from nothing.
    begun_ = now;
    tries_ = progress.tries;
    before_ = progress.fresh;
    samples_.clear();
  }
  const uint64_t fresh = progress.fresh - std::min(progress.fresh, before_);
  const absl::Duration elapsed = now - *begun_;
  if (samples_.empty() || elapsed - samples_.back().elapsed >= kEvery) {
    samples_.push_back({elapsed, cost::Bytes(Signed(fresh))});
    if (samples_.size() > kMostSamples) samples_.pop_front();
  }
  Reading reading;
  if (samples_.size() >= 2) {
    const cost::Progress& first =
        samples_[samples_.size() - 1 -
                 std::min(samples_.size() - 1, kRateSamples)];
    const cost::Progress& last = samples_.back();
    reading.rate = (last.done - first.done) / (last.elapsed - first.elapsed);
  }
  if (progress.total_bytes == kSizeUnknown) return reading;
  const uint64_t total = std::max(progress.total_bytes, progress.bytes);
  reading.percent = total == 0
                        ? 100
                        : static_cast<int>(static_cast<double>(progress.bytes) /
                                           static_cast<double>(total) * 100);
  // Rounding up says that it is all there.
  if (progress.bytes < total) reading.percent = std::min(*reading.percent, 99);
  const std::vector<cost::Progress> samples(samples_.begin(), samples_.end());
  const absl::StatusOr<absl::Duration> left = cost::TimeLeft(
      samples, cost::Bytes(Signed(fresh + (total - progress.bytes))));
  if (left.ok() && *left < absl::InfiniteDuration()) reading.left = *left;
  return reading;
}

}  // namespace tactus::transfer::files
