#include "ax/atspi/display.h"

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/mock/dbus/private_bus.h"
#include "ax/server/server.h"
#include "ax/x11/testing/mute_server.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

absl::Time In(absl::Duration time) { return Clock::Real().Now() + time; }

TEST(DisplayTest, ServerThatNeverGreetsEndsAtTheDeadline) {
  x11::MuteServer mute;
  Traffic traffic;
  const absl::Time deadline = In(absl::Milliseconds(50));
  EXPECT_EQ(Display::Open(mute.display(), &traffic, deadline).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_GE(Clock::Real().Now(), deadline);
  EXPECT_EQ(traffic.connections, 1);
  EXPECT_EQ(traffic.calls, 0);
}

TEST(DisplayTest, DisplayThatHangsLeavesAccessibilityItsTime) {
  const absl::StatusOr<std::unique_ptr<mock::PrivateBus>> bus =
      mock::PrivateBus::Start();
  ASSERT_TRUE(bus.ok()) << bus.status();
  x11::MuteServer mute;
  // The display gets half of it.
  const absl::Time deadline = In(absl::Seconds(6));
  const absl::StatusOr<std::unique_ptr<AtspiServer>> server =
      AtspiServer::Connect(
          {.bus_address = (*bus)->address(), .display = mute.display()},
          deadline);
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_EQ((*server)->display_status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace tactus::ax::atspi
