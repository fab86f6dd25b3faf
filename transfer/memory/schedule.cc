#include "transfer/memory/schedule.h"

#include <cstddef>
#include <cstdint>

namespace tactus::transfer {

size_t SeededSchedule::Choose(size_t count) {
  state_ += 0x9E3779B97F4A7C15;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  z ^= z >> 31;
  // The bias of a remainder is below one in 2^58 here, and harms no schedule.
  return static_cast<size_t>(z % count);
}

size_t ExhaustiveSchedule::Choose(size_t count) {
  if (at_ == most_) {
    cut_short_ = true;
    return 0;
  }
  if (at_ == path_.size()) path_.push_back({.taken = 0, .count = count});
  return path_[at_++].taken;
}

bool ExhaustiveSchedule::Next() {
  ++runs_;
  // A run that failed may have chosen less often than the one before.
  path_.resize(at_);
  at_ = 0;
  while (!path_.empty() && path_.back().taken + 1 == path_.back().count) {
    path_.pop_back();
  }
  if (path_.empty()) return false;
  ++path_.back().taken;
  return true;
}

}  // namespace tactus::transfer
