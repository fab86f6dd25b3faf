#include "ax/edit/editor.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/input/input.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/hostility.h"
#include "ax/mock/input_faults.h"
#include "ax/mock/kind.h"
#include "ax/mock/message.h"
#include "ax/mock/mock_input.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/snapshot/token.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

using Kind = Edit::Kind;
using mock::InputVerb;
using mock::Message;
using mock::Verb;
using mock::World;

constexpr absl::Duration kMs = absl::Milliseconds(1);
// Messages before an edit's first write: who has the focus, what it is, its
// text.
constexpr int kSnapshot = 1 + 1 + 5 + 4;

const Edit kBrown = {
    .kind = Kind::kReplaceRange, .text = "brown", .range = {4, 9}};

// Inserts and deletes say yes and do nothing; a whole value is taken.
class TakesWholeValuesAlone : public mock::Hostility {
 public:
  void AlterWrite(World&, const Message& message,
                  mock::Effect& effect) override {
    if (message.what == mock::Change::kSetValue ||
        message.what == mock::Change::kSelect) {
      return;
    }
    effect.lands = false;
    effect.answer = absl::OkStatus();
  }
};

// An editor with "The quick fox" and its caret at the end; the user has copied
// a picture with a caption. Nothing takes time but waiting.
class EditorTest : public testing::Test {
 protected:
  EditorTest()
      : world_(mock::EditorDesktop("The quick fox")),
        server_(&world_, &clock_),
        input_(&world_, &clock_, &server_),
        editor_(&server_, &input_) {
    input_.TakeClipboard(copied_);
  }

  void Add(absl::string_view name, mock::HostilityOptions options = {}) {
    absl::StatusOr<std::unique_ptr<mock::Hostility>> made =
        mock::MakeHostility(name, options);
    ASSERT_TRUE(made.ok()) << made.status();
    server_.Add(*std::move(made));
  }
  void AddFault(std::string name, std::optional<int64_t> parameter = {}) {
    ASSERT_TRUE(input_.Add({std::move(name), parameter}).ok());
  }
  // The field takes no text through the server.
  void TakesPastesAlone() { world_.Mutable(field_)->value_settable = false; }
  void MakeTerminal() {
    mock::Node& node = *world_.Mutable(field_);
    node.role = {Role::kTerminal, "terminal"};
    node.states &= ~(kStateEditable | kStateSupportsEditing);
    node.value_settable = false;
  }
  // The user goes to another field of the same application, with `text`.
  Element AddField(absl::string_view text) {
    mock::Node other = mock::TextArea("/other", text);
    other.states &= ~kStateFocused;
    world_.MutableProgram("app:100")->nodes.push_back(std::move(other));
    return {"app:100", "/other"};
  }
  // It has the keyboard and calls itself defunct, so the text beside it wins.
  void AddDefunctSecret() {
    mock::Node secret = mock::TextArea("/secret", "hunter2");
    secret.role = {Role::kPassword, "password text"};
    secret.states |= kStateDefunct;
    mock::Program& program = *world_.MutableProgram("app:100");
    program.nodes.push_back(std::move(secret));
    program.focus = "/secret";
  }
  void Before(int index, std::function<void(World&)> action) {
    server_.BetweenMessages(
        [index, action = std::move(action)](World& world, int now) {
          if (now == index) action(world);
        });
  }
  absl::Time In(absl::Duration duration) { return clock_.Now() + duration; }
  absl::Duration Elapsed() { return clock_.Now() - absl::UnixEpoch(); }

  EditResult Apply(const Edit& edit, EditOptions options = {}) {
    options.deadline = std::min(options.deadline, In(absl::Seconds(3)));
    EditResult result = editor_.Apply(edit, options);
    EXPECT_EQ(server_.TextSentToToldSecure(), 0);
    return result;
  }
  EditResult Undo() {
    return editor_.UndoLast({.deadline = In(absl::Seconds(3))});
  }

  void Expect(const EditResult& result, Outcome outcome, Reason reason,
              Rung rung, absl::string_view truth) {
    EXPECT_EQ(OutcomeName(result.outcome), OutcomeName(outcome))
        << result.message;
    EXPECT_EQ(ReasonName(result.reason), ReasonName(reason)) << result.message;
    EXPECT_EQ(RungName(result.rung), RungName(rung)) << result.message;
    EXPECT_FALSE(result.message.empty());
    EXPECT_EQ(Truth(), truth);
  }

  std::string Truth(const Element& element) const {
    const mock::Node* node = world_.Find(element);
    return node == nullptr ? "(none)" : mock::EncodeUtf8(node->text);
  }
  std::string Truth() const { return Truth(field_); }
  int Sent(Verb verb) const {
    return static_cast<int>(std::count_if(
        server_.log().begin(), server_.log().end(),
        [&](const mock::LoggedMessage& m) { return m.message.verb == verb; }));
  }
  int Writes() const { return Sent(Verb::kWrite); }
  int Given(InputVerb verb) const {
    return static_cast<int>(std::count_if(
        input_.log().begin(), input_.log().end(),
        [&](const mock::LoggedInput& m) {
          return m.verb == verb && m.outcome == absl::StatusCode::kOk;
        }));
  }
  int Keys() const {
    return Given(InputVerb::kPress) + Given(InputVerb::kType);
  }

  SimulatedClock clock_;
  World world_;
  mock::MockServer server_;
  mock::MockInput input_;
  Editor editor_;
  const Element field_{"app:100", "/text"};
  const mock::Clipboard copied_ = {{"UTF8_STRING", "old"},
                                   {"image/png", "\x89PNG"}};
};

// Through the server.

TEST_F(EditorTest, VerifiedRangeEditCostsExactlySixFlights) {
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kVerified, Reason::kNone, Rung::kRange,
         "The brown fox");
  // A snapshot; delete, insert and caret; text and count.
  EXPECT_EQ(result.traffic.flights, 4 + 1 + 1);
  EXPECT_EQ(result.traffic.calls, kSnapshot + 3 + 2);
  EXPECT_EQ(result.elapsed, absl::ZeroDuration());
  EXPECT_EQ(result.gap, absl::ZeroDuration());
  EXPECT_EQ(result.application.name, "editor");
  EXPECT_EQ(result.element, field_);
  EXPECT_EQ(result.replaced, (Range{4, 9}));
  EXPECT_EQ(result.written, (Range{4, 9}));
  EXPECT_EQ(result.window_begin, 0);
  EXPECT_EQ(result.before, "The quick fox");
  EXPECT_EQ(result.expected, "The brown fox");
  EXPECT_EQ(result.after, "The brown fox");
  ASSERT_EQ(result.attempts.size(), 1u);
  EXPECT_EQ(result.attempts[0].outcome, Outcome::kVerified);
  EXPECT_EQ(world_.Find(field_)->caret, 9);
  EXPECT_TRUE(input_.log().empty());
}

TEST_F(EditorTest, GapIsWhatLiesBetweenTheLastReplyAndTheWrite) {
  mock::MockServer slow(&world_, &clock_, {.per_flight = 2 * kMs});
  Editor editor(&slow, &input_);
  const EditResult result = editor.Apply(kBrown, {.deadline = In(3000 * kMs)});
  EXPECT_EQ(result.outcome, Outcome::kVerified);
  EXPECT_EQ(result.gap, absl::ZeroDuration());
  EXPECT_EQ(result.elapsed, 6 * 2 * kMs);
}

TEST_F(EditorTest, EachKindOfEditDoesWhatItSays) {
  ASSERT_TRUE(world_.Select(field_, {0, 3}).ok());
  EXPECT_EQ(Apply({.text = "A"}).outcome, Outcome::kVerified);
  EXPECT_EQ(Truth(), "A quick fox");
  EXPECT_EQ(Apply({.kind = Kind::kInsertAtCaret, .text = "n"}).outcome,
            Outcome::kVerified);
  EXPECT_EQ(Truth(), "An quick fox");
  EXPECT_EQ(
      Apply({.kind = Kind::kReplaceText, .text = "old", .old_text = "quick"})
          .outcome,
      Outcome::kVerified);
  EXPECT_EQ(Truth(), "An old fox");
  const EditResult all = Apply({.kind = Kind::kSetValue, .text = "\u05D0"});
  Expect(all, Outcome::kVerified, Reason::kNone, Rung::kWholeValue, "\u05D0");
  EXPECT_TRUE(input_.log().empty());
}

