#include "tools/tactusd/long_calls.h"

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ax/sync/condition.h"
#include "ax/sync/mutex.h"
#include "gtest/gtest.h"
#include "tools/control/json_rpc.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/sink.h"
#include "tools/tactusd/threads.h"

namespace tactus::daemon {
namespace {

using ax::MutexLock;

// What clients were sent; feeds wait until they are asked.
class Told : public Sink {
 public:
  void Send(int64_t client, std::string line) override {
    MutexLock lock(&mutex_);
    lines_.push_back(absl::StrCat(client, " ", line));
  }
  void Ready(int64_t client, std::shared_ptr<Feed> feed) override {
    MutexLock lock(&mutex_);
    feed_ = std::move(feed);
  }
  std::vector<std::string> lines() {
    MutexLock lock(&mutex_);
    return lines_;
  }
  std::optional<std::string> Take() {
    MutexLock lock(&mutex_);
    return feed_->Take();
  }

 private:
  ax::Mutex mutex_;
  std::vector<std::string> lines_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<Feed> feed_ ABSL_GUARDED_BY(mutex_);
};

// Something that happens once, and is waited for.
class Event {
 public:
  void Set() {
    MutexLock lock(&mutex_);
    set_ = true;
    changed_.NotifyAll();
  }
  void Wait() {
    MutexLock lock(&mutex_);
    while (!set_) changed_.Wait(&mutex_);
  }

 private:
  ax::Mutex mutex_;
  ax::Condition changed_;
  bool set_ ABSL_GUARDED_BY(mutex_) = false;
};

class LongCallsTest : public testing::Test {
 protected:
  // A call that ends when it is told to, with what it was told.
  LongCalls::Order UntilCancelled(int64_t client, const std::string& id) {
    return {
        .client = client,
        .id = id,
        .params = std::make_shared<boost::json::object>(),
        .run = [this](const boost::json::object&, Session& session) -> Reply {
          Event cancelled;
          session.OnCancel([&] { cancelled.Set(); });
          begun_.Set();
          cancelled.Wait();
          return NotDone(session.status());
        },
        .answered =
            [this](const Reply& reply) {
              answer_ = std::get<control::Error>(reply).message;
              answered_.Set();
            }};
  }

  Told told_;
  Event begun_;
  Event answered_;
  std::string answer_;
  LongCalls calls_{&told_, Threads::OfTheSystem()};
};

TEST_F(LongCallsTest, OneIsCancelledByItsClientAndNumberAlone) {
  ASSERT_TRUE(calls_.Start(UntilCancelled(3, "7")));
  begun_.Wait();
  EXPECT_EQ(calls_.count(), 1u);
  EXPECT_FALSE(calls_.Cancel(3, "8"));
  EXPECT_FALSE(calls_.Cancel(4, "7"));
  EXPECT_TRUE(calls_.Cancel(3, "7"));
  answered_.Wait();
  EXPECT_EQ(answer_, "cancelled");
}

TEST_F(LongCallsTest, CallsOfAClientThatGoesAreToldSo) {
  ASSERT_TRUE(calls_.Start(UntilCancelled(3, "7")));
  begun_.Wait();
  calls_.Close(4);
  calls_.Close(3);
  answered_.Wait();
  EXPECT_EQ(answer_, "the client has gone");
}

TEST_F(LongCallsTest, EndOfTheDaemonEndsThem) {
  ASSERT_TRUE(calls_.Start(UntilCancelled(3, "7")));
  begun_.Wait();
  calls_.StopAll();
  answered_.Wait();
  EXPECT_EQ(answer_, "the daemon is ending");
}

TEST_F(LongCallsTest, SlowClientIsToldTheLatestProgressAndNoneAfterTheAnswer) {
  Event reported;
  Event looked;
  ASSERT_TRUE(calls_.Start(
      {.client = 3,
       .id = "7",
       .params = std::make_shared<boost::json::object>(),
       .run = [&](const boost::json::object&, Session& session) -> Reply {
         session.Tell("x.begun", "{}");
         session.Progress("x.progress", R"({"bytes":1})");
         session.Progress("x.progress", R"({"bytes":2})");
         reported.Set();
         looked.Wait();
         session.Progress("x.progress", R"({"bytes":3})");
         return "{}";
       },
       .answered = [&](const Reply&) { answered_.Set(); }}));
  reported.Wait();
  EXPECT_EQ(told_.lines(),
            (std::vector<std::string>{
                "3 " + control::NotificationLine("x.begun", "{}")}));
  EXPECT_EQ(told_.Take(),
            control::NotificationLine("x.progress", R"({"bytes":2})"));
  EXPECT_EQ(told_.Take(), std::nullopt);
  looked.Set();
  answered_.Wait();
  EXPECT_EQ(told_.Take(), std::nullopt);
}

TEST_F(LongCallsTest, NoMoreThanTheBoundRunAtOnce) {
  for (size_t i = 0; i < LongCalls::kMost; ++i) {
    LongCalls::Order order = UntilCancelled(3, absl::StrCat(i));
    // Many threads end at once.
    order.answered = [](const Reply&) {};
    ASSERT_TRUE(calls_.Start(std::move(order)));
  }
  EXPECT_FALSE(calls_.Start(UntilCancelled(4, "1")));
  EXPECT_EQ(calls_.count(), LongCalls::kMost);
}

}  // namespace
}  // namespace tactus::daemon
