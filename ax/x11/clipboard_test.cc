#include "ax/x11/clipboard.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/input/input.h"
#include "ax/x11/testing/client.h"
#include "ax/x11/testing/xvfb.h"
#include "gtest/gtest.h"

namespace tactus::ax::x11 {
namespace {

constexpr int64_t kMiB = 1 << 20;

// Letters with marks, a family of joined emoji, right to left.
const char kText[] = "héllo 👩‍👩‍👧 שלום";

absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(20); }

// Nothing here is measured: what should end by itself is given long.
LendOptions Patiently() {
  return {.deadline = Soon(), .patience = absl::Seconds(20)};
}

std::string Words(const std::vector<uint32_t>& words) {
  return std::string(reinterpret_cast<const char*>(words.data()),
                     words.size() * sizeof(uint32_t));
}

// Bytes that repeat nowhere near, so that a lost or doubled piece shows.
std::string Bytes(int64_t size) {
  std::string bytes(static_cast<size_t>(size), '\0');
  uint32_t x = 1;
  for (char& c : bytes) {
    x = x * 1664525 + 1013904223;
    c = static_cast<char>('a' + (x >> 24) % 26);
  }
  return bytes;
}

class ClipboardTest : public ::testing::Test {
 protected:
  void SetUp() override { clipboard_ = Open(); }

  std::unique_ptr<Clipboard> Open(std::vector<std::string> keeper = {}) {
    absl::StatusOr<std::unique_ptr<Clipboard>> clipboard = Clipboard::Open(
        {.display = server_.display(), .keeper = std::move(keeper)}, Soon());
    EXPECT_TRUE(clipboard.ok()) << clipboard.status();
    return clipboard.ok() ? *std::move(clipboard) : nullptr;
  }

  std::unique_ptr<ClipboardLoan> Lend(
      const std::string& text, const LendOptions& options = Patiently()) {
    absl::StatusOr<std::unique_ptr<ClipboardLoan>> loan =
        clipboard_->Lend(text, options);
    EXPECT_TRUE(loan.ok()) << loan.status();
    return loan.ok() ? *std::move(loan) : nullptr;
  }

  absl::StatusCode LendFails(const LendOptions& options = Patiently()) {
    return clipboard_->Lend("text", options).status().code();
  }

  Xvfb server_;
  std::unique_ptr<Clipboard> clipboard_;
};

TEST_F(ClipboardTest, TextIsServedUnderEveryNameAndMarkedAsSecret) {
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Targets(),
            (std::vector<std::string>{"TARGETS", "MULTIPLE", "TIMESTAMP",
                                      "UTF8_STRING", "text/plain;charset=utf-8",
                                      "text/plain", "TEXT",
                                      "x-kde-passwordManagerHint"}));
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8(kText));
  EXPECT_EQ(other.Fetch("text/plain;charset=utf-8"),
            (Value{"text/plain;charset=utf-8", 8, kText}));
  EXPECT_EQ(other.Fetch("text/plain"), (Value{"text/plain", 8, kText}));
  EXPECT_EQ(other.Fetch("TEXT"), Utf8(kText));
  EXPECT_EQ(other.Fetch("x-kde-passwordManagerHint"),
            (Value{"x-kde-passwordManagerHint", 8, "secret"}));
  // Latin-1 has no emoji.
  EXPECT_EQ(other.Fetch("STRING"), std::nullopt);
  EXPECT_EQ(other.Fetch("image/png"), std::nullopt);
}

TEST_F(ClipboardTest, StringIsLatin1WhereThatHoldsTheText) {
  const std::unique_ptr<ClipboardLoan> loan = Lend("h\u00e9\tl\u00ff\n");
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("STRING"), (Value{"STRING", 8, "h\xe9\tl\xff\n"}));
  EXPECT_EQ(other.Targets(),
            (std::vector<std::string>{"TARGETS", "MULTIPLE", "TIMESTAMP",
                                      "UTF8_STRING", "text/plain;charset=utf-8",
                                      "text/plain", "STRING", "TEXT",
                                      "x-kde-passwordManagerHint"}));
}

TEST_F(ClipboardTest, EmptyTextIsServedAsEmpty) {
  const std::unique_ptr<ClipboardLoan> loan = Lend("");
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8(""));
  EXPECT_EQ(loan->WaitServed(1, Soon()).served, 1);
}

