#include "gate/compare_check.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gate/measurement.h"
#include "gate/verdict.h"
#include "gtest/gtest.h"
#include "ledger/row/row.h"
#include "ledger/stats/better.h"

namespace tactus::gate {
namespace {

// Gives values in turn, and notes who was asked.
class Side {
 public:
  Side(char name, std::vector<double> values, std::string* order)
      : name_(name), values_(std::move(values)), order_(*order) {}

  MeasureSide measure() {
    return [this]() -> absl::StatusOr<Measurement> {
      order_ += name_;
      return Measurement{.value = values_[next_++ % values_.size()],
                         .n = 1,
                         .unit = unit,
                         .better = better};
    };
  }

  ledger::Unit unit = ledger::Unit::kMilliseconds;
  ledger::Better better = ledger::Better::kLess;

 private:
  const char name_;
  const std::vector<double> values_;
  std::string& order_;
  size_t next_ = 0;
};

// Noise of a few percent that is not the same on both sides.
const std::vector<double> kBase = {100, 103, 98, 101, 99, 102, 97};
const std::vector<double> kSame = {101, 99, 102, 98, 100};
const std::vector<double> kSlower = {121, 119, 122, 118, 120};

TEST(Compare, SlowerIsABreachWithItsRatioAndInterval) {
  std::string order;
  Side base('b', kBase, &order), present('p', kSlower, &order);
  const Check check =
      CompareInTurn({.name = "s"}, base.measure(), present.measure());
  EXPECT_EQ(check.outcome, Outcome::kBreach);
  EXPECT_EQ(check.reason.find("slower: present over base 1."), 0U)
      << check.reason;
  EXPECT_NE(check.reason.find("11 pairs, 99 % sure"), std::string::npos)
      << check.reason;
  EXPECT_LT(*check.headroom, 1);
}

TEST(Compare, FasterPasses) {
  std::string order;
  Side base('b', kSlower, &order), present('p', kBase, &order);
  const Check check =
      CompareInTurn({.name = "s"}, base.measure(), present.measure());
  EXPECT_EQ(check.outcome, Outcome::kPass);
  EXPECT_EQ(check.reason.find("faster: "), 0U);
}

TEST(Compare, SameBuildTwiceIsTheSame) {
  std::string order;
  Side base('b', kBase, &order), present('p', kSame, &order);
  const Check check =
      CompareInTurn({.name = "s"}, base.measure(), present.measure());
  EXPECT_EQ(check.outcome, Outcome::kPass);
  EXPECT_EQ(check.reason.find("the same within 5 %: "), 0U) << check.reason;
}

TEST(Compare, WhoIsFirstChangesFromPairToPair) {
  std::string order;
  Side base('b', kBase, &order), present('p', kSlower, &order);
  CompareInTurn({.name = "s"}, base.measure(), present.measure());
  EXPECT_EQ(order.substr(0, 8), "bppbbppb");
}

TEST(Compare, ThroughputThatRisesIsFaster) {
  std::string order;
  Side base('b', kBase, &order), present('p', kSlower, &order);
  base.better = present.better = ledger::Better::kMore;
  EXPECT_EQ(
      CompareInTurn({.name = "s"}, base.measure(), present.measure()).outcome,
      Outcome::kPass);
}

TEST(Compare, UndecidedAtTheCapIsNoPass) {
  std::string order;
  // 4 % apart with noise as large, and few pairs: within no margin for sure.
  Side base('b', {100, 140, 70, 120, 85}, &order);
  Side present('p', {104, 75, 130, 88, 125}, &order);
  const Check check = CompareInTurn({.name = "s", .options = {.max_pairs = 12}},
                                    base.measure(), present.measure());
  EXPECT_EQ(check.outcome, Outcome::kNotMeasurable);
  EXPECT_EQ(check.reason.find("undecided at the cap: "), 0U) << check.reason;
}

TEST(Compare, BaseThatCannotBeMeasuredComparesWithNothing) {
  std::string order;
  Side present('p', kBase, &order);
  const Check check = CompareInTurn(
      {.name = "s"},
      []() -> absl::StatusOr<Measurement> {
        return absl::NotFoundError("no such series");
      },
      present.measure());
  EXPECT_EQ(check.outcome, Outcome::kNotMeasurable);
  EXPECT_EQ(check.reason, "the base cannot be measured: no such series");
}

TEST(Compare, PresentThatCannotBeMeasuredIsABreachWheneverItFails) {
  std::string order;
  Side base('b', kBase, &order);
  for (const int good : {0, 1, 2}) {
    int asked = 0;
    const Check check = CompareInTurn(
        {.name = "s"}, base.measure(), [&]() -> absl::StatusOr<Measurement> {
          if (asked++ < good) return Measurement{.value = 100};
          return absl::InternalError("it crashed");
        });
    // The other side's unit differs once there is one.
    EXPECT_EQ(check.outcome, Outcome::kBreach) << good;
  }
}

TEST(Compare, DifferentUnitsAreNeverCompared) {
  std::string order;
  Side base('b', kBase, &order), present('p', kBase, &order);
  present.unit = ledger::Unit::kSeconds;
  EXPECT_EQ(
      CompareInTurn({.name = "s"}, base.measure(), present.measure()).outcome,
      Outcome::kBreach);
}

TEST(Compare, ImpossibleValueIsABreach) {
  std::string order;
  Side base('b', kBase, &order), present('p', {-1}, &order);
  EXPECT_EQ(
      CompareInTurn({.name = "s"}, base.measure(), present.measure()).outcome,
      Outcome::kBreach);
}

TEST(Compare, EachPairIsTold) {
  std::string order;
  std::vector<std::string> told;
  Side base('b', {100}, &order), present('p', {120}, &order);
  CompareInTurn(
      {.name = "s",
       .progress = [&](absl::string_view line) { told.emplace_back(line); }},
      base.measure(), present.measure());
  ASSERT_EQ(told.size(), 11U);
  EXPECT_EQ(told[0], "pair 1: base 100, present 120 ms");
}

}  // namespace
}  // namespace tactus::gate
