// Says whether this process may use accessibility, and what a real read of the
// focused text takes: never what it holds.
//
//   bazel run //ax/macos:doctor
//
// Exit status: 0 where a snapshot could be taken or nothing has the focus, 1
// where something is in the way.

#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/macos/server.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/text/escape.h"

namespace {

using tactus::ax::Clock;
using tactus::ax::ForTerminal;
using tactus::ax::Snapshot;
using tactus::ax::macos::MacosServer;
using tactus::ax::macos::Trust;

constexpr absl::Duration kTime = absl::Seconds(2);

int Doctor() {
  const std::unique_ptr<MacosServer> server = MacosServer::Create({});
  Clock& clock = Clock::Real();
  const Trust trust = server->CheckTrust(clock.Now() + kTime);
  std::printf("trusted, as the system says: %s\n", trust.told ? "yes" : "no");
  std::printf("a real read: %s\n", ForTerminal(trust.read.ToString()).c_str());
  if (trust.told && absl::IsPermissionDenied(trust.read)) {
    std::printf(
        "The system says yes and refuses all the same: remove this program "
        "from the list under Privacy, Accessibility, and add it anew.\n");
  } else if (!trust.told) {
    std::printf(
        "Allow the program that started this one under Privacy, "
        "Accessibility.\n");
  }
  if (!trust.read.ok()) return 1;
  const absl::StatusOr<Snapshot> snapshot =
      tactus::ax::SnapshotFocused(*server, {.deadline = clock.Now() + kTime});
  if (absl::IsNotFound(snapshot.status())) {
    std::printf("nothing has the focus\n");
    return 0;
  }
  if (!snapshot.ok()) {
    std::printf("snapshot: %s\n",
                ForTerminal(snapshot.status().ToString()).c_str());
    return 1;
  }
  std::printf(
      "snapshot: %lld trips, %s, %s\n",
      static_cast<long long>(snapshot->traffic.flights),
      absl::FormatDuration(snapshot->elapsed).c_str(),
      std::string(tactus::ax::StrategyName(snapshot->strategy())).c_str());
  return 0;
}

}  // namespace

int main() { return Doctor(); }
