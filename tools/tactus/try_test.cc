#include "tools/tactus/try.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/mock/code_points.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {
namespace {

class TryTest : public testing::Test {
 protected:
  TryTest()
      : world_(ax::mock::EditorDesktop("dear")),
        server_(&world_, &clock_),
        editor_(&server_, nullptr) {}

  ExitCode Try() {
    said_.clear();
    return TryField(
        server_, editor_,
        [this] {
          return ax::EditOptions{.deadline = clock_.Now() + absl::Seconds(5)};
        },
        [this](const std::string& line) { said_.push_back(line); });
  }
  std::string Held() { return ax::mock::EncodeUtf8(world_.Find(field_)->text); }
  bool Said(const std::string& words) const {
    for (const std::string& line : said_) {
      if (absl::StrContains(line, words)) return true;
    }
    return false;
  }

  ax::SimulatedClock clock_;
  ax::mock::World world_;
  ax::mock::MockServer server_;
  ax::Editor editor_;
  const ax::Element field_{"app:100", "/text"};
  std::vector<std::string> said_;
};

TEST_F(TryTest, WordIsWrittenProvedAndTakenOutAgain) {
  EXPECT_EQ(Try(), ExitCode::kDone);
  EXPECT_EQ(Held(), "dear");
  ASSERT_EQ(said_.size(), 3u);
  EXPECT_TRUE(Said("editor has the focus."));
  EXPECT_TRUE(Said("4 characters, caret at 4."));
  EXPECT_TRUE(Said("was written by range"));
  EXPECT_TRUE(Said("the field holds what it held"));
}

TEST_F(TryTest, SelectionIsNotReplaced) {
  ASSERT_TRUE(world_.Select(field_, {0, 2}).ok());
  EXPECT_EQ(Try(), ExitCode::kFailed);
  EXPECT_EQ(Held(), "dear");
  EXPECT_TRUE(Said("Something is selected"));
}

TEST_F(TryTest, TerminalIsLeftAlone) {
  world_.Mutable(field_)->role = {ax::Role::kTerminal, "terminal"};
  EXPECT_EQ(Try(), ExitCode::kFailed);
  EXPECT_EQ(Held(), "dear");
  EXPECT_TRUE(Said("It is a terminal"));
}

TEST_F(TryTest, PasswordIsNeitherReadNorWritten) {
  ASSERT_TRUE(world_.SetSecure(field_, true).ok());
  EXPECT_EQ(Try(), ExitCode::kFailed);
  EXPECT_EQ(Held(), "dear");
  EXPECT_TRUE(Said("its text was not read"));
}

TEST_F(TryTest, WordThatCannotBeTakenOutIsTold) {
  // The user types behind it.
  server_.BetweenMessages([this](ax::mock::World& world, int) {
    if (Held() == "deartactus") {
      EXPECT_TRUE(world.Type(field_, "!").ok());
    }
  });
  EXPECT_NE(Try(), ExitCode::kDone);
  EXPECT_EQ(Held(), "deartactus!");
}

TEST_F(TryTest, NothingInFocusIsAFailure) {
  world_.set_focused("");
  world_.mutable_panes().clear();
  EXPECT_EQ(Try(), ExitCode::kFailed);
  EXPECT_TRUE(Said("Nothing could be read"));
}

}  // namespace
}  // namespace tactus::cli
