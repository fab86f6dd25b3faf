#include "ax/x11/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/x11/connection.h"
#include "ax/x11/content.h"
#include "ax/x11/selection.h"

extern char** environ;

namespace tactus::ax::x11 {
namespace {

// What a keeper says when it owns the clipboard; anything else is why not.
constexpr absl::string_view kKeeps = "keeps";
constexpr size_t kMaxReport = 4096;
// For the server to answer a keeper that starts: much, since nothing waits for
// it but the one that hands over, and that has a deadline of its own.
constexpr absl::Duration kStartPatience = absl::Seconds(10);

absl::Time Now() { return Clock::Real().Now(); }

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  ~Fd() { Close(); }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;

  int get() const { return fd_; }
  void Reset(int fd) {
    Close();
    fd_ = fd;
  }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

absl::Status Failed(absl::string_view what) {
  return absl::UnavailableError(
      absl::StrCat("cannot ", what, ": ", strerror(errno)));
}

absl::Status WriteAll(int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("write to the keeper");
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

// Above the numbers that a keeper finds its own at, so that moving one there
// never closes another.
absl::Status MoveUp(Fd* fd) {
  const int moved = fcntl(fd->get(), F_DUPFD_CLOEXEC, kKeeperReport + 1);
  if (moved < 0) return Failed("copy a file descriptor");
  fd->Reset(moved);
  return absl::OkStatus();
}

absl::StatusOr<pid_t> Start(const std::vector<std::string>& program,
                            int content, int report) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const absl::Cleanup destroy = [&] {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  };
  // Of ours it must hold nothing: not a terminal, nor a pipe whose reader waits
  // for its end.
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, content, kKeeperContent);
  posix_spawn_file_actions_adddup2(&actions, report, kKeeperReport);
  posix_spawn_file_actions_addclosefrom_np(&actions, kKeeperReport + 1);
  posix_spawn_file_actions_addchdir_np(&actions, "/");
  sigset_t none;
  sigemptyset(&none);
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID |
                                            POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> argv;
  argv.reserve(program.size() + 1);
  for (const std::string& argument : program) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawn(&child, program.front().c_str(), &actions,
                                &attributes, argv.data(), environ);
  if (error != 0) {
    return absl::UnavailableError(absl::StrCat(
        "cannot start the keeper ", program.front(), ": ", strerror(error)));
  }
  return child;
}

absl::StatusOr<std::string> ReadAll(int fd) {
  std::string all;
  std::array<char, 64 << 10> buffer;
  for (;;) {
    const ssize_t n = read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Failed("read the clipboard that was handed over");
    if (n == 0) return all;
    all.append(buffer.data(), static_cast<size_t>(n));
  }
}

// Owns what `fd` holds, from the owner that it names.
absl::StatusOr<std::unique_ptr<Selection>> TakeOver(int fd) {
  absl::StatusOr<std::string> packed = ReadAll(fd);
  if (!packed.ok()) return packed.status();
  absl::StatusOr<Parcel> parcel = Unpack(*packed);
  if (!parcel.ok()) return parcel.status();
  const absl::Time deadline = Now() + kStartPatience;
  absl::StatusOr<std::unique_ptr<Selection>> selection =
      Selection::Open(parcel->display, deadline);
  if (!selection.ok()) return selection.status();
  // The time first: who takes the clipboard after it wins.
  absl::StatusOr<xcb_timestamp_t> time = (*selection)->ServerTime(deadline);
  if (!time.ok()) return time.status();
  absl::StatusOr<xcb_window_t> owner = (*selection)->Owner(deadline);
  if (!owner.ok()) return owner.status();
  if (*owner != parcel->owner) {
    return absl::UnavailableError("another client has taken the clipboard");
  }
  const absl::Status owned =
      (*selection)
          ->Own(std::make_shared<const Content>(std::move(parcel->content)),
                *time, deadline);
  if (!owned.ok()) return owned;
  return selection;
}

}  // namespace

