#include "tools/tactus/watch.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::cli {
namespace {

using ax::mock::EditorDesktop;
using ax::mock::MakeProgram;
using ax::mock::MockServer;
using ax::mock::TextArea;
using ax::mock::World;

constexpr absl::Duration kSecond = absl::Seconds(1);

class WatchTest : public testing::Test {
 protected:
  WatchTest() : world_(EditorDesktop("hello")), server_(&world_, &clock_) {}

  // Runs `action` a whole number of seconds after the start, so that the bursts
  // of two actions never meet.
  void At(int seconds, std::function<void(World&)> action) {
    server_.At(clock_.Now() + seconds * kSecond, std::move(action));
  }

  absl::Status Run(WatchOptions options) {
    if (options.run_for == absl::InfiniteDuration()) {
      options.run_for = 60 * kSecond;
    }
    auto events = server_.Observe({.text = options.text}, clock_.Now());
    if (!events.ok()) return events.status();
    if (source_hook_) source_hook_(**events);
    return Watch(server_, **events, options, [this](const Change& change) {
      changes_.push_back(change);
      return report_;
    });
  }

  std::vector<std::string> Kinds() const {
    std::vector<std::string> kinds;
    for (const Change& change : changes_) {
      kinds.emplace_back(KindName(change.kind));
    }
    return kinds;
  }

  ax::SimulatedClock clock_;
  World world_;
  MockServer server_;
  std::vector<Change> changes_;
  absl::Status report_;
  std::function<void(ax::EventSource&)> source_hook_;
  const ax::Element field_{"app:100", "/text"};
};

TEST_F(WatchTest, FocusAtTheStartIsToldAtOnce) {
  ASSERT_TRUE(Run({.run_for = kSecond}).ok());
  ASSERT_EQ(Kinds(), std::vector<std::string>{"focus"});
  EXPECT_EQ(changes_[0].at, absl::ZeroDuration());
  EXPECT_EQ(changes_[0].events, 0);
  EXPECT_EQ(changes_[0].snapshot->element, field_);
  EXPECT_EQ(*changes_[0].snapshot->value, "hello");
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch() + kSecond);
}

TEST_F(WatchTest, AnotherElementWithTheFocusIsTold) {
  At(1, [](World& world) {
    world
        .Start(MakeProgram("other", 200, {TextArea("/other", "second")}),
               "Other")
        .IgnoreError();
    world.Focus({"app:200", "/other"}).IgnoreError();
  });
  ASSERT_TRUE(Run({}).ok());
  ASSERT_EQ(Kinds(), (std::vector<std::string>{"focus", "focus"}));
  EXPECT_EQ(*changes_[1].snapshot->value, "second");
  EXPECT_GE(changes_[1].at, kSecond);
  EXPECT_GT(changes_[1].events, 0);
}

TEST_F(WatchTest, TextIsToldOnlyWhereAskedFor) {
  const auto type = [this](World& world) {
    world.Type(field_, "!").IgnoreError();
  };
  At(1, type);
  ASSERT_TRUE(Run({}).ok());
  EXPECT_EQ(Kinds(), std::vector<std::string>{"focus"});

  changes_.clear();
  At(1, type);
  ASSERT_TRUE(Run({.text = true}).ok());
  ASSERT_EQ(Kinds(), (std::vector<std::string>{"focus", "text"}));
  EXPECT_EQ(*changes_[1].snapshot->value, "hello!!");
}

TEST_F(WatchTest, CaretThatMovesIsAChangeOfTheSelection) {
  At(1, [this](World& world) { world.MoveCaret(field_, 2).IgnoreError(); });
  ASSERT_TRUE(Run({.text = true}).ok());
  ASSERT_EQ(Kinds(), (std::vector<std::string>{"focus", "selection"}));
  EXPECT_EQ(*changes_[1].snapshot->caret, 2);
}

