#include "gate/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

extern char** environ;

namespace tactus::gate {
namespace {

// For a desktop to end its applications.
constexpr absl::Duration kGrace = absl::Seconds(10);
// How often a program that prints nothing is looked at.
constexpr absl::Duration kTick = absl::Milliseconds(20);

volatile sig_atomic_t stopped_by = 0;

std::vector<std::string> Environment(const RunOptions& options) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string one = *variable;
    const std::string name = one.substr(0, one.find('='));
    if (std::none_of(options.environment.begin(), options.environment.end(),
                     [&](const auto& set) { return set.first == name; })) {
      variables.push_back(one);
    }
  }
  for (const auto& [name, value] : options.environment) {
    if (!value.empty()) variables.push_back(absl::StrCat(name, "=", value));
  }
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What there is to read now; false at its end.
bool Drain(int fd, std::string* to, const RunOptions& options, bool show) {
  std::array<char, 1 << 14> buffer;
  for (;;) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    if (n == 0) return false;
    const auto size = static_cast<size_t>(n);
    if (show) fwrite(buffer.data(), 1, size, stderr);
    to->append(
        buffer.data(),
        std::min(size, options.most - std::min(options.most, to->size())));
  }
}

}  // namespace

absl::StatusOr<Ran> RunProgram(const std::vector<std::string>& arguments,
                               const RunOptions& options) {
  if (arguments.empty()) {
    return absl::InvalidArgumentError("no program to run");
  }
  if (stopped_by != 0) return absl::CancelledError("stopped by a signal");
  std::array<std::array<int, 2>, 3> pipes;  // output, errors, failure to start
  for (auto& one : pipes) one = {-1, -1};
  const absl::Cleanup close_all = [&pipes] {
    for (const auto& one : pipes) {
      for (const int fd : one) {
        if (fd >= 0) close(fd);
      }
    }
  };
  for (auto& one : pipes) {
    if (pipe2(one.data(), O_CLOEXEC) != 0) {
      return absl::InternalError(absl::StrCat("no pipe: ", strerror(errno)));
    }
  }
  // All that a child needs is made before the fork, after which it may not
  // allocate.
  std::vector<std::string> words = arguments;
  std::vector<char*> argv = Pointers(words);
  std::vector<std::string> variables = Environment(options);
  std::vector<char*> envp = Pointers(variables);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    return absl::InternalError(absl::StrCat("no fork: ", strerror(errno)));
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    int failed = 0;
    if (getppid() != parent) _exit(1);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || dup2(nothing, 0) < 0 || dup2(pipes[0][1], 1) < 0 ||
        dup2(pipes[1][1], 2) < 0 ||
        (!options.folder.empty() && chdir(options.folder.c_str()) != 0)) {
      failed = errno;
    } else {
      execvpe(argv[0], argv.data(), envp.data());
      failed = errno;
    }
    // The pipe is closed by a successful exec.
    [[maybe_unused]] const ssize_t told =
        write(pipes[2][1], &failed, sizeof(failed));
    _exit(127);
  }
  for (auto& one : pipes) {
    close(one[1]);
    one[1] = -1;
  }
  int failed = 0;
  while (read(pipes[2][0], &failed, sizeof(failed)) < 0 && errno == EINTR) {
  }
  int status = 0;
  if (failed != 0) {
    waitpid(child, &status, 0);
    const std::string message =
        absl::StrCat("cannot start ", arguments[0], ": ", strerror(failed));
    return failed == ENOENT ? absl::NotFoundError(message)
                            : absl::InternalError(message);
  }
  for (const int fd : {pipes[0][0], pipes[1][0]}) {
    fcntl(fd, F_SETFL, O_NONBLOCK);
  }

  Ran ran;
  const absl::Time begun = absl::Now();
  absl::Time kill_at = absl::InfiniteFuture();
  bool out = true, err = true;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    // What it left in the pipes is read after its end, and not until they are
    // closed: a daemon that it started may hold them for good.
    if (out) {
      out = Drain(pipes[0][0], &ran.out, options, false);
    }
    if (err) err = Drain(pipes[1][0], &ran.err, options, options.show_errors);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR) {
      return absl::InternalError(
          absl::StrCat("cannot wait for ", arguments[0]));
    }
    const absl::Time now = absl::Now();
    if (!ran.timed_out &&
        (now - begun >= options.patience || stopped_by != 0)) {
      ran.timed_out = true;
      kill_at = now + kGrace;
      kill(child, SIGTERM);
    } else if (now >= kill_at) {
      kill(child, SIGKILL);
      kill_at = absl::InfiniteFuture();
    }
    std::array<pollfd, 2> waiting = {pollfd{out ? pipes[0][0] : -1, POLLIN, 0},
                                     pollfd{err ? pipes[1][0] : -1, POLLIN, 0}};
    poll(waiting.data(), waiting.size(),
         static_cast<int>(absl::ToInt64Milliseconds(kTick)));
  }
  if (stopped_by != 0) return absl::CancelledError("stopped by a signal");
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

void StopOnSignals() {
  struct sigaction action = {};
  action.sa_handler = [](int number) { stopped_by = number; };
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    sigaction(number, &action, nullptr);
  }
}

int StoppedBy() { return stopped_by; }

std::string LastLine(absl::string_view text) {
  std::string last;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const absl::string_view stripped = absl::StripAsciiWhitespace(line);
    if (!stripped.empty()) last = std::string(stripped);
  }
  return last;
}

std::string Runfile(absl::string_view path) {
  std::vector<std::string> folders = {"."};
  if (const char* runfiles = getenv("RUNFILES_DIR")) {
    folders.push_back(absl::StrCat(runfiles, "/tactus"));
  }
  std::array<char, 4096> self;
  if (const ssize_t n = readlink("/proc/self/exe", self.data(), self.size());
      n > 0) {
    folders.push_back(
        absl::StrCat(absl::string_view(self.data(), static_cast<size_t>(n)),
                     ".runfiles/tactus"));
  }
  for (const std::string& folder : folders) {
    const std::string candidate = absl::StrCat(folder, "/", path);
    if (access(candidate.c_str(), R_OK) != 0) continue;
    std::array<char, PATH_MAX> whole;
    // Whoever is started elsewhere must find it too.
    if (folder == "." && getcwd(whole.data(), whole.size()) != nullptr) {
      return absl::StrCat(whole.data(), "/", path);
    }
    return candidate;
  }
  return "";
}

std::string Typed(const std::string& path) {
  if (path.empty() || path.front() == '/') return path;
  const char* typed = getenv("BUILD_WORKING_DIRECTORY");
  return typed == nullptr ? path : absl::StrCat(typed, "/", path);
}

bool OnPath(absl::string_view program) {
  const char* path = getenv("PATH");
  if (path == nullptr) return false;
  for (const absl::string_view folder : absl::StrSplit(path, ':')) {
    if (access(absl::StrCat(folder, "/", program).c_str(), X_OK) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace tactus::gate
