#include "ax/mock/mock_server.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::mock {
namespace {

constexpr absl::Duration kMs = absl::Milliseconds(1);

// An editor with "hello" and a server on it that takes, for a flight of n
// calls, 100 us a cold connection, 20 us, n * 5 us and 1 ns a byte.
class MockServerTest : public testing::Test {
 protected:
  explicit MockServerTest(Latency latency = {absl::Microseconds(100),
                                             absl::Microseconds(20),
                                             absl::Microseconds(5),
                                             absl::Nanoseconds(1)})
      : world_(EditorDesktop("hello")), server_(&world_, &clock_, latency) {}

  absl::Time In(absl::Duration duration) { return clock_.Now() + duration; }
  absl::Duration Elapsed() { return clock_.Now() - absl::UnixEpoch(); }

  SimulatedClock clock_;
  World world_;
  MockServer server_;
  const Element field_{"app:100", "/text"};
  const Application editor_{"app:100", "editor", 100, "mock", "1"};
};

// The same without any latency.
class InstantServerTest : public MockServerTest {
 protected:
  InstantServerTest() : MockServerTest(Latency{}) {}
};

// Gives each message to functions that a test sets.
class Custom : public Hostility {
 public:
  std::function<void(const Message&, Fate&)> decide;

  void Decide(const World&, const Message& message, Fate& fate) override {
    if (decide) decide(message, fate);
  }
};

TEST_F(InstantServerTest, TellsTheTruthOfItsWorld) {
  world_.Select(field_, {1, 3}).IgnoreError();
  const absl::Time deadline = In(kMs);
  EXPECT_EQ(*server_.FocusedApplication(deadline), editor_);
  EXPECT_EQ(*server_.ApplicationOfProcess(100, deadline), editor_);
  EXPECT_EQ(server_.Applications(deadline)->size(), 1u);
  EXPECT_EQ(server_.WindowList(deadline)->front().pid, 100);
  EXPECT_TRUE(server_.WindowList(deadline)->front().active);
  EXPECT_EQ(*server_.FocusedElements(editor_, deadline),
            std::vector<Element>{field_});
  const std::vector<Reading> readings =
      *server_.ReadMany({{{field_, Attribute::kRole},
                          {field_, Attribute::kValueSettable},
                          {field_, Attribute::kText, {1, 400}},
                          {field_, Attribute::kCharacterCount},
                          {field_, Attribute::kCaret},
                          {field_, Attribute::kSelection},
                          {field_, Attribute::kSelectedText},
                          {field_, Attribute::kSubrole}}},
                        deadline);
  ASSERT_EQ(readings.size(), 8u);
  EXPECT_EQ(Get<RoleValue>(readings[0])->role, Role::kTextArea);
  EXPECT_EQ(*Get<bool>(readings[1]), true);
  EXPECT_EQ(*Get<std::string>(readings[2]), "ello");
  EXPECT_EQ(*Get<int64_t>(readings[3]), 5);
  EXPECT_EQ(*Get<int64_t>(readings[4]), 3);
  EXPECT_EQ(*Get<Range>(readings[5]), (Range{1, 3}));
  EXPECT_EQ(*Get<std::string>(readings[6]), "el");
  EXPECT_EQ(readings[7].status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(Elapsed(), absl::ZeroDuration());
}

TEST_F(InstantServerTest, NothingSelectedIsNoRangeAndAnEmptyText) {
  EXPECT_EQ(
      server_.Read({field_, Attribute::kSelection}, In(kMs)).status().code(),
      absl::StatusCode::kNotFound);
  EXPECT_EQ(*Get<std::string>(
                server_.Read({field_, Attribute::kSelectedText}, In(kMs))),
            "");
}

TEST_F(InstantServerTest, ElementWithoutTextLacksItsAttributes) {
  ASSERT_TRUE(world_.ChangeStates(field_, 0, kStateSupportsText).ok());
  for (const Attribute attribute :
       {Attribute::kText, Attribute::kCharacterCount, Attribute::kCaret,
        Attribute::kSelection, Attribute::kSelectedText}) {
    EXPECT_EQ(server_.Read({field_, attribute}, In(kMs)).status().code(),
              absl::StatusCode::kUnimplemented)
        << AttributeName(attribute);
  }
  EXPECT_TRUE(server_.Read({field_, Attribute::kStates}, In(kMs)).ok());
}

TEST_F(MockServerTest, BatchCostsOneFlightAndItsCalls) {
  ASSERT_TRUE(server_.Read({field_, Attribute::kStates}, In(kMs)).ok());
  const Traffic first = {1, 1, kRequestBytes + kReplyBytes + 8, 1};
  EXPECT_EQ(server_.traffic(), first);
  EXPECT_EQ(Elapsed(),
            absl::Microseconds(100 + 20 + 5) + absl::Nanoseconds(first.bytes));

  const absl::Duration before = Elapsed();
  ASSERT_TRUE(server_
                  .ReadMany({{{field_, Attribute::kText, {0, 5}},
                              {field_, Attribute::kCaret}}},
                            In(kMs))
                  .ok());
  const Traffic batch = {1, 2, 2 * (kRequestBytes + kReplyBytes) + 5 + 8, 0};
  EXPECT_EQ(server_.traffic() - first, batch);
  EXPECT_EQ(Elapsed() - before,
            absl::Microseconds(20 + 2 * 5) + absl::Nanoseconds(batch.bytes));
}

TEST_F(MockServerTest, EachVerbIsOneFlightOfOneCall) {
  const absl::Time deadline = In(absl::Seconds(1));
  const int64_t overhead = kRequestBytes + kReplyBytes;
  const auto cost = [&](auto ask) {
    const Traffic before = server_.traffic();
    (void)ask();
    return server_.traffic() - before;
  };
  // pid 4, "app:100", "editor", "mock", "1".
  const int64_t application = 4 + 7 + 6 + 4 + 1;
  EXPECT_EQ(cost([&] { return server_.FocusedApplication(deadline); }),
            (Traffic{1, 1, overhead + application, 1}));
  EXPECT_EQ(cost([&] { return server_.ApplicationOfProcess(100, deadline); }),
            (Traffic{1, 1, overhead + application, 0}));
  EXPECT_EQ(cost([&] { return server_.Applications(deadline); }),
            (Traffic{1, 1, overhead + application, 0}));
  // pid, active and "document - editor".
  EXPECT_EQ(cost([&] { return server_.WindowList(deadline); }),
            (Traffic{1, 1, overhead + 5 + 17, 1}));
  // "app:100" and "/text".
  EXPECT_EQ(cost([&] { return server_.FocusedElements(editor_, deadline); }),
            (Traffic{1, 1, overhead + 12, 1}));
  EXPECT_EQ(cost([&] {
              return server_.Read({field_, Attribute::kWindow}, deadline);
            }),
            (Traffic{1, 1, overhead + 14, 0}));
  EXPECT_EQ(cost([&] { return server_.Observe({}, deadline); }),
            (Traffic{1, 1, overhead, 1}));
  EXPECT_EQ(cost([&] { return server_.Observe({}, deadline); }),
            (Traffic{1, 1, overhead, 1}));
  // An error is a reply like any other.
  EXPECT_EQ(cost([&] {
              return server_.Read({field_, Attribute::kSelection}, deadline);
            }),
            (Traffic{1, 1, overhead, 0}));
}

TEST_F(MockServerTest, WhatIsNotSentCostsNothing) {
  EXPECT_TRUE(server_.ReadMany({}, In(kMs))->empty());
  EXPECT_EQ(server_.ApplicationOfProcess(0, In(kMs)).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(server_.FocusedElements(Application(), In(kMs)).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(server_.Read({field_, static_cast<Attribute>(99)}, In(kMs))
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(
      server_.Read({{"", "/text"}, Attribute::kRole}, In(kMs)).status().code(),
      absl::StatusCode::kInvalidArgument);
  clock_.Advance(kMs);
  const absl::Time past = clock_.Now() - absl::Nanoseconds(1);
  EXPECT_EQ(server_.FocusedApplication(past).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(server_.Read({field_, Attribute::kRole}, past).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(server_.ReadMany({{{field_, Attribute::kRole}}}, past)
                ->front()
                .status()
                .code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(server_.traffic(), Traffic());
  EXPECT_TRUE(server_.log().empty());
  EXPECT_EQ(Elapsed(), kMs);
}

TEST_F(MockServerTest, WrongRequestInABatchCostsTheOthersNothing) {
  const std::vector<Reading> readings = *server_.ReadMany(
      {{{field_, static_cast<Attribute>(99)}, {field_, Attribute::kCaret}}},
      In(kMs));
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(*Get<int64_t>(readings[1]), 5);
  EXPECT_EQ(server_.traffic().calls, 1);
}

TEST_F(MockServerTest, BatchOverSeveralApplicationsContactsEach) {
  ASSERT_TRUE(world_.Start(MakeProgram("b", 2, {TextArea("/t", "")}), "").ok());
  ASSERT_TRUE(server_
                  .ReadMany({{{field_, Attribute::kCaret},
                              {{"app:2", "/t"}, Attribute::kCaret},
                              {field_, Attribute::kStates}}},
                            In(kMs))
                  .ok());
  EXPECT_EQ(server_.traffic().connections, 2);
  EXPECT_EQ(server_.traffic().flights, 1);
  EXPECT_EQ(Elapsed(), absl::Microseconds(2 * 100 + 20 + 3 * 5) +
                           absl::Nanoseconds(server_.traffic().bytes));
}

TEST_F(MockServerTest, AnswerAtTheDeadlineCountsAndOneAfterItDoesNot) {
  // What the first contact takes, to the nanosecond.
  const absl::Duration needed =
      absl::Microseconds(100 + 20 + 5) +
      absl::Nanoseconds(kRequestBytes + kReplyBytes + 8);
  {
    MockServer server(&world_, &clock_,
                      {absl::Microseconds(100), absl::Microseconds(20),
                       absl::Microseconds(5), absl::Nanoseconds(1)});
    EXPECT_TRUE(server.Read({field_, Attribute::kCaret}, In(needed)).ok());
  }
  const absl::Time deadline = In(needed - absl::Nanoseconds(1));
  EXPECT_EQ(server_.Read({field_, Attribute::kCaret}, deadline).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(clock_.Now(), deadline);
  // The request was sent, the reply not awaited.
  EXPECT_EQ(server_.traffic(), (Traffic{1, 1, kRequestBytes, 1}));
}

TEST_F(MockServerTest, ConnectionThatIsNotThereInTimeIsTriedAgain) {
  const absl::Time deadline = In(absl::Microseconds(50));
  EXPECT_FALSE(server_.Read({field_, Attribute::kCaret}, deadline).ok());
  EXPECT_EQ(clock_.Now(), deadline);
  EXPECT_EQ(server_.traffic().connections, 0);
  EXPECT_TRUE(server_.Read({field_, Attribute::kCaret}, In(kMs)).ok());
  EXPECT_EQ(server_.traffic().connections, 1);
}

TEST_F(MockServerTest, SilentCallEndsAtTheDeadlineAndTheOthersAreAnswered) {
  auto custom = std::make_unique<Custom>();
  custom->decide = [](const Message& message, Fate& fate) {
    fate.silent = message.attribute == Attribute::kCaret;
  };
  server_.Add(std::move(custom));
  const absl::Time deadline = In(absl::Milliseconds(200));
  const std::vector<Reading> readings =
      *server_.ReadMany({{{field_, Attribute::kText, {0, 5}},
                          {field_, Attribute::kCaret},
                          {field_, Attribute::kCharacterCount}}},
                        deadline);
  EXPECT_EQ(*Get<std::string>(readings[0]), "hello");
  EXPECT_EQ(readings[1].status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(*Get<int64_t>(readings[2]), 5);
  EXPECT_EQ(clock_.Now(), deadline);
}

TEST_F(InstantServerTest, SlowApplicationDelaysItselfAndNoOther) {
  ASSERT_TRUE(world_.Start(MakeProgram("b", 2, {TextArea("/t", "")}), "").ok());
  auto custom = std::make_unique<Custom>();
  custom->decide = [](const Message& message, Fate& fate) {
    if (message.element.application == "app:2") {
      fate.delay = absl::Milliseconds(30);
    }
  };
  server_.Add(std::move(custom));
  const std::vector<Reading> readings =
      *server_.ReadMany({{{{"app:2", "/t"}, Attribute::kCaret},
                          {{"app:2", "/t"}, Attribute::kStates},
                          {field_, Attribute::kCaret}}},
                        In(absl::Milliseconds(50)));
  EXPECT_TRUE(readings[0].ok());  // after 30 ms
  EXPECT_EQ(readings[1].status().code(),
            absl::StatusCode::kDeadlineExceeded);  // it would take 60 ms
  EXPECT_TRUE(readings[2].ok());
  EXPECT_EQ(Elapsed(), absl::Milliseconds(50));

  ASSERT_TRUE(
      server_.Read({field_, Attribute::kCaret}, In(absl::Seconds(1))).ok());
  EXPECT_EQ(Elapsed(), absl::Milliseconds(50));
}

TEST_F(InstantServerTest, ApplicationThatDiesAnswersUnavailableFromThenOn) {
  auto custom = std::make_unique<Custom>();
  custom->decide = [](const Message& message, Fate& fate) {
    fate.die = message.attribute == Attribute::kCaret;
  };
  server_.Add(std::move(custom));
  const std::vector<Reading> readings =
      *server_.ReadMany({{{field_, Attribute::kText, {0, 5}},
                          {field_, Attribute::kCaret},
                          {field_, Attribute::kCharacterCount}}},
                        In(kMs));
  EXPECT_TRUE(readings[0].ok());
  EXPECT_EQ(readings[1].status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(readings[2].status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(server_.FocusedElements(editor_, In(kMs)).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(server_.FocusedApplication(In(kMs)).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(InstantServerTest, ActionsBetweenTwoMessagesTearAFlight) {
  std::vector<int> indices;
  server_.BetweenMessages([&](World& world, int index) {
    indices.push_back(index);
    if (index == 1) world.Type(field_, " world").IgnoreError();
  });
  const std::vector<Reading> readings =
      *server_.ReadMany({{{field_, Attribute::kText, {0, 99}},
                          {field_, Attribute::kCharacterCount}}},
                        In(kMs));
  EXPECT_EQ(*Get<std::string>(readings[0]), "hello");
  EXPECT_EQ(*Get<int64_t>(readings[1]), 11);
  ASSERT_TRUE(server_.WindowList(In(kMs)).ok());
  EXPECT_EQ(indices, (std::vector<int>{0, 1, 2}));
}

TEST_F(InstantServerTest, ElementThatIsReplacedUnderWayIsUnavailable) {
  server_.BetweenMessages([&](World& world, int index) {
    if (index == 1) world.Replace(field_).IgnoreError();
  });
  const std::vector<Reading> readings = *server_.ReadMany(
      {{{field_, Attribute::kText, {0, 99}}, {field_, Attribute::kCaret}}},
      In(kMs));
  EXPECT_TRUE(readings[0].ok());
  EXPECT_EQ(readings[1].status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(InstantServerTest, ScheduledActionHappensWhileACallWaits) {
  auto custom = std::make_unique<Custom>();
  custom->decide = [](const Message&, Fate& fate) { fate.silent = true; };
  server_.Add(std::move(custom));
  absl::Time acted;
  server_.At(In(absl::Milliseconds(3)), [&](World& world) {
    acted = clock_.Now();
    world.Rename("app:100", "renamed").IgnoreError();
  });
  EXPECT_FALSE(server_.FocusedApplication(In(absl::Milliseconds(9))).ok());
  EXPECT_EQ(acted, absl::UnixEpoch() + absl::Milliseconds(3));
  EXPECT_EQ(world_.FindProgram("app:100")->application.name, "renamed");
  EXPECT_EQ(Elapsed(), absl::Milliseconds(9));
}

TEST_F(InstantServerTest, WindowsAreElementsThatSayWhetherTheyAreActive) {
  const Element window = {"app:100", "/window"};
  EXPECT_EQ(*Get<Element>(server_.Read({field_, Attribute::kWindow}, In(kMs))),
            window);
  const auto active = [&] {
    return (*Get<int64_t>(server_.Read({window, Attribute::kStates}, In(kMs))) &
            kStateActive) != 0;
  };
  EXPECT_TRUE(active());
  ASSERT_TRUE(world_.Start(MakeProgram("b", 2, {}), "b").ok());
  ASSERT_TRUE(world_.Activate("app:2").ok());
  EXPECT_FALSE(active());
}

TEST_F(MockServerTest, ReplacementIsDeleteInsertAndCaretInOneFlight) {
  const WriteResult result = server_.Write(
      {.element = field_, .range = {1, 3}, .text = "\u00e9!", .caret = 2},
      In(kMs));
  EXPECT_TRUE(result.sent);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(world_.Find(field_)->text, U"h\u00e9!lo");
  EXPECT_EQ(world_.Find(field_)->caret, 2);
  // Three answers of a byte, and three bytes of text.
  const Traffic cost = {1, 3, 3 * (kRequestBytes + kReplyBytes + 1) + 3, 1};
  EXPECT_EQ(server_.traffic(), cost);
  EXPECT_EQ(Elapsed(), absl::Microseconds(100 + 20 + 3 * 5) +
                           absl::Nanoseconds(cost.bytes));
  const std::vector<LoggedMessage>& log = server_.log();
  ASSERT_EQ(log.size(), 3u);
  for (const LoggedMessage& entry : log) {
    EXPECT_EQ(entry.message.verb, Verb::kWrite);
    EXPECT_EQ(entry.message.element, field_);
    EXPECT_EQ(entry.message.flight, 1);
    EXPECT_FALSE(entry.message.batched);
    EXPECT_EQ(entry.outcome, absl::StatusCode::kOk);
  }
  EXPECT_EQ(log[0].message.what, Change::kDelete);
  EXPECT_EQ(log[0].message.range, (Range{1, 3}));
  EXPECT_EQ(log[1].message.what, Change::kInsert);
  EXPECT_EQ(log[1].message.range, (Range{1, 1}));
  EXPECT_EQ(log[1].message.text, "\u00e9!");
  EXPECT_EQ(log[1].message.place, 1);
  EXPECT_EQ(log[2].message.what, Change::kSetCaret);
  EXPECT_EQ(log[2].message.range, (Range{2, 2}));
}

TEST_F(InstantServerTest, WriteSendsNoMoreThanItNeeds) {
  const auto calls = [&](const WriteRequest& request) {
    const Traffic before = server_.traffic();
    const WriteResult result = server_.Write(request, In(kMs));
    EXPECT_TRUE(result.status.ok()) << result.status;
    EXPECT_EQ(result.sent, server_.traffic() != before);
    return (server_.traffic() - before).calls;
  };
  using Kind = WriteRequest::Kind;
  EXPECT_EQ(calls({.element = field_, .range = {5, 5}, .text = "!"}), 1);
  EXPECT_EQ(calls({.element = field_, .range = {0, 1}}), 1);
  EXPECT_EQ(calls({.element = field_, .range = {3, 3}}), 0);
  EXPECT_EQ(world_.Find(field_)->text, U"ello!");
  // A caret alone is a selection.
  EXPECT_EQ(calls({.element = field_, .caret = 1}), 0);
  EXPECT_EQ(world_.Find(field_)->caret, 5);
  EXPECT_EQ(calls({.element = field_, .kind = Kind::kSelect, .range = {1, 3}}),
            1);
  EXPECT_EQ(world_.Find(field_)->selection, (Range{1, 3}));
  EXPECT_EQ(calls({.element = field_, .kind = Kind::kSelect, .range = {4, 4}}),
            1);
  EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
  EXPECT_EQ(world_.Find(field_)->caret, 4);
  EXPECT_EQ(calls({.element = field_, .kind = Kind::kSetValue, .text = "hi"}),
            1);
  EXPECT_EQ(calls({.element = field_, .kind = Kind::kSetValue}), 1);
  EXPECT_EQ(world_.Find(field_)->text, U"");
}

TEST_F(InstantServerTest, UserActsBetweenADeleteAndItsInsert) {
  server_.BetweenMessages([&](World& world, int index) {
    if (index != 1) return;
    EXPECT_EQ(world.Find(field_)->text, U"hlo");
    world.MoveCaret(field_, 0).IgnoreError();
    world.Type(field_, ">>").IgnoreError();
  });
  ASSERT_TRUE(
      server_.Write({.element = field_, .range = {1, 3}, .text = "EL"}, In(kMs))
          .status.ok());
  EXPECT_EQ(world_.Find(field_)->text, U">EL>hlo");
}

TEST_F(InstantServerTest, WriteIsClampedToTheTextAsItThenIs) {
  ASSERT_TRUE(
      server_
          .Write(
              {.element = field_, .range = {3, 99}, .text = "p", .caret = 99},
              In(kMs))
          .status.ok());
  EXPECT_EQ(world_.Find(field_)->text, U"help");
  EXPECT_EQ(world_.Find(field_)->caret, 4);
  ASSERT_TRUE(
      server_
          .Write({.element = field_, .range = {50, 50}, .text = "!"}, In(kMs))
          .status.ok());
  EXPECT_EQ(world_.Find(field_)->text, U"help!");
}

TEST_F(InstantServerTest, WrongWriteIsNotSent) {
  using Kind = WriteRequest::Kind;
  const WriteRequest wrong[] = {
      {.element = field_, .range = {-1, 2}, .text = "x"},
      {.element = field_, .range = {3, 2}, .text = "x"},
      {.element = field_, .text = "x", .caret = -1},
      {.element = field_, .text = "\xFF"},
      {.element = field_, .text = "\xED\xA0\xBD"},
      {.element = field_, .text = std::string("a\0b", 3)},
      {.element = field_,
       .kind = Kind::kSetValue,
       .text = std::string("\0", 1)},
      {.element = field_, .kind = Kind::kSetValue, .text = "\x80"},
      {.element = field_, .kind = Kind::kSelect, .range = {2, 1}},
      {.element = field_, .kind = static_cast<Kind>(9)},
      {.element = {"", "/text"}, .text = "x"}};
  for (const WriteRequest& request : wrong) {
    const WriteResult result = server_.Write(request, In(kMs));
    EXPECT_FALSE(result.sent);
    EXPECT_EQ(result.status.code(), absl::StatusCode::kInvalidArgument);
  }
  const WriteResult late = server_.Write({.element = field_, .text = "x"},
                                         In(-absl::Nanoseconds(1)));
  EXPECT_FALSE(late.sent);
  EXPECT_EQ(late.status.code(), absl::StatusCode::kDeadlineExceeded);
  ASSERT_TRUE(world_.ChangeStates(field_, 0, kStateSupportsEditing).ok());
  const WriteResult lacking =
      server_.Write({.element = field_, .text = "x"}, In(kMs));
  EXPECT_FALSE(lacking.sent);
  EXPECT_EQ(lacking.status.code(), absl::StatusCode::kUnimplemented);
  const WriteResult window =
      server_.Write({.element = {"app:100", "/window"}, .text = "x"}, In(kMs));
  EXPECT_FALSE(window.sent);
  EXPECT_EQ(window.status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(server_.traffic(), Traffic());
  EXPECT_TRUE(server_.log().empty());
  EXPECT_EQ(world_.Find(field_)->text, U"hello");
  // It has text still, and that can be selected.
  const WriteRequest select = {
      .element = field_, .kind = Kind::kSelect, .range = {0, 1}};
  EXPECT_TRUE(server_.Write(select, In(kMs)).status.ok());
  ASSERT_TRUE(world_.ChangeStates(field_, 0, kStateSupportsText).ok());
  EXPECT_EQ(server_.Write(select, In(kMs)).status.code(),
            absl::StatusCode::kUnimplemented);
}

TEST_F(InstantServerTest, WhatCannotBeChangedSaysSo) {
  const auto write = [&](const WriteRequest& request) {
    const WriteResult result = server_.Write(request, In(kMs));
    EXPECT_TRUE(result.sent);
    return result.status.code();
  };
  using Kind = WriteRequest::Kind;
  world_.Mutable(field_)->value_settable = false;
  EXPECT_EQ(write({.element = field_, .range = {0, 2}, .text = "x"}),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(write({.element = field_, .kind = Kind::kSetValue, .text = "x"}),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(write({.element = field_, .kind = Kind::kSelect, .range = {0, 2}}),
            absl::StatusCode::kOk);
  world_.Mutable(field_)->selection_settable = false;
  EXPECT_EQ(write({.element = field_, .kind = Kind::kSelect, .range = {0, 3}}),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(world_.Find(field_)->text, U"hello");
  EXPECT_EQ(world_.Find(field_)->selection, (Range{0, 2}));
  EXPECT_EQ(write({.element = {"app:100", "/gone"}, .text = "x"}),
            absl::StatusCode::kUnavailable);
  ASSERT_TRUE(world_.Quit("app:100").ok());
  EXPECT_EQ(write({.element = field_, .text = "x"}),
            absl::StatusCode::kUnavailable);
}

TEST_F(InstantServerTest, CaretThatCannotBePlacedIsNotPartOfTheStatus) {
  world_.Mutable(field_)->selection_settable = false;
  const int64_t caret = world_.Find(field_)->caret;
  WriteResult result =
      server_.Write({.element = field_, .text = "x", .caret = 0}, In(kMs));
  EXPECT_TRUE(result.sent);
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(world_.Find(field_)->text, U"xhello");
  EXPECT_EQ(world_.Find(field_)->caret, caret + 1);
  EXPECT_EQ(server_.log().back().outcome,
            absl::StatusCode::kFailedPrecondition);
  // An answer that does not come is not waited for.
  auto custom = std::make_unique<Custom>();
  custom->decide = [](const Message& message, Fate& fate) {
    fate.unanswered = message.what == Change::kSetCaret;
  };
  server_.Add(std::move(custom));
  const absl::Time before = clock_.Now();
  result = server_.Write({.element = field_, .text = "y", .caret = 0}, In(kMs));
  EXPECT_TRUE(result.status.ok()) << result.status;
  EXPECT_EQ(clock_.Now(), before);
}

TEST_F(InstantServerTest, PartThatFailsIsToldAndTheOtherIsDoneAllTheSame) {
  absl::Status refusal = absl::PermissionDeniedError("no");
  Change refused = Change::kDelete;
  auto custom = std::make_unique<Custom>();
  custom->decide = [&](const Message& message, Fate& fate) {
    if (message.what == refused) fate.refusal = refusal;
  };
  server_.Add(std::move(custom));
  const WriteRequest request = {
      .element = field_, .range = {0, 2}, .text = "x", .caret = 1};
  WriteResult result = server_.Write(request, In(kMs));
  EXPECT_TRUE(result.sent);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(world_.Find(field_)->text, U"xhello");
  refused = Change::kInsert;
  result = server_.Write(request, In(kMs));
  EXPECT_TRUE(result.sent);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(world_.Find(field_)->text, U"ello");
}

TEST_F(InstantServerTest, MissingAnswerOutweighsARefusal) {
  auto custom = std::make_unique<Custom>();
  custom->decide = [](const Message& message, Fate& fate) {
    if (message.what == Change::kDelete) {
      fate.refusal = absl::PermissionDeniedError("no");
    }
    fate.silent = message.what == Change::kInsert;
    fate.unanswered = message.what == Change::kSetCaret;
  };
  server_.Add(std::move(custom));
  const absl::Time deadline = In(kMs);
  const WriteResult result = server_.Write(
      {.element = field_, .range = {0, 2}, .text = "x", .caret = 1}, deadline);
  EXPECT_TRUE(result.sent);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(clock_.Now(), deadline);
  EXPECT_EQ(world_.Find(field_)->text, U"hello");
  EXPECT_EQ(world_.Find(field_)->caret, 1);  // done, and not answered
  EXPECT_EQ(server_.log()[0].outcome, absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(server_.log()[1].outcome, absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(server_.log()[2].outcome, absl::StatusCode::kDeadlineExceeded);
}

TEST_F(MockServerTest, WriteThatDoesNotArriveInTimeIsNotDone) {
  const absl::Time deadline = In(absl::Microseconds(50));
  const WriteResult result =
      server_.Write({.element = field_, .text = "x"}, deadline);
  EXPECT_TRUE(result.sent);
  EXPECT_EQ(result.status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(world_.Find(field_)->text, U"hello");
  EXPECT_EQ(clock_.Now(), deadline);
}

TEST_F(InstantServerTest, WritesToASecureElementCountAsText) {
  ASSERT_TRUE(world_.SetSecure(field_, true).ok());
  ASSERT_TRUE(server_.Read({field_, Attribute::kRole}, In(kMs)).ok());
  EXPECT_EQ(server_.TextSentToSecure(), 0);
  ASSERT_TRUE(
      server_.Write({.element = field_, .text = "x", .caret = 0}, In(kMs))
          .sent);
  EXPECT_EQ(server_.TextSentToSecure(), 2);
  EXPECT_EQ(server_.TextSentToToldSecure(), 2);
  ASSERT_TRUE(
      server_
          .Write({.element = field_, .kind = WriteRequest::Kind::kSelect},
                 In(kMs))
          .sent);
  EXPECT_EQ(server_.TextSentToSecure(), 3);
}

TEST_F(InstantServerTest, LogHoldsEveryMessageWithItsOutcome) {
  ASSERT_TRUE(server_.FocusedApplication(In(kMs)).ok());
  ASSERT_TRUE(server_
                  .ReadMany({{{field_, Attribute::kText, {2, 4}},
                              {field_, Attribute::kSelection}}},
                            In(kMs))
                  .ok());
  const std::vector<LoggedMessage>& log = server_.log();
  ASSERT_EQ(log.size(), 3u);
  EXPECT_EQ(log[0].message.verb, Verb::kFocusedApplication);
  EXPECT_EQ(log[0].message.flight, 1);
  EXPECT_FALSE(log[0].message.batched);
  EXPECT_EQ(log[1].message.verb, Verb::kRead);
  EXPECT_EQ(log[1].message.element, field_);
  EXPECT_EQ(log[1].message.attribute, Attribute::kText);
  EXPECT_EQ(log[1].message.range, (Range{2, 4}));
  EXPECT_EQ(log[1].message.flight, 2);
  EXPECT_EQ(log[1].message.place, 0);
  EXPECT_TRUE(log[1].message.batched);
  EXPECT_EQ(log[1].outcome, absl::StatusCode::kOk);
  EXPECT_EQ(log[2].message.index, 2);
  EXPECT_EQ(log[2].message.place, 1);
  EXPECT_EQ(log[2].outcome, absl::StatusCode::kNotFound);
}

TEST_F(InstantServerTest, TextSentToASecureElementIsCounted) {
  ASSERT_TRUE(world_.SetSecure(field_, true).ok());
  // Structure is no secret.
  ASSERT_TRUE(server_.Read({field_, Attribute::kStates}, In(kMs)).ok());
  EXPECT_EQ(server_.TextSentToSecure(), 0);
  // In truth it is secure, but nobody has said so yet: not even in the same
  // flight.
  ASSERT_TRUE(
      server_
          .ReadMany({{{field_, Attribute::kRole}, {field_, Attribute::kCaret}}},
                    In(kMs))
          .ok());
  EXPECT_EQ(server_.TextSentToSecure(), 1);
  EXPECT_EQ(server_.TextSentToToldSecure(), 0);
  // Now the client knows.
  EXPECT_EQ(*Get<std::string>(
                server_.Read({field_, Attribute::kText, {0, 9}}, In(kMs))),
            "hello");
  EXPECT_EQ(server_.TextSentToSecure(), 2);
  EXPECT_EQ(server_.TextSentToToldSecure(), 1);
  // And is told that it is over.
  ASSERT_TRUE(world_.SetSecure(field_, false).ok());
  ASSERT_TRUE(server_.Read({field_, Attribute::kRole}, In(kMs)).ok());
  ASSERT_TRUE(server_.Read({field_, Attribute::kCaret}, In(kMs)).ok());
  EXPECT_EQ(server_.TextSentToSecure(), 2);
  EXPECT_EQ(server_.TextSentToToldSecure(), 1);
}

TEST_F(InstantServerTest, SubroleTellsOfSecrecyAsWell) {
  world_.Mutable(field_)->subrole = RoleValue{Role::kPassword, "secure"};
  ASSERT_TRUE(server_
                  .ReadMany({{{field_, Attribute::kRole},
                              {field_, Attribute::kSubrole}}},
                            In(kMs))
                  .ok());
  ASSERT_TRUE(server_.Read({field_, Attribute::kCaret}, In(kMs)).ok());
  EXPECT_EQ(server_.TextSentToToldSecure(), 1);
}

TEST_F(InstantServerTest, FullLogSaysHowMuchItLacks) {
  const int64_t most = static_cast<int64_t>(MockServer::kMaxLog);
  for (int64_t i = 0; i < most + 2; ++i) {
    ASSERT_TRUE(server_.Read({field_, Attribute::kCaret}, In(kMs)).ok());
  }
  EXPECT_EQ(server_.log().size(), MockServer::kMaxLog);
  EXPECT_EQ(server_.messages_not_logged(), 2);
}

TEST_F(InstantServerTest, FocusedElementsNamesTheTrueOneBeforeStaleClaims) {
  Program& program = *world_.MutableProgram("app:100");
  program.nodes.insert(program.nodes.begin(), TextArea("/stale", ""));
  EXPECT_EQ(*server_.FocusedElements(editor_, In(kMs)),
            (std::vector<Element>{field_, {"app:100", "/stale"}}));
  ASSERT_TRUE(world_.Remove({"app:100", "/stale"}).ok());
  ASSERT_TRUE(world_.Remove(field_).ok());
  EXPECT_EQ(server_.FocusedElements(editor_, In(kMs)).status().code(),
            absl::StatusCode::kNotFound);
}

// What the events of a source are until it has none for `wait`.
std::vector<Event::Kind> Drain(EventSource& source, absl::Time deadline) {
  std::vector<Event::Kind> kinds;
  while (true) {
    const absl::StatusOr<Event> event = source.Next(deadline);
    if (!event.ok()) return kinds;
    kinds.push_back(event->kind);
  }
}

TEST_F(InstantServerTest, SourceTellsWhatHappensAfterItWasMade) {
  ASSERT_TRUE(world_.Type(field_, "x").ok());
  const std::unique_ptr<EventSource> source =
      *server_.Observe({.text = true}, In(kMs));
  ASSERT_TRUE(world_.Type(field_, "y").ok());
  server_.At(In(absl::Milliseconds(5)),
             [&](World& world) { world.Quit("app:100").IgnoreError(); });
  EXPECT_EQ(Drain(*source, In(absl::Milliseconds(9))),
            (std::vector<Event::Kind>{Event::Kind::kTextChanged,
                                      Event::Kind::kSelectionChanged,
                                      Event::Kind::kApplicationGone}));
  EXPECT_EQ(Elapsed(), absl::Milliseconds(9));
}

TEST_F(InstantServerTest, SourceWaitsNoLongerThanForItsEvent) {
  const std::unique_ptr<EventSource> source = *server_.Observe({}, In(kMs));
  server_.At(In(absl::Milliseconds(5)),
             [&](World& world) { world.Focus(field_).IgnoreError(); });
  const absl::StatusOr<Event> event = source->Next(In(absl::Seconds(1)));
  ASSERT_TRUE(event.ok());
  EXPECT_EQ(event->kind, Event::Kind::kFocused);
  EXPECT_EQ(event->element, field_);
  EXPECT_EQ(Elapsed(), absl::Milliseconds(5));
}

TEST_F(InstantServerTest, SourceWithoutTextTellsOfFocusAlone) {
  const std::unique_ptr<EventSource> source = *server_.Observe({}, In(kMs));
  ASSERT_TRUE(world_.Type(field_, "y").ok());
  ASSERT_TRUE(world_.Focus(field_).ok());
  EXPECT_EQ(Drain(*source, In(kMs)),
            std::vector<Event::Kind>{Event::Kind::kFocused});
}

TEST_F(InstantServerTest, CancelEndsOneWait) {
  const std::unique_ptr<EventSource> source = *server_.Observe({}, In(kMs));
  source->Cancel();
  EXPECT_EQ(source->Next(In(kMs)).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(source->Next(In(kMs)).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(Elapsed(), kMs);
}

TEST_F(InstantServerTest, SourceThatIsNotReadForgetsTheOldestAndSaysSo) {
  const std::unique_ptr<EventSource> source = *server_.Observe({}, In(kMs));
  for (size_t i = 0; i < MockServer::kMaxQueuedEvents + 1; ++i) {
    world_.Emit({Event::Kind::kFocused, field_});
  }
  const std::vector<Event::Kind> kinds = Drain(*source, In(kMs));
  ASSERT_EQ(kinds.size(), MockServer::kMaxQueuedEvents / 2 + 2);
  EXPECT_EQ(kinds[0], Event::Kind::kLost);
  EXPECT_EQ(kinds[1], Event::Kind::kFocused);
}

TEST_F(InstantServerTest, SourceOutlivesItsServer) {
  auto server = std::make_unique<MockServer>(&world_, &clock_);
  const std::unique_ptr<EventSource> source = *server->Observe({}, In(kMs));
  world_.Emit({Event::Kind::kFocused, field_});
  server.reset();
  world_.Emit({Event::Kind::kFocused, field_});  // nobody listens
  EXPECT_TRUE(source->Next(In(kMs)).ok());
  EXPECT_EQ(source->Next(In(kMs)).status().code(),
            absl::StatusCode::kUnavailable);
}

TEST_F(InstantServerTest, HostilitiesComposeInTheOrderTheyWereAdded) {
  class Append : public Hostility {
   public:
    explicit Append(std::string suffix) : suffix_(std::move(suffix)) {}
    void AlterReading(World&, const Message&, Reading& reading) override {
      reading = *Get<std::string>(reading) + suffix_;
    }

   private:
    const std::string suffix_;
  };
  server_.Add(std::make_unique<Append>("1"));
  server_.Add(std::make_unique<Append>("2"));
  EXPECT_EQ(*Get<std::string>(
                server_.Read({field_, Attribute::kText, {0, 2}}, In(kMs))),
            "he12");
}

}  // namespace
}  // namespace tactus::ax::mock
