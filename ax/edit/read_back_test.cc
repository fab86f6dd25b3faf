#include "ax/edit/read_back.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/plan.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/kind.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

using mock::World;

constexpr absl::Duration kMs = absl::Milliseconds(1);

// "quick" becomes "brown!" in "The quick fox".
Plan Quick() {
  Plan plan;
  plan.range = {4, 9};
  plan.text = "brown!";
  plan.length = 6;
  plan.before = "The quick fox";
  plan.after = "The brown! fox";
  plan.before_length = 13;
  plan.after_length = 14;
  plan.whole = true;
  plan.count_before = 13;
  plan.count_after = 14;
  return plan;
}

// The same of "The quick fox" as the window from 10 on of 40 characters.
Plan QuickInWindow() {
  Plan plan = Quick();
  plan.range = {14, 19};
  plan.window_begin = 10;
  plan.whole = false;
  plan.count_before = 40;
  plan.count_after = 41;
  return plan;
}

Plan WithoutCount(Plan plan) {
  plan.count_before.reset();
  plan.count_after.reset();
  return plan;
}

absl::StatusOr<int64_t> NoCount() { return absl::UnimplementedError("none"); }

TEST(JudgeTest, TextAndCountTogetherAreWhatWasAskedForOrWhatThereWas) {
  EXPECT_EQ(Judge(Quick(), "The brown! fox", 14), Sight::kLanded);
  EXPECT_EQ(Judge(Quick(), "The quick fox", 13), Sight::kUnchanged);
}

TEST(JudgeTest, TextWithTheCountOfTheOtherIsAContradiction) {
  EXPECT_EQ(Judge(Quick(), "The brown! fox", 13), Sight::kContradiction);
  EXPECT_EQ(Judge(Quick(), "The quick fox", 14), Sight::kContradiction);
  EXPECT_EQ(Judge(Quick(), "The brown! fox", 15), Sight::kContradiction);
}

TEST(JudgeTest, CountThatWasThereAndIsNotIsAContradiction) {
  EXPECT_EQ(Judge(Quick(), "The brown! fox", NoCount()), Sight::kContradiction);
  EXPECT_EQ(Judge(Quick(), "The quick fox", NoCount()), Sight::kContradiction);
}

TEST(JudgeTest, WithoutACountTheWholeTextIsBelieved) {
  const Plan plan = WithoutCount(Quick());
  EXPECT_EQ(Judge(plan, "The brown! fox", NoCount()), Sight::kLanded);
  EXPECT_EQ(Judge(plan, "The quick fox", 99), Sight::kUnchanged);
}

TEST(JudgeTest, WithoutACountAWindowProvesNothing) {
  const Plan plan = WithoutCount(QuickInWindow());
  EXPECT_EQ(Judge(plan, "The brown! fox ran", NoCount()),
            Sight::kContradiction);
  EXPECT_EQ(Judge(plan, "The quick fox ran", NoCount()), Sight::kContradiction);
}

TEST(JudgeTest, TextThatGoesOnIsAnotherUnlessItIsAWindow) {
  EXPECT_EQ(Judge(Quick(), "The brown! fox ran", 14), Sight::kOther);
  EXPECT_EQ(Judge(QuickInWindow(), "The brown! fox ran", 41), Sight::kLanded);
  EXPECT_EQ(Judge(QuickInWindow(), "The quick fox ran", 40), Sight::kUnchanged);
  EXPECT_EQ(Judge(QuickInWindow(), "The quick fox ran", 41),
            Sight::kContradiction);
}

TEST(JudgeTest, WindowThatReadsTheSameBeforeAndAfterIsToldByTheCount) {
  Plan plan;
  plan.range = {12, 12};
  plan.text = "a";
  plan.length = 1;
  plan.window_begin = 10;
  plan.before = "aaa";
  plan.after = "aaaa";
  plan.before_length = 3;
  plan.after_length = 4;
  plan.count_before = 30;
  plan.count_after = 31;
  EXPECT_EQ(Judge(plan, "aaaaaaa", 30), Sight::kUnchanged);
  EXPECT_EQ(Judge(plan, "aaaaaaa", 31), Sight::kLanded);
  EXPECT_EQ(Judge(plan, "aaaaaaa", 32), Sight::kContradiction);
}

TEST(JudgeTest, BeginningOfTheNewTextIsOnTheWay) {
  for (const char* text : {"The  fox", "The b fox", "The brown fox",
                           "The bquick fox", "The brown!quick fox"}) {
    EXPECT_EQ(Judge(Quick(), text, 13), Sight::kOnTheWay) << text;
    EXPECT_EQ(Judge(QuickInWindow(), std::string(text) + " ran", 40),
              Sight::kOnTheWay)
        << text;
  }
}

