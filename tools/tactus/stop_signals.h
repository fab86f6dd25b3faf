// Ends a watch in good order when the user or the system asks for it.
//
// Example:
//
//   StopSignals stop([&] { events->Cancel(); });
//
// While it lives, SIGINT and SIGTERM do not end the process but call the
// function, from a thread of its own. Make it before any other thread, since a
// thread that does not block a signal is ended by it.
#ifndef TACTUS_TOOLS_TACTUS_STOP_SIGNALS_H_
#define TACTUS_TOOLS_TACTUS_STOP_SIGNALS_H_

#include <signal.h>

#include <atomic>
#include <functional>
#include <thread>

namespace tactus::cli {

class StopSignals {
 public:
  explicit StopSignals(std::function<void()> on_stop);
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

 private:
  sigset_t signals_;
  sigset_t before_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_STOP_SIGNALS_H_
