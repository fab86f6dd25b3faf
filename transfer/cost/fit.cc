#include "transfer/cost/fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/cost/model.h"
#include "transfer/cost/units.h"

namespace tactus::transfer::cost {
namespace {

// The mean of the two in the middle where the number is even. Not of none.
double Median(std::vector<double> values) {
  const size_t middle = values.size() / 2;
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(middle);
  std::nth_element(values.begin(), nth, values.end());
  if (values.size() % 2 == 1) return *nth;
  return (*std::max_element(values.begin(), nth) + *nth) / 2;
}

absl::Status Check(absl::Span<const TransferSample> samples) {
  if (samples.size() > kMostTransferSamples) {
    return absl::InvalidArgumentError(
        absl::StrCat(samples.size(), " samples are more than ",
                     kMostTransferSamples, ": take a part of them"));
  }
  for (size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].size == Bytes(0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("sample ", i, " has no bytes: it was no transfer"));
    }
    if (samples[i].elapsed <= absl::ZeroDuration() ||
        samples[i].elapsed == absl::InfiniteDuration()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "sample ", i, " took ", absl::FormatDuration(samples[i].elapsed),
          ": drop what was not measured"));
    }
  }
  if (samples.size() < 3) {
    return absl::FailedPreconditionError(
        absl::StrCat("there are ", samples.size(),
                     " samples: measure three transfers at least"));
  }
  return absl::OkStatus();
}

double Bits(const TransferSample& sample) {
  return 8 * static_cast<double>(sample.size.bytes());
}

// Seconds a bit: the median slope through every two samples of different size.
absl::StatusOr<double> Slope(absl::Span<const TransferSample> samples) {
  absl::Status status = Check(samples);
  if (!status.ok()) return status;
  std::vector<double> slopes;
  for (size_t i = 0; i < samples.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (samples[i].size == samples[j].size) continue;
      slopes.push_back(
          absl::ToDoubleSeconds(samples[i].elapsed - samples[j].elapsed) /
          (Bits(samples[i]) - Bits(samples[j])));
    }
  }
  if (slopes.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "all samples are of ", samples[0].size.bytes(),
        " bytes, which cannot tell a fixed cost from a rate: measure another "
        "size"));
  }
  const double slope = Median(slopes);
  if (!(slope > 0)) {
    return absl::FailedPreconditionError(
        "larger transfers do not take longer: the noise is larger than what "
        "the "
        "sizes differ by, so measure sizes that are further apart");
  }
  return slope;
}

}  // namespace

absl::StatusOr<BitRate> FitRate(absl::Span<const TransferSample> samples) {
  const absl::StatusOr<double> slope = Slope(samples);
  if (!slope.ok()) return slope.status();
  return BitsPerSecond(1 / *slope);
}

absl::StatusOr<TransferFit> FitTransfers(
    absl::Span<const TransferSample> samples) {
  const absl::StatusOr<double> found = Slope(samples);
  if (!found.ok()) return found.status();
  double slope = *found;
  std::vector<double> bits, seconds, rests;
  for (const TransferSample& sample : samples) {
    bits.push_back(Bits(sample));
    seconds.push_back(absl::ToDoubleSeconds(sample.elapsed));
    rests.push_back(seconds.back() - slope * bits.back());
  }
  double fixed = Median(rests);

  TransferFit fit;
  fit.samples = samples.size();
  if (fixed < 0) {
    fit.without_fixed = true;
    fixed = 0;
    std::vector<double> own;
    for (size_t i = 0; i < bits.size(); ++i)
      own.push_back(seconds[i] / bits[i]);
    slope = Median(own);
  }
  fit.model = {.fixed = absl::Seconds(fixed), .rate = BitsPerSecond(1 / slope)};

  std::vector<double> distances;
  for (size_t i = 0; i < bits.size(); ++i) {
    const double residual = seconds[i] / (fixed + slope * bits[i]) - 1;
    distances.push_back(std::abs(residual));
    fit.largest_residual = std::max(fit.largest_residual, residual);
    fit.most_negative_residual = std::min(fit.most_negative_residual, residual);
  }
  fit.median_residual = Median(distances);
  return fit;
}

}  // namespace tactus::transfer::cost