TEST_F(EditorTest, TextThatIsThereAlreadyIsVerifiedAndNothingIsSent) {
  Expect(Apply({.kind = Kind::kReplaceRange, .text = "quick", .range = {4, 9}}),
         Outcome::kVerified, Reason::kNone, Rung::kNone, "The quick fox");
  EXPECT_EQ(Writes(), 0);
  EXPECT_FALSE(editor_.undo().has_value());
}

TEST_F(EditorTest, WindowOfALongTextIsEditedAndReadBack) {
  ASSERT_TRUE(world_
                  .SetText(field_, std::string(500, 'a') + "MIDDLE" +
                                       std::string(500, 'b'))
                  .ok());
  ASSERT_TRUE(world_.MoveCaret(field_, 503).ok());
  const EditResult result = Apply(
      {.kind = Kind::kReplaceText, .text = "\U0001F600", .old_text = "MIDDLE"},
      {.max_text = 100});
  Expect(result, Outcome::kVerified, Reason::kNone, Rung::kRange,
         std::string(500, 'a') + "\U0001F600" + std::string(500, 'b'));
  EXPECT_EQ(result.window_begin, 453);
  EXPECT_EQ(result.replaced, (Range{500, 506}));
  EXPECT_EQ(result.after,
            std::string(47, 'a') + "\U0001F600" + std::string(47, 'b'));
}

// What a server says of a write, and what comes of it.

struct WriteCase {
  const char* hostility;
  std::optional<int64_t> parameter;
  Edit edit;
  Outcome outcome;
  Reason reason;
  const char* truth;
  absl::Duration elapsed;
};

class EditorWriteTest : public EditorTest,
                        public testing::WithParamInterface<WriteCase> {};

TEST_P(EditorWriteTest, OutcomeIsTheTruthAndNothingIsWrittenTwice) {
  const WriteCase& c = GetParam();
  Add(c.hostility, {.parameter = c.parameter});
  const EditResult result = Apply(c.edit, {.allow_paste = false});
  Expect(result, c.outcome, c.reason, Rung::kRange, c.truth);
  EXPECT_EQ(result.elapsed, c.elapsed);
  EXPECT_EQ(result.before, "The quick fox");
  EXPECT_EQ(Writes(), 3);
  EXPECT_EQ(Keys(), 0);
  if (result.outcome == Outcome::kDiverged) EXPECT_EQ(result.after, c.truth);
}

const Edit kLines = {
    .kind = Kind::kReplaceRange, .text = "a\nb", .range = {4, 9}};
const Edit kPicture = {
    .kind = Kind::kReplaceRange, .text = "a\U0001F600b", .range = {4, 9}};
const Edit kLonger = {
    .kind = Kind::kReplaceRange, .text = "reddish", .range = {4, 9}};

INSTANTIATE_TEST_SUITE_P(
    Every, EditorWriteTest,
    testing::Values(
        // Says yes and does nothing.
        WriteCase{"write_ignored_true",
                  {},
                  kBrown,
                  Outcome::kUnknown,
                  Reason::kNotLanded,
                  "The quick fox",
                  600 * kMs},
        // Shows the text and commits nothing: the count tells.
        WriteCase{"write_echo",
                  {},
                  kLonger,
                  Outcome::kUnknown,
                  Reason::kContradiction,
                  "The quick fox",
                  600 * kMs},
        // Says no, and has done it.
        WriteCase{"write_refused_landed",
                  {},
                  kBrown,
                  Outcome::kVerified,
                  Reason::kNone,
                  "The brown fox",
                  absl::ZeroDuration()},
        // Says nothing, and has done it: the answer is waited for half of the
        // time.
        WriteCase{"write_no_reply_landed",
                  {},
                  kBrown,
                  Outcome::kVerified,
                  Reason::kNone,
                  "The brown fox",
                  1500 * kMs},
        WriteCase{"write_no_reply_ignored",
                  {},
                  kBrown,
                  Outcome::kUnknown,
                  Reason::kNoReply,
                  "The quick fox",
                  2100 * kMs},
        WriteCase{"write_late", 300, kBrown, Outcome::kVerified, Reason::kNone,
                  "The brown fox", 303 * kMs},
        WriteCase{"write_prefixes", 400, kBrown, Outcome::kVerified,
                  Reason::kNone, "The brown fox", 415 * kMs},
        WriteCase{"write_autocorrect",
                  {},
                  kBrown,
                  Outcome::kDiverged,
                  Reason::kOther,
                  "The Brown fox",
                  111 * kMs},
        WriteCase{"write_truncated", 3, kBrown, Outcome::kDiverged,
                  Reason::kPartial, "The bro fox", 600 * kMs},
        WriteCase{"write_doubles",
                  {},
                  kBrown,
                  Outcome::kDiverged,
                  Reason::kOther,
                  "The brownbrown fox",
                  111 * kMs},
        WriteCase{"write_insert_only",
                  {},
                  kBrown,
                  Outcome::kDiverged,
                  Reason::kPartial,
                  "The brownquick fox",
                  600 * kMs},
        WriteCase{"write_delete_only",
                  {},
                  kBrown,
                  Outcome::kDiverged,
                  Reason::kPartial,
                  "The  fox",
                  600 * kMs},
        WriteCase{"write_normalizes", 0, kLines, Outcome::kDiverged,
                  Reason::kOther, "The a b fox", 111 * kMs},
        WriteCase{"write_utf16_length",
                  {},
                  kPicture,
                  Outcome::kDiverged,
                  Reason::kPartial,
                  "The a\U0001F600 fox",
                  600 * kMs},
        WriteCase{"write_byte_length",
                  {},
                  kPicture,
                  Outcome::kDiverged,
                  Reason::kPartial,
                  "The a fox",
                  600 * kMs},
        WriteCase{"write_caret_elsewhere", 2, kBrown, Outcome::kVerified,
                  Reason::kNone, "The brown fox", absl::ZeroDuration()},
        WriteCase{"write_kills",
                  {},
                  kBrown,
                  Outcome::kUnknown,
                  Reason::kUnreadable,
                  "(none)",
                  absl::ZeroDuration()}),
    [](const testing::TestParamInfo<WriteCase>& info) {
      return std::string(info.param.hostility);
    });

TEST_F(EditorTest, EchoOfTheSameLengthCannotBeToldFromTheTruth) {
  Add("write_echo");
  Expect(Apply(kBrown), Outcome::kVerified, Reason::kNone, Rung::kRange,
         "The quick fox");
}

TEST_F(EditorTest, RefusedWriteThatChangedNothingHasFailed) {
  Before(kSnapshot,
         [&](World& world) { world.Mutable(field_)->value_settable = false; });
  Expect(Apply(kBrown, {.allow_paste = false}), Outcome::kFailed,
         Reason::kRejected, Rung::kRange, "The quick fox");
}

// It went where nobody looks, so it is not as if nothing had been done.
TEST_F(EditorTest, WriteIntoAnotherElementIsUnknownAndNotFailed) {
  Add("write_other_element");
  Expect(Apply(kBrown, {.allow_paste = false}), Outcome::kUnknown,
         Reason::kNotLanded, Rung::kRange, "The quick fox");
}

TEST_F(EditorTest, CaretThatCannotBePlacedCostsNoVerification) {
  world_.Mutable(field_)->selection_settable = false;
  Expect(Apply(kBrown), Outcome::kVerified, Reason::kNone, Rung::kRange,
         "The brown fox");
  EXPECT_EQ(world_.Find(field_)->caret, 13);
}

class RefusesInserts : public mock::Hostility {
 public:
  void AlterWrite(World&, const Message& message,
                  mock::Effect& effect) override {
    if (message.what != mock::Change::kInsert) return;
    effect.lands = false;
    effect.answer = absl::PermissionDeniedError("no");
  }
};

TEST_F(EditorTest,
       InsertThatIsRefusedAfterItsDeletionIsNeitherFailedNorRepeated) {
  server_.Add(std::make_unique<RefusesInserts>());
  const EditResult result =
      Apply(kBrown, {.allow_whole_value = true, .allow_keystrokes = true});
  Expect(result, Outcome::kDiverged, Reason::kPartial, Rung::kRange,
         "The  fox");
  EXPECT_EQ(result.attempts.size(), 1u);
  EXPECT_EQ(Keys(), 0);
}