TEST(JudgeTest, BeginningThatIsFollowedByItsLikeIsOnTheWay) {
  Plan plan;
  plan.range = {0, 0};
  plan.text = "aab";
  plan.length = 3;
  plan.before = "ac";
  plan.after = "aabac";
  plan.before_length = 2;
  plan.after_length = 5;
  plan.whole = true;
  EXPECT_EQ(Judge(plan, "aac", 3), Sight::kOnTheWay);
  EXPECT_EQ(Judge(plan, "aaac", 4), Sight::kOnTheWay);
}

TEST(JudgeTest, EverythingElseIsAnother) {
  for (const char* text :
       {"", "The", "the brown! fox", "The Brown! fox", "The brown! fo",
        "The rown! fox", "The brown! quick fox", "The bick fox",
        "The brown!brown! fox"}) {
    EXPECT_EQ(Judge(Quick(), text, 14), Sight::kOther) << text;
    EXPECT_EQ(Judge(QuickInWindow(), text, 41), Sight::kOther) << text;
  }
}

TEST(JudgeTest, TextThatIsNotReadIsUnreadableWhateverTheCount) {
  EXPECT_EQ(Judge(Quick(), absl::UnavailableError("gone"), 14),
            Sight::kUnreadable);
}

class ReadBackTest : public testing::Test {
 protected:
  ReadBackTest()
      : world_(mock::EditorDesktop("The quick fox")),
        server_(&world_, &clock_) {}

  void Add(absl::string_view name, mock::HostilityOptions options = {}) {
    server_.Add(*mock::MakeHostility(name, options));
  }
  absl::Time At(absl::Duration after) { return absl::UnixEpoch() + after; }
  void SetAt(absl::Duration after, std::string text) {
    server_.At(At(after), [this, text](World& world) {
      world.SetText(field_, text).IgnoreError();
    });
  }
  Seen Wait(absl::Duration until = 600 * kMs,
            absl::Duration deadline = absl::Seconds(3)) {
    return ReadBack(server_, field_, Quick(),
                    {.until = At(until), .deadline = At(deadline)});
  }
  void Expect(const Seen& seen, Sight sight, absl::Duration at, int looks) {
    EXPECT_EQ(static_cast<int>(seen.sight), static_cast<int>(sight));
    EXPECT_EQ(seen.at, At(at));
    EXPECT_EQ(clock_.Now(), At(at));
    EXPECT_EQ(server_.traffic().flights, looks);
    EXPECT_EQ(server_.traffic().calls, 2 * looks);
  }

  SimulatedClock clock_;
  World world_;
  mock::MockServer server_;
  const Element field_{"app:100", "/text"};
};

TEST_F(ReadBackTest, WhatHasLandedTakesOneLook) {
  ASSERT_TRUE(world_.SetText(field_, "The brown! fox").ok());
  const Seen seen = Wait();
  Expect(seen, Sight::kLanded, 0 * kMs, 1);
  EXPECT_EQ(seen.text, "The brown! fox");
  EXPECT_TRUE(seen.status.ok());
  EXPECT_TRUE(seen.timely);
}

TEST_F(ReadBackTest, LooksComeAfter1And2And4And8AndThenEach16Milliseconds) {
  const Seen seen = Wait(50 * kMs);
  // At 0, 1, 3, 7, 15, 31, 47 and 50.
  Expect(seen, Sight::kUnchanged, 50 * kMs, 8);
  EXPECT_EQ(seen.text, "The quick fox");
  EXPECT_TRUE(seen.timely);
}

TEST_F(ReadBackTest, UnchangedTextIsWaitedForToTheEnd) {
  Expect(Wait(), Sight::kUnchanged, 600 * kMs, 42);
}

TEST_F(ReadBackTest, LateTextIsSeenAtTheNextLook) {
  SetAt(100 * kMs, "The brown! fox");
  Expect(Wait(), Sight::kLanded, 111 * kMs, 11);
}

TEST_F(ReadBackTest, TextThatComesAtTheEndIsSeen) {
  SetAt(600 * kMs, "The brown! fox");
  Expect(Wait(), Sight::kLanded, 600 * kMs, 42);
}

TEST_F(ReadBackTest, PrefixesAreWaitedFor) {
  // Longer apart than another text takes to settle.
  SetAt(0 * kMs, "The  fox");
  SetAt(150 * kMs, "The bro fox");
  SetAt(400 * kMs, "The brown! fox");
  Expect(Wait(), Sight::kLanded, 415 * kMs, 30);
}

TEST_F(ReadBackTest, PrefixThatStaysIsToldAtTheEnd) {
  SetAt(0 * kMs, "The bro fox");
  const Seen seen = Wait();
  Expect(seen, Sight::kOnTheWay, 600 * kMs, 42);
  EXPECT_EQ(seen.text, "The bro fox");
}

