#include "tools/netns/delay_line.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tactus::netns {

void DelayLine::Push(absl::string_view packet, absl::Time now) {
  if (cut_) {
    ++counts_.cut;
    return;
  }
  // Not std::uniform_int_distribution, whose results a library may choose: the
  // same seed loses the same packets everywhere.
  if (options_.loss_permille > 0 &&
      random_() % 1000 < static_cast<uint64_t>(options_.loss_permille)) {
    ++counts_.lost;
    return;
  }
  if (packet.size() > options_.most_bytes - held_) {
    ++counts_.full;
    return;
  }
  absl::Time due = now + options_.delay;
  if (!packets_.empty()) due = std::max(due, packets_.back().due);
  held_ += packet.size();
  packets_.push_back({.due = due, .bytes = std::string(packet)});
}

std::optional<std::string> DelayLine::Pop(absl::Time now) {
  if (packets_.empty() || packets_.front().due > now) return std::nullopt;
  std::string bytes = std::move(packets_.front().bytes);
  packets_.pop_front();
  held_ -= bytes.size();
  ++counts_.carried;
  counts_.bytes += bytes.size();
  return bytes;
}

absl::Time DelayLine::NextDue() const {
  return packets_.empty() ? absl::InfiniteFuture() : packets_.front().due;
}

void DelayLine::SetCut(bool cut) {
  cut_ = cut;
  if (!cut) return;
  counts_.cut += packets_.size();
  packets_.clear();
  held_ = 0;
}

}  // namespace tactus::netns
