#include "transfer/tls/backoff.h"

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace tactus::transfer {
namespace {

TEST(Backoff, DoublesUpToTheMostAndStartsAnewAfterReset) {
  Backoff backoff({.first = absl::Seconds(1), .most = absl::Seconds(6)},
                  [] { return 0.0; });
  EXPECT_EQ(backoff.Next(), absl::Milliseconds(500));
  EXPECT_EQ(backoff.Next(), absl::Seconds(1));
  EXPECT_EQ(backoff.Next(), absl::Seconds(2));
  EXPECT_EQ(backoff.Next(), absl::Seconds(3));
  EXPECT_EQ(backoff.Next(), absl::Seconds(3));
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), absl::Milliseconds(500));
}

TEST(Backoff, ChanceTakesUpToHalfOfTheWait) {
  double chance = 0.5;
  Backoff backoff({.first = absl::Seconds(4)}, [&] { return chance; });
  EXPECT_EQ(backoff.Next(), absl::Seconds(3));
  chance = 0.25;
  EXPECT_EQ(backoff.Next(), absl::Seconds(5));
}

}  // namespace
}  // namespace tactus::transfer
