// The cache on its thread, under many readers. The server here is as small as
// can be, and safe to share, so that what ThreadSanitizer reports is the
// cache's.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/focus/focus_cache.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

const Application kApplication = {.id = "a", .name = "a", .pid = 1};
const Element kWindow = {"a", "/window"};

// One event source that is fed by a test.
class FedSource : public EventSource {
 public:
  absl::StatusOr<Event> Next(absl::Time deadline) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (deadline == absl::InfiniteFuture()) {
      wake_.wait(lock,
                 [this] { return cancelled_ || ended_ || !events_.empty(); });
    }
    if (std::exchange(cancelled_, false)) return absl::CancelledError("");
    if (ended_) return absl::UnavailableError("");
    if (events_.empty()) return absl::DeadlineExceededError("");
    Event event = events_.back();
    events_.pop_back();
    return event;
  }
  void Cancel() override {
    std::lock_guard<std::mutex> lock(mutex_);
    cancelled_ = true;
    wake_.notify_all();
  }
  void End() {
    std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
    wake_.notify_all();
  }
  void Feed(Event event) {
    std::lock_guard<std::mutex> lock(mutex_);
    events_.push_back(std::move(event));
    wake_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool cancelled_ = false;
  bool ended_ = false;
  std::vector<Event> events_;
};

class SharedServer : public Server {
 public:
  explicit SharedServer(FedSource** source) : source_(source) {}
  Clock& clock() override { return Clock::Real(); }
  absl::StatusOr<Application> FocusedApplication(absl::Time) override {
    return kApplication;
  }
  absl::StatusOr<std::vector<Window>> WindowList(absl::Time) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<Application> ApplicationOfProcess(pid_t, absl::Time) override {
    return kApplication;
  }
  absl::StatusOr<std::vector<Application>> Applications(absl::Time) override {
    return std::vector<Application>{kApplication};
  }
  absl::StatusOr<std::vector<Element>> FocusedElements(const Application&,
                                                       absl::Time) override {
    return std::vector<Element>{{"a", "/field"}};
  }
  absl::StatusOr<TextFieldList> TextFields(const Application&,
                                           const FieldLimits&,
                                           absl::Time) override {
    return absl::UnimplementedError("");
  }
  absl::Status Focus(const Element&, absl::Time) override {
    return absl::UnimplementedError("");
  }
  Reading Read(const ReadRequest& request, absl::Time) override {
    switch (request.attribute) {
      case Attribute::kRole:
        return Value(RoleValue{Role::kTextArea, "text"});
      case Attribute::kStates:
        return Value(
            static_cast<int64_t>(kStateFocused | kStateActive | kStateShowing));
      case Attribute::kWindow:
        return Value(kWindow);
      default:
        return absl::UnimplementedError("");
    }
  }
  absl::StatusOr<std::vector<Reading>> ReadMany(
      absl::Span<const ReadRequest> requests, absl::Time deadline) override {
    std::vector<Reading> readings;
    for (const ReadRequest& request : requests) {
      readings.push_back(Read(request, deadline));
    }
    return readings;
  }
  WriteResult Write(const WriteRequest&, absl::Time) override {
    return {false, absl::UnimplementedError("")};
  }
  absl::StatusOr<std::unique_ptr<EventSource>> Observe(const ObserveOptions&,
                                                       absl::Time) override {
    auto source = std::make_unique<FedSource>();
    *source_ = source.get();
    return source;
  }
  Traffic traffic() const override { return {}; }

 private:
  FedSource** source_;
};

TEST(FocusCacheThreadTest, ReadersAndRefutersMeetEventsWithoutARace) {
  FedSource* source = nullptr;
  absl::StatusOr<std::unique_ptr<FocusCache>> cache = FocusCache::Create(
      std::make_unique<SharedServer>(&source), absl::InfiniteFuture());
  ASSERT_TRUE(cache.ok()) << cache.status();
  (*cache)->Start();

  std::vector<std::thread> readers;
  for (int r = 0; r < 3; ++r) {
    readers.emplace_back([&cache, r] {
      for (int i = 0; i < 200; ++i) {
        const absl::StatusOr<Target> hint = (*cache)->Hint();
        if (hint.ok() && r == 0 && i % 10 == 0) (*cache)->Refute(*hint);
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    source->Feed({Event::Kind::kWindowActivated, kWindow});
    source->Feed({Event::Kind::kFocused, {"a", i % 2 ? "/one" : "/two"}});
  }
  for (std::thread& reader : readers) reader.join();

  // Whatever was refuted, the cache comes to a hint again.
  source->Feed({Event::Kind::kWindowActivated, kWindow});
  while (!(*cache)->Hint().ok()) std::this_thread::yield();
  EXPECT_EQ((*cache)->Hint()->application, kApplication);
}

TEST(FocusCacheThreadTest, DestructionEndsAThreadThatWaits) {
  FedSource* source = nullptr;
  absl::StatusOr<std::unique_ptr<FocusCache>> cache = FocusCache::Create(
      std::make_unique<SharedServer>(&source), absl::InfiniteFuture());
  ASSERT_TRUE(cache.ok());
  (*cache)->Start();
  cache->reset();
}

TEST(FocusCacheThreadTest, EndOfTheEventsIsToldOnceAndLeavesNoHint) {
  FedSource* source = nullptr;
  absl::StatusOr<std::unique_ptr<FocusCache>> cache = FocusCache::Create(
      std::make_unique<SharedServer>(&source), absl::InfiniteFuture());
  ASSERT_TRUE(cache.ok());
  std::atomic<int> told = 0;
  (*cache)->Start([&told] { ++told; });
  EXPECT_TRUE((*cache)->Hint().ok());
  source->End();
  while (told == 0) std::this_thread::yield();
  EXPECT_FALSE((*cache)->Hint().ok());
  cache->reset();
  EXPECT_EQ(told, 1);
}

TEST(FocusCacheThreadTest, DestructionIsNoEndOfTheEvents) {
  FedSource* source = nullptr;
  absl::StatusOr<std::unique_ptr<FocusCache>> cache = FocusCache::Create(
      std::make_unique<SharedServer>(&source), absl::InfiniteFuture());
  ASSERT_TRUE(cache.ok());
  std::atomic<int> told = 0;
  (*cache)->Start([&told] { ++told; });
  cache->reset();
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace tactus::ax
