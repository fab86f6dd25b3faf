// `tactus mcp serve` on descriptors: lines of standard input to the server, and
// what it answers to standard output, where nothing else is ever written.
//
// Example:
//
//   const absl::Status status = Serve(
//       backend, "0.1.0", {.in = STDIN_FILENO, .out = STDOUT_FILENO,
//                          .stopped = stop_pipe[0], .stop = stop_pipe[1]});
//
// It ends at the end of input, when what was asked for is answered; when a byte
// is written to `stop`, when what has begun is answered; and when nobody reads
// the output any more, which is told as Unavailable. An agent that does not
// read is waited for, and nothing more is read from it meanwhile, so that
// nothing piles up.
#ifndef TACTUS_TOOLS_MCP_SERVE_H_
#define TACTUS_TOOLS_MCP_SERVE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "tools/mcp/backend.h"

namespace tactus::mcp {

// Once stopped, for an agent that does not read at once. Agents kill what has
// not ended two seconds after they asked.
inline constexpr absl::Duration kFarewell = absl::Seconds(1);

struct ServeOptions {
  int in = -1;
  int out = -1;
  // The two ends of a pipe.
  int stopped = -1;
  int stop = -1;
  bool writes = true;  // see ServerOptions
};

// DataLoss when the input cannot be read, Unavailable when the output cannot be
// written.
absl::Status Serve(Backend& backend, const std::string& version,
                   const ServeOptions& options);

}  // namespace tactus::mcp

#endif  // TACTUS_TOOLS_MCP_SERVE_H_
