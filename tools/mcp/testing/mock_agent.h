// An agent and its server without processes, threads or a desktop: the server
// of `tactus mcp serve` on the mock, its calls carried out by hand on a
// simulated clock.
//
// Use it to test what each line is answered, exactly.
//
//   MockAgent agent(ax::mock::EditorDesktop("hello"), folder);
//   EXPECT_EQ(agent.Ask(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"),
//             std::vector<std::string>{...});
#ifndef TACTUS_TOOLS_MCP_TESTING_MOCK_AGENT_H_
#define TACTUS_TOOLS_MCP_TESTING_MOCK_AGENT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "ax/clock/clock.h"
#include "ax/mock/world.h"
#include "tools/mcp/backend.h"
#include "tools/mcp/desk_backend.h"
#include "tools/mcp/server.h"
#include "tools/tactusd/testing/mock_daemon.h"

namespace tactus::mcp {

class MockAgent {
 public:
  explicit MockAgent(ax::mock::Desktop desktop,
                     const std::string& undo_folder = "",
                     std::vector<std::string> denied = {});

  ax::mock::World& world() { return world_; }
  ax::SimulatedClock& clock() { return clock_; }
  daemon::MockSource& source() { return source_; }
  Backend& backend() { return backend_; }
  Server& server() { return server_; }

  // What one line is answered, when all is done.
  std::vector<std::string> Ask(absl::string_view line);
  // Does what waits, until nothing does.
  void RunAll();
  // What was answered since the last call.
  std::vector<std::string> Told() { return std::exchange(told_, {}); }
  const std::vector<std::string>& logged() const { return logged_; }

 private:
  ax::mock::World world_;
  ax::SimulatedClock clock_;
  daemon::MockSource source_;
  std::vector<std::string> logged_;
  std::vector<std::string> told_;
  DeskBackend backend_;
  Server server_;
};

}  // namespace tactus::mcp

#endif  // TACTUS_TOOLS_MCP_TESTING_MOCK_AGENT_H_
