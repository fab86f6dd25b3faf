#include "tools/tactus/edit.h"

#include <stdlib.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/input/input.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/hostility.h"
#include "ax/mock/mock_input.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/snapshot/token.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/undo_store.h"

namespace tactus::cli {
namespace {

using Command = Arguments::Command;
using Kind = ax::Edit::Kind;

Arguments Of(Command command, EditArguments edit = {}) {
  Arguments arguments;
  arguments.command = command;
  arguments.edit = std::move(edit);
  return arguments;
}

ax::Edit Make(const Arguments& arguments) {
  const absl::StatusOr<ax::Edit> edit =
      MakeEdit(arguments, []() -> absl::StatusOr<std::string> {
        ADD_FAILURE() << "standard input was read";
        return "";
      });
  EXPECT_TRUE(edit.ok()) << edit.status();
  return edit.value_or(ax::Edit());
}

// The text of an edit for which standard input holds `input`.
std::string TextOf(const std::string& input) {
  int reads = 0;
  const absl::StatusOr<ax::Edit> edit =
      MakeEdit(Of(Command::kInsert), [&]() -> absl::StatusOr<std::string> {
        ++reads;
        return input;
      });
  EXPECT_EQ(reads, 1);
  EXPECT_TRUE(edit.ok()) << edit.status();
  return edit.ok() ? edit->text : "";
}

TEST(MakeEditTest, EachCommandHasItsKind) {
  EXPECT_EQ(Make(Of(Command::kReplace, {.text = "a"})).kind,
            Kind::kReplaceSelection);
  EXPECT_EQ(Make(Of(Command::kInsert, {.text = "a"})).kind,
            Kind::kInsertAtCaret);
  EXPECT_EQ(Make(Of(Command::kSet, {.text = "a"})).kind, Kind::kSetValue);
}

TEST(MakeEditTest, RangeIsWhatIsReplaced) {
  const ax::Edit edit =
      Make(Of(Command::kReplace, {.text = "a", .range = ax::Range{1, 3}}));
  EXPECT_EQ(edit.kind, Kind::kReplaceRange);
  EXPECT_EQ(edit.range, (ax::Range{1, 3}));
  EXPECT_EQ(edit.text, "a");
}

TEST(MakeEditTest, OldTextIsWhatIsReplaced) {
  const ax::Edit edit =
      Make(Of(Command::kReplace, {.text = "the", .old_text = "teh"}));
  EXPECT_EQ(edit.kind, Kind::kReplaceText);
  EXPECT_EQ(edit.old_text, "teh");
  EXPECT_EQ(edit.text, "the");
}

TEST(MakeEditTest, NothingIsCheckedOrAllowedThatWasNotAskedFor) {
  const ax::Edit edit = Make(Of(Command::kReplace, {.text = "a"}));
  EXPECT_EQ(edit.snapshot, std::nullopt);
  EXPECT_EQ(edit.expect, std::nullopt);
  EXPECT_FALSE(edit.allow_newlines);
  EXPECT_FALSE(edit.allow_split_characters);
}

TEST(MakeEditTest, WhatIsCheckedAndAllowedIsPassedOn) {
  ax::SnapshotToken token;
  token.application = ":1.7";
  token.caret = 3;
  const ax::Edit by_token =
      Make(Of(Command::kSet, {.text = "a", .snapshot = token}));
  EXPECT_EQ(by_token.snapshot, token);
  EXPECT_EQ(by_token.expect, std::nullopt);
  const ax::Edit by_text =
      Make(Of(Command::kSet, {.text = "a", .expect = "old", .newlines = true}));
  EXPECT_EQ(by_text.expect, "old");
  EXPECT_EQ(by_text.snapshot, std::nullopt);
  EXPECT_TRUE(by_text.allow_newlines);
  EXPECT_FALSE(by_text.allow_split_characters);
  EXPECT_TRUE(Make(Of(Command::kSet, {.text = "a", .split_characters = true}))
                  .allow_split_characters);
}

TEST(MakeEditTest, TextOfAnArgumentIsTakenAsItIs) {
  EXPECT_EQ(Make(Of(Command::kInsert, {.text = "a\n"})).text, "a\n");
  EXPECT_EQ(Make(Of(Command::kInsert, {.text = ""})).text, "");
}

TEST(MakeEditTest, OneNewlineAtTheEndOfStandardInputIsLeftOutAndOnlyOne) {
  EXPECT_EQ(TextOf("text\n"), "text");
  EXPECT_EQ(TextOf("text"), "text");
  EXPECT_EQ(TextOf("two\n\n"), "two\n");
  EXPECT_EQ(TextOf("\n"), "");
  EXPECT_EQ(TextOf(""), "");
  EXPECT_EQ(TextOf("a\nb\r\n"), "a\nb\r");
  EXPECT_EQ(TextOf(std::string("\0\n", 2)), std::string("\0", 1));
}

TEST(MakeEditTest, StandardInputThatCannotBeReadMakesNoEdit) {
  const absl::StatusOr<ax::Edit> edit =
      MakeEdit(Of(Command::kInsert), []() -> absl::StatusOr<std::string> {
        return absl::DataLossError("cannot read standard input");
      });
  EXPECT_EQ(edit.status(), absl::DataLossError("cannot read standard input"));
}

TEST(OptionsOfTest, EachOptionIsPassedOn) {
  Arguments arguments = Of(Command::kReplace);
  arguments.max_text = 7;
  const absl::Time deadline = absl::FromUnixSeconds(1);
  const ax::EditOptions plain = OptionsOf(arguments, deadline);
  EXPECT_EQ(plain.deadline, deadline);
  EXPECT_EQ(plain.max_text, 7);
  EXPECT_TRUE(plain.allow_paste);
  EXPECT_FALSE(plain.allow_whole_value);
  EXPECT_FALSE(plain.allow_keystrokes);

  arguments.edit = {.paste = false};
  EXPECT_FALSE(OptionsOf(arguments, deadline).allow_paste);
  arguments.edit = {.whole_value = true};
  EXPECT_TRUE(OptionsOf(arguments, deadline).allow_whole_value);
  EXPECT_FALSE(OptionsOf(arguments, deadline).allow_keystrokes);
  arguments.edit = {.keystrokes = true};
  EXPECT_TRUE(OptionsOf(arguments, deadline).allow_keystrokes);
}

// An editor that holds "The quick fox", and a folder of its own.
class RunEditTest : public testing::Test {
 protected:
  RunEditTest()
      : world_(ax::mock::EditorDesktop("The quick fox")),
        server_(&world_, &clock_) {}