TEST_F(ReadBackTest, OtherTextIsFinalWhenItHasSettled) {
  SetAt(0 * kMs, "The Brown! fox");
  // Seen at 0; at 111 it has stood for 100.
  Expect(Wait(), Sight::kOther, 111 * kMs, 11);
}

TEST_F(ReadBackTest, OtherTextThatChangesIsNotFinal) {
  SetAt(0 * kMs, "one");
  SetAt(60 * kMs, "two");     // seen at 63
  SetAt(150 * kMs, "three");  // seen at 159
  SetAt(250 * kMs, "The brown! fox");
  Expect(Wait(), Sight::kLanded, 255 * kMs, 20);
}

TEST_F(ReadBackTest, ContradictionIsWaitedForToTheEnd) {
  ASSERT_TRUE(world_.SetText(field_, "The brown! fox").ok());
  Add("count_differs", {.parameter = 1});
  Expect(Wait(), Sight::kContradiction, 600 * kMs, 42);
}

TEST_F(ReadBackTest, ApplicationThatIsGoneIsNotWaitedFor) {
  server_.At(At(10 * kMs),
             [](World& world) { world.Quit("app:100").IgnoreError(); });
  const Seen seen = Wait();
  Expect(seen, Sight::kUnreadable, 15 * kMs, 5);
  EXPECT_EQ(seen.status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(seen.text, "The quick fox");
}

TEST_F(ReadBackTest, TextThatCannotBeReadForAWhileIsWaitedFor) {
  ASSERT_TRUE(world_.SetText(field_, "The brown! fox").ok());
  world_.Mutable(field_)->states &= ~kStateSupportsText;
  server_.At(At(20 * kMs), [this](World& world) {
    world.Mutable(field_)->states |= kStateSupportsText;
  });
  Expect(Wait(), Sight::kLanded, 31 * kMs, 6);
}

TEST_F(ReadBackTest, DeadlineBeforeTheEndOfTheWaitIsTold) {
  const Seen seen = Wait(600 * kMs, 50 * kMs);
  Expect(seen, Sight::kUnchanged, 50 * kMs, 8);
  EXPECT_FALSE(seen.timely);
}

TEST_F(ReadBackTest, DeadlineAtTheEndOfTheWaitIsInTime) {
  EXPECT_TRUE(Wait(50 * kMs, 50 * kMs).timely);
}

TEST_F(ReadBackTest, HungApplicationEndsAtTheDeadlineWithOneLook) {
  Add("hung");
  const Seen seen = Wait(600 * kMs, 50 * kMs);
  Expect(seen, Sight::kUnreadable, 50 * kMs, 1);
  EXPECT_EQ(seen.status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(seen.text.has_value());
}

TEST_F(ReadBackTest, SlowApplicationIsAskedAgainAfterItsAnswer) {
  Add("slow", {.parameter = 20});
  // Each of two answers takes 20 ms: asked at 0, 41 and 83.
  Expect(Wait(100 * kMs), Sight::kUnchanged, 123 * kMs, 3);
}

TEST_F(ReadBackTest, StopEndsTheWaitAfterALook) {
  std::vector<absl::Time> asked;
  const Seen seen =
      ReadBack(server_, field_, Quick(),
               {.until = At(600 * kMs), .deadline = At(absl::Seconds(3))},
               [&](const Seen& look) {
                 asked.push_back(look.at);
                 return look.at >= At(7 * kMs);
               });
  Expect(seen, Sight::kUnchanged, 7 * kMs, 4);
  EXPECT_EQ(asked, (std::vector<absl::Time>{At(0 * kMs), At(1 * kMs),
                                            At(3 * kMs), At(7 * kMs)}));
}

TEST_F(ReadBackTest, LookReadsFartherThanTheTextIsToBe) {
  ASSERT_TRUE(
      world_.SetText(field_, "The brown! fox" + std::string(500, 'x')).ok());
  const Seen seen = Look(server_, field_, Quick(), At(kMs));
  Expect(seen, Sight::kOther, 0 * kMs, 1);
  EXPECT_EQ(seen.text, "The brown! fox" + std::string(64, 'x'));
}

TEST_F(ReadBackTest, LookAtAWindowTellsTheWindowAlone) {
  ASSERT_TRUE(world_
                  .SetText(field_, std::string(10, '-') + "The quick fox" +
                                       std::string(17, '-'))
                  .ok());
  EXPECT_EQ(Look(server_, field_, QuickInWindow(), At(kMs)).text,
            "The quick fox");
  ASSERT_TRUE(world_.ReplaceRange(field_, {14, 19}, "brown!").ok());
  const Seen seen = Look(server_, field_, QuickInWindow(), At(kMs));
  EXPECT_EQ(seen.text, "The brown! fox");
  EXPECT_EQ(static_cast<int>(seen.sight), static_cast<int>(Sight::kLanded));
}

}  // namespace
}  // namespace tactus::ax
