#include "transfer/memory/schedule.h"

#include <cstddef>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace tactus::transfer {
namespace {

TEST(ExhaustiveSchedule, GoesThroughEveryOrderOnce) {
  ExhaustiveSchedule schedule(10);
  std::set<std::vector<size_t>> seen;
  do {
    // Two of three, and what follows depends on the first.
    std::vector<size_t> run = {schedule.Choose(3)};
    if (run[0] != 1) run.push_back(schedule.Choose(2));
    seen.insert(run);
  } while (schedule.Next());
  EXPECT_EQ(schedule.runs(), 5u);
  EXPECT_EQ(seen, (std::set<std::vector<size_t>>{
                      {0, 0}, {0, 1}, {1}, {2, 0}, {2, 1}}));
  EXPECT_FALSE(schedule.cut_short());
}

TEST(ExhaustiveSchedule, BeyondItsBoundTheFirstIsTakenAndThatIsSaid) {
  ExhaustiveSchedule schedule(2);
  do {
    schedule.Choose(2);
    schedule.Choose(2);
    EXPECT_EQ(schedule.Choose(2), 0u);
  } while (schedule.Next());
  EXPECT_EQ(schedule.runs(), 4u);
  EXPECT_TRUE(schedule.cut_short());
}

TEST(ExhaustiveSchedule, ARunWithoutChoicesIsTheOnlyOne) {
  ExhaustiveSchedule schedule(2);
  EXPECT_FALSE(schedule.Next());
  EXPECT_EQ(schedule.runs(), 1u);
}

TEST(SeededSchedule, ASeedRepeatsItsOrderAndAnotherHasAnother) {
  SeededSchedule one(7);
  SeededSchedule same(7);
  SeededSchedule other(8);
  std::vector<size_t> first;
  std::vector<size_t> second;
  std::vector<size_t> third;
  for (int i = 0; i < 64; ++i) {
    first.push_back(one.Choose(3));
    second.push_back(same.Choose(3));
    third.push_back(other.Choose(3));
    EXPECT_LT(first.back(), 3u);
  }
  EXPECT_EQ(first, second);
  EXPECT_NE(first, third);
}

}  // namespace
}  // namespace tactus::transfer
