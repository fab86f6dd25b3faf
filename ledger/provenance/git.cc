#include "ledger/provenance/git.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace tactus::ledger {
namespace {

// Of what git says when it fails.
constexpr size_t kMostSaid = 4096;

// The caller's environment without what points git at another repository or
// configuration than those of the folder.
std::vector<std::string> Environment() {
  std::vector<std::string> kept;
  for (char** one = environ; *one != nullptr; ++one) {
    const absl::string_view variable = *one;
    if (absl::StartsWith(variable, "GIT_") ||
        absl::StartsWith(variable, "LC_") ||
        absl::StartsWith(variable, "LANGUAGE=")) {
      continue;
    }
    kept.emplace_back(variable);
  }
  kept.push_back("GIT_CONFIG_GLOBAL=/dev/null");
  kept.push_back("GIT_CONFIG_NOSYSTEM=1");
  // A status that refreshes the index would take a lock from its owner.
  kept.push_back("GIT_OPTIONAL_LOCKS=0");
  kept.push_back("GIT_TERMINAL_PROMPT=0");
  kept.push_back("LC_ALL=C");
  return kept;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

absl::Status Failed(absl::string_view what, int error) {
  return absl::InternalError(absl::StrCat(what, ": ", strerror(error)));
}

}  // namespace

absl::StatusOr<std::string> RunGit(const std::string& folder,
                                   const std::vector<std::string>& arguments,
                                   absl::Duration patience, size_t most) {
  // Its output, and what it complains of.
  std::array<int, 4> pipes = {-1, -1, -1, -1};
  auto close_pipes = absl::MakeCleanup([&pipes] {
    for (const int fd : pipes) {
      if (fd >= 0) close(fd);
    }
  });
  if (pipe2(pipes.data(), O_CLOEXEC) != 0 ||
      pipe2(pipes.data() + 2, O_CLOEXEC) != 0) {
    return Failed("no pipe for git", errno);
  }
  std::vector<std::string> command = {
      "git", "-C", folder,
      // It may be read by another user than its owner, as in a container.
      "-c", "safe.directory=*", "-c", "core.fsmonitor=false"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = Environment();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipes[1], 1);
  posix_spawn_file_actions_adddup2(&actions, pipes[3], 2);
  // A group of its own, so that what git started ends with it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, "git", &actions, &attributes, Pointers(command).data(),
                   Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Failed("cannot run git", error);
  for (const size_t end : {size_t{1}, size_t{3}}) {
    close(pipes[end]);
    pipes[end] = -1;
  }
  const absl::Time deadline = absl::Now() + patience;
  std::array<pollfd, 2> fds = {pollfd{pipes[0], POLLIN, 0},
                               pollfd{pipes[2], POLLIN, 0}};
  std::array<std::string, 2> read_so_far;
  absl::Status status;
  while (status.ok() && (fds[0].fd >= 0 || fds[1].fd >= 0)) {
    const int64_t left = absl::ToInt64Milliseconds(deadline - absl::Now());
    if (left <= 0) {
      status = absl::DeadlineExceededError(
          absl::StrCat("git ", arguments.empty() ? "" : arguments[0],
                       " took longer than ", absl::FormatDuration(patience)));
      break;
    }
    if (poll(fds.data(), fds.size(),
             static_cast<int>(std::min<int64_t>(left, 1000))) < 0 &&
        errno != EINTR) {
      status = Failed("cannot wait for git", errno);
      break;
    }
    for (size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      char buffer[1 << 14];
      const ssize_t n = read(fds[i].fd, buffer, sizeof(buffer));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        fds[i].fd = -1;
        continue;
      }
      std::string& text = read_so_far[i];
      if (i == 1 && text.size() >= kMostSaid) continue;  // drained all the same
      text.append(buffer, static_cast<size_t>(n));
      if (i == 0 && text.size() > most) {
        status = absl::ResourceExhaustedError(
            absl::StrCat("git printed more than ", most, " bytes"));
      }
    }
  }
  if (!status.ok()) kill(-pid, SIGKILL);
  int code = 0;
  while (waitpid(pid, &code, 0) < 0 && errno == EINTR) {
  }
  if (!status.ok()) return status;
  if (!WIFEXITED(code) || WEXITSTATUS(code) != 0) {
    return absl::InternalError(
        absl::StrCat("git ", arguments.empty() ? "" : arguments[0], ": ",
                     absl::StripAsciiWhitespace(read_so_far[1])));
  }
  return std::move(read_so_far[0]);
}

absl::StatusOr<Revision> ReadRevision(const std::string& folder,
                                      absl::string_view but) {
  absl::StatusOr<std::string> top =
      RunGit(folder, {"rev-parse", "--show-toplevel"});
  if (!top.ok()) {
    if (!absl::StrContains(top.status().message(), "not a git repository")) {
      return top.status();
    }
    return absl::NotFoundError(
        absl::StrCat(folder, " is in no git repository"));
  }
  const std::string root(absl::StripTrailingAsciiWhitespace(*top));
  Revision revision;
  // Quiet where there is no commit yet; then everything is new, so dirty.
  if (const absl::StatusOr<std::string> head =
          RunGit(root, {"rev-parse", "--verify", "HEAD"});
      head.ok()) {
    revision.commit = std::string(absl::StripAsciiWhitespace(*head));
  }
  const absl::StatusOr<std::string> status =
      RunGit(root, {"status", "--porcelain", "-z", "--untracked-files=normal",
                    "--", ".", absl::StrCat(":(exclude,top)", but)});
  if (!status.ok()) return status.status();
  revision.dirty = !status->empty() || revision.commit.empty();
  return revision;
}

}  // namespace tactus::ledger
