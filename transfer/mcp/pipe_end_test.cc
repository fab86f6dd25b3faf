#include "transfer/mcp/pipe_end.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "transfer/clock/clock.h"

namespace tactus::transfer {
namespace {

absl::Time Later() { return Clock::Real().Now() + absl::Seconds(60); }

// Two ends of a pipe or of a pair of sockets; what is written to [1] is read
// from [0].
class PipeEndTest : public testing::TestWithParam<bool> {
 protected:
  PipeEndTest() {
    signal(SIGPIPE, SIG_IGN);
    const int made =
        GetParam() ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_)
                   : pipe2(ends_, O_CLOEXEC);
    EXPECT_EQ(made, 0);
  }
  ~PipeEndTest() override {
    Close(0);
    Close(1);
  }
  void Close(int which) {
    if (ends_[which] >= 0) close(ends_[which]);
    ends_[which] = -1;
  }

  int ends_[2] = {-1, -1};
};

TEST_P(PipeEndTest, EndsWithoutADescriptorToBeWokenByAreNotGood) {
  EXPECT_TRUE(FdSource(ends_[0]).good());
  EXPECT_TRUE(FdSink(ends_[1]).good());
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const bool source = FdSource(ends_[0]).good();
  const bool sink = FdSink(ends_[1]).good();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(source);
  EXPECT_FALSE(sink);
}

TEST_P(PipeEndTest, BytesArriveAndTheModeOfTheDescriptorsIsLeftAsItIs) {
  FdSource source(ends_[0]);
  FdSink sink(ends_[1]);
  std::string text;
  for (int i = 0; i < 300'000; ++i) text.push_back(static_cast<char>(i % 251));
  std::thread writer([&] { EXPECT_TRUE(sink.Write(text, Later()).ok()); });
  std::string heard;
  while (heard.size() < text.size()) {
    char part[65536];
    const absl::StatusOr<size_t> n = source.Read(absl::MakeSpan(part), Later());
    ASSERT_TRUE(n.ok()) << n.status();
    ASSERT_GT(*n, 0u);
    heard.append(part, *n);
  }
  writer.join();
  EXPECT_EQ(heard, text);
  for (const int fd : ends_) EXPECT_EQ(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
}

TEST_P(PipeEndTest, EndIsReadAfterWhatCameBefore) {
  FdSource source(ends_[0]);
  {
    FdSink sink(ends_[1]);
    ASSERT_TRUE(sink.Write("last", Later()).ok());
  }
  Close(1);
  char part[16];
  EXPECT_EQ(source.Read(absl::MakeSpan(part), Later()).value(), 4u);
  EXPECT_EQ(source.Read(absl::MakeSpan(part), Later()).value(), 0u);
}

TEST_P(PipeEndTest, WriterWhomNobodyReadsIsTold) {
  Close(0);
  FdSink sink(ends_[1]);
  EXPECT_EQ(sink.Write("x", Later()).code(), absl::StatusCode::kUnavailable);
}

TEST_P(PipeEndTest, WakeCancelsOneReading) {
  FdSource source(ends_[0]);
  char part[16];
  std::thread waking([&] { source.Wake(); });
  EXPECT_EQ(source.Read(absl::MakeSpan(part), Later()).status().code(),
            absl::StatusCode::kCancelled);
  waking.join();
  EXPECT_EQ(
      source.Read(absl::MakeSpan(part), Clock::Real().Now()).status().code(),
      absl::StatusCode::kDeadlineExceeded);
}

TEST_P(PipeEndTest, AbandonedSinkWaitsForNobodyAndTakesWhatFits) {
  FdSink sink(ends_[1]);
  // More than either holds.
  const std::string much(size_t{8} << 20, 'x');
  std::thread abandoning([&] { sink.Abandon(); });
  EXPECT_EQ(sink.Write(much, Later()).code(), absl::StatusCode::kCancelled);
  abandoning.join();
  // Room again: what is said last still goes out.
  FdSource source(ends_[0]);
  std::string part(size_t{1} << 20, '\0');
  ASSERT_TRUE(source.Read(absl::MakeSpan(part), Later()).ok());
  EXPECT_TRUE(sink.Write("last", Clock::Real().Now()).ok());
}

TEST_P(PipeEndTest, FullPipeIsToldAtTheDeadline) {
  FdSink sink(ends_[1]);
  const std::string much(size_t{8} << 20, 'x');
  EXPECT_EQ(sink.Write(much, Clock::Real().Now()).code(),
            absl::StatusCode::kDeadlineExceeded);
}

INSTANTIATE_TEST_SUITE_P(Pipes, PipeEndTest, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Sockets, PipeEndTest, testing::Values(true));

}  // namespace
}  // namespace tactus::transfer
