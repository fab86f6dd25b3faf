// A daemon that a benchmark starts, and that ends with it.
//
// Example:
//
//   DaemonProcess daemon("tools/tactusd/tactusd", socket);
//   Control status(socket, …);        // it listens
//
// It has the environment of whoever starts it. What fails ends the process.
#ifndef TACTUS_TRANSFER_BENCHMARK_DAEMON_PROCESS_H_
#define TACTUS_TRANSFER_BENCHMARK_DAEMON_PROCESS_H_

#include <sys/types.h>

#include <string>

namespace tactus::transfer {

class DaemonProcess {
 public:
  // Returns as soon as it listens at `socket`.
  DaemonProcess(const std::string& program, const std::string& socket);
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;
  // Tells it to end, and waits until it has.
  ~DaemonProcess();

 private:
  pid_t pid_ = -1;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_BENCHMARK_DAEMON_PROCESS_H_
