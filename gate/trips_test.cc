#include "gate/trips.h"

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gate/budgets.h"
#include "gate/verdict.h"
#include "gtest/gtest.h"

namespace tactus::gate {
namespace {

const std::map<std::string, Trips> kSnapshot = {{"snapshot", {4, 11}}};
const std::map<std::string, Trips> kEdit = {{"edit", {6, 16}}};

Check One(const std::map<std::string, Trips>& table, absl::string_view lines) {
  const std::vector<Check> checks = JudgeTrips("mock", table, lines);
  EXPECT_EQ(checks.size(), 1U);
  return checks.empty() ? Check{} : checks[0];
}

TEST(Trips, WhatTheTableSaysPasses) {
  const Check check = One(kSnapshot, R"({"trips":"snapshot","flights":[4,4],)"
                                     R"("calls":[11,11],"failures":0})");
  EXPECT_EQ(check.outcome, Outcome::kPass);
  EXPECT_EQ(check.name, "mock.snapshot");
  EXPECT_EQ(check.reason, "4 flights of 11 calls, as the table says");
}

TEST(Trips, OneRoundTripMoreIsABreach) {
  const Check check = One(kSnapshot, R"({"trips":"snapshot","flights":[5,5],)"
                                     R"("calls":[11,11],"failures":0})");
  EXPECT_EQ(check.outcome, Outcome::kBreach);
  EXPECT_EQ(check.reason,
            "5 flights of 11 calls, and the table says 4 flights of 11 calls");
}

TEST(Trips, OneTryAmongManyThatCostsMoreIsABreach) {
  const Check check = One(kSnapshot, R"({"trips":"snapshot","flights":[4,4,4],)"
                                     R"("calls":[11,12,11],"failures":0})");
  EXPECT_EQ(check.outcome, Outcome::kBreach);
  EXPECT_EQ(check.reason,
            "4 flights of 12 calls, and the table says 4 flights of 11 calls");
}

TEST(Trips, FewerThanTheTableSaysIsABreachToo) {
  EXPECT_EQ(One(kSnapshot, R"({"trips":"snapshot","flights":[3],)"
                           R"("calls":[11],"failures":0})")
                .outcome,
            Outcome::kBreach);
}

TEST(Trips, EditThatIsReadBackOnceMoreIsToldAndPasses) {
  const Check check = One(kEdit, R"({"trips":"edit","flights":[6,7,6],)"
                                 R"("calls":[16,18,16],"failures":0})");
  EXPECT_EQ(check.outcome, Outcome::kPass);
  ASSERT_EQ(check.details.size(), 1U);
  EXPECT_EQ(check.details[0],
            "1 of 3 were read back once more, since the application published "
            "late");
}

TEST(Trips, EditsOfWhichEachCostsMoreAreABreach) {
  EXPECT_EQ(One(kEdit, R"({"trips":"edit","flights":[7,7,8],)"
                       R"("calls":[18,18,20],"failures":0})")
                .outcome,
            Outcome::kBreach);
}

TEST(Trips, FailedTryIsABreachWhateverItCost) {
  const Check check =
      One(kSnapshot, R"({"trips":"snapshot","flights":[4],"calls":[11],)"
                     R"("failures":1,"failure":"no focus"})");
  EXPECT_EQ(check.outcome, Outcome::kBreach);
  EXPECT_EQ(check.reason, "no focus");
}

TEST(Trips, NothingCountedIsNoPass) {
  EXPECT_EQ(One(kSnapshot, "").reason, "was not counted");
  EXPECT_EQ(One(kSnapshot, "").outcome, Outcome::kBreach);
  EXPECT_EQ(One(kSnapshot, R"({"trips":"snapshot","flights":[],"calls":[],)"
                           R"("failures":0})")
                .outcome,
            Outcome::kBreach);
}

TEST(Trips, WhereTheTableHasNoRowNothingIsProved) {
  const Check check = One({}, "");
  EXPECT_EQ(check.outcome, Outcome::kNotMeasurable);
}

TEST(Trips, WhatIsCountedAndInNoRowIsABreach) {
  const std::vector<Check> checks =
      JudgeTrips("mock", kSnapshot,
                 R"({"trips":"snapshot","flights":[4],"calls":[11],)"
                 R"("failures":0})"
                 "\n"
                 R"({"trips":"new","flights":[4],"calls":[11],"failures":0})");
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[0].outcome, Outcome::kPass);
  EXPECT_EQ(checks[1].name, "mock.new");
  EXPECT_EQ(checks[1].outcome, Outcome::kBreach);
}

TEST(Trips, BrokenLineIsABreachAndNotSkipped) {
  for (const char* line :
       {"x", "{}", R"({"trips":"snapshot","flights":[4],"calls":[]})",
        R"({"trips":"snapshot","flights":[-4],"calls":[1],"failures":0})"}) {
    const std::vector<Check> checks = JudgeTrips("mock", kSnapshot, line);
    ASSERT_FALSE(checks.empty());
    EXPECT_EQ(checks[0].outcome, Outcome::kBreach) << line;
  }
}

}  // namespace
}  // namespace tactus::gate
