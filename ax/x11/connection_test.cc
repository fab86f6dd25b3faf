#include "ax/x11/connection.h"

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/x11/testing/mute_server.h"
#include "ax/x11/testing/xvfb.h"
#include "gtest/gtest.h"

namespace tactus::ax::x11 {
namespace {

absl::Time In(absl::Duration time) { return Clock::Real().Now() + time; }

constexpr absl::Duration kPatience = absl::Seconds(30);
// Of what is to be cut.
constexpr absl::Duration kCut = absl::Milliseconds(50);

TEST(ConnectionTest, ServerThatGreetsIsOpened) {
  Xvfb server;
  const absl::StatusOr<std::unique_ptr<Connection>> x =
      Connection::Open(server.display(), In(kPatience));
  ASSERT_TRUE(x.ok()) << x.status();
  EXPECT_NE((*x)->root(), 0u);
  EXPECT_TRUE((*x)->Intern({"ATOM"}, In(kPatience)).ok());
}

TEST(ConnectionTest, ServerThatIsNotThereIsToldBeforeTheDeadline) {
  const absl::Status status =
      Connection::Open(":65000", In(kPatience)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
}

TEST(ConnectionTest, PastDeadlineAsksNobody) {
  Xvfb server;
  EXPECT_EQ(
      Connection::Open(server.display(), absl::InfinitePast()).status().code(),
      absl::StatusCode::kDeadlineExceeded);
}

TEST(ConnectionTest, ServerThatNeverGreetsEndsAtTheDeadlineAndIsNamed) {
  MuteServer mute;
  const absl::Time deadline = In(kCut);
  const absl::Status status =
      Connection::Open(mute.display(), deadline).status();
  EXPECT_GE(Clock::Real().Now(), deadline);
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_NE(status.message().find(mute.display()), absl::string_view::npos)
      << status;
}

// What is left behind costs a thread each, so it is bounded, and over as soon
// as the server is.
TEST(ConnectionTest, ServersThatNeverGreetAreLeftBehindUpToABound) {
  Xvfb server;
  {
    MuteServer mute;
    int left = 0;
    absl::Status status;
    do {
      status = Connection::Open(mute.display(), In(kCut)).status();
    } while (absl::IsDeadlineExceeded(status) && ++left < 100);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_LE(left, 4);
    EXPECT_TRUE(absl::IsResourceExhausted(
        Connection::Open(server.display(), In(kPatience)).status()));
  }
  const absl::Time deadline = In(kPatience);
  absl::Status status = absl::UnknownError("not asked");
  while (!status.ok() && Clock::Real().Now() < deadline) {
    Clock::Real().SleepUntil(In(absl::Milliseconds(1)));
    status = Connection::Open(server.display(), deadline).status();
  }
  EXPECT_TRUE(status.ok()) << status;
}

}  // namespace
}  // namespace tactus::ax::x11
