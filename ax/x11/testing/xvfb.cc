#include "ax/x11/testing/xvfb.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"

extern char** environ;

namespace tactus::ax::x11 {
namespace {

[[noreturn]] void Die(const std::string& why) {
  fprintf(stderr, "%s\n", why.c_str());
  abort();
}

int Spawn(const std::vector<std::string>& arguments,
          const posix_spawn_file_actions_t* actions, pid_t* child) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  return posix_spawnp(child, argv[0], actions, nullptr, argv.data(), environ);
}

int Await(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Xvfb::Xvfb(const std::vector<std::string>& more_arguments) {
  int number[2];
  if (pipe(number) != 0) Die("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addclose(&actions, number[0]);
  // It complains of each display number that is taken.
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                   O_WRONLY, 0);
  // It ends with this program: a keeper that a test leaves behind would keep it
  // alive, and it the keeper.
  std::vector<std::string> arguments = {
      "setpriv",   "--pdeathsig", "TERM",
      "Xvfb",      "-displayfd",  std::to_string(number[1]),
      "-screen",   "0",           "640x480x24",
      "-nolisten", "tcp",         "-terminate"};
  arguments.insert(arguments.end(), more_arguments.begin(),
                   more_arguments.end());
  if (Spawn(arguments, &actions, &pid_) != 0) {
    Die("no Xvfb: run tools/setup --test");
  }
  posix_spawn_file_actions_destroy(&actions);
  close(number[1]);
  std::string line;
  char c = 0;
  while (read(number[0], &c, 1) == 1 && c != '\n') line.push_back(c);
  close(number[0]);
  if (line.empty()) Die("Xvfb did not start");
  display_ = ":" + line;
  connection_ = xcb_connect(display_.c_str(), nullptr);
  if (xcb_connection_has_error(connection_)) Die("Xvfb takes no client");
}

Xvfb::~Xvfb() {
  Kill();
  xcb_disconnect(connection_);
}

void Xvfb::Kill() {
  if (pid_ == 0) return;
  kill(pid_, SIGTERM);
  Await(pid_);
  pid_ = 0;
}

void RunProgram(const std::vector<std::string>& arguments) {
  pid_t child = 0;
  ASSERT_EQ(Spawn(arguments, nullptr, &child), 0) << arguments.front();
  const int status = Await(child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << arguments.front() << " failed: " << status;
}

}  // namespace tactus::ax::x11