absl::Status HandToKeeper(Selection& selection, const std::string& display,
                          const std::vector<std::string>& program,
                          absl::Time deadline) {
  const std::string packed =
      Pack({.display = display,
            .owner = selection.window(),
            .content = selection.content() == nullptr ? Content()
                                                      : *selection.content()});
  Fd content(memfd_create("tactus-clipboard", MFD_CLOEXEC));
  if (content.get() < 0) return Failed("make a file in memory");
  if (absl::Status wrote = WriteAll(content.get(), packed); !wrote.ok()) {
    return wrote;
  }
  if (lseek(content.get(), 0, SEEK_SET) != 0) return Failed("rewind");
  int pipe_fds[2];
  if (pipe2(pipe_fds, O_CLOEXEC) != 0) return Failed("make a pipe");
  Fd report(pipe_fds[0]);
  Fd report_in(pipe_fds[1]);
  if (absl::Status up = MoveUp(&content); !up.ok()) return up;
  if (absl::Status up = MoveUp(&report_in); !up.ok()) return up;
  // Read without waiting: requests are served meanwhile.
  fcntl(report.get(), F_SETFL, O_NONBLOCK);
  absl::StatusOr<pid_t> child = Start(program, content.get(), report_in.get());
  if (!child.ok()) return child.status();
  report_in.Close();
  content.Close();

  const absl::Status handed = [&]() -> absl::Status {
    std::string said;
    // Until the keeper owns it, and until what was asked of us before is all
    // handed out.
    for (;;) {
      if (absl::Status alive = selection.Process(); !alive.ok()) return alive;
      std::array<char, 256> buffer;
      ssize_t n = -1;
      if (report.get() >= 0 &&
          (n = read(report.get(), buffer.data(), buffer.size())) > 0) {
        said.append(buffer.data(), static_cast<size_t>(n));
      }
      if (n == 0 || said.size() > kMaxReport) {
        report.Close();
        // One that was too late has nothing to keep, and neither have we.
        (void)selection.Process();
        if (said != kKeeps && selection.owning()) {
          return absl::UnavailableError(
              absl::StrCat("the keeper does not keep the clipboard: ",
                           said.empty() ? "it ended without a word" : said));
        }
      }
      if (report.get() < 0 && !selection.owning() &&
          !selection.transferring()) {
        return absl::OkStatus();
      }
      if (Now() >= deadline) {
        return absl::DeadlineExceededError(
            "the clipboard could not be handed to a keeper in time");
      }
      selection.connection().Wait(report.get(),
                                  std::min(deadline, selection.NextExpiry()));
    }
  }();
  // A keeper leaves the process that was started, and that one ends. What is no
  // keeper does not end by itself.
  if (!handed.ok()) kill(*child, SIGKILL);
  int status = 0;
  while (waitpid(*child, &status, 0) < 0 && errno == EINTR) {
  }
  return handed;
}

absl::Status KeepClipboard(int content_fd, int report_fd) {
  Fd content(content_fd);
  Fd report(report_fd);
  // So that nobody has to wait for the end of this process, and it is nobody's
  // child but init's.
  const pid_t child = fork();
  if (child < 0) return Failed("fork");
  if (child > 0) _exit(0);
  // The report's reader may have given up.
  signal(SIGPIPE, SIG_IGN);

  absl::StatusOr<std::unique_ptr<Selection>> selection =
      TakeOver(content.get());
  content.Close();
  if (!selection.ok()) {
    // If even this fails, its end says enough.
    (void)WriteAll(report.get(), selection.status().message());
    return selection.status();
  }
  (void)WriteAll(report.get(), kKeeps);
  report.Close();

  Selection& kept = **selection;
  while (kept.Process().ok() && (kept.owning() || kept.transferring())) {
    kept.connection().Wait(-1, kept.NextExpiry());
  }
  return absl::OkStatus();
}

}  // namespace tactus::ax::x11
