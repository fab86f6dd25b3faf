// A program's end of the control socket: sends a request, waits for its answer.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<Client>> daemon =
//       Client::Connect(DefaultFolder(), "0.1.0", deadline);
//   if (absl::IsNotFound(daemon.status())) RunWithoutDaemon();
//   absl::StatusOr<Answer> answer =
//       (*daemon)->Call("text.snapshot", "{}", deadline);
//   if (answer.ok() && answer->error.has_value()) ...
//
// One thread. After an error of Call the connection is of no use any more, and
// what was asked for may still be done: of an edit nobody knows how it ended.
#ifndef TACTUS_TOOLS_CONTROL_CLIENT_H_
#define TACTUS_TOOLS_CONTROL_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "tools/control/json_rpc.h"

namespace tactus::control {

class Client {
 public:
  // Connects and greets. NotFound where no daemon listens; FailedPrecondition,
  // with the remedy, for a daemon of another version and where address.h
  // refuses; DeadlineExceeded and Unavailable.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(
      const std::string& folder, absl::string_view version,
      absl::Time deadline);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // What the daemon said of itself at the greeting: the result of `status`.
  const Answer& greeting() const { return greeting_; }

  // `params` is a JSON object. The answer may be an error of the daemon's.
  // DeadlineExceeded where none came, Unavailable where the daemon has gone,
  // DataLoss where it is none. On Clock::Real().
  absl::StatusOr<Answer> Call(absl::string_view method,
                              absl::string_view params, absl::Time deadline);

  // The same of a request that takes long: `heard` is given each notification
  // that comes meanwhile, and once `stop_fd`, which may be -1, is readable it
  // is Cancelled; destroying the client then has the daemon end what it does.
  // `descriptors`, at most three, stay the caller's; the daemon has its own of
  // the same files.
  absl::StatusOr<Answer> Call(absl::string_view method,
                              absl::string_view params, absl::Time deadline,
                              int stop_fd,
                              absl::FunctionRef<void(const Answer&)> heard,
                              absl::Span<const int> descriptors = {});

  // The next notification. Cancelled once `stop_fd` is readable.
  absl::StatusOr<Answer> Notification(int stop_fd, absl::Time deadline);

 private:
  explicit Client(int fd) : fd_(fd) {}

  absl::Status Send(absl::string_view line, absl::Span<const int> descriptors,
                    absl::Time deadline);
  // The next line that comes.
  absl::StatusOr<Answer> Next(int stop_fd, absl::Time deadline);

  const int fd_;
  std::string in_;
  size_t searched_ = 0;
  int64_t next_id_ = 1;
  std::deque<Answer> notifications_;
  Answer greeting_;
};

}  // namespace tactus::control

#endif  // TACTUS_TOOLS_CONTROL_CLIENT_H_
