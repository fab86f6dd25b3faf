// The server of `tactus mcp serve` on the mock, by lines: what standard input
// says is answered on standard output.
//
//   mock_serve UNDO_FOLDER < lines
//
// A line that begins with '!' is what happens on the desktop instead: `!secure`
// and `!plain` turn the field into a password and back, `!type TEXT` is the
// user's, `!leave` takes the keyboard away, `!pause` and `!resume` are the
// daemon's.

#include <iostream>
#include <string>

#include "ax/mock/world.h"
#include "tools/mcp/testing/mock_agent.h"

namespace {

void Happen(const std::string& what, tactus::mcp::MockAgent& agent) {
  const tactus::ax::Element field{"app:100", "/text"};
  if (what == "secure" || what == "plain") {
    agent.world().SetSecure(field, what == "secure").IgnoreError();
  } else if (what.rfind("type ", 0) == 0) {
    agent.world().Type(field, what.substr(5)).IgnoreError();
  } else if (what == "leave") {
    agent.world().set_focused("");
    agent.world().mutable_panes().clear();
  } else if (what == "pause") {
    agent.source().Pause();
  } else if (what == "resume") {
    agent.source().Resume();
  } else {
    std::cerr << "mock_serve: no such thing happens: " << what << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  tactus::mcp::MockAgent agent(tactus::ax::mock::EditorDesktop("hello world"),
                               argv[1]);
  std::string line;
  while (std::getline(std::cin, line)) {
    if (!line.empty() && line[0] == '!') {
      Happen(line.substr(1), agent);
      continue;
    }
    for (const std::string& answer : agent.Ask(line)) std::cout << answer;
    std::cout.flush();
  }
  return 0;
}
