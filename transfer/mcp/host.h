// The end of a carried MCP connection where the server is: runs it, and carries
// its lines.
//
// One server process for each connection, so that two agents can use the same
// ids. What the agent says is written to the server as it is; what the server
// says, and apart from it what it writes to standard error, goes back in frames
// (frame.h), and last of all how it ended.
//
// When the agent has said all, or is gone, the server's input is closed. A
// server that is quiet for ServerProcess::kInputGrace then is asked to end, and
// killed ServerProcess::kTermGrace later. When the connection is lost it is
// asked at once.
//
// Example:
//
//   absl::Status status =
//       HostServer({.arguments = {"my-server"}}, *stream, deadline);
#ifndef TACTUS_TRANSFER_MCP_HOST_H_
#define TACTUS_TRANSFER_MCP_HOST_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "transfer/mcp/server_process.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer {

// Returns when the server has ended and the agent's side was told, or is gone.
// `deadline` is that of starting it. Errors: why it could not be started, which
// the other side is told, and what the stream answered. Starts one thread,
// which has ended when it returns.
absl::Status HostServer(const ServerCommand& command, Stream& stream,
                        absl::Time deadline);

// Tells the other side that no server is run for it, and why: up to kLongestWhy
// bytes. Waits a little until it has heard.
void RefuseServer(Stream& stream, absl::string_view why);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_MCP_HOST_H_
