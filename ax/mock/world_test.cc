#include "ax/mock/world.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/code_points.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::mock {
namespace {

using Kind = Event::Kind;

// An editor with "hello", focused, and behind it a browser with the fields
// "/bar", which has its focus, and "/page".
class WorldTest : public testing::Test {
 protected:
  WorldTest() : world_(EditorDesktop("hello")) {
    Node page = TextArea("/page", "page");
    page.states &= ~kStateFocused;
    EXPECT_TRUE(
        world_
            .Start(MakeProgram("browser", 200, {TextArea("/bar", "bar"), page}),
                   "browser")
            .ok());
    world_.AddListener([this](const Event& event) {
      kinds_.push_back(event.kind);
      elements_.push_back(event.element);
    });
  }

  std::string Text(const Element& element) {
    const Node* node = world_.Find(element);
    return node == nullptr ? "(none)" : EncodeUtf8(node->text);
  }

  World world_;
  std::vector<Kind> kinds_;
  std::vector<Element> elements_;
  const Element field_{"app:100", "/text"};
  const Element bar_{"app:200", "/bar"};
  const Element page_{"app:200", "/page"};
};

TEST_F(WorldTest, TypingInsertsAtTheCaretAndMovesIt) {
  ASSERT_TRUE(world_.MoveCaret(field_, 1).ok());
  ASSERT_TRUE(world_.Type(field_, "\u00e9\U0001F469").ok());
  EXPECT_EQ(Text(field_), "h\u00e9\U0001F469ello");
  EXPECT_EQ(world_.Find(field_)->caret, 3);
  EXPECT_EQ(kinds_,
            (std::vector<Kind>{Kind::kSelectionChanged, Kind::kTextChanged,
                               Kind::kSelectionChanged}));
}

TEST_F(WorldTest, TypingReplacesTheSelection) {
  ASSERT_TRUE(world_.Select(field_, {1, 4}).ok());
  EXPECT_EQ(world_.Find(field_)->caret, 4);
  ASSERT_TRUE(world_.Type(field_, "-").ok());
  EXPECT_EQ(Text(field_), "h-o");
  EXPECT_EQ(world_.Find(field_)->caret, 2);
  EXPECT_FALSE(world_.Find(field_)->selection.has_value());
}

TEST_F(WorldTest, TypingLandsAtEachOfSeveralCarets) {
  Node& node = *world_.Mutable(field_);
  node.caret = 2;
  node.other_carets = {5, 0};
  ASSERT_TRUE(world_.Type(field_, "xy").ok());
  EXPECT_EQ(Text(field_), "xyhexylloxy");
  EXPECT_EQ(world_.Find(field_)->caret, 6);
  EXPECT_EQ(world_.Find(field_)->other_carets, (std::vector<int64_t>{11, 2}));
}

TEST_F(WorldTest, CaretAndSelectionAreClampedToTheText) {
  ASSERT_TRUE(world_.MoveCaret(field_, 99).ok());
  EXPECT_EQ(world_.Find(field_)->caret, 5);
  ASSERT_TRUE(world_.MoveCaret(field_, -1).ok());
  EXPECT_EQ(world_.Find(field_)->caret, 0);
  ASSERT_TRUE(world_.Select(field_, {3, 99}).ok());
  EXPECT_EQ(world_.Find(field_)->selection, (Range{3, 5}));
  ASSERT_TRUE(world_.Select(field_, {3, 3}).ok());
  EXPECT_FALSE(world_.Find(field_)->selection.has_value());
}

TEST_F(WorldTest, SettingTheTextKeepsTheCaretWithinIt) {
  ASSERT_TRUE(world_.SetText(field_, "hi").ok());
  EXPECT_EQ(Text(field_), "hi");
  EXPECT_EQ(world_.Find(field_)->caret, 2);
}

TEST_F(WorldTest, ReplacingARangeMovesWhatStandsBehindIt) {
  Node& node = *world_.Mutable(field_);
  node.caret = 5;
  node.selection = Range{1, 5};
  node.other_carets = {0, 1, 2, 3, 4};
  ASSERT_TRUE(world_.ReplaceRange(field_, {1, 3}, "\u00e9xyz").ok());
  EXPECT_EQ(Text(field_), "h\u00e9xyzlo");
  EXPECT_EQ(node.caret, 7);
  EXPECT_EQ(node.other_carets, (std::vector<int64_t>{0, 5, 5, 5, 6}));
  EXPECT_EQ(node.selection, (Range{5, 7}));
  EXPECT_EQ(kinds_,
            (std::vector<Kind>{Kind::kTextChanged, Kind::kSelectionChanged}));
}

TEST_F(WorldTest, ReplacingInOneStepIsDeletingAndInserting) {
  for (int64_t caret = 0; caret <= 5; ++caret) {
    World one(EditorDesktop("hello"));
    World two(EditorDesktop("hello"));
    for (World* world : {&one, &two}) {
      ASSERT_TRUE(world->Select(field_, {1, 4}).ok());
      world->Mutable(field_)->caret = caret;
    }
    ASSERT_TRUE(one.ReplaceRange(field_, {2, 4}, "ab").ok());
    ASSERT_TRUE(two.ReplaceRange(field_, {2, 4}, "").ok());
    ASSERT_TRUE(two.ReplaceRange(field_, {2, 2}, "ab").ok());
    EXPECT_EQ(*one.Find(field_), *two.Find(field_)) << caret;
  }
}

TEST_F(WorldTest, ReplacedRangeIsClampedAndASelectionMayVanish) {
  ASSERT_TRUE(world_.Select(field_, {3, 5}).ok());
  ASSERT_TRUE(world_.ReplaceRange(field_, {2, 99}, "").ok());
  EXPECT_EQ(Text(field_), "he");
  EXPECT_EQ(world_.Find(field_)->caret, 2);
  EXPECT_EQ(world_.Find(field_)->selection, std::nullopt);
  ASSERT_TRUE(world_.ReplaceRange(field_, {99, 99}, "y").ok());
  EXPECT_EQ(Text(field_), "hey");
  kinds_.clear();
  ASSERT_TRUE(world_.ReplaceRange(field_, {1, 1}, "").ok());
  EXPECT_TRUE(kinds_.empty());
  ASSERT_TRUE(world_.MoveCaret(field_, 0).ok());
  kinds_.clear();
  ASSERT_TRUE(world_.ReplaceRange(field_, {1, 2}, "a").ok());
  EXPECT_EQ(kinds_, std::vector<Kind>{Kind::kTextChanged});
}

TEST_F(WorldTest, WhatIsDueHappensInItsOrderAsTheClockMoves) {
  SimulatedClock clock;
  std::vector<std::pair<int, absl::Duration>> done;
  const auto at = [&](int64_t ms, int name) {
    world_.At(absl::UnixEpoch() + absl::Milliseconds(ms), [&, name](World&) {
      done.emplace_back(name, clock.Now() - absl::UnixEpoch());
    });
  };
  EXPECT_EQ(world_.NextAction(), absl::InfiniteFuture());
  at(7, 1);
  at(3, 2);
  at(3, 3);
  at(9, 4);
  EXPECT_EQ(world_.NextAction(), absl::UnixEpoch() + absl::Milliseconds(3));
  const absl::Duration three = absl::Milliseconds(3);
  const absl::Duration seven = absl::Milliseconds(7);
  world_.AdvanceTo(absl::UnixEpoch() + seven, clock);
  EXPECT_EQ(done, (std::vector<std::pair<int, absl::Duration>>{
                      {2, three}, {3, three}, {1, seven}}));
  EXPECT_EQ(clock.Now(), absl::UnixEpoch() + seven);
  // The clock was moved by somebody else: what is overdue happens now.
  clock.Advance(seven);
  world_.AdvanceTo(absl::UnixEpoch() + seven, clock);
  EXPECT_EQ(done.size(), 3u);
  world_.AdvanceTo(clock.Now(), clock);
  EXPECT_EQ(done.back(), std::make_pair(4, 2 * seven));
}

TEST_F(WorldTest, FocusBringsItsApplicationToTheFront) {
  ASSERT_TRUE(world_.Focus(page_).ok());
  EXPECT_EQ(world_.Focused(), page_);
  EXPECT_EQ(world_.desktop().panes.front().window.pid, 200);
  EXPECT_TRUE(world_.desktop().panes[0].window.active);
  EXPECT_FALSE(world_.desktop().panes[1].window.active);
  EXPECT_EQ(world_.Find(bar_)->states & kStateFocused, 0u);
  EXPECT_NE(world_.Find(page_)->states & kStateFocused, 0u);
  EXPECT_EQ(kinds_,
            (std::vector<Kind>{Kind::kWindowDeactivated, Kind::kWindowActivated,
                               Kind::kFocused, Kind::kFocused}));
  EXPECT_EQ(elements_[0], (Element{"app:100", "/window"}));
  EXPECT_EQ(elements_[1], (Element{"app:200", "/window"}));
  EXPECT_EQ(elements_[3], page_);
}

TEST_F(WorldTest, ActivationTellsWhatHasTheFocusThere) {
  ASSERT_TRUE(world_.Activate("app:200").ok());
  EXPECT_EQ(world_.Focused(), bar_);
  EXPECT_EQ(elements_.back(), bar_);
  kinds_.clear();
  ASSERT_TRUE(world_.Activate("app:200").ok());  // it is in front already
  EXPECT_TRUE(kinds_.empty());
}

TEST_F(WorldTest, WindowOfAnElementIsItsProgramsFirstUnlessItNamesAnother) {
  world_.mutable_panes().push_back(
      {{.pid = 100, .title = "second", .active = false},
       {"app:100", "/window2"}});
  EXPECT_EQ(world_.WindowOf(field_), (Element{"app:100", "/window"}));
  world_.Mutable(field_)->window = "/window2";
  EXPECT_EQ(world_.WindowOf(field_), (Element{"app:100", "/window2"}));
  world_.Mutable(field_)->window = "/nowhere";
  EXPECT_EQ(world_.WindowOf(field_), std::nullopt);
}

TEST_F(WorldTest, ReplacedElementIsGoneAndItsLikeHasItsContentAndFocus) {
  const absl::StatusOr<Element> fresh = world_.Replace(field_);
  ASSERT_TRUE(fresh.ok());
  EXPECT_NE(*fresh, field_);
  EXPECT_EQ(world_.Find(field_), nullptr);
  EXPECT_EQ(Text(*fresh), "hello");
  EXPECT_EQ(world_.Focused(), *fresh);
  EXPECT_EQ(elements_, std::vector<Element>{*fresh});
  // And again: names do not grow, nor repeat.
  const absl::StatusOr<Element> third = world_.Replace(*fresh);
  ASSERT_TRUE(third.ok());
  EXPECT_NE(*third, *fresh);
  EXPECT_EQ(third->path, "/text#2");
}

TEST_F(WorldTest, RemovedElementLeavesNothingFocused) {
  ASSERT_TRUE(world_.Remove(field_).ok());
  EXPECT_EQ(world_.Focused(), std::nullopt);
  EXPECT_EQ(world_.desktop().focused, "app:100");
}

TEST_F(WorldTest, QuitTakesWindowsAndKeyboardAlong) {
  ASSERT_TRUE(world_.Quit(world_.desktop().focused).ok());
  EXPECT_EQ(world_.FindProgram("app:100"), nullptr);
  EXPECT_EQ(world_.desktop().panes.size(), 1u);
  EXPECT_EQ(world_.desktop().focused, "");
  EXPECT_EQ(kinds_, std::vector<Kind>{Kind::kApplicationGone});
  EXPECT_EQ(elements_[0].application, "app:100");
}

TEST_F(WorldTest, RestartKeepsContentAndChangesTheId) {
  const absl::StatusOr<Application> again = world_.Restart("app:100", true);
  ASSERT_TRUE(again.ok());
  EXPECT_NE(again->id, "app:100");
  EXPECT_EQ(again->pid, 100);
  EXPECT_EQ(Text({again->id, "/text"}), "hello");
  EXPECT_EQ(world_.Focused(), (Element{again->id, "/text"}));

  const absl::StatusOr<Application> other = world_.Restart("app:200", false);
  ASSERT_TRUE(other.ok());
  EXPECT_NE(other->pid, 200);
  EXPECT_EQ(world_.Focused(), (Element{again->id, "/text"}));
}

TEST_F(WorldTest, ReusedPidBelongsToAStranger) {
  const absl::StatusOr<Application> stranger = world_.ReusePid("app:100");
  ASSERT_TRUE(stranger.ok());
  EXPECT_EQ(stranger->pid, 100);
  EXPECT_EQ(stranger->name, "stranger");
  EXPECT_EQ(world_.FindProcess(100)->application.id, stranger->id);
  EXPECT_EQ(world_.FindProgram("app:100"), nullptr);
}

TEST_F(WorldTest, SecureByRoleOrBySubrole) {
  EXPECT_FALSE(world_.IsSecure(field_));
  ASSERT_TRUE(world_.SetSecure(field_, true).ok());
  EXPECT_TRUE(world_.IsSecure(field_));
  ASSERT_TRUE(world_.SetSecure(field_, false).ok());
  EXPECT_FALSE(world_.IsSecure(field_));
  world_.Mutable(field_)->subrole = RoleValue{Role::kPassword, "secure"};
  EXPECT_TRUE(world_.IsSecure(field_));
}

TEST_F(WorldTest, ActionsOnWhatDoesNotExistAreNotFoundAndChangeNothing) {
  const Element ghost = {"app:100", "/ghost"};
  const Element stranger = {"app:7", "/text"};
  for (const Element& element : {ghost, stranger}) {
    EXPECT_TRUE(absl::IsNotFound(world_.Focus(element)));
    EXPECT_TRUE(absl::IsNotFound(world_.Type(element, "x")));
    EXPECT_TRUE(absl::IsNotFound(world_.MoveCaret(element, 0)));
    EXPECT_TRUE(absl::IsNotFound(world_.Select(element, {0, 1})));
    EXPECT_TRUE(absl::IsNotFound(world_.SetText(element, "x")));
    EXPECT_TRUE(absl::IsNotFound(world_.ReplaceRange(element, {}, "x")));
    EXPECT_TRUE(absl::IsNotFound(world_.SetSecure(element, true)));
    EXPECT_TRUE(absl::IsNotFound(world_.ChangeStates(element, 1, 1)));
    EXPECT_TRUE(absl::IsNotFound(world_.Replace(element).status()));
    EXPECT_TRUE(absl::IsNotFound(world_.Remove(element)));
  }
  EXPECT_TRUE(absl::IsNotFound(world_.Activate("app:7")));
  EXPECT_TRUE(absl::IsNotFound(world_.Rename("app:7", "x")));
  EXPECT_TRUE(absl::IsNotFound(world_.Quit("app:7")));
  EXPECT_TRUE(absl::IsNotFound(world_.Restart("app:7", true).status()));
  EXPECT_TRUE(absl::IsNotFound(world_.ReusePid("app:7").status()));
  EXPECT_TRUE(kinds_.empty());
  EXPECT_EQ(Text(field_), "hello");
}

TEST_F(WorldTest, SilentChangeTellsNoEvent) {
  world_.Mutable(field_)->text = U"quiet";
  EXPECT_TRUE(kinds_.empty());
}

}  // namespace
}  // namespace tactus::ax::mock
