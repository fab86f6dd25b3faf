#include "ax/resolve/resolve.h"

#include <unistd.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/hostility.h"
#include "ax/mock/message.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

constexpr absl::Duration kDeadline = absl::Milliseconds(100);

class ResolveTest : public ::testing::Test {
 protected:
  ResolveTest()
      : world_(mock::EditorDesktop()),
        server_(&world_, &clock_),
        field_(*world_.Focused()) {}

  void Add(const char* name, mock::HostilityOptions options = {}) {
    auto hostility = mock::MakeHostility(name, options);
    ASSERT_TRUE(hostility.ok()) << hostility.status();
    server_.Add(*std::move(hostility));
  }

  absl::StatusOr<Target> Find() {
    return Resolve(server_, clock_.Now() + kDeadline);
  }

  mock::World world_;
  SimulatedClock clock_;
  mock::MockServer server_;
  const Element field_;
};

TEST_F(ResolveTest, SystemWideRouteAnswersFirstAndTheListIsNotAsked) {
  const absl::StatusOr<Target> target = Find();
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->route, Route::kSystemWide);
  EXPECT_TRUE(target->system_wide.ok());
  EXPECT_EQ(target->candidates.front(), field_);
  EXPECT_EQ(target->application.name, "editor");
  for (const mock::LoggedMessage& m : server_.log()) {
    EXPECT_NE(m.message.verb, mock::Verb::kWindowList);
  }
}

TEST_F(ResolveTest, WindowListServesWhereTheSystemDoesNotKnow) {
  Add("system_wide_route_fails");
  const absl::StatusOr<Target> target = Find();
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->route, Route::kWindowList);
  EXPECT_FALSE(target->system_wide.ok());
  EXPECT_EQ(target->candidates.front(), field_);
}

TEST_F(ResolveTest, HungRegistryLeavesHalfOfTheTimeToTheWindowList) {
  // The registry is asked by both routes here, so the second fails as well;
  // what matters is that it was tried, and that all ended by the deadline.
  Add("registry_hung");
  const absl::StatusOr<Target> target = Find();
  EXPECT_EQ(target.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch() + kDeadline);
  bool listed = false;
  for (const mock::LoggedMessage& m : server_.log()) {
    if (m.message.verb == mock::Verb::kWindowList) {
      listed = true;
      EXPECT_EQ(m.message.sent, absl::UnixEpoch() + kDeadline / 2);
    }
  }
  EXPECT_TRUE(listed);
}

TEST_F(ResolveTest, BothReasonsAreToldWhereNeitherRouteServes) {
  Add("system_wide_route_fails");
  Add("windows_without_pid");
  const absl::StatusOr<Target> target = Find();
  EXPECT_EQ(target.status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(
      absl::StrContains(target.status().message(), "system-wide route: "));
  EXPECT_TRUE(absl::StrContains(
      target.status().message(),
      "window-list route: no window in the list names its process"));
}

TEST_F(ResolveTest, FirstOfSeveralActiveWindowsIsTaken) {
  Add("system_wide_route_fails");
  Add("several_windows_active");
  const absl::StatusOr<Target> target = Find();
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->application.id, field_.application);
}

TEST_F(ResolveTest, OurOwnWindowIsNeverAsked) {
  Add("system_wide_route_fails");
  mock::Pane own;
  own.window = {.pid = getpid(), .title = "ours", .active = true};
  world_.mutable_panes().insert(world_.mutable_panes().begin(), own);
  const absl::StatusOr<Target> target = Find();
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->application.id, field_.application);
}

TEST_F(ResolveTest, FrontmostWindowServesWhereNoneIsActive) {
  Add("system_wide_route_fails");
  Add("no_window_active");
  const absl::StatusOr<Target> target = Find();
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->application.id, field_.application);
}

TEST_F(ResolveTest, ApplicationWithoutAFocusIsNotFound) {
  Add("empty_tree");
  EXPECT_EQ(Find().status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace tactus::ax