// Answers writes as it is told to, and sends nothing.
class UnsendingServer : public mock::MockServer {
 public:
  UnsendingServer(World* world, SimulatedClock* clock, absl::Status answer)
      : MockServer(world, clock), answer_(std::move(answer)) {}
  WriteResult Write(const WriteRequest& request, absl::Time deadline) override {
    if (request.kind == WriteRequest::Kind::kSelect) {
      return MockServer::Write(request, deadline);
    }
    return {false, answer_};
  }

 private:
  const absl::Status answer_;
};

TEST_F(EditorTest, TextThatTheServerCannotCarryIsPasted) {
  UnsendingServer server(&world_, &clock_, absl::InvalidArgumentError("no"));
  Editor editor(&server, &input_);
  const EditResult result = editor.Apply(kBrown, {.deadline = In(3000 * kMs)});
  Expect(result, Outcome::kVerified, Reason::kNone, Rung::kPaste,
         "The brown fox");
  ASSERT_EQ(result.attempts.size(), 2u);
  EXPECT_EQ(result.attempts[0].outcome, Outcome::kRefused);
  EXPECT_EQ(result.attempts[0].reason, Reason::kBadText);
}

TEST_F(EditorTest, ServerThatFindsNothingToDoIsNoWay) {
  UnsendingServer server(&world_, &clock_, absl::OkStatus());
  Editor editor(&server, &input_);
  Expect(
      editor.Apply(kBrown, {.deadline = In(3000 * kMs), .allow_paste = false}),
      Outcome::kRefused, Reason::kNoWay, Rung::kRange, "The quick fox");
}

TEST_F(EditorTest, ReadOnlyFieldThatWouldSayYesIsNotAsked) {
  Add("write_readonly_true");
  Expect(Apply(kBrown), Outcome::kRefused, Reason::kReadOnly, Rung::kNone,
         "The quick fox");
  EXPECT_EQ(Writes(), 0);
  EXPECT_TRUE(input_.log().empty());
}

TEST_F(EditorTest, ElementThatIsReplacedByTheWriteIsFoundAgain) {
  Add("write_element_swapped");
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kVerified, Reason::kNone, Rung::kRange, "(none)");
  EXPECT_EQ(result.element, (Element{"app:100", "/text#1"}));
  EXPECT_EQ(Truth(result.element), "The brown fox");
  EXPECT_EQ(result.after, "The brown fox");
  EXPECT_EQ(Writes(), 3);
  EXPECT_EQ(Keys(), 0);
  EXPECT_EQ(editor_.undo()->element, result.element);
}

TEST_F(EditorTest, ElementThatIsReplacedInALongTextIsFoundInItsOwnWindow) {
  ASSERT_TRUE(world_.SetText(field_, std::string(300, 'a')).ok());
  ASSERT_TRUE(world_.MoveCaret(field_, 150).ok());
  Add("write_element_swapped");
  const EditResult result =
      Apply({.kind = Kind::kReplaceRange, .text = "x", .range = {170, 180}},
            {.max_text = 100});
  Expect(result, Outcome::kVerified, Reason::kNone, Rung::kRange, "(none)");
  EXPECT_EQ(Truth(result.element),
            std::string(170, 'a') + "x" + std::string(120, 'a'));
  EXPECT_EQ(Writes(), 3);
}

TEST_F(EditorTest, ElementThatIsReplacedAfterTheWriteIsFoundAgain) {
  Before(kSnapshot + 3,
         [&](World& world) { world.Replace(field_).IgnoreError(); });
  const EditResult result = Apply(kBrown);
  EXPECT_EQ(result.outcome, Outcome::kVerified) << result.message;
  EXPECT_EQ(Truth(result.element), "The brown fox");
}

TEST_F(EditorTest, ElementThatIsReplacedBeforeTheWriteIsNotWrittenToAgain) {
  Before(kSnapshot, [&](World& world) { world.Replace(field_).IgnoreError(); });
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kUnknown, Reason::kUnreadable, Rung::kRange,
         "(none)");
  EXPECT_EQ(Truth(*world_.Focused()), "The quick fox");
  EXPECT_EQ(Writes(), 3);
  EXPECT_EQ(Keys(), 0);
}

TEST_F(EditorTest, NextFieldThatHoldsTheTextAlreadyIsNotTakenForTheEdited) {
  for (const std::string text : {"", "The brown fox"}) {
    SCOPED_TRACE(text);
    const Element other = AddField(text);
    Add("write_ignored_true");
    server_.At(In(300 * kMs),
               [=](World& world) { world.Focus(other).IgnoreError(); });
    Expect(text.empty() ? Apply({.kind = Kind::kSetValue}) : Apply(kBrown),
           Outcome::kUnknown, Reason::kUnreadable,
           text.empty() ? Rung::kWholeValue : Rung::kRange, "The quick fox");
    EXPECT_EQ(Keys(), 0);
    ASSERT_TRUE(world_.Focus(field_).ok());
    ASSERT_TRUE(world_.Remove(other).ok());
  }
}

TEST_F(EditorTest, FieldThatClosesBeforeAnEmptyOneIsNotTakenForCleared) {
  const Element other = AddField("");
  Add("write_ignored_true");
  server_.At(In(300 * kMs), [=, this](World& world) {
    world.Focus(other).IgnoreError();
    world.Remove(field_).IgnoreError();
  });
  Expect(Apply({.kind = Kind::kSetValue}), Outcome::kUnknown,
         Reason::kUnreadable, Rung::kWholeValue, "(none)");
}

TEST_F(EditorTest, DeadlineThatCutsTheWaitIsUnknownAndNotFailed) {
  Add("write_late", {.parameter = 300});
  const EditResult result = Apply(kBrown, {.deadline = In(200 * kMs)});
  Expect(result, Outcome::kUnknown, Reason::kNoReply, Rung::kRange,
         "The quick fox");
  EXPECT_EQ(result.elapsed, 200 * kMs);
  EXPECT_EQ(Keys(), 0);
  world_.AdvanceTo(In(100 * kMs), clock_);
  EXPECT_EQ(Truth(), "The brown fox");
}

TEST_F(EditorTest, DeadlineThatCutsThePrefixesIsUnknownAndNotDiverged) {
  Add("write_prefixes", {.parameter = 400});
  const EditResult result = Apply(kBrown, {.deadline = In(200 * kMs)});
  Expect(result, Outcome::kUnknown, Reason::kPartial, Rung::kRange,
         "The brown fox");
  EXPECT_EQ(result.after, "The br fox");
  EXPECT_EQ(result.elapsed, 200 * kMs);
}

TEST_F(EditorTest, HungApplicationIsNoTimeAndNothingIsSent) {
  Add("hung");
  const EditResult result = Apply(kBrown, {.deadline = In(200 * kMs)});
  Expect(result, Outcome::kRefused, Reason::kNoTime, Rung::kNone,
         "The quick fox");
  EXPECT_EQ(result.elapsed, 200 * kMs);
  EXPECT_EQ(Writes(), 0);
}

TEST_F(EditorTest, NothingFocusedIsRefused) {
  ASSERT_TRUE(world_.Quit("app:100").ok());
  Expect(Apply(kBrown), Outcome::kRefused, Reason::kNoFocus, Rung::kNone,
         "(none)");
}

// The user meanwhile.

TEST_F(EditorTest, TokenOfAnEarlierTextRefusesBeforeAnythingIsSent) {
  const absl::StatusOr<Snapshot> then =
      SnapshotFocused(server_, {.deadline = In(kMs)});
  Edit edit = kBrown;
  edit.snapshot = *DecodeToken(then->token());
  ASSERT_TRUE(world_.Type(field_, "!").ok());
  Expect(Apply(edit), Outcome::kRefused, Reason::kTextChanged, Rung::kNone,
         "The quick fox!");
  EXPECT_EQ(Writes(), 0);
  EXPECT_TRUE(input_.log().empty());
}

TEST_F(EditorTest, TypingBetweenCheckAndWriteDivergesAndIsNotWrittenAgain) {
  Before(kSnapshot, [&](World& world) {
    world.MoveCaret(field_, 0).IgnoreError();
    world.Type(field_, "Oh! ").IgnoreError();
  });
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kDiverged, Reason::kOther, Rung::kRange,
         "Oh! brownuick fox");
  EXPECT_EQ(Writes(), 3);
  EXPECT_EQ(Keys(), 0);
  EXPECT_EQ(result.before, "The quick fox");
  EXPECT_EQ(result.after, Truth());
}

