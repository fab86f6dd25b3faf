// `tactus pair`, `forget` and `approve`, and what `tactus status` says of
// peers.
//
// Example:
//
//   case Arguments::Command::kPair:
//     return Pair(arguments);
#ifndef TACTUS_TOOLS_TACTUS_PEER_COMMANDS_H_
#define TACTUS_TOOLS_TACTUS_PEER_COMMANDS_H_

#include <boost/json/fwd.hpp>
#include <string>

#include "tools/tactus/arguments.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {

ExitCode Pair(const Arguments& arguments);
ExitCode Forget(const Arguments& arguments);
ExitCode Approve(const Arguments& arguments);

// Rows, as Row in answer.h makes them; `status` is a tactus.status/1.
std::string PeersForPeople(const boost::json::object& status);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_PEER_COMMANDS_H_