TEST_F(WatchTest, BurstIsToldAsOneChange) {
  At(1, [this](World& world) {
    for (int i = 0; i < 10; ++i) world.Type(field_, "x").IgnoreError();
  });
  ASSERT_TRUE(Run({.text = true}).ok());
  ASSERT_EQ(Kinds(), (std::vector<std::string>{"focus", "text"}));
  EXPECT_GE(changes_[1].events, 10);
}

TEST_F(WatchTest, FloodWithoutAnEndIsToldAllTheSame) {
  for (int i = 0; i < 100; ++i) {
    server_.At(clock_.Now() + kSecond + i * absl::Milliseconds(10),
               [this](World& world) { world.Type(field_, "x").IgnoreError(); });
  }
  ASSERT_TRUE(Run({.text = true}).ok());
  EXPECT_GE(changes_.size(), 4u);
  EXPECT_EQ(*changes_.back().snapshot->value, "hello" + std::string(100, 'x'));
}

TEST_F(WatchTest, TextOfAnElementWithoutTheFocusIsNotLookedAt) {
  world_
      .Start(MakeProgram("other", 200, {TextArea("/other", "second")}), "Other")
      .IgnoreError();
  world_.Focus(field_).IgnoreError();
  At(1, [](World& world) {
    world.SetText({"app:200", "/other"}, "changed").IgnoreError();
  });
  ASSERT_TRUE(Run({.text = true}).ok());
  EXPECT_EQ(Kinds(), std::vector<std::string>{"focus"});
}

TEST_F(WatchTest, SecureFieldIsToldAndNeverRead) {
  world_.SetSecure(field_, true).IgnoreError();
  At(1, [this](World& world) { world.Type(field_, "secret").IgnoreError(); });
  ASSERT_TRUE(Run({.text = true}).ok());
  ASSERT_EQ(Kinds(), std::vector<std::string>{"focus"});
  EXPECT_TRUE(changes_[0].snapshot->secure);
  EXPECT_FALSE(changes_[0].snapshot->value.ok());
  EXPECT_EQ(server_.TextSentToSecure(), 0);
}

TEST_F(WatchTest, FocusThatIsLostIsToldOnceWithTheReason) {
  At(1, [](World& world) { world.Quit("app:100").IgnoreError(); });
  ASSERT_TRUE(Run({}).ok());
  ASSERT_EQ(Kinds(), (std::vector<std::string>{"focus", "no-focus"}));
  EXPECT_FALSE(changes_[1].why.ok());
  EXPECT_FALSE(changes_[1].snapshot.has_value());
}

TEST_F(WatchTest, EventsThatWereDroppedAreToldAndTheFocusIsReadAgain) {
  At(1, [this](World& world) {
    world.Mutable(field_)->text = U"new";
    world.Emit({ax::Event::Kind::kLost, {}});
  });
  ASSERT_TRUE(Run({.text = true}).ok());
  ASSERT_EQ(Kinds(), (std::vector<std::string>{"focus", "lost", "text"}));
}

TEST_F(WatchTest, CountEndsIt) {
  At(1, [this](World& world) { world.Type(field_, "a").IgnoreError(); });
  At(2, [this](World& world) { world.Type(field_, "b").IgnoreError(); });
  ASSERT_TRUE(Run({.text = true, .count = 2}).ok());
  EXPECT_EQ(Kinds(), (std::vector<std::string>{"focus", "text"}));
  EXPECT_LT(clock_.Now(), absl::UnixEpoch() + 2 * kSecond);
}

TEST_F(WatchTest, CancelEndsItWell) {
  source_hook_ = [](ax::EventSource& events) { events.Cancel(); };
  ASSERT_TRUE(Run({}).ok());
  EXPECT_EQ(Kinds(), std::vector<std::string>{"focus"});
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch());
}

TEST_F(WatchTest, ReportThatFailsEndsItWithThatStatus) {
  report_ = absl::CancelledError("the reader has gone");
  EXPECT_EQ(Run({}), report_);
  EXPECT_EQ(changes_.size(), 1u);
}

}  // namespace
}  // namespace tactus::cli
