#include "ax/mock/dbus/private_bus.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"

namespace tactus::ax::mock {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(10);
constexpr char kDaemon[] = "/usr/bin/dbus-daemon";

// No services to start, nothing forbidden: a bus for tests.
constexpr char kConfiguration[] = R"(<!DOCTYPE busconfig PUBLIC
 "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=@</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
)";

struct Child {
  pid_t pid = 0;
  int output = -1;  // its standard output
};

// Starts a program with `input` as its standard input.
absl::StatusOr<Child> Spawn(const std::vector<std::string>& words,
                            const std::vector<std::string>& environment,
                            absl::string_view input) {
  // The input is in a file without a name, so that nobody waits for a pipe.
  const int in = memfd_create("input", MFD_CLOEXEC);
  if (in < 0 || write(in, input.data(), input.size()) !=
                    static_cast<ssize_t>(input.size())) {
    return absl::InternalError("no file for the input");
  }
  lseek(in, 0, SEEK_SET);
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in);
    return absl::InternalError("no pipe");
  }
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  std::vector<char*> variables;
  for (const std::string& variable : environment) {
    variables.push_back(const_cast<char*>(variable.c_str()));
  }
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  Child child;
  const int r = posix_spawn(&child.pid, words[0].c_str(), &actions, nullptr,
                            arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  close(in);
  close(out[1]);
  if (r != 0) {
    close(out[0]);
    return absl::FailedPreconditionError(
        absl::StrCat(words[0], ": ", strerror(r)));
  }
  child.output = out[0];
  return child;
}

// The next line of `fd`.
absl::StatusOr<std::string> ReadLine(int fd) {
  const absl::Time deadline = Clock::Real().Now() + kPatience;
  std::string line;
  while (true) {
    const absl::Duration left = deadline - Clock::Real().Now();
    if (left <= absl::ZeroDuration()) {
      return absl::DeadlineExceededError("not ready in time");
    }
    pollfd wait = {fd, POLLIN, 0};
    const int r =
        poll(&wait, 1, static_cast<int>(absl::ToInt64Milliseconds(left)) + 1);
    if (r < 0 && errno != EINTR) return absl::InternalError("poll");
    if (r <= 0) continue;
    char byte = 0;
    if (read(fd, &byte, 1) != 1) {
      return absl::FailedPreconditionError("it ended before it was ready");
    }
    if (byte == '\n') return line;
    line.push_back(byte);
  }
}

void Kill(pid_t pid) {
  if (pid <= 0) return;
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

}  // namespace

absl::StatusOr<std::unique_ptr<PrivateBus>> PrivateBus::Start() {
  std::unique_ptr<PrivateBus> bus(new PrivateBus());
  // Short, since the path of a socket has 107 bytes.
  char folder[] = "/tmp/tactus-bus-XXXXXX";
  if (mkdtemp(folder) == nullptr) return absl::InternalError("no folder");
  bus->folder_ = folder;
  const std::string configuration = absl::StrCat(folder, "/bus.conf");
  std::FILE* file = std::fopen(configuration.c_str(), "w");
  if (file == nullptr) return absl::InternalError("no configuration");
  std::string text = kConfiguration;
  text.replace(text.find('@'), 1, absl::StrCat(folder, "/bus"));
  std::fputs(text.c_str(), file);
  std::fclose(file);
  absl::StatusOr<Child> child =
      Spawn({kDaemon, "--nofork", "--nopidfile", "--print-address=1",
             absl::StrCat("--config-file=", configuration)},
            {}, "");
  if (!child.ok()) return child.status();
  bus->pid_ = child->pid;
  absl::StatusOr<std::string> address = ReadLine(child->output);
  close(child->output);
  if (!address.ok()) return address.status();
  bus->address_ = *std::move(address);
  return bus;
}

PrivateBus::~PrivateBus() {
  Kill(pid_);
  unlink(absl::StrCat(folder_, "/bus.conf").c_str());
  unlink(absl::StrCat(folder_, "/bus").c_str());
  rmdir(folder_.c_str());
}

absl::StatusOr<std::unique_ptr<MockProcess>> MockProcess::Start(
    const std::string& binary, const PrivateBus& bus, absl::string_view script,
    const std::vector<std::string>& options) {
  std::unique_ptr<MockProcess> mock(new MockProcess());
  std::vector<std::string> words = {binary};
  words.insert(words.end(), options.begin(), options.end());
  // Sanitizers take their options from the environment.
  std::vector<std::string> environment = {
      absl::StrCat("AT_SPI_BUS_ADDRESS=", bus.address())};
  for (const char* name :
       {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LLVM_PROFILE_FILE"}) {
    if (const char* value = std::getenv(name)) {
      environment.push_back(absl::StrCat(name, "=", value));
    }
  }
  absl::StatusOr<Child> child = Spawn(words, environment, script);
  if (!child.ok()) return child.status();
  mock->pid_ = child->pid;
  mock->output_ = child->output;
  absl::StatusOr<std::string> line = ReadLine(child->output);
  if (!line.ok()) return line.status();
  const std::vector<std::string> parts = absl::StrSplit(*line, ' ');
  if (parts[0] != "ready") {
    return absl::FailedPreconditionError(absl::StrCat("it said: ", *line));
  }
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t equals = parts[i].rfind('=');
    if (equals == std::string::npos) continue;
    mock->names_[parts[i].substr(0, equals)] = parts[i].substr(equals + 1);
  }
  return mock;
}

MockProcess::~MockProcess() {
  if (output_ >= 0) close(output_);
  Kill(pid_);
}

std::string MockProcess::bus_name(const std::string& id) const {
  const auto found = names_.find(id);
  return found == names_.end() ? "" : found->second;
}

void MockProcess::Stop() { kill(pid_, SIGSTOP); }

void MockProcess::Continue() { kill(pid_, SIGCONT); }

int MockProcess::Wait() {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (fd < 0) return -1;
  pollfd wait = {fd, POLLIN, 0};
  const int r =
      poll(&wait, 1, static_cast<int>(absl::ToInt64Milliseconds(kPatience)));
  close(fd);
  if (r != 1) return -1;
  int status = 0;
  if (waitpid(pid_, &status, 0) != pid_) return -1;
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace tactus::ax::mock