  static std::string NewFolder() {
    std::string path = testing::TempDir() + "/edit.XXXXXX";
    EXPECT_NE(mkdtemp(path.data()), nullptr);
    return path;
  }

  void Add(const char* hostility) {
    absl::StatusOr<std::unique_ptr<ax::mock::Hostility>> made =
        ax::mock::MakeHostility(hostility, {});
    ASSERT_TRUE(made.ok()) << made.status();
    server_.Add(*std::move(made));
  }

  ax::EditResult Run(const ax::Edit* edit) {
    note_.clear();
    // A process of its own, that knows of no edit.
    ax::Editor editor(&server_, nullptr);
    return RunEdit(editor, edit, {.deadline = clock_.Now() + absl::Seconds(5)},
                   store_, &note_);
  }
  ax::EditResult Replace(const std::string& text) {
    const ax::Edit edit = {
        .kind = Kind::kReplaceRange, .text = text, .range = {4, 9}};
    return Run(&edit);
  }
  ax::EditResult Undo() { return Run(nullptr); }
  std::string Held() {
    return ax::mock::EncodeUtf8(world_.Find({"app:100", "/text"})->text);
  }
  // What an undo would put back.
  std::string Kept() {
    const absl::StatusOr<ax::UndoRecord> undo = store_.Load();
    return undo.ok() ? undo->text : undo.status().ToString();
  }

