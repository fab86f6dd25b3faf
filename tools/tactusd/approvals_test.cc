#include "tools/tactusd/approvals.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "gtest/gtest.h"

namespace tactus::daemon {
namespace {

using absl::StatusCode;

const Question kQuestion = {
    .peer = "laptop", .kind = "files", .text = "3 files"};

// The first question that waits, once one does.
WaitingQuestion First(Approvals& approvals) {
  for (;;) {
    const std::vector<WaitingQuestion> waiting = approvals.Waiting();
    if (!waiting.empty()) return waiting.front();
    std::this_thread::yield();
  }
}

TEST(Approvals, WhatAPersonApprovesIsOkAndWhatTheyRefuseIsDenied) {
  for (const bool approved : {true, false}) {
    Approvals approvals(&ax::Clock::Real());
    absl::Status answer;
    std::thread asking([&] { answer = approvals.Ask(kQuestion, nullptr); });
    const WaitingQuestion waiting = First(approvals);
    EXPECT_EQ(waiting.id, 1);
    EXPECT_EQ(waiting.question.peer, "laptop");
    EXPECT_EQ(waiting.question.kind, "files");
    EXPECT_EQ(waiting.question.text, "3 files");
    EXPECT_LE(waiting.left, absl::Seconds(60));
    EXPECT_TRUE(approvals.Answer(1, approved).ok());
    asking.join();
    EXPECT_EQ(answer.code(),
              approved ? StatusCode::kOk : StatusCode::kPermissionDenied);
    EXPECT_TRUE(approvals.Waiting().empty());
    // Once.
    EXPECT_EQ(approvals.Answer(1, true).code(), StatusCode::kNotFound);
  }
}

TEST(Approvals, SilenceIsARefusal) {
  ax::SimulatedClock clock;
  Approvals approvals(&clock);
  int looks = 0;
  // Asked whether it is wanted still, it lets time pass.
  EXPECT_EQ(approvals
                .Ask(kQuestion,
                     [&] {
                       const std::vector<WaitingQuestion> waiting =
                           approvals.Waiting();
                       EXPECT_EQ(waiting.size(), looks < 2 ? 1u : 0u);
                       clock.Advance(absl::Seconds(++looks < 3 ? 30 : 0));
                       return false;
                     })
                .code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_EQ(looks, 2);
  EXPECT_EQ(approvals.Answer(1, true).code(), StatusCode::kNotFound);
}

TEST(Approvals, WhoHasGoneWantsNoAnswer) {
  Approvals approvals(&ax::Clock::Real());
  EXPECT_EQ(approvals.Ask(kQuestion, [] { return true; }).code(),
            StatusCode::kCancelled);
  EXPECT_TRUE(approvals.Waiting().empty());
}

TEST(Approvals, EndOfTheDaemonEndsWhatWaitsAndWhatIsAskedLater) {
  Approvals approvals(&ax::Clock::Real());
  absl::Status answer;
  std::thread asking([&] { answer = approvals.Ask(kQuestion, nullptr); });
  (void)First(approvals);
  approvals.Stop();
  asking.join();
  EXPECT_EQ(answer.code(), StatusCode::kCancelled);
  EXPECT_EQ(approvals.Ask(kQuestion, nullptr).code(), StatusCode::kCancelled);
}

// Asks `count` times at once, within each other.
void AskMany(Approvals& approvals, const std::vector<std::string>& peers,
             size_t at, std::vector<StatusCode>& codes) {
  if (at == peers.size()) return;
  codes[at] = approvals
                  .Ask({.peer = peers[at], .kind = "files"},
                       [&] {
                         AskMany(approvals, peers, at + 1, codes);
                         return true;
                       })
                  .code();
}

TEST(Approvals, OnePeerMayAskFourTimesAtOnceAndAllThirtyTwo) {
  Approvals approvals(&ax::Clock::Real());
  std::vector<std::string> peers;
  for (int peer = 0; peer < 9; ++peer) {
    for (int i = 0; i < 4; ++i) peers.push_back("peer" + std::to_string(peer));
  }
  std::vector<StatusCode> codes(peers.size());
  AskMany(approvals, peers, 0, codes);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(codes[i], StatusCode::kCancelled);
  EXPECT_EQ(codes[32], StatusCode::kResourceExhausted);

  peers.assign(5, "laptop");
  codes.assign(5, StatusCode::kOk);
  AskMany(approvals, peers, 0, codes);
  EXPECT_EQ(codes[3], StatusCode::kCancelled);
  EXPECT_EQ(codes[4], StatusCode::kResourceExhausted);
}

// Questions of one peer and what becomes of them, on a clock of the test's.
class Worn : public testing::Test {
 protected:
  enum class End { kApproved, kRefused, kSilent, kAbandoned };

  absl::Status Ask(End end, const std::string& peer = "laptop") {
    return approvals_.Ask({.peer = peer, .kind = "mcp"}, [this, end] {
      if (end == End::kSilent) clock_.Advance(absl::Seconds(60));
      if (end == End::kApproved || end == End::kRefused) {
        EXPECT_TRUE(
            approvals_
                .Answer(approvals_.Waiting().front().id, end == End::kApproved)
                .ok());
      }
      return end == End::kAbandoned;
    });
  }
  // That it is refused unasked for just so long.
  void ExpectQuietFor(absl::Duration quiet) {
    const absl::Status early = Ask(End::kApproved);
    EXPECT_EQ(early.code(), StatusCode::kResourceExhausted) << early;
    EXPECT_TRUE(absl::StrContains(early.message(), absl::FormatDuration(quiet)))
        << early;
    clock_.Advance(quiet - absl::Nanoseconds(1));
    EXPECT_EQ(Ask(End::kApproved).code(), StatusCode::kResourceExhausted);
    clock_.Advance(absl::Nanoseconds(1));
  }

  ax::SimulatedClock clock_;
  Approvals approvals_{&clock_};
};

TEST_F(Worn, PeerThatIsRefusedOrNotAnsweredAsksLessAndLessOften) {
  int64_t seconds = 5;
  for (int i = 0; i < 6; ++i) {
    const bool silent = i % 2 == 1;
    EXPECT_EQ(
        Ask(silent ? End::kSilent : End::kRefused).code(),
        silent ? StatusCode::kDeadlineExceeded : StatusCode::kPermissionDenied);
    ExpectQuietFor(absl::Seconds(seconds));
    seconds = std::min<int64_t>(2 * seconds, 60);
  }
  EXPECT_EQ(seconds, 60);
  // Once a person has said yes it is as at first.
  EXPECT_TRUE(Ask(End::kApproved).ok());
  EXPECT_EQ(Ask(End::kRefused).code(), StatusCode::kPermissionDenied);
  // Which is no other peer's matter.
  EXPECT_TRUE(Ask(End::kApproved, "phone").ok());
  ExpectQuietFor(absl::Seconds(5));
}

TEST_F(Worn, OneConnectionThatIsLostIsForgivenAndTheNextIsNot) {
  EXPECT_EQ(Ask(End::kAbandoned).code(), StatusCode::kCancelled);
  EXPECT_EQ(Ask(End::kAbandoned).code(), StatusCode::kCancelled);
  ExpectQuietFor(absl::Seconds(5));
  EXPECT_EQ(Ask(End::kAbandoned).code(), StatusCode::kCancelled);
  ExpectQuietFor(absl::Seconds(10));
}

TEST_F(Worn, TenMinutesLaterNothingIsHeldAgainstIt) {
  EXPECT_EQ(Ask(End::kRefused).code(), StatusCode::kPermissionDenied);
  clock_.Advance(absl::Seconds(5) + absl::Minutes(10) - absl::Nanoseconds(1));
  EXPECT_EQ(Ask(End::kRefused).code(), StatusCode::kPermissionDenied);
  ExpectQuietFor(absl::Seconds(10));
  clock_.Advance(absl::Minutes(10));
  EXPECT_EQ(Ask(End::kRefused).code(), StatusCode::kPermissionDenied);
  ExpectQuietFor(absl::Seconds(5));
}

TEST_F(Worn, SeveralThatWaitAtOnceComeToNothingOnce) {
  // One within the other.
  EXPECT_EQ(approvals_
                .Ask({.peer = "laptop", .kind = "mcp"},
                     [this] {
                       EXPECT_EQ(Ask(End::kSilent).code(),
                                 StatusCode::kDeadlineExceeded);
                       return false;
                     })
                .code(),
            StatusCode::kDeadlineExceeded);
  ExpectQuietFor(absl::Seconds(5));
}

TEST(Approvals, LongTextIsCut) {
  Approvals approvals(&ax::Clock::Real());
  size_t shown = 0;
  (void)approvals.Ask(
      {.peer = "laptop", .kind = "files", .text = std::string(5000, 'x')}, [&] {
        shown = approvals.Waiting().front().question.text.size();
        return true;
      });
  EXPECT_EQ(shown, 1024u);
}

// Numbers of what was asked and of what has ended.
class Watcher : public ApprovalsObserver {
 public:
  void Asked(const WaitingQuestion& question) override {
    seen.push_back(absl::StrCat("asked ", question.id, " of ",
                                question.question.peer, " for ",
                                absl::FormatDuration(question.left)));
  }
  void Ended(int64_t id) override {
    seen.push_back(absl::StrCat("ended ", id));
  }
  std::vector<std::string> seen;
};

TEST(Approvals, WhoWatchesIsToldOfEachQuestionAndOfItsEnd) {
  Watcher watcher;
  Approvals approvals(&ax::Clock::Real(), absl::Milliseconds(1));
  approvals.Observe(&watcher);
  for (const char* peer : {"laptop", "phone"}) {
    EXPECT_EQ(approvals.Ask({.peer = peer, .kind = "mcp"}, nullptr).code(),
              absl::StatusCode::kDeadlineExceeded);
  }
  approvals.Stop();
  // What is not asked is not told either.
  EXPECT_EQ(approvals.Ask({.peer = "laptop", .kind = "mcp"}, nullptr).code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(watcher.seen,
            (std::vector<std::string>{"asked 1 of laptop for 1ms", "ended 1",
                                      "asked 2 of phone for 1ms", "ended 2"}));
}

}  // namespace
}  // namespace tactus::daemon
