// The commands as they run through the daemon, where one runs.
//
// What they print and exit with is what they would by themselves; only figures
// differ (times, traffic, and the route by which the focus was found).
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<control::Client>> daemon =
//       FindDaemon(arguments, deadline);
//   if (!daemon.ok()) return Complain(daemon.status());
//   if (*daemon != nullptr) return SnapshotBy(**daemon, arguments, left);
#ifndef TACTUS_TOOLS_TACTUS_REMOTE_H_
#define TACTUS_TOOLS_TACTUS_REMOTE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/edit/plan.h"
#include "tools/control/client.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/lines.h"
#include "tools/tactus/stream.h"

namespace tactus::cli {

// Null where the command is to do without: none runs, --no-daemon, the daemon
// is on another display, or what is asked for is beyond what one takes
// (control/calls.h). An error where one is there and cannot be used.
absl::StatusOr<std::unique_ptr<control::Client>> FindDaemon(
    const Arguments& arguments, absl::Time deadline);

// `left` is what is left of the deadline.
ExitCode SnapshotBy(control::Client& daemon, const Arguments& arguments,
                    absl::Duration left);

// The request of an edit; null: of undo. Absent where a daemon cannot be given
// its text: it is too long, or no UTF-8.
std::optional<std::string> EditParams(const ax::Edit* edit,
                                      const Arguments& arguments,
                                      absl::Duration left);
ExitCode EditBy(control::Client& daemon, const Arguments& arguments,
                const std::string& params, absl::Duration left);

// A stream of the daemon's, for RunStream.
class RemoteStream : public StreamTarget {
 public:
  // Both must outlive it.
  RemoteStream(control::Client* daemon, const Arguments* arguments)
      : daemon_(*daemon), arguments_(*arguments) {}

  StreamAnswer Write(StreamLine::Kind kind, const std::string& text) override;
  bool holding() const override { return holding_; }
  bool ended() const override { return ended_; }

 private:
  control::Client& daemon_;
  const Arguments& arguments_;
  bool holding_ = false;
  bool ended_ = false;
};

// Whether the daemon can be streamed to: the exit code where not, told.
std::optional<ExitCode> CannotStream(control::Client& daemon);

// Until `stop_fd` is readable, or its time or its count has come.
ExitCode WatchBy(control::Client& daemon, const Arguments& arguments,
                 int stop_fd);

// `status`, `pause` and `resume`.
ExitCode AskDaemon(const Arguments& arguments);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_REMOTE_H_
