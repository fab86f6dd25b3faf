// bazel run -c opt //gate:mcp
#include "gate/peer_gate.h"

int main(int argc, char** argv) {
  return tactus::gate::RunPeerGate(
      {.name = "mcp",
       .about = "Pairs two daemons with homes of their own on this machine's "
                "loopback, carries a\nserver that echoes from one to the "
                "other, and holds a call of it to the budgets mcp.*;\nthe "
                "median of three runs of each.",
       .probe = "tools/mcp/benchmark/benchmark",
       .arguments = {"--only", "calls,many", "--alone", "--blocks", "20",
                     "--agents", "16", "--each", "200"}},
      argc, argv);
}
