#include "tools/netns/delay_line.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace tactus::netns {
namespace {

const absl::Time kStart = absl::FromUnixSeconds(1000);

TEST(DelayLine, APacketComesOutWhenItsDelayIsOverAndNotBefore) {
  DelayLine line({.delay = absl::Milliseconds(20)});
  line.Push("one", kStart);
  EXPECT_EQ(line.NextDue(), kStart + absl::Milliseconds(20));
  EXPECT_EQ(line.Pop(kStart + absl::Milliseconds(20) - absl::Nanoseconds(1)),
            std::nullopt);
  EXPECT_EQ(line.Pop(kStart + absl::Milliseconds(20)), "one");
  EXPECT_EQ(line.NextDue(), absl::InfiniteFuture());
}

TEST(DelayLine, WithoutADelayAPacketIsDueAtOnce) {
  DelayLine line({});
  line.Push("one", kStart);
  EXPECT_EQ(line.Pop(kStart), "one");
  EXPECT_EQ(line.Pop(kStart), std::nullopt);
}

TEST(DelayLine, PacketsDoNotOvertakeEachOtherWhenTheDelayShrinks) {
  DelayLine line({.delay = absl::Milliseconds(100)});
  line.Push("slow", kStart);
  line.SetDelay(absl::ZeroDuration());
  line.Push("quick", kStart);
  EXPECT_EQ(line.Pop(kStart), std::nullopt);
  EXPECT_EQ(line.Pop(kStart + absl::Milliseconds(100)), "slow");
  EXPECT_EQ(line.Pop(kStart + absl::Milliseconds(100)), "quick");
}

std::vector<int> Carried(const LinkOptions& options, int packets) {
  DelayLine line(options);
  std::vector<int> carried;
  for (int i = 0; i < packets; ++i) {
    line.Push("x", kStart);
    if (line.Pop(kStart).has_value()) carried.push_back(i);
  }
  EXPECT_EQ(line.counts().carried + line.counts().lost,
            static_cast<uint64_t>(packets));
  return carried;
}

TEST(DelayLine, TheSameSeedLosesTheSamePackets) {
  const LinkOptions options = {.loss_permille = 100, .seed = 7};
  EXPECT_EQ(Carried(options, 1000), Carried(options, 1000));
  EXPECT_NE(Carried(options, 1000),
            Carried({.loss_permille = 100, .seed = 8}, 1000));
}

TEST(DelayLine, AThousandthIsLostWhereOnePermilleIsAsked) {
  // Of this seed; the mean is 100.
  EXPECT_EQ(Carried({.loss_permille = 1, .seed = 1}, 100'000).size(),
            100'000u - 106);
  EXPECT_EQ(Carried({.loss_permille = 0}, 100'000).size(), 100'000u);
  EXPECT_EQ(Carried({.loss_permille = 1000}, 1000).size(), 0u);
}

TEST(DelayLine, ACutLinkSwallowsWhatItHoldsAndWhatComes) {
  DelayLine line({.delay = absl::Milliseconds(1)});
  line.Push("held", kStart);
  line.SetCut(true);
  line.Push("late", kStart);
  EXPECT_EQ(line.NextDue(), absl::InfiniteFuture());
  line.SetCut(false);
  line.Push("after", kStart);
  EXPECT_EQ(line.Pop(kStart + absl::Milliseconds(1)), "after");
  EXPECT_EQ(line.counts().cut, 2u);
  EXPECT_EQ(line.counts().carried, 1u);
  EXPECT_EQ(line.counts().bytes, 5u);
}

TEST(DelayLine, WhatHasNoRoomIsDroppedUntilThereIsSome) {
  DelayLine line({.delay = absl::Milliseconds(1), .most_bytes = 10});
  line.Push("12345", kStart);
  line.Push("67890", kStart);
  line.Push("x", kStart);
  EXPECT_EQ(line.counts().full, 1u);
  EXPECT_EQ(line.Pop(kStart + absl::Milliseconds(1)), "12345");
  line.Push("x", kStart);
  EXPECT_EQ(line.counts().full, 1u);
}

}  // namespace
}  // namespace tactus::netns
