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
#include <memory>
#include <optional>
#include <thread>

#include "absl/status/statusor.h"

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

// The same for who waits in poll(2): a pipe that can be read from as soon as
// a signal has come, and then stays so, since nobody does read from it.
//
//   absl::StatusOr<std::unique_ptr<StopPipe>> stop = StopPipe::Open();
//   if (!stop.ok()) return Complain(stop.status());
//   LineReader lines(STDIN_FILENO, (*stop)->stopped());
class StopPipe {
 public:
  // Before any other thread is there. The system's error where it gives no
  // pipe.
  static absl::StatusOr<std::unique_ptr<StopPipe>> Open();
  StopPipe(const StopPipe&) = delete;
  StopPipe& operator=(const StopPipe&) = delete;
  ~StopPipe();

  int stopped() const { return read_; }
  // Written to, it is as if a signal had come.
  int stop() const { return write_; }

 private:
  StopPipe(int read, int write);

  const int read_;
  const int write_;
  std::optional<StopSignals> signals_;
};

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_STOP_SIGNALS_H_
