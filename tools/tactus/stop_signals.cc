#include "tools/tactus/stop_signals.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tactus::cli {

StopSignals::StopSignals(std::function<void()> on_stop) {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  thread_ = std::thread([this, on_stop = std::move(on_stop)] {
    for (;;) {
      int number = 0;
      sigwait(&signals_, &number);
      if (ending_) return;
      on_stop();
    }
  });
}

StopSignals::~StopSignals() {
  ending_ = true;
  pthread_kill(thread_.native_handle(), SIGINT);
  thread_.join();
  // Asked twice: the second must not end the process after all.
  const timespec now = {};
  while (sigtimedwait(&signals_, nullptr, &now) > 0) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

absl::StatusOr<std::unique_ptr<StopPipe>> StopPipe::Open() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return absl::ErrnoToStatus(errno, "cannot make a pipe");
  }
  // make_unique cannot reach a private constructor.
  return std::unique_ptr<StopPipe>(new StopPipe(ends[0], ends[1]));
}

StopPipe::StopPipe(int read, int write) : read_(read), write_(write) {
  signals_.emplace([this] {
    const char byte = 0;
    if (::write(write_, &byte, 1) != 1) _exit(1);
  });
}

StopPipe::~StopPipe() {
  // Its thread writes to what is closed here.
  signals_.reset();
  close(write_);
  close(read_);
}

}  // namespace tactus::cli
