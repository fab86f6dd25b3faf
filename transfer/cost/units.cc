#include "transfer/cost/units.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/time/time.h"

namespace tactus::transfer::cost {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

ByteCount Times(int64_t count, int64_t unit) {
  return Bytes(count > kMost / unit ? kMost : count * unit);
}

}  // namespace

ByteCount Kibibytes(int64_t count) {
  return count < 0 ? Bytes(0) : Times(count, 1024);
}

ByteCount Mebibytes(int64_t count) {
  return count < 0 ? Bytes(0) : Times(count, 1024 * 1024);
}

absl::Duration operator/(ByteCount size, BitRate rate) {
  if (size == Bytes(0)) return absl::ZeroDuration();
  if (rate == BitRate()) return absl::InfiniteDuration();
  return absl::Seconds(8 * static_cast<double>(size.bytes()) /
                       rate.bits_per_second());
}

BitRate operator/(ByteCount size, absl::Duration time) {
  if (time <= absl::ZeroDuration()) return BitRate();
  return BitsPerSecond(8 * static_cast<double>(size.bytes()) /
                       absl::ToDoubleSeconds(time));
}

ByteCount operator*(BitRate rate, absl::Duration time) {
  if (time <= absl::ZeroDuration() || rate == BitRate()) return Bytes(0);
  const double bytes =
      std::floor(rate.bits_per_second() / 8 * absl::ToDoubleSeconds(time));
  return Bytes(bytes < 0x1p63 ? static_cast<int64_t>(bytes) : kMost);
}

}  // namespace tactus::transfer::cost
