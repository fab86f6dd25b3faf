#include "tools/tactus/answer.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/text/escape.h"
#include "tools/control/address.h"
#include "tools/control/client.h"
#include "tools/control/json_rpc.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/output.h"

namespace tactus::cli {
namespace {

using control::Client;
using control::Code;

// To find out whether a daemon is there, where the command has no deadline.
constexpr absl::Duration kGreeting = absl::Seconds(5);

}  // namespace

absl::StatusOr<std::unique_ptr<Client>> NeedDaemon() {
  absl::StatusOr<std::unique_ptr<Client>> daemon = Client::Connect(
      control::DefaultFolder(), kVersion, ax::Clock::Real().Now() + kGreeting);
  if (absl::IsNotFound(daemon.status())) {
    return absl::FailedPreconditionError(
        "no daemon runs: start `tactusd`, or `systemctl --user start "
        "tactusd.socket`");
  }
  return daemon;
}

ExitCode Refused(const control::Error& error) {
  Complain(error.message);
  switch (error.code) {
    case Code::kNotConnected:
    case Code::kNotDone:
      return ExitCodeFor(error.status);
    case Code::kPaused:
      return ExitCode::kCannotRun;
    case Code::kBadParams:
      return ExitCode::kUsage;
    default:
      return ExitCode::kFailed;
  }
}

absl::Status NoAnswer() {
  return absl::DataLossError("the daemon's answer cannot be understood");
}

std::string Row(const char* name, const std::string& text) {
  if (text.empty()) return "";
  std::string row = name;
  row.resize(13, ' ');
  return absl::StrCat(row, ax::ForTerminal(text), "\n");
}

}  // namespace tactus::cli