TEST_F(EditorTest, TypingBeforeTheReadBackDiverges) {
  Before(kSnapshot + 3,
         [&](World& world) { world.Type(field_, "?").IgnoreError(); });
  Expect(Apply(kBrown), Outcome::kDiverged, Reason::kOther, Rung::kRange,
         "The brown? fox");
}

// Secrets, and two fields at once.

TEST_F(EditorTest, SecureFieldIsRefusedBeforeAnythingIsSent) {
  for (const char* name : {"secure_role", "secure_subrole"}) {
    Add(name);
    const EditResult result =
        Apply(kBrown, {.allow_whole_value = true, .allow_keystrokes = true});
    Expect(result, Outcome::kRefused, Reason::kSecure, Rung::kNone,
           "The quick fox");
    EXPECT_EQ(result.before, std::nullopt);
  }
  EXPECT_EQ(Writes(), 0);
  EXPECT_TRUE(input_.log().empty());
  EXPECT_EQ(server_.TextSentToSecure(), 0);
}

TEST_F(EditorTest, DefunctSecureFieldWithTheKeyboardGetsNoKey) {
  AddDefunctSecret();
  Expect(Apply(kBrown, {.allow_keystrokes = true}), Outcome::kVerified,
         Reason::kNone, Rung::kRange, "The brown fox");
  TakesPastesAlone();
  Expect(Apply({.kind = Kind::kReplaceRange, .text = "red", .range = {4, 9}},
               {.allow_keystrokes = true}),
         Outcome::kRefused, Reason::kSecure, Rung::kNone, "The brown fox");
  EXPECT_TRUE(input_.log().empty());
  EXPECT_EQ(server_.TextSentToSecure(), 0);
}

TEST_F(EditorTest, EditThatFailedBesideASecureFieldGoesToTheNextRungButKeys) {
  AddDefunctSecret();
  server_.Add(std::make_unique<TakesWholeValuesAlone>());
  const EditResult result =
      Apply(kBrown, {.allow_whole_value = true, .allow_keystrokes = true});
  Expect(result, Outcome::kVerified, Reason::kNone, Rung::kWholeValue,
         "The brown fox");
  ASSERT_EQ(result.attempts.size(), 3u);
  EXPECT_EQ(result.attempts[1].rung, Rung::kPaste);
  EXPECT_EQ(result.attempts[1].reason, Reason::kSecure);
  EXPECT_TRUE(input_.log().empty());
}

TEST_F(EditorTest, SecureFieldThatTakesTheKeyboardAfterTheSelectionGetsNoKey) {
  TakesPastesAlone();
  Before(kSnapshot + 2, [this](World&) { AddDefunctSecret(); });
  Expect(Apply(kBrown), Outcome::kRefused, Reason::kSecure, Rung::kPaste,
         "The quick fox");
  EXPECT_EQ(Keys(), 0);
  EXPECT_EQ(input_.clipboard(), copied_);
  EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
  EXPECT_EQ(world_.Find(field_)->caret, 13);
}

TEST_F(EditorTest, AmbiguousFocusIsRefusedBeforeAnythingIsSent) {
  Add("two_fields_claim_focus");
  Expect(Apply(kBrown, {.allow_whole_value = true, .allow_keystrokes = true}),
         Outcome::kRefused, Reason::kAmbiguous, Rung::kNone, "The quick fox");
  EXPECT_EQ(Writes(), 0);
  EXPECT_TRUE(input_.log().empty());
}

// Whether a key went into what was selected there may not be read.
TEST_F(EditorTest, FieldThatTurnsSecureAfterTheSelectionIsUnknownAndLeftAlone) {
  TakesPastesAlone();
  // After the snapshot, the loan and the selection.
  Before(kSnapshot + 2,
         [&](World& world) { world.SetSecure(field_, true).IgnoreError(); });
  Expect(Apply(kBrown), Outcome::kUnknown, Reason::kSecure, Rung::kPaste,
         "The quick fox");
  EXPECT_EQ(Writes(), 1);
  EXPECT_EQ(Keys(), 0);
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(EditorTest, FieldThatTurnsSecureWhileItIsLeftIsNotSelectedInAgain) {
  TakesPastesAlone();
  const Element other = AddField("other");
  Before(kSnapshot + 2, [=, this](World& world) {
    world.SetSecure(field_, true).IgnoreError();
    world.Focus(other).IgnoreError();
  });
  Expect(Apply(kBrown), Outcome::kUnknown, Reason::kSecure, Rung::kPaste,
         "The quick fox");
  EXPECT_EQ(Writes(), 1);
  EXPECT_EQ(Keys(), 0);
}

// By the clipboard.

TEST_F(EditorTest, PasteSelectsChecksPastesAndReadsBack) {
  TakesPastesAlone();
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kVerified, Reason::kNone, Rung::kPaste,
         "The brown fox");
  // A snapshot, the selection, a snapshot; text and count after 0, 1, 3 and 7
  // ms, of a paste that takes 5.
  EXPECT_EQ(result.traffic.flights, 4 + 1 + 4 + 4);
  EXPECT_EQ(result.traffic.calls, kSnapshot + 1 + kSnapshot + 4 * 2);
  EXPECT_EQ(result.elapsed, 7 * kMs);
  EXPECT_EQ(Writes(), 1);
  EXPECT_EQ(Keys(), 1);
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(EditorTest, PasteAtTheCaretSelectsNothing) {
  TakesPastesAlone();
  Expect(Apply({.text = "!"}), Outcome::kVerified, Reason::kNone, Rung::kPaste,
         "The quick fox!");
  EXPECT_EQ(Writes(), 0);
}

TEST_F(EditorTest, PasteAtTheCaretLeavesTheUsersSelectionSelected) {
  TakesPastesAlone();
  ASSERT_TRUE(world_.Select(field_, {4, 9}).ok());
  Expect(Apply({.kind = Kind::kInsertAtCaret, .text = "!"}), Outcome::kVerified,
         Reason::kNone, Rung::kPaste, "The quick! fox");
  EXPECT_EQ(world_.Find(field_)->selection, (Range{4, 9}));
  // With the caret at its beginning it moves along.
  world_.Mutable(field_)->caret = 4;
  Expect(Apply({.kind = Kind::kInsertAtCaret, .text = "so "}),
         Outcome::kVerified, Reason::kNone, Rung::kPaste, "The so quick! fox");
  EXPECT_EQ(world_.Find(field_)->selection, (Range{7, 12}));
}

TEST_F(EditorTest, PasteAtTheCaretThatIsGivenUpLeavesTheSelectionSelected) {
  TakesPastesAlone();
  ASSERT_TRUE(world_.Select(field_, {4, 9}).ok());
  AddFault("press_fails");
  Expect(Apply({.kind = Kind::kInsertAtCaret, .text = "!"}), Outcome::kRefused,
         Reason::kNoWay, Rung::kPaste, "The quick fox");
  EXPECT_EQ(world_.Find(field_)->selection, (Range{4, 9}));
}

TEST_F(EditorTest, NothingInThePlaceOfARangeIsTheDeleteKey) {
  TakesPastesAlone();
  Expect(Apply({.kind = Kind::kReplaceRange, .text = "", .range = {3, 9}}),
         Outcome::kVerified, Reason::kNone, Rung::kPaste, "The fox");
  ASSERT_EQ(input_.log().size(), 1u);
  EXPECT_EQ(input_.log()[0].keys, PasteKeys::kDelete);
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(EditorTest, PasteIntoTheWindowOfALongText) {
  TakesPastesAlone();
  ASSERT_TRUE(world_.SetText(field_, std::string(300, 'a')).ok());
  ASSERT_TRUE(world_.MoveCaret(field_, 150).ok());
  Expect(Apply({.kind = Kind::kReplaceRange, .text = "x", .range = {170, 180}},
               {.max_text = 100}),
         Outcome::kVerified, Reason::kNone, Rung::kPaste,
         std::string(170, 'a') + "x" + std::string(120, 'a'));
}

TEST_F(EditorTest, TypingBeforeTheKeyIsRefusedAndNothingIsPasted) {
  TakesPastesAlone();
  Before(kSnapshot,
         [&](World& world) { world.Type(field_, "!").IgnoreError(); });
  Expect(Apply(kBrown), Outcome::kRefused, Reason::kTextChanged, Rung::kPaste,
         "The quick fox!");
  EXPECT_EQ(Keys(), 0);
  EXPECT_EQ(input_.clipboard(), copied_);
  // The selection that it set would have been lost to the next key.
  EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
}

// In a browser a selection takes a while, and a key may be shown before it.
TEST_F(EditorTest, SelectionThatComesAfterAKeyIsTakenBackAtTheCaret) {
  TakesPastesAlone();
  Before(kSnapshot + 2, [&](World& world) {
    world.MoveCaret(field_, 13).IgnoreError();
    world.Type(field_, "!").IgnoreError();
    world.MoveCaret(field_, 13).IgnoreError();
  });
  // The read has shown the text with its caret; then the selection comes.
  Before(2 * kSnapshot + 1,
         [&](World& world) { world.Select(field_, {4, 9}).IgnoreError(); });
  Expect(Apply(kBrown), Outcome::kRefused, Reason::kTextChanged, Rung::kPaste,
         "The quick fox!");
  EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
  EXPECT_EQ(world_.Find(field_)->caret, 13);
}

TEST_F(EditorTest, KeyThatReplacesOurSelectionIsDivergedAndNotRefused) {
  TakesPastesAlone();
  Before(kSnapshot + 2, [&](World& world) {
    EXPECT_EQ(world.Find(field_)->selection, (Range{4, 9}));
    world.Type(field_, "!").IgnoreError();
  });
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kDiverged, Reason::kTypedOver, Rung::kPaste,
         "The ! fox");
  EXPECT_EQ(result.before, "The quick fox");
  EXPECT_EQ(result.after, "The ! fox");
  EXPECT_EQ(Keys(), 0);
  EXPECT_EQ(input_.clipboard(), copied_);
}

// A browser shows late what it holds: by then the edit has been given up for a
// key that went elsewhere.
TEST_F(EditorTest, KeyThatReplacesOurSelectionAndIsShownLateIsDiverged) {
  TakesPastesAlone();
  Add("shows_late", {.parameter = 300});
  Before(kSnapshot, [&](World& world) {
    if (world.Find(field_)->text == U"The quick fox") {
      world.Type(field_, "?").IgnoreError();
    }
  });
  world_.At(In(290 * kMs), [field = field_](World& world) {
    EXPECT_EQ(world.Find(field)->selection, (Range{4, 9}));
    world.Type(field, "!").IgnoreError();
  });
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kDiverged, Reason::kTypedOver, Rung::kPaste,
         "The ! fox?");
  EXPECT_EQ(result.before, "The quick fox");
  EXPECT_EQ(result.after, "The ! fox?");
  EXPECT_EQ(Keys(), 0);
  EXPECT_EQ(input_.clipboard(), copied_);
  // What would be there, had the user been left alone.
  Expect(editor_.UndoLast({.deadline = In(absl::Seconds(3))}),
         Outcome::kVerified, Reason::kNone, Rung::kPaste, "The quick fox?!");
}

