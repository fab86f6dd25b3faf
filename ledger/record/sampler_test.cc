#include "ledger/record/sampler.h"

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tactus::ledger {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SamplerTest : public testing::Test {
 protected:
  // A way that takes `duration` on the clock and notes that it was called.
  auto Way(char letter, absl::Duration duration) {
    return [this, letter, duration] {
      order_ += letter;
      now_ += duration;
      return absl::OkStatus();
    };
  }

  Sampler::Clock Clock() {
    return [this] { return now_; };
  }

  absl::Duration now_;
  std::string order_;
};

TEST_F(SamplerTest, EachRoundTakesAllAndStartsWithAnother) {
  Sampler sampler(Clock(), {.rounds = 3, .warm_up = 0});
  sampler.Add("a", Way('a', absl::Microseconds(1)));
  sampler.Add("b", Way('b', absl::Microseconds(20)));
  sampler.Add("c", Way('c', absl::Microseconds(300)));
  sampler.Run();
  EXPECT_EQ(order_, "abcbcacab");
  EXPECT_THAT(sampler.series()[0].samples, ElementsAre(1, 1, 1));
  EXPECT_THAT(sampler.series()[1].samples, ElementsAre(20, 20, 20));
  EXPECT_THAT(sampler.series()[2].samples, ElementsAre(300, 300, 300));
}

TEST_F(SamplerTest, WarmUpRoundsAreNotKept) {
  Sampler sampler(Clock(), {.rounds = 2, .warm_up = 3});
  sampler.Add("a", Way('a', absl::Microseconds(1)));
  sampler.Run();
  EXPECT_EQ(order_, "aaaaa");
  EXPECT_THAT(sampler.series()[0].samples, ElementsAre(1, 1));
}

TEST_F(SamplerTest, ASlowWayGetsTheLeastRoundsAndNoMoreWhenTheBudgetIsUsedUp) {
  Sampler sampler(
      Clock(),
      {.rounds = 100, .budget = absl::Seconds(1), .at_least = 4, .warm_up = 0});
  sampler.Add("slow", Way('s', absl::Seconds(5)));
  sampler.Run();
  EXPECT_EQ(order_, "ssss");
}

TEST_F(SamplerTest, TheBudgetDoesNotCountTheWarmUp) {
  Sampler sampler(
      Clock(),
      {.rounds = 100, .budget = absl::Seconds(2), .at_least = 0, .warm_up = 3});
  sampler.Add("a", Way('a', absl::Seconds(1)));
  sampler.Run();
  EXPECT_THAT(sampler.series()[0].samples, ElementsAre(1e6, 1e6));
}

TEST_F(SamplerTest, PreparingIsNotTimed) {
  Sampler sampler(Clock(), {.rounds = 1, .warm_up = 0});
  sampler.Add("a", Way('a', absl::Microseconds(7)), [this] {
    order_ += '(';
    now_ += absl::Seconds(1);
    return absl::OkStatus();
  });
  sampler.Run();
  EXPECT_EQ(order_, "(a");
  EXPECT_THAT(sampler.series()[0].samples, ElementsAre(7));
}

TEST_F(SamplerTest, AFailureIsCountedAndIsNoSample) {
  int tries = 0;
  Sampler sampler(Clock(), {.rounds = 3, .warm_up = 1});
  sampler.Add("a", [&]() -> absl::Status {
    now_ += absl::Microseconds(5);
    if (++tries == 3) return absl::NotFoundError("no focus");
    return absl::OkStatus();
  });
  sampler.Run();
  EXPECT_THAT(sampler.series()[0].samples, ElementsAre(5, 5));
  EXPECT_EQ(sampler.series()[0].failures, 1);
  EXPECT_THAT(sampler.series()[0].failure, HasSubstr("no focus"));
}

TEST_F(SamplerTest, WhatFailsInPreparingIsNotTaken) {
  Sampler sampler(Clock(), {.rounds = 2, .warm_up = 0});
  sampler.Add("a", Way('a', absl::Microseconds(1)),
              [] { return absl::InternalError("cannot stop it"); });
  sampler.Run();
  EXPECT_EQ(order_, "");
  EXPECT_EQ(sampler.series()[0].failures, 2);
}

TEST_F(SamplerTest, AWayThatNeverWorkedIsDroppedAndTheOthersGoOn) {
  int tries = 0;
  Sampler sampler(Clock(), {.rounds = 5, .warm_up = 2});
  sampler.Add("a", Way('a', absl::Microseconds(1)));
  sampler.Add("b", [&] {
    ++tries;
    return absl::UnimplementedError("no such interface");
  });
  sampler.Run();
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(sampler.series()[0].samples.size(), 5);
  EXPECT_THAT(sampler.series()[1].samples, IsEmpty());
  EXPECT_EQ(sampler.series()[1].failures, 2);
  EXPECT_THAT(sampler.series()[1].failure, HasSubstr("no such interface"));
}

}  // namespace
}  // namespace tactus::ledger
