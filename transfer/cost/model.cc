#include "transfer/cost/model.h"

#include <algorithm>

#include "absl/time/time.h"
#include "transfer/cost/units.h"

namespace tactus::transfer::cost {

absl::Duration TransferModel::Predict(ByteCount size) const {
  return std::max(fixed, absl::ZeroDuration()) + size / rate;
}

BitRate TransferModel::CompositeRate(ByteCount size) const {
  // In one expression, and not by way of Predict(): that counts in quarters of
  // a nanosecond, with which a byte could seem faster than the rate.
  const double bits = 8 * static_cast<double>(size.bytes());
  const double fixed_s =
      absl::ToDoubleSeconds(std::max(fixed, absl::ZeroDuration()));
  if (rate == BitRate() || bits == 0) return BitRate();
  return BitsPerSecond(bits / (fixed_s + bits / rate.bits_per_second()));
}

double TransferModel::FixedShare(ByteCount size) const {
  const absl::Duration whole = Predict(size);
  if (fixed <= absl::ZeroDuration() || whole == absl::InfiniteDuration()) {
    return 0;
  }
  return absl::FDivDuration(fixed, whole);
}

ByteCount TransferModel::HalfwaySize() const { return rate * fixed; }

}  // namespace tactus::transfer::cost
