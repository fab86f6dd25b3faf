#include "transfer/cost/time_left.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/cost/fit.h"
#include "transfer/cost/model.h"
#include "transfer/cost/units.h"

namespace tactus::transfer::cost {
namespace {

constexpr size_t kNewest = 60;

absl::Status Check(absl::Span<const Progress> progress, ByteCount total) {
  Progress before;
  for (size_t i = 0; i < progress.size(); ++i) {
    if (progress[i].elapsed < before.elapsed ||
        progress[i].done < before.done ||
        progress[i].elapsed == absl::InfiniteDuration()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "progress[", i, "] goes backwards: ", progress[i].done.bytes(),
          " bytes after ", absl::FormatDuration(progress[i].elapsed)));
    }
    before = progress[i];
  }
  if (before.done > total) {
    return absl::InvalidArgumentError(absl::StrCat(
        before.done.bytes(), " bytes are done of ", total.bytes()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<absl::Duration> TimeLeft(absl::Span<const Progress> progress,
                                        ByteCount total,
                                        const TimeLeftOptions& options) {
  absl::Status status = Check(progress, total);
  if (!status.ok()) return status;
  const Progress now = progress.empty() ? Progress() : progress.back();
  if (now.done == total) return absl::ZeroDuration();
  const ByteCount rest = total - now.done;

  // Before the first byte there is no rate to be seen.
  std::vector<TransferSample> samples;
  size_t sizes = 0;
  for (const Progress& sample :
       progress.last(std::min(kNewest, progress.size()))) {
    if (sample.done == Bytes(0) || sample.elapsed <= absl::ZeroDuration()) {
      continue;
    }
    if (samples.empty() || samples.back().size != sample.done) ++sizes;
    samples.push_back({sample.done, sample.elapsed});
  }
  if (sizes >= 3) {
    const absl::StatusOr<BitRate> rate = FitRate(samples);
    if (rate.ok()) return rest / *rate;
  }
  if (!options.prior) {
    return absl::FailedPreconditionError(
        absl::StrCat("too early to say how long ", rest.bytes(),
                     " bytes take: wait for more progress"));
  }
  const absl::Duration at_rate = rest / options.prior->rate;
  if (now.done > Bytes(0)) return at_rate;
  // What is still to be paid of the fixed cost; none when it took longer.
  return at_rate +
         std::max(options.prior->fixed - now.elapsed, absl::ZeroDuration());
}

}  // namespace tactus::transfer::cost
