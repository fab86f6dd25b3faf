#include "tools/tactus/stop_signals.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <condition_variable>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace tactus::cli {
namespace {

class StopSignalsTest : public testing::TestWithParam<int> {
 protected:
  void Stopped() {
    const std::lock_guard lock(mutex_);
    ++stopped_;
    changed_.notify_all();
  }
  void WaitUntilStopped(int times) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ == times; });
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int stopped_ = 0;
};

TEST_P(StopSignalsTest, SignalCallsTheFunctionInsteadOfEndingTheProcess) {
  const StopSignals stop([this] { Stopped(); });
  kill(getpid(), GetParam());
  WaitUntilStopped(1);
  kill(getpid(), GetParam());
  WaitUntilStopped(2);
}

TEST_P(StopSignalsTest, NoSignalCallsNothing) {
  {
    const StopSignals stop([this] { Stopped(); });
  }
  EXPECT_EQ(stopped_, 0);
}

TEST_P(StopSignalsTest, SignalThatComesTooLateEndsNothing) {
  for (int i = 0; i < 100; ++i) {
    const StopSignals stop([this] { Stopped(); });
    kill(getpid(), GetParam());
  }
}

TEST_P(StopSignalsTest, PipeCanBeReadFromOnceASignalHasComeAndNotBefore) {
  const absl::StatusOr<std::unique_ptr<StopPipe>> stop = StopPipe::Open();
  ASSERT_TRUE(stop.ok());
  pollfd waits = {.fd = (*stop)->stopped(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&waits, 1, 0), 0);
  kill(getpid(), GetParam());
  EXPECT_EQ(poll(&waits, 1, -1), 1);
  EXPECT_EQ(waits.revents, POLLIN);
}

TEST_P(StopSignalsTest, SignalsAreAsBeforeAfterwards) {
  {
    const StopSignals stop([this] { Stopped(); });
  }
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, GetParam()), 0);
}

INSTANTIATE_TEST_SUITE_P(Both, StopSignalsTest,
                         testing::Values(SIGINT, SIGTERM));

}  // namespace
}  // namespace tactus::cli
