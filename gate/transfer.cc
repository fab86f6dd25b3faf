// bazel run -c opt //gate:transfer
#include "gate/peer_gate.h"

int main(int argc, char** argv) {
  return tactus::gate::RunPeerGate(
      {.name = "transfer",
       .about = "Pairs two daemons with homes of their own on this machine's "
                "loopback, and holds what\ngoes between them to the budgets "
                "transfer.*: round trip, first byte of a second file,\ncold "
                "connect, rate; the median of three runs of each.",
       .probe = "transfer/benchmark/benchmark",
       .arguments = {"--only", "echo,first,cold,rate"}},
      argc, argv);
}
