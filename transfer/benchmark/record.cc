// Appends what //transfer:benchmark measured to the ledger; see recording.h.
#include "transfer/benchmark/harness.h"
#include "transfer/benchmark/recording.h"

int main(int argc, char** argv) {
  return tactus::transfer::RecordLines(
      "//transfer:benchmark", tactus::ledger::kHarnessDigest, argc, argv);
}