TEST_F(ClipboardTest, OnlyWholeHandOutsOfTheTextCountAsServed) {
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  TestRequestor other(server_.display());
  other.Targets();
  other.Fetch("TIMESTAMP");
  other.Fetch("x-kde-passwordManagerHint");
  other.Fetch("image/png");
  EXPECT_EQ(loan->state().served, 0);
  other.Fetch("UTF8_STRING");
  EXPECT_EQ(loan->WaitServed(1, Soon()).served, 1);
  other.Fetch("TEXT");
  other.Fetch("text/plain");
  const ClipboardLoan::State state = loan->WaitServed(3, Soon());
  EXPECT_EQ(state.served, 3);
  EXPECT_FALSE(state.lost);
}

TEST_F(ClipboardTest, WaitForMoreThanWasServedEndsAtItsDeadline) {
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  const absl::Time deadline = Clock::Real().Now() + absl::Milliseconds(20);
  EXPECT_EQ(loan->WaitServed(1, deadline).served, 0);
  EXPECT_GE(Clock::Real().Now(), deadline);
}

TEST_F(ClipboardTest, OwnershipIsStampedWithTheServersTime) {
  TestRequestor other(server_.display());
  // A property's change tells the server's time before and after.
  const auto server_time = [&] {
    other.client().Sync();
    xcb_change_property(other.client().x(), XCB_PROP_MODE_APPEND,
                        other.client().window(), other.client().Atom("CLOCK"),
                        XCB_ATOM_STRING, 8, 0, nullptr);
    xcb_flush(other.client().x());
    for (;;) {
      const std::unique_ptr<xcb_generic_event_t, decltype(&free)> event(
          xcb_wait_for_event(other.client().x()), free);
      if (event == nullptr) return xcb_timestamp_t{0};
      if (event->response_type == XCB_PROPERTY_NOTIFY) {
        return reinterpret_cast<xcb_property_notify_event_t*>(event.get())
            ->time;
      }
    }
  };
  const xcb_timestamp_t before = server_time();
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  const xcb_timestamp_t after = server_time();
  const std::optional<Value> stamp = other.Fetch("TIMESTAMP");
  ASSERT_TRUE(stamp.has_value());
  EXPECT_EQ(stamp->type, "INTEGER");
  ASSERT_EQ(stamp->bytes.size(), 4u);
  uint32_t time = 0;
  memcpy(&time, stamp->bytes.data(), 4);
  EXPECT_GE(time, before);
  EXPECT_LE(time, after);
  EXPECT_GT(time, 0u);
}

TEST_F(ClipboardTest, MultipleAnswersEachPairAndNoneForWhatItHasNot) {
  const std::unique_ptr<ClipboardLoan> loan = Lend("abc");
  TestRequestor other(server_.display());
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(other.Multiple({{"UTF8_STRING", "P1"},
                            {"image/png", "P2"},
                            {"MULTIPLE", "P3"},
                            {"STRING", "P4"}}),
            (Pairs{{"UTF8_STRING", "P1"},
                   {"image/png", ""},
                   {"MULTIPLE", ""},
                   {"STRING", "P4"}}));
  EXPECT_EQ(other.Property("P1"), Utf8("abc"));
  EXPECT_EQ(other.Property("P2"), std::nullopt);
  EXPECT_EQ(other.Property("P4"), (Value{"STRING", 8, "abc"}));
  EXPECT_EQ(loan->WaitServed(1, Soon()).served, 1);
  // Without any pair, or with more than anybody needs.
  EXPECT_EQ(other.Multiple({}), std::nullopt);
  EXPECT_EQ(other.Multiple(Pairs(300, {"UTF8_STRING", "P1"})), std::nullopt);
  EXPECT_EQ(loan->state().served, 1);
}

