// Any application: what accessibility gives against what it holds itself.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/atspi/desktop/control.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/read/read.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/text/utf.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(5); }

std::unique_ptr<AtspiServer> ConnectOrDie(const AtspiOptions& options = {}) {
  absl::StatusOr<std::unique_ptr<AtspiServer>> server =
      AtspiServer::Connect(options, Soon());
  EXPECT_TRUE(server.ok()) << server.status();
  return server.ok() ? *std::move(server) : nullptr;
}

Snapshot Take(Server& server) {
  absl::StatusOr<Snapshot> snapshot =
      SnapshotFocused(server, {.deadline = Soon()});
  EXPECT_TRUE(snapshot.ok()) << snapshot.status();
  return snapshot.value_or(Snapshot());
}

TEST(ApplicationTest, SnapshotHoldsExactlyWhatTheApplicationHolds) {
  const std::unique_ptr<AtspiServer> server = ConnectOrDie();
  const Snapshot snapshot = Take(*server);
  const std::string truth = Dump();
  const int64_t size = static_cast<int64_t>(CodePointCount(truth));
  ASSERT_TRUE(snapshot.value.ok()) << snapshot.value.status();
  std::string value = *snapshot.value;
  EXPECT_EQ(snapshot.character_count.value_or(-1),
            static_cast<int64_t>(CodePointCount(value)));
  if (snapshot.role.ok() && snapshot.role->role == Role::kTerminal) {
    // A terminal is read as its screen; the empty lines below are of it.
    value.erase(value.find_last_not_of('\n') + 1);
  }
  EXPECT_EQ(value, truth) << snapshot.role->native << " "
                          << snapshot.element.path;
  EXPECT_EQ(snapshot.caret.value_or(-1), size);
  EXPECT_EQ(snapshot.selection.value_or(Range{-1, -1}), (Range{size, size}));
  EXPECT_TRUE(snapshot.whole);
  EXPECT_FALSE(snapshot.secure);
  EXPECT_FALSE(snapshot.ambiguous);
  EXPECT_EQ(snapshot.notes, std::vector<std::string>());
  EXPECT_EQ(snapshot.application.pid, ApplicationPid());
  EXPECT_EQ(snapshot.route, Route::kSystemWide);
}

TEST(ApplicationTest, WindowListRouteLeadsToTheSameElement) {
  const std::unique_ptr<AtspiServer> server = ConnectOrDie();
  absl::StatusOr<Target> listed = ResolveByWindowList(*server, Soon());
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_EQ(listed->route, Route::kWindowList);
  absl::StatusOr<Snapshot> snapshot =
      SnapshotTarget(*server, *listed, {.deadline = Soon()});
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ(snapshot->element, Take(*server).element);
}

TEST(ApplicationTest, WithoutADisplayAccessibilityFindsTheSameElement) {
  const std::unique_ptr<AtspiServer> with = ConnectOrDie();
  const std::unique_ptr<AtspiServer> without =
      ConnectOrDie({.bus_address = with->bus_address(), .no_display = true});
  const Snapshot snapshot = Take(*without);
  EXPECT_EQ(snapshot.element, Take(*with).element);
  EXPECT_EQ(snapshot.route, Route::kSystemWide);
  EXPECT_EQ(without->WindowList(Soon()).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST(ApplicationTest, AttributeByAttributeAndOnTheBusReadTheSame) {
  const std::unique_ptr<AtspiServer> best = ConnectOrDie();
  const std::unique_ptr<AtspiServer> plain =
      ConnectOrDie({.sockets = false, .no_batches = true});
  // The second contact opens the socket where there is one.
  Take(*best);
  const Snapshot a = Take(*best);
  const Snapshot b = Take(*plain);
  EXPECT_EQ(a.value.value_or("a"), b.value.value_or("b"));
  EXPECT_EQ(a.caret.value_or(-1), b.caret.value_or(-2));
  // A terminal's own count is in bytes, which only the text beside it shows.
  if (a.role.ok() && a.role->role == Role::kTerminal) return;
  EXPECT_EQ(a.token(), b.token());
  EXPECT_EQ(b.notes, std::vector<std::string>{
                         "the server rejects batches: read attribute by "
                         "attribute"});
}

// What a warm snapshot costs, exactly: a lost batch or an added round trip
// fails here, which no budget in milliseconds would notice.
TEST(ApplicationTest, WarmSnapshotCostsExactlyItsFlightsAndCalls) {
  struct Cost {
    int64_t find_flights, find_calls;
  };
  // The display is one flight of two calls; GetItems is one of one, and so is
  // GetMatches, beside which the windows are asked for where those behind keep
  // their claims. Chromium has three, so each is asked whether it is active,
  // and then that one for its match. The walk of our Qt widget is the root's
  // children, then state and children of window, central widget and field.
  const std::map<std::string, Cost> search = {
      {"gtk3", {2, 3}},        {"gtk4", {2, 3}},
      {"qt5", {5, 9}},         {"qt6", {5, 9}},
      {"mousepad", {2, 3}},    {"chromium", {4, 8}},
      {"firefox", {2, 4}},     {"vte", {2, 3}},
      {"libreoffice", {2, 4}}, {"gnome-text-editor", {2, 3}}};
  const std::string app = DesktopVariable("TACTUS_DESKTOP_APP");
  const auto cost = search.find(app);
  const std::unique_ptr<AtspiServer> anew = ConnectOrDie({.remember = false});
  if (cost != search.end()) {
    for (int i = 0; i < 3; ++i) Take(*anew);
    const Traffic start = anew->traffic();
    ASSERT_TRUE(Resolve(*anew, Soon()).ok());
    const Traffic spent = anew->traffic() - start;
    EXPECT_EQ(spent.flights, cost->second.find_flights);
    EXPECT_EQ(spent.calls, cost->second.find_calls);
  }

  // What was found last is asked for its state, and so is its window, where
  // windows behind keep their claims.
  const std::unique_ptr<AtspiServer> server = ConnectOrDie();
  for (int i = 0; i < 3; ++i) Take(*server);
  const Traffic start = server->traffic();
  absl::StatusOr<Target> target = Resolve(*server, Soon());
  ASSERT_TRUE(target.ok()) << target.status();
  const Traffic found = server->traffic();
  absl::StatusOr<Snapshot> snapshot =
      SnapshotTarget(*server, *target, {.deadline = Soon()});
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();

  // Role, states, interfaces of each claim; text, count, caret, selection. One
  // more where the selection has to be checked by its number.
  EXPECT_EQ(snapshot->traffic.flights, 2);
  EXPECT_EQ(snapshot->traffic.calls,
            3 * static_cast<int64_t>(target->candidates.size()) + 4 +
                (snapshot->application.toolkit == "Chromium" ? 1 : 0));
  EXPECT_EQ(snapshot->traffic.connections, 0);
  EXPECT_EQ((found - start).flights, 2);
  EXPECT_EQ((found - start).calls,
            target->application.claims_are_current ? 3 : 4);
}

}  // namespace
}  // namespace tactus::ax::atspi
