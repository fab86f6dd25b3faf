#include "transfer/benchmark/daemon_process.h"

#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "transfer/benchmark/trips.h"
#include "transfer/clock/clock.h"

extern char** environ;

namespace tactus::transfer {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(20);
// Short beside what is measured, and long beside a try.
constexpr absl::Duration kLook = absl::Microseconds(200);

bool Listens(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un at = {};
  at.sun_family = AF_UNIX;
  if (fd < 0 || path.size() >= sizeof(at.sun_path)) Die("no such socket");
  memcpy(at.sun_path, path.data(), path.size());
  const bool listens =
      connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof(at)) == 0;
  close(fd);
  return listens;
}

}  // namespace

DaemonProcess::DaemonProcess(const std::string& program,
                             const std::string& socket) {
  char* const arguments[] = {const_cast<char*>(program.c_str()), nullptr};
  if (const int error = posix_spawn(&pid_, program.c_str(), nullptr, nullptr,
                                    arguments, environ);
      error != 0) {
    Die(absl::StrCat(program, ": ", strerror(error)));
  }
  const absl::Time until = Clock::Real().Now() + kPatience;
  while (!Listens(socket)) {
    if (Clock::Real().Now() > until ||
        waitpid(pid_, nullptr, WNOHANG) == pid_) {
      Die("the daemon does not start");
    }
    Clock::Real().SleepUntil(Clock::Real().Now() + kLook);
  }
}

DaemonProcess::~DaemonProcess() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

}  // namespace tactus::transfer
