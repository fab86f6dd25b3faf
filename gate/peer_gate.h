// A gate on what two paired devices do: starts a benchmark of theirs three
// times and holds the medians to the budgets of its name.
//
// Use it for a gate whose probe prints series as a line of JSON each, with
// --lines, and ends with 3 where two devices cannot be had at all.
//
// Example:
//
//   int main(int argc, char** argv) {
//     return RunPeerGate({.name = "transfer",
//                         .about = "Pairs two daemons ...",
//                         .probe = "transfer/benchmark/benchmark",
//                         .arguments = {"--only", "echo"}},
//                        argc, argv);
//   }
#ifndef TACTUS_GATE_PEER_GATE_H_
#define TACTUS_GATE_PEER_GATE_H_

#include <string>
#include <vector>

namespace tactus::gate {

struct PeerGate {
  std::string name;   // of the target, and before the dot of its budgets
  std::string about;  // for --help
  std::string probe;  // its path among the runfiles
  std::vector<std::string> arguments;  // beside --lines
};

// What the process ends with.
int RunPeerGate(const PeerGate& gate, int argc, char** argv);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_PEER_GATE_H_
