// `tactus expose`, `exposed`, `unexpose`, `mcp connect` and `mcp config`:
// MCP servers between paired devices.
//
// Example:
//
//   case Arguments::Command::kMcpConnect:
//     return McpConnect(arguments);
#ifndef TACTUS_TOOLS_TACTUS_MCP_COMMANDS_H_
#define TACTUS_TOOLS_TACTUS_MCP_COMMANDS_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/control/json_rpc.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {

ExitCode Expose(const Arguments& arguments);
ExitCode Exposed(const Arguments& arguments);
ExitCode Unexpose(const Arguments& arguments);

// Hands the standard streams to the daemon, which reads and writes them, and
// waits until it has ended. Killed, its socket closes, and the daemon ends the
// connection and the server. Its exit code is the server's, as ssh(1) has it.
ExitCode McpConnect(const Arguments& arguments);

ExitCode McpConfig(const Arguments& arguments);

// What is kept of peers' doings (tools/audit/audit.h).
ExitCode ShowAudit(const Arguments& arguments);

// Asks the daemon whether a peer may do something: `mcp.permit`.
absl::StatusOr<control::Answer> AskToPermit(const std::string& params);

// What the daemon is to run for what was typed: an absolute path, from PATH
// where it is a plain name, since the daemon has another folder and maybe
// another PATH. NotFound.
absl::StatusOr<std::string> ProgramPath(const std::string& typed,
                                        const std::string& folder,
                                        const std::string& path);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_MCP_COMMANDS_H_
