// One direction of a link that is worse than the machine's own: what goes in
// comes out later, or not at all.
//
// Use it for packets, never for a stream of bytes: losing one is what networks
// do, and whoever sends them sends them again. It is pure: time is handed in,
// and which packets are lost follows from the seed.
//
// Example:
//
//   DelayLine line({.delay = absl::Milliseconds(20), .loss_permille = 1});
//   line.Push(packet, now);
//   while (std::optional<std::string> due = line.Pop(now)) Send(*due);
//   Wait(line.NextDue());
#ifndef TACTUS_TOOLS_NETNS_DELAY_LINE_H_
#define TACTUS_TOOLS_NETNS_DELAY_LINE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tactus::netns {

struct LinkOptions {
  absl::Duration delay = absl::ZeroDuration();  // each packet, each way
  int loss_permille = 0;  // of a thousand packets, each way; 1000 loses all
  uint64_t seed = 1;
  // What a link may hold: what 100 ms at 2.5 Gbit/s are. A router that has no
  // room drops what comes last, and so does this.
  size_t most_bytes = size_t{32} << 20;
};

class DelayLine {
 public:
  // What became of the packets that were pushed.
  struct Counts {
    uint64_t carried = 0;
    uint64_t bytes = 0;  // of those
    uint64_t lost = 0;   // by chance
    uint64_t cut = 0;    // while the link was cut
    uint64_t full = 0;   // no room
  };

  explicit DelayLine(const LinkOptions& options)
      : options_(options), random_(options.seed) {}

  void Push(absl::string_view packet, absl::Time now);
  // The next one that is due; none while none is.
  std::optional<std::string> Pop(absl::Time now);
  // InfiniteFuture where it holds nothing.
  absl::Time NextDue() const;

  // For what is pushed from now on. Packets never overtake each other.
  void SetDelay(absl::Duration delay) { options_.delay = delay; }
  void SetLoss(int permille) { options_.loss_permille = permille; }
  // A cut link swallows what is pushed, and what it holds.
  void SetCut(bool cut);

  const Counts& counts() const { return counts_; }

 private:
  struct Packet {
    absl::Time due;
    std::string bytes;
  };

  LinkOptions options_;
  std::mt19937_64 random_;
  bool cut_ = false;
  std::deque<Packet> packets_;
  size_t held_ = 0;
  Counts counts_;
};

}  // namespace tactus::netns

#endif  // TACTUS_TOOLS_NETNS_DELAY_LINE_H_
