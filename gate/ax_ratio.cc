// bazel run -c opt //gate:ax_ratio
#include "gate/read_gate.h"

int main(int argc, char** argv) {
  return tactus::gate::RunReadGate(
      {.name = "ax_ratio",
       .about =
           "Reads one held field in batches and attribute by attribute, round "
           "by round in one\nrun, and holds the ratio to the budgets "
           "ax_ratio.*.",
       .series = "ax_ratio/batched_over_in_turn",
       .ratio = true},
      argc, argv);
}