  ax::SimulatedClock clock_;
  ax::mock::World world_;
  ax::mock::MockServer server_;
  const UndoStore store_{NewFolder()};
  std::string note_;
};

TEST_F(RunEditTest, VerifiedEditIsKeptAndAnotherProcessTakesItBack) {
  EXPECT_EQ(Replace("slow").outcome, ax::Outcome::kVerified);
  EXPECT_EQ(Held(), "The slow fox");
  ASSERT_TRUE(store_.Load().ok());
  EXPECT_EQ(Kept(), "quick");
  EXPECT_EQ(store_.Load()->expected, "The slow fox");

  EXPECT_EQ(Undo().outcome, ax::Outcome::kVerified);
  EXPECT_EQ(Held(), "The quick fox");
  EXPECT_EQ(note_, "");
  EXPECT_TRUE(absl::IsNotFound(store_.Load().status()));
  const ax::EditResult again = Undo();
  EXPECT_EQ(again.outcome, ax::Outcome::kRefused);
  EXPECT_EQ(again.reason, ax::Reason::kNothingToUndo);
  EXPECT_EQ(Held(), "The quick fox");
}

TEST_F(RunEditTest, RefusedEditLeavesTheOneBeforeItToBeTakenBack) {
  Replace("slow");
  const ax::Edit beyond = {
      .kind = Kind::kReplaceRange, .text = "x", .range = {4, 99}};
  EXPECT_EQ(Run(&beyond).outcome, ax::Outcome::kRefused);
  EXPECT_EQ(Kept(), "quick");
  EXPECT_EQ(Undo().outcome, ax::Outcome::kVerified);
  EXPECT_EQ(Held(), "The quick fox");
}

TEST_F(RunEditTest, EditThatDidNotLandLeavesTheOneBeforeItToBeTakenBack) {
  Replace("slow");
  Add("write_ignored_true");
  EXPECT_EQ(Replace("brown").reason, ax::Reason::kNotLanded);
  EXPECT_EQ(Held(), "The slow fox");
  EXPECT_EQ(Kept(), "quick");
}

TEST_F(RunEditTest, DivergedEditLeavesNothingToBeTakenBack) {
  Replace("slow");
  Add("write_autocorrect");
  EXPECT_EQ(Replace("brown").outcome, ax::Outcome::kDiverged);
  EXPECT_EQ(note_, "");
  EXPECT_TRUE(absl::IsNotFound(store_.Load().status()));
}

TEST_F(RunEditTest, UnknownEditLeavesNothingToBeTakenBack) {
  Replace("slow");
  Add("write_no_reply_ignored");
  const ax::EditResult result = Replace("brown");
  EXPECT_EQ(result.outcome, ax::Outcome::kUnknown);
  EXPECT_TRUE(absl::IsNotFound(store_.Load().status()));
}

TEST_F(RunEditTest, UndoOfAFieldThatWasChangedSinceIsRefusedAndStaysPossible) {
  Replace("slow");
  ASSERT_TRUE(world_.Type({"app:100", "/text"}, "!").ok());
  const ax::EditResult undo = Undo();
  EXPECT_EQ(undo.outcome, ax::Outcome::kRefused);
  EXPECT_EQ(undo.reason, ax::Reason::kTextChanged);
  EXPECT_EQ(Kept(), "quick");
}

TEST_F(RunEditTest, UndoThatDivergedCannotBeTriedAgain) {
  Replace("slow");
  Add("write_autocorrect");
  EXPECT_EQ(Undo().outcome, ax::Outcome::kDiverged);
  EXPECT_TRUE(absl::IsNotFound(store_.Load().status()));
}

TEST_F(RunEditTest, EditThatCannotBeKeptStandsAndSaysSo) {
  const UndoStore nowhere("");
  const ax::Edit edit = {
      .kind = Kind::kReplaceRange, .text = "slow", .range = {4, 9}};
  ax::Editor editor(&server_, nullptr);
  const ax::EditResult result =
      RunEdit(editor, &edit, {.deadline = clock_.Now() + absl::Seconds(5)},
              nowhere, &note_);
  EXPECT_EQ(result.outcome, ax::Outcome::kVerified);
  EXPECT_EQ(note_,
            "the edit cannot be undone later: XDG_RUNTIME_DIR is not set");
  EXPECT_EQ(Held(), "The slow fox");
}

class LateInputTest : public testing::Test {
 protected:
  LateInputTest()
      : world_(ax::mock::EditorDesktop("")),
        late_(&clock_,
              [this](absl::Time deadline)
                  -> absl::StatusOr<std::unique_ptr<ax::Input>> {
                ++opened_;
                deadline_ = deadline;
                if (!error_.ok()) return error_;
                return std::make_unique<ax::mock::MockInput>(&world_, &clock_);
              }) {}

