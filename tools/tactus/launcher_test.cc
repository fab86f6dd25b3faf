#include "tools/tactus/launcher.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tactus::cli {
namespace {

std::string Flagged(const std::string& line) {
  return WithFlag(line, "--flag").value_or("refused");
}

TEST(LauncherTest, FlagStandsBeforeTheFilesToOpen) {
  EXPECT_EQ(Flagged("Exec=/usr/bin/chromium %U"),
            "Exec=/usr/bin/chromium --flag %U");
  EXPECT_EQ(Flagged("Exec=env A=b \"/opt/My App/app\" --url=%%20 %f"),
            "Exec=env A=b \"/opt/My App/app\" --url=%%20 --flag %f");
  EXPECT_EQ(Flagged("Exec=flatpak run org.app @@u %U @@"),
            "Exec=flatpak run org.app --flag @@u %U @@");
}

TEST(LauncherTest, FlagStandsAtTheEndWhereNoFilesAreOpened) {
  EXPECT_EQ(Flagged("Exec=/usr/bin/chromium"), "Exec=/usr/bin/chromium --flag");
  EXPECT_EQ(Flagged("Exec=app 100 %% sure"), "Exec=app 100 %% sure --flag");
}

TEST(LauncherTest, LauncherThatHasTheFlagStaysAsItIs) {
  EXPECT_EQ(Flagged("Exec=app --flag %U\n"), "Exec=app --flag %U\n");
}

TEST(LauncherTest, EachCommandLineIsChangedAndNothingElse) {
  EXPECT_EQ(Flagged("[Desktop Entry]\nTryExec=app\nExec=app %U\nName=Exec=\n"
                    "[Desktop Action new]\nExec=app --new\n"),
            "[Desktop Entry]\nTryExec=app\nExec=app --flag %U\nName=Exec=\n"
            "[Desktop Action new]\nExec=app --new --flag\n");
}

TEST(LauncherTest, StartThroughTheBusIsSwitchedOff) {
  EXPECT_EQ(Flagged("DBusActivatable=true\nExec=app"),
            "DBusActivatable=false\nExec=app --flag");
}

TEST(LauncherTest, WhatIsNoLauncherIsRefused) {
  EXPECT_TRUE(absl::IsDataLoss(WithFlag("", "--flag").status()));
  EXPECT_TRUE(absl::IsDataLoss(WithFlag("Exec=a\x1b[2J", "--flag").status()));
}

TEST(LauncherTest, UsersOwnLauncherIsReadBeforeTheSystems) {
  const std::string root = testing::TempDir();
  const std::vector<std::string> folders = {root + "/own", root + "/system"};
  for (const std::string& folder : folders) {
    std::filesystem::create_directories(folder);
  }
  const absl::Status missing = ReadLauncher("app", folders).status();
  EXPECT_TRUE(absl::IsNotFound(missing));
  EXPECT_NE(missing.message().find("app.desktop"), absl::string_view::npos);
  std::ofstream(folders[1] + "/app.desktop") << "system";
  EXPECT_EQ(*ReadLauncher("app", folders), "system");
  std::ofstream(folders[0] + "/app.desktop") << "own";
  EXPECT_EQ(*ReadLauncher("app", folders), "own");
  EXPECT_EQ(*ReadLauncher("app.desktop", folders), "own");
}

TEST(LauncherTest, FoldersAreThoseOfTheEnvironment) {
  setenv("XDG_DATA_HOME", "/own", 1);
  setenv("XDG_DATA_DIRS", "/a::/b", 1);
  EXPECT_EQ(LauncherFolders(),
            (std::vector<std::string>{"/own/applications", "/a/applications",
                                      "/b/applications"}));
  unsetenv("XDG_DATA_HOME");
  unsetenv("XDG_DATA_DIRS");
  setenv("HOME", "/somebody", 1);
  EXPECT_EQ(LauncherFolders(),
            (std::vector<std::string>{"/somebody/.local/share/applications",
                                      "/usr/local/share/applications",
                                      "/usr/share/applications"}));
}

}  // namespace
}  // namespace tactus::cli
