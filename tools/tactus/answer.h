// What commands of the daemon have alike: how they find it where they cannot do
// without, and how they end.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<control::Client>> daemon = NeedDaemon();
//   if (!daemon.ok()) return Complain(daemon.status());
//   const absl::StatusOr<control::Answer> answer = (*daemon)->Call(...);
//   if (answer->error.has_value()) return Refused(*answer->error);
//   return Finish(TextOf(ResultOf(*answer), "people"), ExitCode::kDone);
#ifndef TACTUS_TOOLS_TACTUS_ANSWER_H_
#define TACTUS_TOOLS_TACTUS_ANSWER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/control/client.h"
#include "tools/control/json_rpc.h"
#include "tools/control/members.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {

using control::ArrayOf;
using control::FlagOf;
using control::Json;
using control::NumberOf;
using control::ObjectOf;
using control::ResultOf;
using control::TextOf;

// For the daemon to do what takes no waiting, on a busy machine.
inline constexpr absl::Duration kSoon = absl::Seconds(30);

// FailedPrecondition, with the remedy, where no daemon runs.
absl::StatusOr<std::unique_ptr<control::Client>> NeedDaemon();

// How a command ends whose request the daemon refused; tells why.
ExitCode Refused(const control::Error& error);

// That the answer cannot be understood.
absl::Status NoAnswer();

// A row of a table for people: its name, and a text of whoever's, escaped.
// Nothing where there is nothing to tell.
std::string Row(const char* name, const std::string& text);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_ANSWER_H_
