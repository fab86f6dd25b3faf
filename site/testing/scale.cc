#include "site/testing/scale.h"

#include <cmath>
#include <cstdint>
#include <ostream>
#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "site/testing/rows.h"

namespace tactus::site {
namespace {

// In [0, 1): std::uniform_real_distribution may differ between libraries.
double Uniform(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1.0p-53;
}

}  // namespace

std::vector<double> MakeSamples(std::mt19937_64& random, int n, double median,
                                double sigma) {
  constexpr double kTwoPi = 6.283185307179586;
  std::vector<double> samples;
  samples.reserve(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    const double radius = std::sqrt(-2 * std::log(1 - Uniform(random)));
    const double normal = radius * std::cos(kTwoPi * Uniform(random));
    double value = median * std::exp(sigma * normal);
    if (Uniform(random) < 0.02) value *= 1.5 + 2 * Uniform(random);
    samples.push_back(std::round(value * 100) / 100);
  }
  return samples;
}

void MakeScaleLedger(std::ostream& out, int64_t rows, int samples) {
  constexpr int kSeries = 20;
  std::mt19937_64 random(20260101);
  for (int64_t row = 0; row < rows; ++row) {
    const int series = static_cast<int>(row % kSeries);
    const int run = static_cast<int>(row / kSeries);
    out << MakeLine(
        {.series = absl::StrCat("scale/series-", series),
         .configuration = {{"application", "made-up"}},
         .samples = MakeSamples(random, samples, 400 + 10 * series, 0.05),
         .day = run / 4,
         .run = run});
  }
}

}  // namespace tactus::site