TEST_F(EditorTest, KeyThatIsShownAtTheUsersOwnPlaceIsRefused) {
  TakesPastesAlone();
  Add("shows_late", {.parameter = 300});
  Before(kSnapshot, [&](World& world) {
    if (world.Find(field_)->text == U"The quick fox") {
      world.Type(field_, "?").IgnoreError();
    }
  });
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kRefused, Reason::kTextChanged, Rung::kPaste,
         "The quick fox?");
  // When the key shows, and for as long as a key over the selection might take.
  EXPECT_GE(result.elapsed, 300 * kMs + 600 * kMs);
  EXPECT_LT(result.elapsed, 300 * kMs + 2 * 600 * kMs);
  EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
  EXPECT_EQ(world_.Find(field_)->caret, 14);
  EXPECT_FALSE(editor_.undo().has_value());
}

// A browser that is busy with keys lets the put-back wait, and what it shows.
TEST_F(EditorTest, SelectionThatGoesOnBeingShownIsUnknown) {
  TakesPastesAlone();
  Before(kSnapshot, [&](World& world) {
    if (world.Find(field_)->text == U"The quick fox") {
      world.Type(field_, "?").IgnoreError();
    }
  });
  Add("select_ignored", {.after = kSnapshot + 3});
  const EditResult result =
      editor_.Apply(kBrown, {.deadline = In(absl::Seconds(9))});
  Expect(result, Outcome::kUnknown, Reason::kTypedOver, Rung::kPaste,
         "The quick fox?");
  EXPECT_EQ(result.elapsed, 600 * kMs + 2000 * kMs);
  EXPECT_EQ(world_.Find(field_)->selection, (Range{4, 9}));
}

TEST_F(EditorTest, KeyThatReplacesOurSelectionInALongTextIsDiverged) {
  TakesPastesAlone();
  const std::string text =
      std::string(200, 'a') + "quick" + std::string(200, 'b');
  ASSERT_TRUE(world_.SetText(field_, text).ok());
  ASSERT_TRUE(world_.MoveCaret(field_, 180).ok());
  Before(kSnapshot + 2 + 4, [&](World& world) {
    ASSERT_EQ(world.Find(field_)->selection, (Range{200, 205}));
    world.Type(field_, "!").IgnoreError();
  });
  const EditOptions options = {.deadline = In(absl::Seconds(9)),
                               .max_text = 100};
  const EditResult result = editor_.Apply(
      {.kind = Kind::kReplaceText, .text = "brown", .old_text = "quick"},
      options);
  Expect(result, Outcome::kDiverged, Reason::kTypedOver, Rung::kPaste,
         std::string(200, 'a') + "!" + std::string(200, 'b'));
  EXPECT_EQ(result.after, std::string(70, 'a') + "!" + std::string(25, 'b'));
  Expect(editor_.UndoLast(options), Outcome::kVerified, Reason::kNone,
         Rung::kPaste,
         std::string(180, 'a') + "!" + std::string(20, 'a') + "quick" +
             std::string(200, 'b'));
}

TEST_F(EditorTest, KeyInFrontOfTheWindowOfALongTextIsRefused) {
  TakesPastesAlone();
  ASSERT_TRUE(world_
                  .SetText(field_, std::string(200, 'a') + "quick" +
                                       std::string(200, 'b'))
                  .ok());
  ASSERT_TRUE(world_.MoveCaret(field_, 180).ok());
  // What it selects has been shown by then.
  input_.HoldModifiers(In(100 * kMs));
  world_.At(In(50 * kMs), [field = field_](World& world) {
    world.MoveCaret(field, 10).IgnoreError();
    world.Type(field, "!").IgnoreError();
  });
  EXPECT_EQ(
      Apply({.kind = Kind::kReplaceText, .text = "brown", .old_text = "quick"},
            {.max_text = 100})
          .outcome,
      Outcome::kRefused);
  EXPECT_EQ(Truth(), std::string(10, 'a') + "!" + std::string(190, 'a') +
                         "quick" + std::string(200, 'b'));
  EXPECT_EQ(world_.Find(field_)->caret, 11);
}

TEST_F(EditorTest, DeadlineThatCutsTheWaitForALateKeyIsUnknown) {
  TakesPastesAlone();
  Before(kSnapshot,
         [&](World& world) { world.Type(field_, "!").IgnoreError(); });
  const EditResult result = Apply(kBrown, {.deadline = In(200 * kMs)});
  Expect(result, Outcome::kUnknown, Reason::kNoTime, Rung::kPaste,
         "The quick fox!");
  EXPECT_EQ(result.after, "The quick fox!");
  EXPECT_EQ(result.elapsed, 200 * kMs);
}

TEST_F(EditorTest, WhatTheUserSelectsMeanwhileStaysSelected) {
  TakesPastesAlone();
  Before(kSnapshot + 2,
         [&](World& world) { world.Select(field_, {0, 3}).IgnoreError(); });
  // Ours was never shown, so it cannot be told what was typed meanwhile.
  Expect(editor_.Apply(kBrown, {.deadline = In(absl::Seconds(9))}),
         Outcome::kUnknown, Reason::kSelectionNotSet, Rung::kPaste,
         "The quick fox");
  EXPECT_EQ(world_.Find(field_)->selection, (Range{0, 3}));
  EXPECT_EQ(Keys(), 0);
}

