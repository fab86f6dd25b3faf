#include "tools/tactus/arguments.h"

#include <string>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {
namespace {

std::variant<Arguments, Ending> Parse(const std::vector<std::string>& words) {
  std::vector<const char*> argv = {"tactus"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  return ParseArguments(static_cast<int>(argv.size()), argv.data());
}

Arguments Accepted(const std::vector<std::string>& words) {
  const auto parsed = Parse(words);
  if (const auto* arguments = std::get_if<Arguments>(&parsed)) {
    return *arguments;
  }
  ADD_FAILURE() << std::get<Ending>(parsed).error;
  return {};
}

// What is said on standard error of a command line that must be wrong.
std::string Refused(const std::vector<std::string>& words) {
  const auto parsed = Parse(words);
  const auto* ending = std::get_if<Ending>(&parsed);
  if (ending == nullptr) {
    ADD_FAILURE() << "accepted";
    return "";
  }
  EXPECT_EQ(ending->code, ExitCode::kUsage);
  EXPECT_EQ(ending->out, "");
  return ending->error;
}

TEST(ArgumentsTest, SnapshotHasItsDefaults) {
  const Arguments arguments = Accepted({"snapshot"});
  EXPECT_EQ(arguments.command, Arguments::Command::kSnapshot);
  EXPECT_FALSE(arguments.json);
  EXPECT_EQ(arguments.wait, absl::ZeroDuration());
  EXPECT_EQ(arguments.deadline, absl::Milliseconds(500));
  EXPECT_EQ(arguments.max_text, 65536);
  EXPECT_EQ(arguments.context, 1000);
}

TEST(ArgumentsTest, SnapshotTakesItsOptions) {
  const Arguments arguments =
      Accepted({"snapshot", "--json", "--in", "3s", "--deadline=1.5s",
                "--max-text", "1", "--context", "0"});
  EXPECT_TRUE(arguments.json);
  EXPECT_EQ(arguments.wait, absl::Seconds(3));
  EXPECT_EQ(arguments.deadline, absl::Milliseconds(1500));
  EXPECT_EQ(arguments.max_text, 1);
  EXPECT_EQ(arguments.context, 0);
}

TEST(ArgumentsTest, WatchTakesItsOptionsAndHasNoEndByDefault) {
  const Arguments arguments =
      Accepted({"watch", "--text", "--for", "10s", "--count", "2"});
  EXPECT_EQ(arguments.command, Arguments::Command::kWatch);
  EXPECT_TRUE(arguments.text);
  EXPECT_EQ(arguments.run_for, absl::Seconds(10));
  EXPECT_EQ(arguments.count, 2);
  EXPECT_EQ(Accepted({"watch"}).run_for, absl::InfiniteDuration());
  EXPECT_EQ(Accepted({"watch", "--json"}).count, 0);
}

TEST(ArgumentsTest, DoctorAndAppsAreCommands) {
  EXPECT_EQ(Accepted({"apps", "--json"}).command, Arguments::Command::kApps);
  EXPECT_EQ(Accepted({"doctor"}).command, Arguments::Command::kDoctor);
  EXPECT_EQ(
      Accepted({"doctor", "--launcher-override", "chromium"}).launcher_override,
      "chromium");
}

TEST(ArgumentsTest, DurationWithoutAUnitIsNamedWithTheRemedy) {
  const std::string error = Refused({"snapshot", "--in", "3"});
  EXPECT_TRUE(absl::StrContains(error, "--in '3'")) << error;
  EXPECT_TRUE(absl::StrContains(error, "as in 500ms, 3s")) << error;
}

TEST(ArgumentsTest, DurationOutOfRangeIsNamedWithTheRange) {
  for (const char* value : {"0s", "-1s", "inf", "2h"}) {
    const std::string error =
        Refused({"snapshot", absl::StrCat("--deadline=", value)});
    EXPECT_TRUE(absl::StrContains(error, value)) << error;
    EXPECT_TRUE(absl::StrContains(error, "give 1ms to 1h")) << error;
  }
}

TEST(ArgumentsTest, NumberOutOfRangeIsNamedWithTheRange) {
  const std::string error = Refused({"snapshot", "--max-text", "0"});
  EXPECT_TRUE(absl::StrContains(error, "--max-text '0'")) << error;
  EXPECT_TRUE(absl::StrContains(error, "give 1 to 67108864")) << error;
  Refused({"snapshot", "--max-text", "x"});
  Refused({"snapshot", "--context=-1"});
  Refused({"watch", "--count", "0"});
}

TEST(ArgumentsTest, WhatIsNoCommandIsNamed) {
  const std::string error = Refused({"snap\x1b[2Jshot"});
  EXPECT_TRUE(absl::StrContains(error, "'snap\\x1b[2Jshot'")) << error;
  Refused({});
  Refused({"snapshot", "apps"});
  Refused({"snapshot", "--text"});
  Refused({"--json"});
}

TEST(ArgumentsTest, LauncherIsANameAndNotAPath) {
  Refused({"doctor", "--launcher-override", "../chromium"});
  Refused({"doctor", "--launcher-override", ""});
  Refused({"doctor", "--json", "--launcher-override", "chromium"});
}

TEST(ArgumentsTest, HelpHoldsEachExitCodeAndItsMeaning) {
  const Ending ending = std::get<Ending>(Parse({"--help"}));
  EXPECT_EQ(ending.code, ExitCode::kDone);
  EXPECT_EQ(ending.error, "");
  for (const ExitCodeMeaning& entry : kExitCodes) {
    EXPECT_TRUE(absl::StrContains(
        ending.out, absl::StrCat("  ", static_cast<int>(entry.code), "  ",
                                 entry.meaning, "\n")));
  }
}

TEST(ArgumentsTest, EachExampleOfTheHelpIsAccepted) {
  const Ending ending = std::get<Ending>(Parse({"--help"}));
  int examples = 0;
  for (absl::string_view example : absl::StrSplit(ending.out, '\n')) {
    if (!absl::ConsumePrefix(&example, "  tactus ")) continue;
    // A comment stands two or more spaces after the example.
    example = example.substr(0, example.find("  "));
    Accepted(absl::StrSplit(example, ' '));
    ++examples;
  }
  EXPECT_GE(examples, 6);
}

TEST(ArgumentsTest, EachCommandHasItsHelp) {
  for (const char* command : {"snapshot", "watch", "apps", "doctor"}) {
    const Ending ending = std::get<Ending>(Parse({command, "--help"}));
    EXPECT_EQ(ending.code, ExitCode::kDone);
    EXPECT_TRUE(absl::StrContains(ending.out, absl::StrCat("tactus ", command)))
        << ending.out;
  }
}

TEST(ArgumentsTest, VersionIsPrinted) {
  const Ending ending = std::get<Ending>(Parse({"--version"}));
  EXPECT_EQ(ending.code, ExitCode::kDone);
  EXPECT_EQ(ending.out, absl::StrCat("tactus ", kVersion, "\n"));
}

}  // namespace
}  // namespace tactus::cli
