// Sizes and rates as types, so that bytes are never added to bits, nor a
// megabit taken for a mebibyte: what does not fit does not compile.
//
// Use them wherever a size or a rate passes from one function to another. Time
// is absl::Duration.
//
// Example:
//
//   const ByteCount size = Mebibytes(128);
//   const BitRate rate = MegabitsPerSecond(373);
//   const absl::Duration time = size / rate;        // 2.88 s
//   const BitRate composite = size / (fixed + time);
//
// A mebibyte is 2^20 bytes, a megabit 10^6 bits, as files and networks are
// measured. What is not explicitly asked for as a number stays in its type.
#ifndef TACTUS_TRANSFER_COST_UNITS_H_
#define TACTUS_TRANSFER_COST_UNITS_H_

#include <compare>
#include <cstdint>
#include <limits>

#include "absl/time/time.h"

namespace tactus::transfer::cost {

// How many bytes; never negative.
class ByteCount {
 public:
  constexpr ByteCount() = default;

  constexpr int64_t bytes() const { return bytes_; }

  // Saturates at 2^63 - 1.
  friend constexpr ByteCount operator+(ByteCount a, ByteCount b) {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    return ByteCount(a.bytes_ > kMost - b.bytes_ ? kMost : a.bytes_ + b.bytes_);
  }
  // None where `b` is larger.
  friend constexpr ByteCount operator-(ByteCount a, ByteCount b) {
    return ByteCount(a.bytes_ - b.bytes_);
  }
  friend constexpr auto operator<=>(ByteCount, ByteCount) = default;

 private:
  friend constexpr ByteCount Bytes(int64_t count);
  explicit constexpr ByteCount(int64_t bytes) : bytes_(bytes < 0 ? 0 : bytes) {}

  int64_t bytes_ = 0;
};

// Less than none counts as none.
constexpr ByteCount Bytes(int64_t count) { return ByteCount(count); }
// More than 2^63 - 1 bytes counts as that.
ByteCount Kibibytes(int64_t count);
ByteCount Mebibytes(int64_t count);

// How fast; never negative, and never NaN.
class BitRate {
 public:
  constexpr BitRate() = default;

  constexpr double bits_per_second() const { return bits_per_second_; }
  constexpr double megabits_per_second() const {
    return bits_per_second_ / 1'000'000;
  }

  friend constexpr auto operator<=>(BitRate, BitRate) = default;

 private:
  friend constexpr BitRate BitsPerSecond(double rate);
  // NaN compares with nothing, so it becomes none as well.
  explicit constexpr BitRate(double rate)
      : bits_per_second_(rate > 0 ? rate : 0) {}

  double bits_per_second_ = 0;
};

// What is not above zero, NaN as well, counts as none: nothing ever arrives.
constexpr BitRate BitsPerSecond(double rate) { return BitRate(rate); }
constexpr BitRate MegabitsPerSecond(double rate) {
  return BitsPerSecond(rate * 1'000'000);
}

// How long that many take at that rate: no time for none, and for ever at none.
absl::Duration operator/(ByteCount size, BitRate rate);

// The rate at which that many take so long. None where the time is not above
// zero: nothing was measured.
BitRate operator/(ByteCount size, absl::Duration time);

// What arrives in that time, in whole bytes.
ByteCount operator*(BitRate rate, absl::Duration time);

}  // namespace tactus::transfer::cost

#endif  // TACTUS_TRANSFER_COST_UNITS_H_
