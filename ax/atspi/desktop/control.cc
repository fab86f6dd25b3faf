#include "ax/atspi/desktop/control.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"

extern char** environ;

namespace tactus::ax::atspi {
namespace {

std::string RunProgram(const std::string& program,
                       const std::vector<std::string>& arguments) {
  int out[2];
  if (pipe(out) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, out[0]);
  posix_spawn_file_actions_addclose(&actions, out[1]);
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, program.c_str(), &actions, nullptr,
                                  argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  std::string printed;
  char buffer[4096];
  ssize_t n;
  while (failed == 0 && ((n = read(out[0], buffer, sizeof(buffer))) > 0 ||
                         (n < 0 && errno == EINTR))) {
    if (n > 0) printed.append(buffer, static_cast<size_t>(n));
  }
  close(out[0]);
  int status = -1;
  if (failed == 0) waitpid(child, &status, 0);
  EXPECT_TRUE(failed == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << program << " failed";
  return printed;
}

}  // namespace

std::string DesktopVariable(const char* name) {
  const char* value = getenv(name);
  EXPECT_NE(value, nullptr)
      << name << " is not set: run under tools/desktop/run";
  return value == nullptr ? "" : value;
}

pid_t ApplicationPid() {
  return static_cast<pid_t>(
      atoi(DesktopVariable("TACTUS_DESKTOP_APP_PID").c_str()));
}

std::string Control(const std::vector<std::string>& command) {
  return RunProgram(DesktopVariable("TACTUS_DESKTOP_CTL"), command);
}

std::string Dump() {
  return RunProgram(DesktopVariable("TACTUS_DESKTOP_DUMP"), {});
}

void PressKeys(const std::vector<std::string>& keys) {
  std::vector<std::string> arguments = {"key"};
  arguments.insert(arguments.end(), keys.begin(), keys.end());
  RunProgram("xdotool", arguments);
}

}  // namespace tactus::ax::atspi
