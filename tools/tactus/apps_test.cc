#include "tools/tactus/apps.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::cli {
namespace {

using ax::mock::EditorDesktop;
using ax::mock::MakeProgram;
using ax::mock::MockServer;
using ax::mock::World;

class AppsTest : public testing::Test {
 protected:
  AppsTest() : world_(EditorDesktop("hello")), server_(&world_, &clock_) {
    const std::string process = proc_ + "/100";
    std::filesystem::create_directories(process);
    std::ofstream(process + "/comm") << "edit\n";
  }

  Apps List() {
    const absl::StatusOr<Apps> apps = ListApps(
        server_,
        [](const ax::Application& application, absl::Time) {
          return application.name == "editor";
        },
        proc_, absl::Seconds(1));
    EXPECT_TRUE(apps.ok()) << apps.status();
    return apps.ok() ? *apps : Apps();
  }

  const std::string proc_ = testing::TempDir() + "/proc";
  ax::SimulatedClock clock_;
  World world_;
  MockServer server_;
};

TEST_F(AppsTest, ApplicationWithTheKeyboardIsMarked) {
  world_.Start(MakeProgram("another", 200, {}), "Another").IgnoreError();
  world_.Activate("app:100").IgnoreError();
  const Apps apps = List();
  ASSERT_EQ(apps.apps.size(), 2u);
  EXPECT_EQ(apps.apps[0].application.name, "another");
  EXPECT_FALSE(apps.apps[0].focused);
  EXPECT_FALSE(apps.apps[0].own_socket);
  EXPECT_EQ(apps.apps[1].application.name, "editor");
  EXPECT_TRUE(apps.apps[1].focused);
  EXPECT_TRUE(apps.apps[1].own_socket);
  EXPECT_TRUE(apps.apps[1].answers);
  EXPECT_EQ(apps.apps[1].process, "edit");
  EXPECT_TRUE(apps.focus.ok());
  EXPECT_TRUE(apps.unknown.empty());
}

TEST_F(AppsTest, WhatWorksDependsOnTheToolkit) {
  const auto words = [&](const char* toolkit, const char* version) {
    ax::Application& application =
        world_.MutableProgram("app:100")->application;
    application.toolkit = toolkit;
    application.toolkit_version = version;
    return List().apps.at(0);
  };
  EXPECT_TRUE(
      absl::StartsWith(words("gtk", "3.24").editing, "through accessibility"));
  EXPECT_TRUE(
      absl::StartsWith(words("Qt", "6.4").editing, "through accessibility"));
  EXPECT_TRUE(absl::StartsWith(words("Gecko", "153").editing, "by paste"));
  EXPECT_TRUE(absl::StrContains(words("Chromium", "156").reading,
                                "--force-renderer-accessibility"));
  EXPECT_TRUE(absl::StrContains(words("Fantasy", "1").editing, "is not known"));
}

TEST_F(AppsTest, WindowOfAnUnknownProcessIsTold) {
  world_.mutable_panes().push_back({{300, "a title", false}, {}});
  const Apps apps = List();
  ASSERT_EQ(apps.unknown.size(), 1u);
  EXPECT_EQ(apps.unknown[0].window.pid, 300);
  EXPECT_EQ(apps.unknown[0].window.title, "a title");
}

TEST_F(AppsTest, UnknownWindowWithTheKeyboardIsTheFocus) {
  for (ax::mock::Pane& pane : world_.mutable_panes()) {
    pane.window.active = false;
  }
  world_.mutable_panes().push_back({{300, "a title", true}, {}});
  const Apps apps = List();
  EXPECT_FALSE(apps.apps.at(0).focused);
  ASSERT_EQ(apps.unknown.size(), 1u);
  EXPECT_TRUE(apps.unknown[0].window.active);
  EXPECT_TRUE(apps.focus.ok());
}

TEST_F(AppsTest, FocusThatNobodyKnowsIsToldWithTheReason) {
  for (ax::mock::Pane& pane : world_.mutable_panes()) {
    pane.window.active = false;
  }
  world_.set_focused("");
  EXPECT_TRUE(absl::IsNotFound(List().focus));
}

}  // namespace
}  // namespace tactus::cli
