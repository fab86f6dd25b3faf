// A process of its own that takes one snapshot and ends: what a command line
// costs that finds no daemon.
//
//   cold TEXT
//
// Exits with 0 when the snapshot's value holds TEXT, else with 1.
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/snapshot/snapshot.h"

namespace tactus::ax::atspi {
namespace {

int Main(const std::string& expected) {
  const absl::Time deadline = Clock::Real().Now() + absl::Seconds(5);
  absl::StatusOr<std::unique_ptr<AtspiServer>> server =
      AtspiServer::Connect({}, deadline);
  if (!server.ok()) {
    fprintf(stderr, "cold: %s\n", server.status().ToString().c_str());
    return 1;
  }
  absl::StatusOr<Snapshot> snapshot =
      SnapshotFocused(**server, {.deadline = deadline});
  if (!snapshot.ok()) {
    fprintf(stderr, "cold: %s\n", snapshot.status().ToString().c_str());
    return 1;
  }
  if (!snapshot->value.ok() ||
      snapshot->value->find(expected) == std::string::npos) {
    fprintf(stderr, "cold: the snapshot does not hold the text\n");
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace tactus::ax::atspi

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: cold TEXT\n");
    return 2;
  }
  return tactus::ax::atspi::Main(argv[1]);
}
