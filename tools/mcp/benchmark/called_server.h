// An MCP server as a benchmark calls it: a child of this process, lines over
// its pipes, each call answered before the next.
//
// Example:
//
//   CalledServer server({"tools/mcp/benchmark/echo_server"});
//   server.Initialize();
//   server.Call(CallLine(1, "echo", "hi"));   // the line of the answer
//
// What fails ends the process with 1 and a line of why, as all of trips.h: a
// measurement of what failed would be none. So does what does not answer for
// two minutes. For a call that may fail there is TryCall.
#ifndef TACTUS_TOOLS_MCP_BENCHMARK_CALLED_SERVER_H_
#define TACTUS_TOOLS_MCP_BENCHMARK_CALLED_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tactus::mcp {

// A request of tools/call, with its line end.
std::string CallLine(int64_t id, absl::string_view tool,
                     absl::string_view text);

class CalledServer {
 public:
  explicit CalledServer(const std::vector<std::string>& command);
  CalledServer(const CalledServer&) = delete;
  CalledServer& operator=(const CalledServer&) = delete;
  // Ends its input and waits; kills it where it does not end.
  ~CalledServer();

  // The handshake of revision 2025-11-25.
  void Initialize();

  // The next line that is answered, without its line end; until the next call.
  absl::string_view Call(absl::string_view line);
  // False where the server has gone.
  bool TryCall(absl::string_view line, absl::string_view* answer);

 private:
  bool ReadLine(absl::string_view* line);

  const std::string name_;
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::string held_;  // read and not told yet
  std::string line_;
};

}  // namespace tactus::mcp

#endif  // TACTUS_TOOLS_MCP_BENCHMARK_CALLED_SERVER_H_
