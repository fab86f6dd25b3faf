// An MCP server that this process runs: its standard input and output, its
// standard error apart, and the certainty that nothing of it stays behind.
//
// Between this process and the server stands a keeper, a process of its own,
// which holds the other end of a pipe. When this process dies, however it dies,
// the pipe ends: the keeper asks the server's process group to end, and after
// kOrphanGrace kills it and whatever the server started, also what has left the
// group. When the keeper is killed the kernel kills the server.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<ServerProcess>> server =
//       ServerProcess::Start({.arguments = {"my-server", "--stdio"}},
//       deadline);
//   (*server)->Write("{...}\n", deadline);
//   absl::StatusOr<size_t> n = (*server)->Read(buffer, deadline);
//   ServerEnd end = (*server)->Stop();
//
// One thread may write while another reads. Standard error is drained by a
// thread of its own, always, so that a server which writes a lot of it never
// waits; the last kKeptErrors bytes are kept until they are taken.
//
// Linux 5.4 or later.
#ifndef TACTUS_TRANSFER_MCP_SERVER_PROCESS_H_
#define TACTUS_TRANSFER_MCP_SERVER_PROCESS_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/sync/condition.h"
#include "transfer/sync/mutex.h"

namespace tactus::transfer {

struct ServerCommand {
  // The program, looked for in PATH, and what it is given.
  std::vector<std::string> arguments;
  // "NAME=value" each; empty: this process's own.
  std::vector<std::string> environment = {};
};

// How it ended.
struct ServerEnd {
  int code = 0;    // what it exited with
  int signal = 0;  // or what killed it; 0: nothing did

  friend bool operator==(const ServerEnd&, const ServerEnd&) = default;
};

// What was on standard error.
struct ServerErrors {
  std::string text;
  uint64_t dropped = 0;  // bytes before it that were not kept
};

class ServerProcess {
 public:
  // Once its input has ended a server finishes what it was asked for, and one
  // that is quiet for this long is asked to end by SIGTERM.
  static constexpr absl::Duration kInputGrace = absl::Seconds(5);
  // Then, before SIGKILL.
  static constexpr absl::Duration kTermGrace = absl::Seconds(2);
  // Of what is left when whoever ran it has gone, before SIGKILL.
  static constexpr absl::Duration kOrphanGrace = absl::Milliseconds(500);
  // A crash and what led to it.
  static constexpr size_t kKeptErrors = size_t{64} << 10;

  // NotFound or PermissionDenied where the program cannot be run, and what else
  // the system says; Unavailable where it gives no thread; DeadlineExceeded.
  static absl::StatusOr<std::unique_ptr<ServerProcess>> Start(
      const ServerCommand& command, absl::Time deadline);
  // Kills what still runs, and waits for that.
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // All of `bytes`. Unavailable where the server does not read any more.
  absl::Status Write(absl::string_view bytes, absl::Time deadline);
  // As much of `bytes` as it takes at once, at least a byte.
  absl::StatusOr<size_t> WriteSome(absl::string_view bytes,
                                   absl::Time deadline);
  // No more is written; once.
  void CloseInput();
  // What is there, at least a byte; 0 at the end of its output.
  absl::StatusOr<size_t> Read(absl::Span<char> into, absl::Time deadline);
  // True when Read would not wait, when standard error has something new, or
  // for a Nudge; false when none of it was by the deadline.
  bool WaitForOutput(absl::Time deadline);
  // Any thread.
  void Nudge();
  // What came on standard error since the last call.
  ServerErrors TakeErrors();
  // Until nobody can write to standard error any more.
  void WaitForErrorsEnd(absl::Time deadline);

  // Waits until it has ended. DeadlineExceeded.
  absl::StatusOr<ServerEnd> Wait(absl::Time deadline);
  // To the whole process group. Nothing where it has ended.
  void Terminate();
  void Kill();
  // Waits for kTermGrace at most after Terminate, then kills and waits.
  ServerEnd Stop();

 private:
  ServerProcess() = default;
  void DrainErrors(int fd);
  void Tell(char what);

  pid_t keeper_ = -1;
  int input_ = -1;
  int output_ = -1;
  int life_ = -1;        // its end ends the keeper
  int status_ = -1;      // the keeper's word on how it ended
  int new_errors_ = -1;  // eventfd; for Nudge as well
  bool ended_ = false;
  ServerEnd end_;

  Mutex mutex_;
  std::string errors_ ABSL_GUARDED_BY(mutex_);
  uint64_t dropped_ ABSL_GUARDED_BY(mutex_) = 0;
  Condition errors_changed_;
  bool errors_ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread drain_;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MCP_SERVER_PROCESS_H_
