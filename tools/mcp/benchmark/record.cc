// Appends what //tools/mcp:benchmark measured to the ledger; see recording.h.
#include "tools/mcp/benchmark/harness.h"
#include "transfer/benchmark/recording.h"

int main(int argc, char** argv) {
  return tactus::transfer::RecordLines(
      "//tools/mcp:benchmark", tactus::ledger::kHarnessDigest, argc, argv);
}