TEST_F(ClipboardTest, EverythingThatWasThereComesBackExactly) {
  const OwnerScript script = {
      .values = {{"UTF8_STRING", Utf8("old שלום")},
                 {"text/html", {"text/html", 8, "<b>old</b>"}},
                 {"numbers", {"CARDINAL", 16, std::string("\1\2\3\4", 4)}},
                 {"words", {"ATOM", 32, Words({1, 4, 31})}},
                 {"empty", {"STRING", 8, ""}},
                 {"zeros", {"STRING", 8, std::string(3, '\0')}}},
      .targets = {{"TARGETS", "MULTIPLE", "TIMESTAMP", "DELETE", "SAVE_TARGETS",
                   "INSERT_SELECTION", "INSERT_PROPERTY", "PIXMAP",
                   "UTF8_STRING", "text/html", "numbers", "UTF8_STRING",
                   "words", "empty", "zeros", "refused"}},
      .bogus_targets = {0, 0x7FFFFFFF}};
  TestOwner owner(server_.display(), script);
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  // Each once, and none that would make it do something.
  EXPECT_EQ(owner.asked(), (std::vector<std::string>{
                               "TARGETS", "UTF8_STRING", "text/html", "numbers",
                               "words", "empty", "zeros", "refused"}));
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8(kText));
  EXPECT_EQ(other.Fetch("text/html"), std::nullopt);

  EXPECT_EQ(loan->GiveBack(Soon()), absl::OkStatus());
  EXPECT_EQ(loan->GiveBack(Soon()), absl::OkStatus());
  EXPECT_EQ(other.Targets(),
            (std::vector<std::string>{"TARGETS", "MULTIPLE", "TIMESTAMP",
                                      "UTF8_STRING", "text/html", "numbers",
                                      "words", "empty", "zeros"}));
  for (const auto& [name, value] : script.values) {
    EXPECT_EQ(other.Fetch(name), value) << name;
  }
  EXPECT_EQ(other.Fetch("refused"), std::nullopt);
  EXPECT_EQ(other.Fetch("x-kde-passwordManagerHint"), std::nullopt);
  EXPECT_EQ(loan->state().served, 1);
}

TEST_F(ClipboardTest, TwelveMebibytesGoInPiecesBothWays) {
  const std::string old = Bytes(12 * kMiB + 3);
  TestOwner owner(server_.display(),
                  {.values = {{"UTF8_STRING", Utf8(old)}}, .piece = kMiB});
  const std::string text = Bytes(12 * kMiB + 1) + "!";
  const std::unique_ptr<ClipboardLoan> loan = Lend(text);
  TestRequestor other(server_.display());
  const std::optional<Value> announced = other.Begin("UTF8_STRING");
  EXPECT_EQ(announced,
            (Value{"INCR", 32, Words({static_cast<uint32_t>(text.size())})}));
  std::string fetched;
  for (;;) {
    const std::optional<Value> piece = other.NextPiece();
    ASSERT_TRUE(piece.has_value());
    if (piece->bytes.empty()) break;
    EXPECT_EQ(piece->type, "UTF8_STRING");
    EXPECT_LE(piece->bytes.size(), 256u << 10);
    fetched += piece->bytes;
    if (fetched.size() < text.size()) {
      EXPECT_EQ(loan->state().served, 0);
    }
  }
  EXPECT_TRUE(fetched == text);
  EXPECT_EQ(loan->WaitServed(1, Soon()).served, 1);

  EXPECT_EQ(loan->GiveBack(Soon()), absl::OkStatus());
  EXPECT_TRUE(other.Fetch("UTF8_STRING") == Utf8(old));
}

TEST_F(ClipboardTest, LargeValueInOnePropertyIsSavedToo) {
  const std::string old = Bytes(3 * kMiB);
  TestOwner owner(server_.display(), {.values = {{"UTF8_STRING", Utf8(old)}}});
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  EXPECT_EQ(loan->GiveBack(Soon()), absl::OkStatus());
  TestRequestor other(server_.display());
  EXPECT_TRUE(other.Fetch("UTF8_STRING") == Utf8(old));
}

TEST_F(ClipboardTest, WithoutAnOwnerGivingBackLeavesNoneAgain) {
  TestRequestor other(server_.display());
  ASSERT_EQ(other.client().Owner(), 0u);
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  EXPECT_NE(other.client().Owner(), 0u);
  EXPECT_EQ(loan->GiveBack(Soon()), absl::OkStatus());
  EXPECT_EQ(other.client().Owner(), 0u);
  EXPECT_EQ(other.Fetch("UTF8_STRING"), std::nullopt);
}

TEST_F(ClipboardTest, OwnerThatOffersNothingIsPutBackAsNone) {
  TestOwner owner(server_.display(), {.targets = {{}}});
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  EXPECT_EQ(loan->GiveBack(Soon()), absl::OkStatus());
  EXPECT_EQ(TestClient(server_.display()).Owner(), 0u);
}

