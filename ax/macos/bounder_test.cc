#include "ax/macos/bounder.h"

#include <atomic>
#include <memory>
#include <thread>

#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "gtest/gtest.h"

namespace tactus::ax::macos {
namespace {

absl::Time In(absl::Duration time) { return Clock::Real().Now() + time; }

// Holds up calls until it is opened.
struct Gate {
  std::atomic<bool> open = false;
  std::atomic<int> held = 0;
  std::atomic<int> passed = 0;

  void Hold() {
    ++held;
    while (!open) std::this_thread::yield();
    ++passed;
  }
};

TEST(BounderTest, CallIsMadeAndItsAnswerReadWhenItReturns) {
  const std::unique_ptr<Bounder> bounder = MakeThreadBounder(Clock::Real());
  for (int i = 0; i < 3; ++i) {
    auto answer = std::make_shared<int>(0);
    ASSERT_TRUE(
        bounder->Run([answer, i] { *answer = i + 1; }, In(absl::Seconds(30))));
    EXPECT_EQ(*answer, i + 1);
    // What the call owned has gone with it.
    EXPECT_EQ(answer.use_count(), 1);
  }
}

TEST(BounderTest, CallThatHangsIsGivenUpAndTheNextOneMade) {
  auto gate = std::make_shared<Gate>();
  const std::unique_ptr<Bounder> bounder = MakeThreadBounder(Clock::Real());
  EXPECT_FALSE(
      bounder->Run([gate] { gate->Hold(); }, In(absl::Milliseconds(20))));
  auto answer = std::make_shared<int>(0);
  EXPECT_TRUE(bounder->Run([answer] { *answer = 1; }, In(absl::Seconds(30))));
  EXPECT_EQ(*answer, 1);
  gate->open = true;
  while (gate->passed != 1) std::this_thread::yield();
}

TEST(BounderTest, NothingMoreIsAskedWhileTooManyHang) {
  auto gate = std::make_shared<Gate>();
  const std::unique_ptr<Bounder> bounder = MakeThreadBounder(Clock::Real());
  for (int i = 0; i < kMostLeftBehind; ++i) {
    EXPECT_FALSE(
        bounder->Run([gate] { gate->Hold(); }, In(absl::Milliseconds(20))));
  }
  while (gate->held != kMostLeftBehind) std::this_thread::yield();
  auto asked = std::make_shared<std::atomic<bool>>(false);
  EXPECT_FALSE(
      bounder->Run([asked] { *asked = true; }, In(absl::Milliseconds(20))));
  EXPECT_FALSE(*asked);
  gate->open = true;
  EXPECT_TRUE(bounder->Run([asked] { *asked = true; }, In(absl::Seconds(30))));
  EXPECT_TRUE(*asked);
}

TEST(BounderTest, MayEndBeforeACallThatWasGivenUp) {
  auto gate = std::make_shared<Gate>();
  {
    const std::unique_ptr<Bounder> bounder = MakeThreadBounder(Clock::Real());
    EXPECT_FALSE(
        bounder->Run([gate] { gate->Hold(); }, In(absl::Milliseconds(20))));
  }
  gate->open = true;
  while (gate->passed != 1) std::this_thread::yield();
}

}  // namespace
}  // namespace tactus::ax::macos
