#include "site/format/format.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ledger/row/row.h"

namespace tactus::site {
namespace {

using ledger::Unit;

// From the smallest on; divisors are of the unit of the row.
constexpr std::array<Scale, 4> kFromNanoseconds = {
    {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};
constexpr std::array<Scale, 4> kFromMicroseconds = {
    {{1e-3, "ns"}, {1, "µs"}, {1e3, "ms"}, {1e6, "s"}}};
constexpr std::array<Scale, 4> kFromMilliseconds = {
    {{1e-6, "ns"}, {1e-3, "µs"}, {1, "ms"}, {1e3, "s"}}};
constexpr std::array<Scale, 4> kFromSeconds = {
    {{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}}};
constexpr std::array<Scale, 4> kBytes = {
    {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}}};
constexpr std::array<Scale, 4> kBytesPerSecond = {
    {{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}}};
constexpr std::array<Scale, 3> kMegabits = {
    {{1e-3, "kbit/s"}, {1, "Mbit/s"}, {1e3, "Gbit/s"}}};
constexpr std::array<Scale, 3> kPerSecond = {
    {{1, "/s"}, {1e3, "k/s"}, {1e6, "M/s"}}};
constexpr std::array<Scale, 1> kCount = {{{1, ""}}};
constexpr std::array<Scale, 1> kRatio = {{{1, "×"}}};

absl::Span<const Scale> Scales(Unit unit) {
  switch (unit) {
    case Unit::kNanoseconds:
      return kFromNanoseconds;
    case Unit::kMicroseconds:
      return kFromMicroseconds;
    case Unit::kMilliseconds:
      return kFromMilliseconds;
    case Unit::kSeconds:
      return kFromSeconds;
    case Unit::kBytes:
      return kBytes;
    case Unit::kBytesPerSecond:
      return kBytesPerSecond;
    case Unit::kMegabitsPerSecond:
      return kMegabits;
    case Unit::kPerSecond:
      return kPerSecond;
    case Unit::kCount:
      return kCount;
    case Unit::kRatio:
      return kRatio;
  }
  return kCount;
}

// The value as three digits show it, so that 999.6 counts as a thousand.
double Rounded(double value) {
  const double size = std::abs(value);
  if (size == 0 || !std::isfinite(size)) return value;
  const double step = std::pow(10.0, std::floor(std::log10(size)) - 2);
  return std::round(value / step) * step;
}

}  // namespace

Scale ScaleFor(double largest, Unit unit) {
  const absl::Span<const Scale> scales = Scales(unit);
  // Zero has no size of its own: it is shown in the unit it was written in.
  if (largest == 0) {
    for (const Scale& scale : scales) {
      if (scale.divisor == 1) return scale;
    }
  }
  for (const Scale& scale : scales) {
    if (std::abs(Rounded(largest / scale.divisor)) < 999.5) return scale;
  }
  return scales.back();
}

std::string ThreeDigits(double value) {
  const double rounded = Rounded(value);
  const double size = std::abs(rounded);
  if (size == 0) return "0";
  // What is a hair below a power of ten after rounding is that power.
  const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const int decimals = exponent >= 2 ? 0 : 2 - exponent;
  return absl::StrFormat("%.*f", decimals, rounded);
}

std::string ShowCount(int64_t count) {
  std::string digits = absl::StrCat(count < 0 ? -count : count);
  if (digits.size() >= 5) {
    for (size_t at = digits.size() - 3; at > 0; at = at > 3 ? at - 3 : 0) {
      digits.insert(at, "\u202f");
    }
  }
  return absl::StrCat(count < 0 ? "-" : "", digits);
}

Shown ShowValue(double value, Unit unit) {
  const Scale scale = ScaleFor(value, unit);
  const double scaled = value / scale.divisor;
  const bool whole = unit == Unit::kCount || unit == Unit::kBytes;
  if (whole && std::abs(value) < 1e15 && scaled == std::floor(scaled)) {
    return {ShowCount(static_cast<int64_t>(scaled)), std::string(scale.unit)};
  }
  return {ThreeDigits(scaled), std::string(scale.unit)};
}

std::string Join(const Shown& shown) {
  const bool close =
      shown.unit.empty() || shown.unit == "×" || shown.unit[0] == '/';
  return absl::StrCat(shown.number, close ? "" : "\u00a0", shown.unit);
}

std::string ShowText(double value, Unit unit) {
  return Join(ShowValue(value, unit));
}

std::string ShowDay(absl::Time time) {
  return absl::FormatTime("%-d %b %Y", time, absl::UTCTimeZone());
}

std::string ShowMinute(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d %H:%M UTC", time, absl::UTCTimeZone());
}

}  // namespace tactus::site
