// What desktop_test promises the test binary that it runs.

#include <cstdio>
#include <cstdlib>
#include <string>

#include "gtest/gtest.h"

namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string Output(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    output.push_back(static_cast<char>(c));
  }
  if (pclose(pipe) != 0) return command + " failed";
  return output;
}

TEST(DesktopTest, TextArrivesThroughTheMacroUnchanged) {
  EXPECT_EQ(Output(Environment("TACTUS_DESKTOP_DUMP")),
            "héllo 👩‍👩‍👧 \"two\" 'one' $HOME $(x)\n\tשלום\\");
}

TEST(DesktopTest, TextOfAnotherApplicationArrivesUnchanged) {
  EXPECT_EQ(Output(Environment("TACTUS_DESKTOP_DIR") + "/0-gtk3/dump"),
            "it's $5 שלום");
}

TEST(DesktopTest, EnvironmentNamesTheApplication) {
  EXPECT_EQ(Environment("TACTUS_DESKTOP"), "1");
  EXPECT_EQ(Environment("TACTUS_DESKTOP_APP"), "qt5");
  EXPECT_GT(std::atoi(Environment("TACTUS_DESKTOP_APP_PID").c_str()), 1);
}

TEST(DesktopTest, BazelsEnvironmentStays) {
  EXPECT_NE(Environment("TEST_TMPDIR"), "");
}

}  // namespace