  ax::SimulatedClock clock_;
  ax::mock::World world_;
  int opened_ = 0;
  absl::Time deadline_;
  absl::Status error_;
  LateInput late_;
};

TEST_F(LateInputTest, IsOpenedAtTheFirstUseAndOnlyOnce) {
  EXPECT_EQ(&late_.clock(), &clock_);
  EXPECT_EQ(opened_, 0);
  const absl::Time deadline = clock_.Now() + absl::Seconds(1);
  EXPECT_TRUE(late_.Type("a", deadline).ok());
  EXPECT_EQ(opened_, 1);
  EXPECT_EQ(deadline_, deadline);
  EXPECT_TRUE(late_.Lend("b", {.deadline = deadline}).ok());
  EXPECT_TRUE(late_.Press(ax::PasteKeys::kDelete, deadline).ok());
  EXPECT_TRUE(late_.Type("c", deadline).ok());
  EXPECT_EQ(opened_, 1);
  EXPECT_EQ(ax::mock::EncodeUtf8(world_.Find({"app:100", "/text"})->text),
            "ac");
}

TEST_F(LateInputTest, EditThroughAccessibilityNeedsNone) {
  ax::mock::MockServer server(&world_, &clock_);
  ax::Editor editor(&server, &late_);
  EXPECT_EQ(editor.Apply({.text = "a"}, {}).outcome, ax::Outcome::kVerified);
  EXPECT_EQ(opened_, 0);
}

TEST_F(LateInputTest, ErrorOfOpeningIsThatOfTheLoan) {
  error_ = absl::UnavailableError("the display is gone");
  const absl::Time deadline = clock_.Now() + absl::Seconds(1);
  EXPECT_EQ(late_.Lend("a", {.deadline = deadline}).status(), error_);
  EXPECT_EQ(deadline_, deadline);
  // It is tried again.
  error_ = absl::OkStatus();
  EXPECT_TRUE(late_.Lend("a", {.deadline = deadline}).ok());
  EXPECT_EQ(opened_, 2);
}

TEST_F(LateInputTest, KeysThatHadNoDisplayWereNotSent) {
  error_ = absl::DeadlineExceededError("the display does not answer");
  const absl::Status wanted =
      absl::FailedPreconditionError("the display does not answer");
  const absl::Time deadline = clock_.Now() + absl::Milliseconds(20);
  EXPECT_EQ(late_.Type("a", deadline), wanted);
  EXPECT_EQ(deadline_, deadline);
  EXPECT_EQ(late_.Press(ax::PasteKeys::kDelete, deadline), wanted);
  EXPECT_EQ(deadline_, deadline + absl::Seconds(1));
}

}  // namespace
}  // namespace tactus::cli
