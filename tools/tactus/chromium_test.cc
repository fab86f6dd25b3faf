#include "tools/tactus/chromium.h"

#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/tactus/processes.h"

namespace tactus::cli {
namespace {

constexpr uid_t kMe = 1000;

TEST(RunningBrowsersTest, BrowserIsKnownByItsChildren) {
  const std::vector<Process> processes = {
      {10, 1, kMe, {"/usr/lib/chromium/chromium", "--disable-gpu"}},
      // As Chromium writes it: one argument, with spaces.
      {11, 10, kMe, {"/usr/lib/chromium/chromium --type=zygote --no-sandbox"}},
      {12, 11, kMe, {"/usr/lib/chromium/chromium --type=renderer --lang=en"}},
      {20, 1, kMe, {"/opt/Some App/editor", "file"}},
      {21, 20, kMe, {"/opt/Some App/editor --type=gpu-process"}},
      {30, 1, kMe, {"/usr/share/code/code"}},
      {31, 30, kMe, {"/proc/self/exe", "--type=zygote"}},
  };
  EXPECT_EQ(RunningBrowsers(processes, kMe),
            (std::vector<Browser>{{10, "chromium", false},
                                  {20, "editor", false},
                                  {30, "code", false}}));
}

TEST(RunningBrowsersTest, FlagIsSeenInEachOfItsForms) {
  for (const char* flag : {"--force-renderer-accessibility",
                           "--force-renderer-accessibility=complete"}) {
    EXPECT_EQ(
        RunningBrowsers({{{10, 1, kMe, {"/usr/bin/chromium", flag}},
                          {11, 10, kMe, {"/usr/bin/chromium --type=zygote"}}}},
                        kMe),
        (std::vector<Browser>{{10, "chromium", true}}));
  }
  EXPECT_EQ(
      RunningBrowsers(
          {{{10, 1, kMe, {"chromium", "--force-renderer-accessibility-not"}},
            {11, 10, kMe, {"chromium --type=zygote"}}}},
          kMe),
      (std::vector<Browser>{{10, "chromium", false}}));
}

TEST(RunningBrowsersTest, BrowserOfAnotherUserIsNotTold) {
  EXPECT_TRUE(RunningBrowsers({{{10, 1, 0, {"chromium"}},
                                {11, 10, 0, {"chromium --type=zygote"}}}},
                              kMe)
                  .empty());
}

TEST(RunningBrowsersTest, WhatIsNoBrowserIsNotTold) {
  EXPECT_TRUE(
      RunningBrowsers(
          {{{10, 1, kMe, {"/usr/bin/gcc", "--type=shared"}},
            {20, 1, kMe, {"/usr/bin/reader"}},
            {21, 20, kMe, {"/usr/lib/QtWebEngineProcess", "--type=zygote"}},
            // Its browser has ended.
            {31, 1, kMe, {"chromium --type=zygote"}},
            {1, 0, 0, {"/sbin/init"}},
            {40, 1, kMe, {}}}},
          kMe)
          .empty());
}

TEST(RunningBrowsersTest, ParentsInACircleAreNotFollowedForEver) {
  EXPECT_TRUE(RunningBrowsers({{{10, 11, kMe, {"chromium --type=zygote"}},
                                {11, 10, kMe, {"chromium --type=zygote"}}}},
                              kMe)
                  .empty());
}

TEST(ProcessesTest, ProcessIsReadFromItsFiles) {
  const std::string proc = absl::StrCat(testing::TempDir(), "/proc");
  std::filesystem::create_directories(proc + "/42");
  std::filesystem::create_directories(proc + "/not-a-process");
  std::filesystem::create_directories(proc + "/43");  // nothing can be read
  std::ofstream(proc + "/42/stat") << "42 (a) name) S 7 42 42 0 -1\n";
  std::ofstream(proc + "/42/comm") << "a) name\n";
  std::ofstream(proc + "/42/cmdline") << std::string("/bin/a\0b c\0", 11);
  const std::vector<Process> processes = AllProcesses(proc);
  ASSERT_EQ(processes.size(), 1u);
  EXPECT_EQ(processes[0].pid, 42);
  EXPECT_EQ(processes[0].parent, 7);
  EXPECT_EQ(processes[0].user, getuid());
  EXPECT_EQ(processes[0].command, (std::vector<std::string>{"/bin/a", "b c"}));
  EXPECT_EQ(ProcessName(proc, 42), "a) name");
  EXPECT_EQ(ProcessName(proc, 44), "");
}

TEST(ProcessesTest, OwnProcessIsAmongThoseOfTheMachine) {
  bool found = false;
  for (const Process& process : AllProcesses("/proc")) {
    if (process.pid != getpid()) continue;
    found = true;
    EXPECT_EQ(process.parent, getppid());
  }
  EXPECT_TRUE(found);
  EXPECT_NE(ProcessName("/proc", getpid()), "");
}

}  // namespace
}  // namespace tactus::cli
