#include "ax/fields/fields.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

using mock::Desktop;
using mock::Hostility;
using mock::Message;
using mock::MockServer;
using mock::Node;
using mock::World;

// An editor with two fields, a password and a label; the first has the focus.
Desktop Form() {
  Desktop desktop = mock::EditorDesktop("first");
  std::vector<Node>& nodes = desktop.programs.front().nodes;
  nodes.front().name = "Subject";
  Node second = mock::TextArea("/second", "second");
  second.states &= ~kStateFocused;
  second.name = "Body";
  Node secret = mock::TextArea("/secret", "hunter2");
  secret.states &= ~kStateFocused;
  secret.role = {Role::kPassword, "password text"};
  secret.name = "hunter2, as a label that repeats what is typed";
  Node label = mock::TextArea("/label", "a label");
  label.states &= ~(kStateFocused | kStateEditable);
  nodes.insert(nodes.end(), {second, secret, label});
  return desktop;
}

Element At(const std::string& path) { return {"app:100", path}; }

class Fields : public testing::Test {
 protected:
  FieldOptions Options() {
    return {.deadline = clock_.Now() + absl::Seconds(1)};
  }

  SimulatedClock clock_;
  World world_{Form()};
  MockServer server_{&world_, &clock_};
};

TEST_F(Fields, ListTellsWhatCanBeTypedIntoAndNoText) {
  const absl::StatusOr<FieldList> list = ListFields(server_, Options());
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->application.pid, 100);
  EXPECT_TRUE(list->complete);
  ASSERT_EQ(list->fields.size(), 3u);
  EXPECT_EQ(list->fields[0].element, At("/text"));
  EXPECT_EQ(list->fields[0].name, "Subject");
  EXPECT_NE(list->fields[0].states & kStateFocused, 0u);
  EXPECT_EQ(list->fields[1].element, At("/second"));
  EXPECT_EQ(list->fields[1].name, "Body");
  EXPECT_EQ(list->fields[2].element, At("/secret"));
  EXPECT_TRUE(IsSecure(list->fields[2]));
  EXPECT_EQ(list->fields[2].name, "");
  // Two questions: whose keyboard it is, and what fields there are.
  EXPECT_EQ(server_.traffic().calls, 2);
  for (const mock::LoggedMessage& message : server_.log()) {
    EXPECT_FALSE(message.message.BearsText());
  }
}

TEST_F(Fields, ListIsCutAtItsLimitAndSaysSo) {
  FieldOptions options = Options();
  options.limits.most_fields = 2;
  const absl::StatusOr<FieldList> list = ListFields(server_, options);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->fields.size(), 2u);
  EXPECT_FALSE(list->complete);
}

TEST_F(Fields, FocusThatMovedIsVerifiedByReadingIt) {
  const FieldFocus result =
      FocusField(server_, FieldHandle(At("/second")), Options());
  EXPECT_EQ(OutcomeName(result.outcome), "verified") << result.message;
  EXPECT_EQ(world_.Focused(), At("/second"));
  ASSERT_TRUE(result.field.has_value());
  EXPECT_EQ(result.field->name, "Body");
  EXPECT_EQ(server_.log().back().message.verb, mock::Verb::kRead);
}

TEST_F(Fields, FieldThatHasTheFocusIsNotAskedToTakeIt) {
  const FieldFocus result =
      FocusField(server_, FieldHandle(At("/text")), Options());
  EXPECT_EQ(OutcomeName(result.outcome), "verified");
  for (const mock::LoggedMessage& message : server_.log()) {
    EXPECT_NE(message.message.verb, mock::Verb::kFocus);
  }
}

TEST_F(Fields, WhatTheListDoesNotHoldIsNeverFocused) {
  for (const std::string& handle :
       {FieldHandle(At("/label")), FieldHandle({"app:1", "/text"}),
        std::string(), std::string("app:100"), std::string(1 << 16, 'x')}) {
    const FieldFocus result = FocusField(server_, handle, Options());
    EXPECT_EQ(OutcomeName(result.outcome), "refused");
    EXPECT_EQ(result.reason, "stale");
  }
  EXPECT_EQ(world_.Focused(), At("/text"));
  for (const mock::LoggedMessage& message : server_.log()) {
    EXPECT_NE(message.message.verb, mock::Verb::kFocus);
  }
}

