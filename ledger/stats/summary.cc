#include "ledger/stats/summary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tactus::ledger {
namespace {

std::vector<double> Sorted(absl::Span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double AtRank(const std::vector<double>& sorted, double p) {
  const int64_t n = static_cast<int64_t>(sorted.size());
  return sorted[static_cast<size_t>(QuantileRank(n, p) - 1)];
}

}  // namespace

absl::Status CheckSamples(absl::Span<const double> samples,
                          absl::string_view what) {
  if (samples.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are no ", what, ": nothing was measured"));
  }
  for (size_t i = 0; i < samples.size(); ++i) {
    if (!std::isfinite(samples[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, "[", i, "] is ", samples[i],
                       ", not a finite number: drop the run that wrote it"));
    }
  }
  return absl::OkStatus();
}

int64_t QuantileRank(int64_t n, double p) {
  // Two roundings, of p itself and of the product, are at most this share.
  constexpr double kRounding = 0x1p-51;
  const double exact = p * static_cast<double>(n);
  const int64_t rank = static_cast<int64_t>(std::ceil(exact * (1 - kRounding)));
  return std::clamp<int64_t>(rank, 1, n);
}

absl::StatusOr<Summary> Summarize(absl::Span<const double> samples) {
  absl::Status status = CheckSamples(samples);
  if (!status.ok()) return status;
  const std::vector<double> sorted = Sorted(samples);
  long double sum = 0;
  for (const double sample : sorted) {
    sum += static_cast<long double>(sample);
  }
  const long double n = static_cast<long double>(sorted.size());
  return Summary{
      .n = static_cast<int64_t>(sorted.size()),
      .min = sorted.front(),
      .p50 = AtRank(sorted, 0.5),
      .p95 = AtRank(sorted, 0.95),
      .p99 = AtRank(sorted, 0.99),
      .max = sorted.back(),
      // Within the ends, whatever the last rounding does.
      .mean = std::clamp(static_cast<double>(sum / n), sorted.front(),
                         sorted.back()),
  };
}

absl::StatusOr<double> Quantile(absl::Span<const double> samples, double p) {
  if (!(p > 0 && p <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no quantile ", p, ": it must be in (0, 1]"));
  }
  absl::Status status = CheckSamples(samples);
  if (!status.ok()) return status;
  return AtRank(Sorted(samples), p);
}

absl::StatusOr<double> Median(absl::Span<const double> samples) {
  absl::Status status = CheckSamples(samples);
  if (!status.ok()) return status;
  const std::vector<double> sorted = Sorted(samples);
  const size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return sorted[middle - 1] / 2 + sorted[middle] / 2;
}

}  // namespace tactus::ledger
