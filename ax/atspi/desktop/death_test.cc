// The last test of an application's life.
#include <signal.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/atspi/desktop/control.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/resolve/resolve.h"
#include "ax/snapshot/snapshot.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(5); }

TEST(DeathTest, ApplicationKilledAfterItWasFoundIsUnavailable) {
  absl::StatusOr<std::unique_ptr<AtspiServer>> server =
      AtspiServer::Connect({}, Soon());
  ASSERT_TRUE(server.ok()) << server.status();
  absl::StatusOr<Target> target;
  for (int i = 0; i < 3; ++i) {
    target = Resolve(**server, Soon());
    ASSERT_TRUE(target.ok()) << target.status();
  }
  ASSERT_EQ(kill(ApplicationPid(), SIGKILL), 0);
  const absl::StatusOr<Snapshot> snapshot =
      SnapshotTarget(**server, *target, {.deadline = Soon()});
  EXPECT_EQ(snapshot.status().code(), absl::StatusCode::kUnavailable)
      << snapshot.status();
}

}  // namespace
}  // namespace tactus::ax::atspi