TEST_F(Fields, PasswordThatIsBeingTypedKeepsTheFocus) {
  ASSERT_TRUE(world_.Focus(At("/secret")).ok());
  const FieldFocus result =
      FocusField(server_, FieldHandle(At("/second")), Options());
  EXPECT_EQ(OutcomeName(result.outcome), "refused");
  EXPECT_EQ(result.reason, "secure");
  EXPECT_EQ(world_.Focused(), At("/secret"));
}

// Says yes and does nothing, or does it and says no.
class LiesOfFocus : public Hostility {
 public:
  LiesOfFocus(bool lands, absl::Status answer)
      : lands_(lands), answer_(std::move(answer)) {}
  void AlterFocus(World&, const Message&, bool& lands,
                  absl::Status& answer) override {
    lands = lands_;
    answer = answer_;
  }

 private:
  const bool lands_;
  const absl::Status answer_;
};

TEST_F(Fields, YesWithoutEffectIsFailed) {
  server_.Add(std::make_unique<LiesOfFocus>(false, absl::OkStatus()));
  const FieldFocus result =
      FocusField(server_, FieldHandle(At("/second")), Options());
  EXPECT_EQ(OutcomeName(result.outcome), "failed");
  EXPECT_EQ(result.reason, "not-moved");
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch() + absl::Seconds(1));
}

TEST_F(Fields, NoThatHadAnEffectIsVerified) {
  server_.Add(std::make_unique<LiesOfFocus>(
      true, absl::FailedPreconditionError("I did not")));
  EXPECT_EQ(
      OutcomeName(
          FocusField(server_, FieldHandle(At("/second")), Options()).outcome),
      "verified");
}

TEST_F(Fields, ElementThatOffersNoFocusIsRefused) {
  server_.Add(
      std::make_unique<LiesOfFocus>(false, absl::UnimplementedError("none")));
  const FieldFocus result =
      FocusField(server_, FieldHandle(At("/second")), Options());
  EXPECT_EQ(OutcomeName(result.outcome), "refused");
  EXPECT_EQ(result.reason, "no-way");
}

TEST_F(Fields, ApplicationThatEndsLeavesTheOutcomeUnknown) {
  server_.BetweenMessages([](World& world, int index) {
    // Just after it was asked.
    if (index == 6) world.Quit("app:100").IgnoreError();
  });
  const FieldFocus result =
      FocusField(server_, FieldHandle(At("/second")), Options());
  EXPECT_EQ(OutcomeName(result.outcome), "unknown") << result.message;
}

TEST_F(Fields, KeyboardThatWentElsewhereMeanwhileIsNoProof) {
  ASSERT_TRUE(
      world_
          .Start(mock::MakeProgram("other", 200, {mock::TextArea("/o", "")}),
                 "other")
          .ok());
  ASSERT_TRUE(world_.Activate("app:100").ok());
  bool moved = false;
  server_.BetweenMessages([&moved](World& world, int index) {
    if (index == 5 && !moved) {
      moved = true;
      world.Activate("app:200").IgnoreError();
    }
  });
  const FieldFocus result =
      FocusField(server_, FieldHandle(At("/second")), Options());
  EXPECT_TRUE(moved);
  EXPECT_EQ(OutcomeName(result.outcome), "failed") << result.message;
}

TEST_F(Fields, ApplicationThatDoesNotAnswerEndsAtTheDeadline) {
  class Mute : public Hostility {
   public:
    void Decide(const World&, const Message& message,
                mock::Fate& fate) override {
      if (message.verb == mock::Verb::kTextFields) fate.silent = true;
    }
  };
  server_.Add(std::make_unique<Mute>());
  EXPECT_EQ(ListFields(server_, Options()).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch() + absl::Seconds(1));
  const FieldFocus result =
      FocusField(server_, FieldHandle(At("/second")), Options());
  EXPECT_EQ(result.reason, "no-time");
}

}  // namespace
}  // namespace tactus::ax