TEST_F(EditorTest, FocusThatMovesBeforeTheCheckIsRefusedAndSelectedAsBefore) {
  TakesPastesAlone();
  const Element other = AddField("other");
  Before(kSnapshot + 2,
         [=](World& world) { world.Focus(other).IgnoreError(); });
  Expect(Apply(kBrown), Outcome::kRefused, Reason::kStale, Rung::kPaste,
         "The quick fox");
  EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
  EXPECT_EQ(world_.Find(field_)->caret, 13);
  EXPECT_EQ(Keys(), 0);
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(EditorTest, SelectionIsPutBackAlsoWhenTheDeadlineHasPassed) {
  TakesPastesAlone();
  // From the second snapshot on, and until the deadline.
  Add("slow", {.parameter = 20, .after = kSnapshot + 2});
  const EditResult result = Apply(kBrown, {.deadline = In(120 * kMs)});
  // No time to see what became of a key that was pressed meanwhile.
  Expect(result, Outcome::kUnknown, Reason::kNoTime, Rung::kPaste,
         "The quick fox");
  EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
  EXPECT_LE(result.elapsed, 120 * kMs + 500 * kMs);
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(EditorTest, SelectionThatIsNeverShownIsUnknownAndNothingIsPasted) {
  TakesPastesAlone();
  Add("select_ignored");
  const EditResult result =
      editor_.Apply(kBrown, {.deadline = In(absl::Seconds(9))});
  Expect(result, Outcome::kUnknown, Reason::kSelectionNotSet, Rung::kPaste,
         "The quick fox");
  EXPECT_EQ(result.elapsed, 600 * kMs + 600 * kMs + 2000 * kMs);
  EXPECT_EQ(Keys(), 0);
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(EditorTest, SelectionThatIsAnErrorIsRefusedAndTakenBack) {
  TakesPastesAlone();
  for (const int64_t done : {0, 1}) {
    mock::MockServer server(&world_, &clock_);
    server.Add(*mock::MakeHostility("select_error", {.parameter = done}));
    const EditResult result =
        Editor(&server, &input_)
            .Apply(kBrown, {.deadline = In(absl::Seconds(3))});
    Expect(result, Outcome::kRefused, Reason::kSelectionNotSet, Rung::kPaste,
           "The quick fox");
    EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
    EXPECT_EQ(world_.Find(field_)->caret, 13);
  }
  EXPECT_EQ(Keys(), 0);
}

TEST_F(EditorTest, PasteThatHasBegunToArriveIsWaitedForToTheEnd) {
  TakesPastesAlone();
  AddFault("paste_truncated", 3);
  world_.At(In(1500 * kMs), [field = field_](World& world) {
    EXPECT_TRUE(world.ReplaceRange(field, {7, 7}, "wn").ok());
  });
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kVerified, Reason::kNone, Rung::kPaste,
         "The brown fox");
  EXPECT_EQ(Keys(), 1);
  EXPECT_EQ(input_.clipboard(), copied_);
}

// Says what is selected a little after it was told to select, and once that it
// cannot tell.
class SelectsLate : public mock::Hostility {
 public:
  explicit SelectsLate(SimulatedClock* clock) : clock_(*clock) {}

  void AlterWrite(World& world, const Message& message,
                  mock::Effect& effect) override {
    if (message.what != mock::Change::kSelect) return;
    effect.lands = false;
    effect.answer = absl::OkStatus();
    world.At(clock_.Now() + 3 * kMs,
             [element = effect.element, range = effect.range](World& later) {
               const absl::Status done =
                   range.empty() ? later.MoveCaret(element, range.begin)
                                 : later.Select(element, range);
               EXPECT_TRUE(done.ok());
             });
  }
  void AlterReading(World&, const Message& message, Reading& reading) override {
    if (message.attribute != Attribute::kSelection || told_) return;
    const absl::StatusOr<Range> range = Get<Range>(reading);
    if (!range.ok() || range->empty()) return;
    reading = absl::DataLossError("half a character");
    told_ = true;
  }

 private:
  SimulatedClock& clock_;
  bool told_ = false;
};

// The caret stands at the end of the range before, so it is moved away first;
// the keys must not come between that and the second selection.
TEST_F(EditorTest, SelectionThatShowsWhileTheCaretIsMovedAwayIsNotBelieved) {
  TakesPastesAlone();
  ASSERT_TRUE(world_.MoveCaret(field_, 9).ok());
  server_.Add(std::make_unique<SelectsLate>(&clock_));
  Expect(Apply(kBrown), Outcome::kVerified, Reason::kNone, Rung::kPaste,
         "The brown fox");
  EXPECT_EQ(Keys(), 1);
}

struct PasteCase {
  const char* fault;
  std::optional<int64_t> parameter;
  const char* text;
  Outcome outcome;
  Reason reason;
  const char* truth;
  absl::Duration elapsed;
  int keys;
};

class EditorPasteTest : public EditorTest,
                        public testing::WithParamInterface<PasteCase> {};

TEST_P(EditorPasteTest, OutcomeIsTheTruthAndTheClipboardIsAsItWas) {
  const PasteCase& c = GetParam();
  TakesPastesAlone();
  AddFault(c.fault, c.parameter);
  const EditResult result =
      Apply({.kind = Kind::kReplaceRange, .text = c.text, .range = {4, 9}});
  Expect(result, c.outcome, c.reason, Rung::kPaste, c.truth);
  EXPECT_EQ(result.elapsed, c.elapsed);
  EXPECT_EQ(Keys(), c.keys);
  EXPECT_EQ(input_.clipboard(), copied_);
  if (c.keys == 0) {
    EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
    EXPECT_EQ(world_.Find(field_)->caret, 13);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Every, EditorPasteTest,
    testing::Values(PasteCase{"paste_never",
                              {},
                              "brown",
                              Outcome::kUnknown,
                              Reason::kNotConsumed,
                              "The quick fox",
                              2000 * kMs,
                              1},
                    PasteCase{"paste_late", 300, "brown", Outcome::kVerified,
                              Reason::kNone, "The brown fox", 303 * kMs, 1},
                    PasteCase{"paste_truncated", 3, "brown", Outcome::kDiverged,
                              Reason::kPartial, "The bro fox", 2000 * kMs, 1},
                    PasteCase{"paste_twice",
                              {},
                              "brown",
                              Outcome::kDiverged,
                              Reason::kOther,
                              "The brownbrown fox",
                              111 * kMs,
                              1},
                    PasteCase{"paste_strips_newlines",
                              {},
                              "a\nb",
                              Outcome::kDiverged,
                              Reason::kOther,
                              "The ab fox",
                              111 * kMs,
                              1},
                    // It went into another field.
                    PasteCase{"focus_moves_before_paste",
                              {},
                              "brown",
                              Outcome::kUnknown,
                              Reason::kUnreadable,
                              "The quick fox",
                              607 * kMs,
                              1},
                    PasteCase{"press_fails",
                              {},
                              "brown",
                              Outcome::kRefused,
                              Reason::kNoWay,
                              "The quick fox",
                              600 * kMs,
                              0},
                    PasteCase{"clipboard_too_large",
                              {},
                              "brown",
                              Outcome::kRefused,
                              Reason::kClipboard,
                              "The quick fox",
                              absl::ZeroDuration(),
                              0},
                    PasteCase{"clipboard_owner_hangs",
                              {},
                              "brown",
                              Outcome::kRefused,
                              Reason::kClipboard,
                              "The quick fox",
                              500 * kMs,
                              0}),
    [](const testing::TestParamInfo<PasteCase>& info) {
      return std::string(info.param.fault);
    });

TEST_F(EditorTest, ClipboardThatIsStolenIsPastedAndLeftToTheThief) {
  TakesPastesAlone();
  AddFault("clipboard_stolen");
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kDiverged, Reason::kOther, Rung::kPaste,
         "The another's fox");
  EXPECT_TRUE(absl::StrContains(result.message,
                                "the clipboard was not restored: another"))
      << result.message;
  EXPECT_EQ(input_.clipboard(),
            (mock::Clipboard{{"UTF8_STRING", "another's"}}));
}

TEST_F(EditorTest, PasteThatComesAfterTheWaitFindsTheClipboardGivenBack) {
  TakesPastesAlone();
  AddFault("paste_late", 2500);
  Expect(Apply(kBrown), Outcome::kUnknown, Reason::kNotConsumed, Rung::kPaste,
         "The quick fox");
  EXPECT_EQ(input_.clipboard(), copied_);
  world_.AdvanceTo(In(absl::Seconds(1)), clock_);
  EXPECT_EQ(Truth(), "The old fox");
}

TEST_F(EditorTest, DeadlineThatCutsThePasteGivesTheClipboardBack) {
  TakesPastesAlone();
  AddFault("paste_late", 300);
  const EditResult result = Apply(kBrown, {.deadline = In(100 * kMs)});
  EXPECT_EQ(result.outcome, Outcome::kUnknown);
  EXPECT_EQ(result.elapsed, 100 * kMs);
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(EditorTest, KeysThatTheUserHoldsAreWaitedForAndTheFieldIsCheckedAnew) {
  TakesPastesAlone();
  input_.HoldModifiers(In(50 * kMs));
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kVerified, Reason::kNone, Rung::kPaste,
         "The brown fox");
  EXPECT_EQ(result.elapsed, 50 * kMs + 7 * kMs);
  EXPECT_EQ(result.traffic.flights, 4 + 1 + 3 * 4 + 4);
  EXPECT_EQ(Keys(), 1);
}

TEST_F(EditorTest, KeysThatTheUserHoldsOnAreRefused) {
  TakesPastesAlone();
  input_.HoldModifiers(In(absl::Hours(1)));
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kRefused, Reason::kNoWay, Rung::kPaste,
         "The quick fox");
  EXPECT_EQ(result.elapsed, absl::Seconds(1) + 600 * kMs);
  EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(EditorTest, FocusThatMovesWhileTheUserHoldsKeysIsRefused) {
  TakesPastesAlone();
  const Element other = AddField("other");
  input_.HoldModifiers(In(300 * kMs));
  server_.At(In(100 * kMs),
             [=](World& world) { world.Focus(other).IgnoreError(); });
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kRefused, Reason::kStale, Rung::kPaste,
         "The quick fox");
  EXPECT_EQ(result.elapsed, 100 * kMs + 600 * kMs);
  EXPECT_EQ(Truth(other), "other");
  EXPECT_EQ(Keys(), 0);
  EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
}

TEST_F(EditorTest, TerminalIsPastedIntoWithItsOwnKeys) {
  MakeTerminal();
  ASSERT_TRUE(world_.SetText(field_, "$ ").ok());
  Expect(Apply({.text = "ls"}), Outcome::kVerified, Reason::kNone, Rung::kPaste,
         "$ ls");
  ASSERT_EQ(input_.log().size(), 3u);  // lend, press, give back
  EXPECT_EQ(input_.log()[1].keys, PasteKeys::kCtrlShiftV);
  EXPECT_EQ(input_.clipboard(), copied_);
}

// All of it arrived, in two lines of the screen.
TEST_F(EditorTest, PasteThatATerminalShowsOtherwiseIsUnknownAndNotDiverged) {
  MakeTerminal();
  ASSERT_TRUE(world_.SetText(field_, "$ ").ok());
  server_.BetweenMessages([&](World& world, int) {
    if (world.Find(field_)->text != U"$ ls") return;
    world.SetText(field_, "$ l\ns").IgnoreError();
  });
  const EditResult result = Apply({.text = "ls"});
  Expect(result, Outcome::kUnknown, Reason::kUnreadable, Rung::kPaste,
         "$ l\ns");
  EXPECT_EQ(result.after, "$ l\ns");
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(EditorTest, TextOfATerminalIsNotReplaced) {
  MakeTerminal();
  Expect(Apply(kBrown), Outcome::kRefused, Reason::kNoWay, Rung::kPaste,
         "The quick fox");
  EXPECT_EQ(Writes(), 0);
  EXPECT_TRUE(input_.log().empty());
}

TEST_F(EditorTest, WithoutADisplayNothingIsPasted) {
  TakesPastesAlone();
  Expect(Editor(&server_, nullptr).Apply(kBrown, {.deadline = In(kMs)}),
         Outcome::kRefused, Reason::kNoWay, Rung::kPaste, "The quick fox");
  EXPECT_EQ(Writes(), 0);
}

// From one way to the next.

TEST_F(EditorTest, PasteIsTriedWhereTheFieldIsProvedToHoldWhatItHeld) {
  Add("write_ignored_true");
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kVerified, Reason::kNone, Rung::kPaste,
         "The brown fox");
  ASSERT_EQ(result.attempts.size(), 2u);
  EXPECT_EQ(result.attempts[0].rung, Rung::kRange);
  EXPECT_EQ(result.attempts[0].outcome, Outcome::kUnknown);
  EXPECT_EQ(result.attempts[0].reason, Reason::kNotLanded);
  EXPECT_EQ(result.attempts[1].outcome, Outcome::kVerified);
  EXPECT_EQ(result.elapsed, 607 * kMs);
}

TEST_F(EditorTest, SecondWayEditsWhatTheFirstCheckSaw) {
  Add("write_ignored_true");
  server_.At(In(300 * kMs),
             [&](World& world) { world.MoveCaret(field_, 0).IgnoreError(); });
  Expect(Apply({.text = "!"}), Outcome::kVerified, Reason::kNone, Rung::kPaste,
         "The quick fox!");
}

TEST_F(EditorTest, TypingBeforeTheSecondWayLeavesItUnknown) {
  Add("write_ignored_true");
  // 42 looks in 600 ms, and a snapshot that finds the focus where it was.
  Before(kSnapshot + 3 + 42 * 2 + kSnapshot,
         [&](World& world) { world.Type(field_, "!").IgnoreError(); });
  const EditResult result = Apply(kBrown);
  Expect(result, Outcome::kUnknown, Reason::kNotLanded, Rung::kRange,
         "The quick fox!");
  EXPECT_EQ(result.attempts.size(), 1u);
  EXPECT_EQ(Keys(), 0);
}

TEST_F(EditorTest, WholeValueIsWrittenOnlyWhereItIsAllowed) {
  server_.Add(std::make_unique<TakesWholeValuesAlone>());
  Expect(Apply(kBrown, {.allow_paste = false}), Outcome::kUnknown,
         Reason::kNotLanded, Rung::kRange, "The quick fox");
  const EditResult result =
      Apply(kBrown, {.allow_paste = false, .allow_whole_value = true});
  Expect(result, Outcome::kVerified, Reason::kNone, Rung::kWholeValue,
         "The brown fox");
  EXPECT_EQ(result.attempts.size(), 2u);
}

TEST_F(EditorTest, KeysAreTypedOnlyWhereTheyAreAllowed) {
  TakesPastesAlone();
  AddFault("clipboard_too_large");
  Expect(Apply(kBrown), Outcome::kRefused, Reason::kClipboard, Rung::kPaste,
         "The quick fox");
  const EditResult result = Apply(kBrown, {.allow_keystrokes = true});
  Expect(result, Outcome::kVerified, Reason::kNone, Rung::kKeystrokes,
         "The brown fox");
  EXPECT_EQ(result.attempts.size(), 2u);
  EXPECT_EQ(result.elapsed, 5 * kMs);
}

TEST_F(EditorTest, KeysAreTypedWhereTheKeyboardCannotPaste) {
  TakesPastesAlone();
  AddFault("press_fails");
  Expect(Apply(kBrown, {.allow_keystrokes = true}), Outcome::kVerified,
         Reason::kNone, Rung::kKeystrokes, "The brown fox");
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(EditorTest, FieldThatTurnsSecureBetweenTwoWaysIsLeftAlone) {
  TakesPastesAlone();
  AddFault("clipboard_too_large");
  Before(kSnapshot + 1,
         [&](World& world) { world.SetSecure(field_, true).IgnoreError(); });
  Expect(Apply(kBrown, {.allow_keystrokes = true}), Outcome::kRefused,
         Reason::kSecure, Rung::kKeystrokes, "The quick fox");
  EXPECT_EQ(Writes(), 0);
  EXPECT_EQ(Keys(), 0);
}

TEST_F(EditorTest, WhatCannotBeTypedIsRefusedAndSelectedAsBefore) {
  TakesPastesAlone();
  for (const std::string text : {"\u00e9", "a\tb"}) {
    Expect(Apply({.kind = Kind::kReplaceRange, .text = text, .range = {4, 9}},
                 {.allow_paste = false, .allow_keystrokes = true}),
           Outcome::kRefused, Reason::kNoWay, Rung::kKeystrokes,
           "The quick fox");
    EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
  }
  EXPECT_EQ(Keys(), 0);
}

TEST_F(EditorTest, KeysThatGoWrongDivergeAndAreNotTypedAgain) {
  TakesPastesAlone();
  const struct {
    const char* fault;
    const char* truth;
  } cases[] = {{"type_first_key_dropped", "The rystal fox"},
               {"type_wrong_layout", "The crzstal fox"}};
  for (const auto& c : cases) {
    ASSERT_TRUE(world_.SetText(field_, "The quick fox").ok());
    mock::MockInput input(&world_, &clock_, &server_);
    ASSERT_TRUE(input.Add({c.fault, {}}).ok());
    Expect(Editor(&server_, &input)
               .Apply({.kind = Kind::kReplaceRange,
                       .text = "crystal",
                       .range = {4, 9}},
                      {.deadline = In(absl::Seconds(3)),
                       .allow_paste = false,
                       .allow_keystrokes = true}),
           Outcome::kDiverged, Reason::kOther, Rung::kKeystrokes, c.truth);
    EXPECT_EQ(input.log().size(), 1u);
  }
}

TEST_F(EditorTest, KeyboardThatCannotTypeIsRefused) {
  TakesPastesAlone();
  AddFault("type_fails");
  Expect(Apply(kBrown, {.allow_paste = false, .allow_keystrokes = true}),
         Outcome::kRefused, Reason::kNoWay, Rung::kKeystrokes, "The quick fox");
  EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
}

TEST_F(EditorTest, DeadlineThatCutsTheKeysIsUnknown) {
  TakesPastesAlone();
  const EditResult result = Apply(kBrown, {.deadline = In(3 * kMs),
                                           .allow_paste = false,
                                           .allow_keystrokes = true});
  Expect(result, Outcome::kUnknown, Reason::kPartial, Rung::kKeystrokes,
         "The bro fox");
  EXPECT_EQ(result.elapsed, 3 * kMs);
}

TEST_F(EditorTest, NoWayThatIsAllowedIsRefused) {
  TakesPastesAlone();
  Expect(Apply(kBrown, {.allow_paste = false, .allow_whole_value = true}),
         Outcome::kRefused, Reason::kNoWay, Rung::kNone, "The quick fox");
  EXPECT_EQ(Writes(), 0);
}

TEST_F(EditorTest, ClipboardIsAsItWasAfterEveryFaultUnlessItWasStolen) {
  for (const mock::InputFaultKind& kind : mock::AllInputFaults()) {
    SCOPED_TRACE(std::string(kind.name));
    World world(mock::EditorDesktop("The quick fox"));
    mock::MockServer server(&world, &clock_);
    mock::MockInput input(&world, &clock_, &server);
    world.Mutable(field_)->value_settable = false;
    input.TakeClipboard(copied_);
    ASSERT_TRUE(input.Add({std::string(kind.name), {}}).ok());
    Editor(&server, &input)
        .Apply(kBrown,
               {.deadline = In(absl::Seconds(5)), .allow_keystrokes = true});
    EXPECT_EQ(input.clipboard() == copied_,
              kind.fault != mock::InputFault::kClipboardStolen);
  }
}

// Taking it back.

TEST_F(EditorTest, UndoRestoresTheTextExactly) {
  ASSERT_TRUE(
      world_.SetText(field_, "a\U0001F468\u200D\U0001F469\u05D0z").ok());
  ASSERT_EQ(
      Apply({.kind = Kind::kReplaceRange, .text = "\u4E2D", .range = {1, 4}})
          .outcome,
      Outcome::kVerified);
  EXPECT_EQ(Truth(), "a\u4E2D\u05D0z");
  EXPECT_EQ(*editor_.undo(),
            (UndoRecord{world_.FindProgram("app:100")->application,
                        field_,
                        {1, 2},
                        "\U0001F468\u200D\U0001F469",
                        0,
                        "a\u4E2D\u05D0z"}));
  Expect(Undo(), Outcome::kVerified, Reason::kNone, Rung::kRange,
         "a\U0001F468\u200D\U0001F469\u05D0z");
  Expect(Undo(), Outcome::kRefused, Reason::kNothingToUndo, Rung::kNone,
         "a\U0001F468\u200D\U0001F469\u05D0z");
}

TEST_F(EditorTest, UndoInALongTextComparesWhatBothWindowsShow) {
  const std::string text = std::string(200, 'a') + "b" + std::string(200, 'a');
  ASSERT_TRUE(world_.SetText(field_, text).ok());
  ASSERT_TRUE(world_.MoveCaret(field_, 180).ok());
  const Edit edit = {
      .kind = Kind::kReplaceText, .text = "12345", .old_text = "b"};
  const EditOptions options = {.deadline = In(absl::Seconds(3)),
                               .max_text = 100};
  ASSERT_EQ(Apply(edit, options).outcome, Outcome::kVerified);
  Expect(editor_.UndoLast(options), Outcome::kVerified, Reason::kNone,
         Rung::kRange, text);

  // Where all has moved along, the text of the window can be the same and the
  // place is another.
  ASSERT_TRUE(world_.MoveCaret(field_, 180).ok());
  ASSERT_EQ(Apply(edit, options).outcome, Outcome::kVerified);
  ASSERT_TRUE(world_.ReplaceRange(field_, {0, 25}, "").ok());
  const std::string moved = Truth();
  Expect(editor_.UndoLast(options), Outcome::kRefused, Reason::kTextChanged,
         Rung::kNone, moved);
}

TEST_F(EditorTest, UndoOfAPasteIsAPasteOfItsOwn) {
  TakesPastesAlone();
  ASSERT_EQ(Apply(kBrown).outcome, Outcome::kVerified);
  Expect(Undo(), Outcome::kVerified, Reason::kNone, Rung::kPaste,
         "The quick fox");
  EXPECT_EQ(input_.clipboard(), copied_);
}

TEST_F(EditorTest, UndoAfterTheUserTypedIsRefusedAndKept) {
  ASSERT_EQ(Apply(kBrown).outcome, Outcome::kVerified);
  ASSERT_TRUE(world_.Type(field_, "!").ok());
  Expect(Undo(), Outcome::kRefused, Reason::kTextChanged, Rung::kNone,
         "The brown! fox");
  ASSERT_TRUE(world_.SetText(field_, "The brown fox").ok());
  Expect(Undo(), Outcome::kVerified, Reason::kNone, Rung::kRange,
         "The quick fox");
}

TEST_F(EditorTest, UndoInAnotherFieldIsRefused) {
  ASSERT_EQ(Apply(kBrown).outcome, Outcome::kVerified);
  const Element other = AddField("The brown fox");
  ASSERT_TRUE(world_.Focus(other).ok());
  Expect(Undo(), Outcome::kRefused, Reason::kStale, Rung::kNone,
         "The brown fox");
  EXPECT_EQ(Truth(other), "The brown fox");
}

TEST_F(EditorTest, OnlyVerifiedEditsAreKeptForUndo) {
  ASSERT_EQ(Apply(kBrown).outcome, Outcome::kVerified);
  const std::optional<UndoRecord> kept = editor_.undo();
  Add("write_autocorrect");
  ASSERT_EQ(Apply(kLonger).outcome, Outcome::kDiverged);
  EXPECT_EQ(editor_.undo(), kept);
}

TEST_F(EditorTest, UndoThatWasKeptElsewhereIsDoneByAnotherEditor) {
  ASSERT_EQ(Apply(kBrown).outcome, Outcome::kVerified);
  Editor other(&server_, &input_);
  EXPECT_EQ(other.UndoLast({.deadline = In(kMs)}).reason,
            Reason::kNothingToUndo);
  other.set_undo(editor_.undo());
  Expect(other.UndoLast({.deadline = In(kMs)}), Outcome::kVerified,
         Reason::kNone, Rung::kRange, "The quick fox");
  EXPECT_FALSE(other.undo().has_value());
}

}  // namespace
}  // namespace tactus::ax