TEST_F(ClipboardTest, OwnerFromBeforeTargetsIsSavedByTrying) {
  TestOwner owner(server_.display(),
                  {.values = {{"STRING", {"STRING", 8, "old"}},
                              // Not a list of anything.
                              {"TARGETS", {"STRING", 8, "what?"}}}});
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  EXPECT_EQ(owner.asked(),
            (std::vector<std::string>{"TARGETS", "UTF8_STRING", "STRING"}));
  EXPECT_EQ(loan->GiveBack(Soon()), absl::OkStatus());
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("STRING"), (Value{"STRING", 8, "old"}));
}

TEST_F(ClipboardTest, RequestAfterGivingBackGetsTheOldContent) {
  TestOwner owner(server_.display(),
                  {.values = {{"STRING", {"STRING", 8, "old"}}}});
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  TestRequestor other(server_.display());
  // Known from before, and fetched after.
  EXPECT_EQ(other.Targets().size(), 8u);
  EXPECT_EQ(loan->GiveBack(Soon()), absl::OkStatus());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), std::nullopt);
  EXPECT_EQ(other.Fetch("STRING"), (Value{"STRING", 8, "old"}));
  EXPECT_EQ(loan->state().served, 0);
}

TEST_F(ClipboardTest, HandOutThatBeganBeforeGivingBackIsFinished) {
  const std::string text = Bytes(kMiB);
  const std::unique_ptr<ClipboardLoan> loan = Lend(text);
  TestRequestor other(server_.display());
  ASSERT_EQ(other.Begin("UTF8_STRING").value_or(Value()).type, "INCR");
  EXPECT_EQ(loan->GiveBack(Soon()), absl::OkStatus());
  std::string fetched;
  for (;;) {
    const std::optional<Value> piece = other.NextPiece();
    ASSERT_TRUE(piece.has_value());
    if (piece->bytes.empty()) break;
    fetched += piece->bytes;
  }
  EXPECT_TRUE(fetched == text);
}

TEST_F(ClipboardTest, ClipboardThatAnotherHasTakenIsLeftAlone) {
  TestOwner owner(server_.display(),
                  {.values = {{"UTF8_STRING", Utf8("old")}}});
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  TestOwner thief(server_.display(),
                  {.values = {{"UTF8_STRING", Utf8("new")}}});
  const ClipboardLoan::State state = loan->WaitServed(1, Soon());
  EXPECT_TRUE(state.lost);
  EXPECT_EQ(state.served, 0);
  EXPECT_EQ(loan->GiveBack(Soon()).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(loan->GiveBack(Soon()).code(),
            absl::StatusCode::kFailedPrecondition);
  TestRequestor other(server_.display());
  EXPECT_EQ(other.client().Owner(), thief.window());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("new"));
  EXPECT_FALSE(thief.lost());
}

TEST_F(ClipboardTest, AfterALossTheClipboardCanBeLentAgain) {
  const std::unique_ptr<ClipboardLoan> lost = Lend("first");
  TestOwner thief(server_.display(),
                  {.values = {{"UTF8_STRING", Utf8("new")}}});
  ASSERT_TRUE(lost->WaitServed(1, Soon()).lost);
  const std::unique_ptr<ClipboardLoan> loan = Lend("second");
  // The one that lost it has nothing to do with this one.
  EXPECT_EQ(lost->GiveBack(Soon()).code(),
            absl::StatusCode::kFailedPrecondition);
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("second"));
  EXPECT_EQ(loan->GiveBack(Soon()), absl::OkStatus());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("new"));
}

TEST_F(ClipboardTest, WhatWasPutBackSurvivesFurtherLoans) {
  auto owner = std::make_unique<TestOwner>(
      server_.display(),
      OwnerScript{.values = {{"text/html", {"text/html", 8, "<i>old</i>"}}}});
  Lend("one")->GiveBack(Soon()).IgnoreError();
  owner.reset();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Lend("more")->GiveBack(Soon()), absl::OkStatus());
  }
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("text/html"), (Value{"text/html", 8, "<i>old</i>"}));
  EXPECT_EQ(other.Fetch("UTF8_STRING"), std::nullopt);
}

TEST_F(ClipboardTest, SecondLoanWhileOneIsOutIsRefused) {
  const std::unique_ptr<ClipboardLoan> loan = Lend("first");
  EXPECT_EQ(LendFails(), absl::StatusCode::kFailedPrecondition);
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("first"));
}

