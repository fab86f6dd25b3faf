#include "transfer/mcp/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "transfer/mcp/open_files.h"

namespace tactus::transfer {
namespace {

// Where the descriptors are put, from 3 on.
enum Place { kLife = 3, kStatus = 4, kFailure = 5, kFirstOther = 6 };

// To above all that is used here, so that no copy lands on another.
int Aside(int fd) { return fcntl(fd, F_DUPFD, 16); }

void CloseFrom(unsigned int first) {
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  for (unsigned int fd = first; fd < kMostOpenFiles; ++fd) {
    close(static_cast<int>(fd));
  }
}

[[noreturn]] void Fail(int error) {
  (void)!write(kFailure, &error, sizeof(error));
  _exit(127);
}

[[noreturn]] void RunServer(const KeeperOptions& options, pid_t keeper,
                            const sigset_t& signals) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have gone before that.
  if (getppid() != keeper) _exit(127);
  close(kLife);
  close(kStatus);
  fcntl(kFailure, F_SETFD, FD_CLOEXEC);
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  RestoreOpenFiles();
  execve(options.program, options.arguments, options.environment);
  Fail(errno);
}

// Kills what is left of what the server started and has come to be the
// keeper's. False when there is nothing.
bool KillRest() {
  for (;;) {
    const pid_t gone = waitpid(-1, nullptr, WNOHANG);
    if (gone < 0 && errno == ECHILD) return false;
    if (gone <= 0) break;
  }
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return false;
  char text[512];
  pid_t pid = 0;
  for (;;) {
    const ssize_t n = read(list, text, sizeof(text));
    if (n <= 0) break;
    for (ssize_t i = 0; i < n; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        pid = pid * 10 + (text[i] - '0');
      } else {
        if (pid > 1) kill(pid, SIGKILL);
        pid = 0;
      }
    }
  }
  if (pid > 1) kill(pid, SIGKILL);
  close(list);
  return true;
}

}  // namespace

void RunKeeper(const KeeperOptions& options) {
  // What ends the terminal's or the service's other processes is not for this
  // one, which ends by itself.
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  sigset_t none;
  sigemptyset(&none);
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int from[] = {options.input, options.output, options.errors,
                      options.life,  options.status, options.failure};
  int aside[6];
  for (int i = 0; i < 6; ++i) aside[i] = Aside(from[i]);
  for (int i = 0; i < 6; ++i) {
    if (dup2(aside[i], i) < 0) _exit(127);
  }
  CloseFrom(kFirstOther);

  const pid_t keeper = getpid();
  const pid_t server = fork();
  if (server < 0) Fail(errno);
  if (server == 0) RunServer(options, keeper, none);
  setpgid(server, server);  // whoever is first
  close(kFailure);
  close(0);
  close(1);
  close(2);

  const int ended = static_cast<int>(syscall(SYS_pidfd_open, server, 0));
  int status = 0;
  int wait = -1;
  bool killed = false;
  bool orphaned = false;
  for (;;) {
    if (waitpid(server, &status, WNOHANG) == server) break;
    pollfd fds[] = {{orphaned ? -1 : kLife, POLLIN, 0}, {ended, POLLIN, 0}};
    // Without a descriptor for its end it is asked for.
    const int patience = ended < 0 && wait < 0 ? 20 : wait;
    const int ready = poll(fds, 2, patience);
    if (ready == 0 && wait >= 0 && !killed) {
      kill(-server, SIGKILL);
      killed = true;
      wait = -1;
    }
    if (ready <= 0 || fds[0].revents == 0) continue;
    char what = 0;
    const ssize_t n = read(kLife, &what, 1);
    if (n < 0) continue;
    if (n == 0) {
      orphaned = true;
      kill(-server, SIGTERM);
      wait = options.grace_ms;
    } else {
      kill(-server, what == 'k' ? SIGKILL : SIGTERM);
    }
  }
  // Nothing that it started outlives it. Each round kills those whose parents
  // the round before has killed; who makes children faster than that is beyond
  // this.
  kill(-server, SIGKILL);
  for (int round = 0; round < 1000 && KillRest(); ++round) {
    const timespec pause = {0, 1000000};
    nanosleep(&pause, nullptr);
  }
  (void)!write(kStatus, &status, sizeof(status));
  _exit(0);
}

}  // namespace tactus::transfer
