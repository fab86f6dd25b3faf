#include "ax/macos/observer.h"

#include <ApplicationServices/ApplicationServices.h>

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/focus/focus_cache.h"
#include "ax/macos/elements.h"
#include "ax/macos/fake/desktop.h"
#include "ax/macos/server.h"
#include "ax/macos/testing/leaks.h"
#include "ax/macos/testing/rig.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::macos {
namespace {

constexpr absl::Duration kTime = absl::Milliseconds(200);

mock::Desktop TwoEditors() {
  mock::Node second = mock::TextArea("/second", "second");
  second.states &= ~kStateFocused;
  mock::Desktop desktop = mock::EditorDesktop("first");
  desktop.programs[0].nodes.push_back(second);
  desktop.programs.push_back(
      mock::MakeProgram("other", 200, {mock::TextArea("/text", "other")}));
  desktop.panes.push_back(
      {{.pid = 200, .title = "other"}, {"app:200", "/window"}});
  return desktop;
}

class ObserverTest : public NoLeaks {
 protected:
  // What the table holds is no leak.
  void TearDown() override {
    owned_ = nullptr;
    table_ = nullptr;
    NoLeaks::TearDown();
  }
  std::unique_ptr<EventSource> Observe(bool text = false) {
    absl::StatusOr<std::unique_ptr<EventSource>> source =
        rig_.server().Observe({.text = text}, rig_.clock().Now() + kTime);
    EXPECT_TRUE(source.ok()) << source.status();
    return *std::move(source);
  }
  // All events of the next moment.
  std::vector<Event> Drain(EventSource& source) {
    std::vector<Event> events;
    while (true) {
      absl::StatusOr<Event> event = source.Next(rig_.clock().Now() + kTime);
      if (!event.ok()) {
        EXPECT_TRUE(absl::IsDeadlineExceeded(event.status()));
        return events;
      }
      events.push_back(*std::move(event));
    }
  }

  std::shared_ptr<ElementTable> table_ = std::make_shared<ElementTable>();
  std::unique_ptr<Rig> owned_ = std::make_unique<Rig>(
      TwoEditors(), mock::Latency{}, MacosOptions{.elements = table_});
  Rig& rig_ = *owned_;
};

TEST_F(ObserverTest, FocusAndWindowsAreTold) {
  const std::unique_ptr<EventSource> source = Observe();
  ASSERT_TRUE(rig_.world().Focus({"app:100", "/second"}).ok());
  std::vector<Event> events = Drain(*source);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, Event::Kind::kFocused);
  EXPECT_EQ(events[0].element.application, "100");

  ASSERT_TRUE(rig_.world().Activate("app:200").ok());
  events = Drain(*source);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].kind, Event::Kind::kWindowDeactivated);
  EXPECT_EQ(events[0].element.application, "100");
  EXPECT_EQ(events[1].kind, Event::Kind::kWindowActivated);
  EXPECT_EQ(events[1].element.application, "200");
  EXPECT_FALSE(events[1].element.path.empty());
  EXPECT_EQ(events[2].kind, Event::Kind::kFocused);
}

TEST_F(ObserverTest, TextIsToldWhereAskedFor) {
  const std::unique_ptr<EventSource> quiet = Observe();
  ASSERT_TRUE(rig_.world().Type({"app:100", "/text"}, "x").ok());
  EXPECT_TRUE(Drain(*quiet).empty());
  const std::unique_ptr<EventSource> source = Observe(/*text=*/true);
  ASSERT_TRUE(rig_.world().Type({"app:100", "/text"}, "x").ok());
  const std::vector<Event> events = Drain(*source);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, Event::Kind::kTextChanged);
  EXPECT_EQ(events[1].kind, Event::Kind::kSelectionChanged);
}

TEST_F(ObserverTest, ProcessesThatComeAndGoAreSeenAtTheNextLook) {
  const std::unique_ptr<EventSource> source = Observe();
  ASSERT_TRUE(rig_.world().Quit("app:200").ok());
  absl::StatusOr<Event> event = source->Next(rig_.clock().Now() + 2 * kPoll);
  ASSERT_TRUE(event.ok()) << event.status();
  EXPECT_EQ(event->kind, Event::Kind::kApplicationGone);
  EXPECT_EQ(event->element.application, "200");

  ASSERT_TRUE(
      rig_.world()
          .Start(mock::MakeProgram("third", 300, {mock::TextArea("/text", "")}),
                 "third")
          .ok());
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      source->Next(rig_.clock().Now() + 2 * kPoll).status()));
  ASSERT_TRUE(rig_.world().Focus({"app:300", "/text"}).ok());
  bool heard = false;
  for (const Event& e : Drain(*source)) {
    heard |= e.element.application == "300" && e.kind == Event::Kind::kFocused;
  }
  EXPECT_TRUE(heard);
}

TEST_F(ObserverTest, NextEndsAtItsDeadlineAndWhenCancelled) {
  const std::unique_ptr<EventSource> source = Observe();
  const absl::Time deadline = rig_.clock().Now() + absl::Seconds(5);
  EXPECT_TRUE(absl::IsDeadlineExceeded(source->Next(deadline).status()));
  EXPECT_EQ(rig_.clock().Now(), deadline);
  source->Cancel();
  EXPECT_TRUE(absl::IsCancelled(source->Next(absl::InfiniteFuture()).status()));
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      source->Next(rig_.clock().Now() + kTime).status()));
}

TEST_F(ObserverTest, CallbackAfterItsSourceHasEndedMeansNobody) {
  std::unique_ptr<EventSource> source = Observe();
  rig_.desktop().faults().late_callbacks = true;
  source = nullptr;
  const std::unique_ptr<EventSource> next = Observe();
  ASSERT_TRUE(rig_.world().Focus({"app:100", "/second"}).ok());
  EXPECT_EQ(Drain(*next).size(), 1u);
}

TEST_F(ObserverTest, ProcessThatIsNotTrustedHearsNothing) {
  rig_.desktop().faults().every_error = kAXErrorAPIDisabled;
  EXPECT_TRUE(absl::IsPermissionDenied(
      rig_.server().Observe({}, rig_.clock().Now() + kTime).status()));
}

TEST_F(ObserverTest, FocusCacheSavesTheSearch) {
  auto server = MacosServer::Create({.clock = &rig_.clock(),
                                     .elements = table_,
                                     .make_bounder = [this](Clock&) {
                                       return std::make_unique<FakeBounder>(
                                           &rig_.desktop());
                                     }});
  absl::StatusOr<std::unique_ptr<FocusCache>> cache =
      FocusCache::Create(std::move(server), rig_.clock().Now() + kTime);
  ASSERT_TRUE(cache.ok()) << cache.status();
  const auto take = [&] {
    return SnapshotFocused(
        rig_.server(), {.deadline = rig_.clock().Now() + kTime}, cache->get());
  };
  const absl::StatusOr<Snapshot> warm = take();
  ASSERT_TRUE(warm.ok()) << warm.status();
  EXPECT_EQ(warm->route, Route::kCache);
  EXPECT_EQ(*warm->value, "first");

  ASSERT_TRUE(rig_.world().Focus({"app:200", "/text"}).ok());
  for (int i = 0; i < 4; ++i) {
    (*cache)->Step(rig_.clock().Now() + absl::Milliseconds(10)).IgnoreError();
  }
  const absl::StatusOr<Snapshot> other = take();
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(*other->value, "other");
  EXPECT_EQ(other->application.pid, 200);
  EXPECT_EQ(other->route, Route::kCache);
}

}  // namespace
}  // namespace tactus::ax::macos