TEST_F(ClipboardTest, DroppedLoanIsGivenBack) {
  TestOwner owner(server_.display(),
                  {.values = {{"UTF8_STRING", Utf8("old")}}});
  Lend(kText).reset();
  // Nothing says when, but the next loan comes after it and must save that.
  EXPECT_EQ(Lend("more")->GiveBack(Soon()), absl::OkStatus());
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("old"));
}

TEST_F(ClipboardTest, GivingBackWithoutTimeStillServesTheOldContent) {
  TestOwner owner(server_.display(),
                  {.values = {{"UTF8_STRING", Utf8("old")}}});
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  EXPECT_EQ(loan->GiveBack(absl::InfinitePast()).code(),
            absl::StatusCode::kDeadlineExceeded);
  // Runs after it.
  EXPECT_EQ(Lend("more")->GiveBack(Soon()), absl::OkStatus());
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("old"));
}

TEST_F(ClipboardTest, LoanThatWasGivenBackIsWaitedForNoMore) {
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  ASSERT_EQ(loan->GiveBack(Soon()), absl::OkStatus());
  // For ever, were it waited for.
  const ClipboardLoan::State state =
      loan->WaitServed(1, absl::InfiniteFuture());
  EXPECT_EQ(state.served, 0);
  EXPECT_FALSE(state.lost);
}

