#include "ax/focus/focus_cache.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

constexpr absl::Duration kDeadline = absl::Milliseconds(200);

mock::Desktop TwoFields() {
  mock::Desktop desktop = mock::EditorDesktop("first");
  mock::Node second = mock::TextArea("/second", "second");
  second.states &= ~kStateFocused;
  desktop.programs[0].nodes.push_back(second);
  return desktop;
}

class FocusCacheTest : public ::testing::Test {
 protected:
  FocusCacheTest()
      : world_(TwoFields()),
        server_(&world_, &clock_),
        first_(*world_.Focused()),
        second_{first_.application, "/second"} {}

  void SetUp() override {
    auto own = std::make_unique<mock::MockServer>(&world_, &clock_);
    caches_server_ = own.get();
    absl::StatusOr<std::unique_ptr<FocusCache>> cache =
        FocusCache::Create(std::move(own), clock_.Now() + kDeadline);
    ASSERT_TRUE(cache.ok()) << cache.status();
    cache_ = *std::move(cache);
  }

  Snapshot Take() {
    absl::StatusOr<Snapshot> snapshot = SnapshotFocused(
        server_, {.deadline = clock_.Now() + kDeadline}, cache_.get());
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    return snapshot.value_or(Snapshot());
  }

  void Step() { cache_->Step(clock_.Now()).IgnoreError(); }

  SimulatedClock clock_;
  mock::World world_;
  mock::MockServer server_;
  mock::MockServer* caches_server_ = nullptr;
  const Element first_;
  const Element second_;
  std::unique_ptr<FocusCache> cache_;
};

TEST_F(FocusCacheTest, SnapshotByTheCacheIsExactlyTwoFlights) {
  const Snapshot s = Take();
  EXPECT_EQ(s.route, Route::kCache);
  EXPECT_EQ(s.element, first_);
  EXPECT_EQ(s.traffic.flights, 2);
  // Five of the element and the state of its window; four of text.
  EXPECT_EQ(s.traffic.calls, 10);
}

TEST_F(FocusCacheTest, HintFollowsTheFocus) {
  ASSERT_TRUE(world_.Focus(second_).ok());
  Step();
  const Snapshot s = Take();
  EXPECT_EQ(s.route, Route::kCache);
  EXPECT_EQ(s.element, second_);
  EXPECT_EQ(*s.value, "second");
}

TEST_F(FocusCacheTest, FocusThatMovedUnheardIsRefutedByTheFirstFlight) {
  // The event is there, but the cache has not taken it yet.
  ASSERT_TRUE(world_.Focus(second_).ok());
  const Snapshot s = Take();
  EXPECT_EQ(s.route, Route::kSystemWide);
  EXPECT_EQ(s.element, second_);
  EXPECT_EQ(*s.value, "second");
}

TEST_F(FocusCacheTest, CacheLearnsAfterItWasRefuted) {
  // An application that tells nothing of it.
  world_.Mutable(first_)->states &= ~kStateFocused;
  world_.Mutable(second_)->states |= kStateFocused;
  world_.MutableProgram(first_.application)->focus = "/second";
  EXPECT_EQ(Take().element, second_);
  Step();
  EXPECT_EQ(Take().route, Route::kCache);
}

TEST_F(FocusCacheTest, WindowThatIsNotActiveAnyLongerIsNotTrusted) {
  world_.mutable_panes()[0].window.active = false;
  EXPECT_EQ(Take().route, Route::kSystemWide);
}

TEST_F(FocusCacheTest, FieldThatTurnedSecureIsNotReadThoughTheCacheKnewIt) {
  EXPECT_TRUE(Take().value.ok());
  ASSERT_TRUE(world_.SetSecure(first_, true).ok());
  const Snapshot s = Take();
  EXPECT_TRUE(s.secure);
  EXPECT_EQ(server_.TextSentToSecure(), 0);
}

TEST_F(FocusCacheTest, DefunctSecureFieldThatWasFocusedIsPassedOn) {
  mock::Node* second = world_.Mutable(second_);
  second->role = {Role::kPassword, "password text"};
  ASSERT_TRUE(world_.Focus(second_).ok());
  second = world_.Mutable(second_);
  second->states |= kStateDefunct;
  world_.Mutable(first_)->states |= kStateFocused;
  Step();
  const Snapshot s = Take();
  EXPECT_EQ(s.route, Route::kCache);
  EXPECT_EQ(s.element, first_);
  EXPECT_TRUE(s.secure_beside);
  EXPECT_EQ(s.traffic.flights, 2);
  EXPECT_EQ(server_.TextSentToSecure(), 0);
  EXPECT_EQ(caches_server_->TextSentToSecure(), 0);
}

TEST_F(FocusCacheTest, DefunctFieldOfSecureSubroleIsPassedOn) {
  world_.Mutable(second_)->subrole = RoleValue{Role::kPassword, "secure"};
  ASSERT_TRUE(world_.Focus(second_).ok());
  world_.Mutable(second_)->states |= kStateDefunct;
  world_.Mutable(first_)->states |= kStateFocused;
  Step();
  const Snapshot s = Take();
  EXPECT_EQ(s.route, Route::kCache);
  EXPECT_TRUE(s.secure_beside);
}

TEST_F(FocusCacheTest, SecureFieldThatTheUserHasLeftIsNoRisk) {
  ASSERT_TRUE(world_.SetSecure(second_, true).ok());
  ASSERT_TRUE(world_.Focus(second_).ok());
  Step();
  ASSERT_TRUE(world_.Focus(first_).ok());
  Step();
  const Snapshot s = Take();
  EXPECT_EQ(s.route, Route::kCache);
  EXPECT_EQ(s.element, first_);
  EXPECT_FALSE(s.secure_beside);
  EXPECT_EQ(s.traffic.calls, 10);
}

TEST_F(FocusCacheTest, SecondClaimOfEqualRightIsPassedOn) {
  ASSERT_TRUE(world_.Focus(second_).ok());
  world_.Mutable(first_)->states |= kStateFocused;
  Step();
  const Snapshot s = Take();
  EXPECT_EQ(s.route, Route::kCache);
  EXPECT_EQ(s.element, second_);
  EXPECT_TRUE(s.ambiguous);
}

TEST_F(FocusCacheTest, ApplicationThatQuitLeavesNoHint) {
  ASSERT_TRUE(world_.Quit(first_.application).ok());
  Step();
  EXPECT_FALSE(cache_->Hint().ok());
}

TEST_F(FocusCacheTest, NothingIsDoneWhereNothingHappened) {
  const Traffic before = caches_server_->traffic();
  EXPECT_EQ(cache_->Step(clock_.Now()).code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(caches_server_->traffic(), before);
}

}  // namespace
}  // namespace tactus::ax
