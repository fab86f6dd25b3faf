// What commands read of the daemon's answers, and how they find the daemon
// where they cannot do without.
//
// Example:
//
//   absl::StatusOr<std::unique_ptr<control::Client>> daemon = NeedDaemon();
//   if (!daemon.ok()) return Complain(daemon.status());
//   const absl::StatusOr<control::Answer> answer = (*daemon)->Call(...);
//   if (answer.ok() && answer->error.has_value()) return
//   Refused(*answer->error); const std::string name = TextOf(ResultOf(*answer),
//   "name");
//
// A member that is not there, or is another than wanted, reads as empty: the
// daemon is of the same version, and what it says is only shown.
#ifndef TACTUS_TOOLS_TACTUS_ANSWER_H_
#define TACTUS_TOOLS_TACTUS_ANSWER_H_

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tools/control/client.h"
#include "tools/control/json_rpc.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {

// Null where it is no object.
const boost::json::object* ResultOf(const control::Answer& answer);
const boost::json::object* ObjectOf(const boost::json::object* from,
                                    const char* name);
const boost::json::array* ArrayOf(const boost::json::object* from,
                                  const char* name);
std::string TextOf(const boost::json::object* from, const char* name);
int64_t NumberOf(const boost::json::object* from, const char* name);
bool FlagOf(const boost::json::object* from, const char* name);

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
