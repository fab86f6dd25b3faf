// bazel run -c opt //gate:ax_read
#include "gate/read_gate.h"

int main(int argc, char** argv) {
  return tactus::gate::RunReadGate(
      {.name = "ax_read",
       .about =
           "Stages a real editor on a private desktop, takes real snapshots of "
           "its field, and\nholds them to the budgets ax_read.*: 200 samples, "
           "and more where those are too few\nto be sure of the 99th "
           "percentile.",
       .series = "ax_read/snapshot"},
      argc, argv);
}
