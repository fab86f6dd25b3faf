// Round trips, several ways of them in turn, block by block.
//
// Use it where what is compared takes microseconds. A sample is the median of a
// block of trips: blocks and not trips are taken in turn, since a trip is
// faster when the one before was of its kind, and a different way goes first in
// every round, so that what else the machine does hits all alike.
//
// Example:
//
//   UnixEcho echo;
//   Control daemon(socket, R"({"jsonrpc":"2.0","id":1,"method":"status"})");
//   std::vector<Way> ways = {{.name = "unix", .trip = [&] { echo.Trip(); }},
//                            {.name = "daemon", .trip = [&] { daemon.Ask();
//                            }}};
//   TakeInTurn(ways, {.blocks = 60, .trips = 100});
//   for (const Way& way : ways) PrintSeries(way.name, "us", way.samples);
//
// What fails ends the process with 1 and a line of why: a measurement of what
// failed would be none.
#ifndef TACTUS_TRANSFER_BENCHMARK_TRIPS_H_
#define TACTUS_TRANSFER_BENCHMARK_TRIPS_H_

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tactus::transfer {

// Bytes of a message.
inline constexpr size_t kMessage = 64;

[[noreturn]] void Die(absl::string_view why);
// With what the system says.
[[noreturn]] void DieOfErrno(absl::string_view what);

void WriteAll(int fd, const char* data, size_t size);
// False at the end.
bool ReadAll(int fd, char* data, size_t size);

// A process that ends with this one.
class Child {
 public:
  explicit Child(const std::function<void()>& body);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

 private:
  pid_t pid_ = -1;
};

// The floor of all that crosses a process on this machine: a message over a
// Unix socket to another one and back.
class UnixEcho {
 public:
  UnixEcho();
  ~UnixEcho();
  void Trip();

 private:
  int fd_ = -1;
  std::string message_;
  std::unique_ptr<Child> child_;
};

// A line to a daemon and its answer. An answer without a result is a failure;
// notifications that come before it are left out.
class Control {
 public:
  Control(const std::string& path, absl::string_view request);
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;
  ~Control();

  // The answer, with its line end; until the next call.
  absl::string_view Ask() {
    Send(request_);
    return Receive();
  }

  // Both by themselves, for what happens in between. `request` has its line
  // end.
  void Send(absl::string_view request);
  absl::string_view Receive();

 private:
  const std::string request_;
  std::string answer_;
  int fd_ = -1;
};

struct Way {
  std::string name;
  std::function<void()> trip;
  std::vector<double> samples = {};  // us
};

struct Turns {
  int blocks = 60;
  int trips = 100;  // of a block
};

void TakeInTurn(std::vector<Way>& ways, const Turns& turns);

// {"series":"unix","unit":"us","samples":[…],"failures":0}
void PrintSeries(absl::string_view name, absl::string_view unit,
                 const std::vector<double>& samples);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_BENCHMARK_TRIPS_H_