TEST_F(ClipboardTest, TextThatIsNotUtf8IsRefused) {
  for (const char* text : {"a\xff", "\xED\xA0\xBD"}) {
    EXPECT_EQ(clipboard_->Lend(text, Patiently()).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

// Owners that do not do as they should: nothing may have changed afterwards.

class HostileOwnerTest : public ClipboardTest {
 protected:
  void ExpectRefusal(OwnerScript script, absl::StatusCode code,
                     const LendOptions& options = Patiently()) {
    TestOwner owner(server_.display(), std::move(script));
    const absl::Status status = clipboard_->Lend("text", options).status();
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_EQ(TestClient(server_.display()).Owner(), owner.window());
    EXPECT_FALSE(owner.lost());
  }

  LendOptions Briefly() {
    return {.deadline = Soon(), .patience = absl::Milliseconds(100)};
  }
};

TEST_F(HostileOwnerTest, OneThatNeverAnswersIsLeftInPeace) {
  ExpectRefusal({.silent = {"*"}}, absl::StatusCode::kDeadlineExceeded,
                Briefly());
}

TEST_F(HostileOwnerTest, OneThatNeverAnswersOneTargetIsLeftInPeace) {
  ExpectRefusal(
      {.values = {{"STRING", {"STRING", 8, "a"}}, {"UTF8_STRING", Utf8("a")}},
       .silent = {"UTF8_STRING"}},
      absl::StatusCode::kDeadlineExceeded, Briefly());
}

TEST_F(HostileOwnerTest, TheCallersDeadlineEndsItBeforePatienceDoes) {
  TestOwner owner(server_.display(), {.silent = {"*"}});
  EXPECT_EQ(LendFails({.deadline = Clock::Real().Now() + absl::Milliseconds(50),
                       .patience = absl::Hours(1)}),
            absl::StatusCode::kDeadlineExceeded);
}

TEST_F(HostileOwnerTest, MoreThanMayBeSavedIsRefused) {
  LendOptions options = Patiently();
  options.max_saved_bytes = 1000;
  ExpectRefusal({.values = {{"UTF8_STRING", Utf8(std::string(1001, 'x'))}}},
                absl::StatusCode::kResourceExhausted, options);
  // All together.
  ExpectRefusal({.values = {{"STRING", {"STRING", 8, std::string(500, 'x')}},
                            {"UTF8_STRING", Utf8(std::string(501, 'x'))}}},
                absl::StatusCode::kResourceExhausted, options);
  // In pieces that stay under it one by one.
  ExpectRefusal({.values = {{"UTF8_STRING", Utf8(std::string(1001, 'x'))}},
                 .piece = 100,
                 .announced = 0},
                absl::StatusCode::kResourceExhausted, options);
}

TEST_F(HostileOwnerTest, ExactlyWhatMayBeSavedIsSaved) {
  LendOptions options = Patiently();
  options.max_saved_bytes = 1000;
  for (size_t piece : {0, 100}) {
    TestOwner owner(server_.display(),
                    {.values = {{"UTF8_STRING", Utf8(std::string(1000, 'x'))}},
                     .piece = piece});
    EXPECT_EQ(Lend("text", options)->GiveBack(Soon()), absl::OkStatus());
    TestRequestor other(server_.display());
    EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8(std::string(1000, 'x')));
  }
}

TEST_F(HostileOwnerTest, AnnouncementOfGigabytesIsRefusedAtOnce) {
  ExpectRefusal({.values = {{"UTF8_STRING", Utf8(std::string(200, 'x'))}},
                 .piece = 100,
                 .announced = 0xFFFFFFFF,
                 .pieces = 0},
                absl::StatusCode::kResourceExhausted);
}

TEST_F(HostileOwnerTest, AnnouncementThatIsTooLowIsNoMoreThanThat) {
  const std::string old = Bytes(5000);
  TestOwner owner(
      server_.display(),
      {.values = {{"UTF8_STRING", Utf8(old)}}, .piece = 100, .announced = 3});
  EXPECT_EQ(Lend("text")->GiveBack(Soon()), absl::OkStatus());
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8(old));
}

TEST_F(HostileOwnerTest, PiecesWithoutEndAreRefused) {
  ExpectRefusal({.values = {{"UTF8_STRING", Utf8(std::string(2 * kMiB, 'x'))}},
                 .piece = kMiB,
                 .endless = true},
                absl::StatusCode::kResourceExhausted);
}

TEST_F(HostileOwnerTest, PiecesThatStopComingEndWithPatience) {
  ExpectRefusal({.values = {{"UTF8_STRING", Utf8(std::string(2000, 'x'))}},
                 .piece = 100,
                 .pieces = 3},
                absl::StatusCode::kDeadlineExceeded, Briefly());
}

TEST_F(HostileOwnerTest, MoreTargetsThanAnybodyHasAreRefused) {
  ExpectRefusal({.bogus_targets = std::vector<uint32_t>(513, 31)},
                absl::StatusCode::kResourceExhausted);
}

TEST_F(HostileOwnerTest, OneThatHandsOutNothingItOffersIsRefused) {
  ExpectRefusal({.targets = {{"UTF8_STRING", "STRING"}}},
                absl::StatusCode::kUnavailable);
}

TEST_F(HostileOwnerTest, OneThatDiesWhileItIsSavedIsUnavailable) {
  TestOwner owner(server_.display(), {.values = {{"STRING", {"STRING", 8, "a"}},
                                                 {"UTF8_STRING", Utf8("b")}},
                                      .dies_at = "UTF8_STRING"});
  EXPECT_EQ(LendFails(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(TestClient(server_.display()).Owner(), 0u);
}

TEST_F(HostileOwnerTest, ClipboardTakenWhileItIsSavedStaysWithWhoTookIt) {
  std::unique_ptr<TestOwner> thief;
  TestOwner owner(server_.display(),
                  {.values = {{"UTF8_STRING", Utf8("old")}},
                   .on_request = [&](const std::string&) {
                     if (thief != nullptr) return;
                     thief = std::make_unique<TestOwner>(
                         server_.display(),
                         OwnerScript{.values = {{"UTF8_STRING", Utf8("new")}}});
                   }});
  EXPECT_EQ(LendFails(), absl::StatusCode::kUnavailable);
  ASSERT_NE(thief, nullptr);
  EXPECT_EQ(TestClient(server_.display()).Owner(), thief->window());
}

TEST_F(HostileOwnerTest, CopyByTheSameOwnerWhileItIsSavedIsNotLost) {
  TestOwner* self = nullptr;
  TestOwner owner(server_.display(),
                  {.values = {{"UTF8_STRING", Utf8("old")}},
                   .on_request = [&](const std::string& target) {
                     if (target != "UTF8_STRING") return;
                     // The server's time is in milliseconds.
                     std::this_thread::sleep_for(std::chrono::milliseconds(5));
                     self->client().Take();
                   }});
  self = &owner;
  EXPECT_EQ(LendFails(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(TestClient(server_.display()).Owner(), owner.window());
}

// Requestors that do not do as they should.

TEST_F(ClipboardTest, RequestorThatStopsFetchingHoldsNobodyUp) {
  const std::string text = Bytes(kMiB);
  const std::unique_ptr<ClipboardLoan> loan = Lend(text);
  TestRequestor lazy(server_.display());
  ASSERT_EQ(lazy.Begin("UTF8_STRING").value_or(Value()).type, "INCR");
  ASSERT_TRUE(lazy.NextPiece().has_value());
  TestRequestor other(server_.display());
  EXPECT_TRUE(other.Fetch("UTF8_STRING") == Utf8(text));
  EXPECT_EQ(loan->WaitServed(1, Soon()).served, 1);
  // Nor does one that is gone.
  lazy.client().Disconnect();
  EXPECT_TRUE(other.Fetch("UTF8_STRING") == Utf8(text));
  EXPECT_EQ(loan->WaitServed(2, Soon()).served, 2);
}

TEST_F(ClipboardTest, MoreHandOutsAtOnceThanAnybodyNeedsAreRefused) {
  const std::unique_ptr<ClipboardLoan> loan = Lend(Bytes(kMiB));
  TestRequestor greedy(server_.display());
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  Pairs pairs;
  for (int i = 0; i < 65; ++i) {
    pairs.emplace_back("UTF8_STRING", "P" + std::to_string(i));
  }
  Pairs answered = pairs;
  answered.back().second = "";
  EXPECT_EQ(greedy.Multiple(pairs), answered);
}

TEST_F(ClipboardTest, RequestorThatHasGoneIsNotCountedAsServed) {
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  {
    TestClient hasty(server_.display());
    for (int i = 0; i < 20; ++i) {
      xcb_convert_selection(hasty.x(), 0x7FFFFFF, hasty.Atom("CLIPBOARD"),
                            hasty.Atom("UTF8_STRING"), hasty.Atom("P"),
                            XCB_CURRENT_TIME);
    }
    const xcb_window_t window = xcb_generate_id(hasty.x());
    xcb_create_window(hasty.x(), XCB_COPY_FROM_PARENT, window, hasty.root(), 0,
                      0, 9, 9, 0, XCB_WINDOW_CLASS_INPUT_ONLY,
                      XCB_COPY_FROM_PARENT, 0, nullptr);
    xcb_grab_server(hasty.x());
    xcb_convert_selection(hasty.x(), window, hasty.Atom("CLIPBOARD"),
                          hasty.Atom("UTF8_STRING"), hasty.Atom("P"),
                          XCB_CURRENT_TIME);
    xcb_destroy_window(hasty.x(), window);
    xcb_ungrab_server(hasty.x());
    hasty.Sync();
  }
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8(kText));
  EXPECT_EQ(loan->WaitServed(1, Soon()).served, 1);
}

TEST_F(ClipboardTest, ForgedLossIsNotBelieved) {
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  TestRequestor other(server_.display());
  const xcb_window_t window = other.client().Owner();
  xcb_selection_clear_event_t clear = {};
  clear.response_type = XCB_SELECTION_CLEAR;
  clear.owner = window;
  clear.selection = other.client().Atom("CLIPBOARD");
  char bytes[32] = {};
  memcpy(bytes, &clear, sizeof(clear));
  xcb_send_event(other.client().x(), 0, window, 0, bytes);
  other.client().Sync();
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8(kText));
  EXPECT_FALSE(loan->WaitServed(1, Soon()).lost);
}

TEST_F(ClipboardTest, DisplayThatEndsIsUnavailable) {
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  server_.Kill();
  EXPECT_TRUE(loan->WaitServed(1, Soon()).lost);
  EXPECT_EQ(loan->GiveBack(Soon()).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(LendFails(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(clipboard_->HandOver(Soon()).code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(ClipboardTest, LoanThatOutlivesTheClipboardDoesNothing) {
  const std::unique_ptr<ClipboardLoan> loan = Lend(kText);
  clipboard_.reset();
  EXPECT_EQ(TestClient(server_.display()).Owner(), 0u);
  EXPECT_EQ(loan->GiveBack(Soon()), absl::OkStatus());
  EXPECT_EQ(loan->WaitServed(1, Soon()).served, 0);
}

TEST(ClipboardOpenTest, DisplayThatIsNotThereIsNamed) {
  const absl::Status status =
      Clipboard::Open({.display = ":65000"}, Soon()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            "cannot open the X display ':65000': check that it runs and that "
            "this user may use it (xhost)");
}

}  // namespace
}  // namespace tactus::ax::x11
