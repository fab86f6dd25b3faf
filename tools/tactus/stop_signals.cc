#include "tools/tactus/stop_signals.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <functional>
#include <thread>
#include <utility>

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

}  // namespace tactus::cli
