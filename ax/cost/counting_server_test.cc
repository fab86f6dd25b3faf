#include "ax/cost/counting_server.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/cost/model.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/script.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::cost {
namespace {

using mock::kReplyBytes;
using mock::kRequestBytes;

CostModel ModelOf(const mock::Latency& latency) {
  return {latency.cold_connection, latency.per_flight, latency.per_call,
          latency.per_byte};
}

constexpr mock::Latency kLatency = {
    absl::Microseconds(900), absl::Microseconds(27), absl::Microseconds(25),
    absl::Nanoseconds(3)};

class CountingServerTest : public testing::Test {
 protected:
  CountingServerTest()
      : world_(mock::EditorDesktop("hello")),
        server_(&world_, &clock_, kLatency),
        counted_(&server_) {}

  absl::Time Soon() { return clock_.Now() + absl::Seconds(1); }

  SimulatedClock clock_;
  mock::World world_;
  mock::MockServer server_;
  CountingServer counted_;
  const Element field_{"app:100", "/text"};
};

TEST_F(CountingServerTest, EachVerbIsTracedWithItsOwnCost) {
  const absl::StatusOr<Application> app = counted_.FocusedApplication(Soon());
  ASSERT_TRUE(app.ok());
  ASSERT_TRUE(counted_.WindowList(Soon()).ok());
  ASSERT_TRUE(counted_.ApplicationOfProcess(100, Soon()).ok());
  ASSERT_TRUE(counted_.Applications(Soon()).ok());
  ASSERT_TRUE(counted_.FocusedElements(*app, Soon()).ok());
  ASSERT_TRUE(counted_.Read({field_, Attribute::kCaret}, Soon()).ok());
  ASSERT_TRUE(counted_
                  .ReadMany({{{field_, Attribute::kCaret},
                              {field_, Attribute::kCharacterCount},
                              {field_, Attribute::kText, {0, 5}}}},
                            Soon())
                  .ok());
  ASSERT_TRUE(counted_.Observe({}, Soon()).ok());

  // Verb, calls, connections: the flight is always one.
  const struct {
    Verb verb;
    int64_t calls;
    int64_t connections;
  } expected[] = {{Verb::kFocusedApplication, 1, 1},
                  {Verb::kWindowList, 1, 1},
                  {Verb::kApplicationOfProcess, 1, 0},
                  {Verb::kApplications, 1, 0},
                  {Verb::kFocusedElements, 1, 1},
                  {Verb::kRead, 1, 0},
                  {Verb::kReadMany, 3, 0},
                  {Verb::kObserve, 1, 1}};
  ASSERT_EQ(counted_.trace().size(), 8u);
  Traffic sum;
  absl::Duration elapsed;
  for (size_t i = 0; i < 8; ++i) {
    const TraceEntry& entry = counted_.trace()[i];
    EXPECT_EQ(entry.verb, expected[i].verb) << VerbName(entry.verb);
    EXPECT_EQ(entry.traffic.flights, 1) << VerbName(entry.verb);
    EXPECT_EQ(entry.traffic.calls, expected[i].calls) << VerbName(entry.verb);
    EXPECT_EQ(entry.traffic.connections, expected[i].connections)
        << VerbName(entry.verb);
    EXPECT_EQ(entry.elapsed, ModelOf(kLatency).Predict(entry.traffic))
        << VerbName(entry.verb);
    sum += entry.traffic;
    elapsed += entry.elapsed;
  }
  EXPECT_EQ(counted_.trace()[5].traffic.bytes, kRequestBytes + kReplyBytes + 8);
  EXPECT_EQ(counted_.trace()[6].traffic.bytes,
            3 * (kRequestBytes + kReplyBytes) + 8 + 8 + 5);
  EXPECT_EQ(counted_.total().questions, 8);
  EXPECT_EQ(counted_.total().traffic, sum);
  EXPECT_EQ(counted_.total().traffic, server_.traffic());
  EXPECT_EQ(counted_.total().elapsed, elapsed);
  EXPECT_EQ(clock_.Now() - absl::UnixEpoch(), elapsed);
}

TEST_F(CountingServerTest, ResetForgetsAndTrafficGoesOn) {
  ASSERT_TRUE(counted_.Read({field_, Attribute::kCaret}, Soon()).ok());
  counted_.Reset();
  EXPECT_TRUE(counted_.trace().empty());
  EXPECT_EQ(counted_.total().traffic, Traffic());
  EXPECT_EQ(counted_.traffic().calls, 1);
  ASSERT_TRUE(counted_.Read({field_, Attribute::kCaret}, Soon()).ok());
  EXPECT_EQ(counted_.total().traffic.calls, 1);
  EXPECT_EQ(counted_.traffic().calls, 2);
}

TEST_F(CountingServerTest, ErrorsPassUnchangedAndAreCounted) {
  EXPECT_EQ(counted_.ApplicationOfProcess(7, Soon()).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(counted_.total().traffic.calls, 1);
  // Nothing was sent for this one.
  EXPECT_EQ(counted_.ApplicationOfProcess(0, Soon()).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(counted_.total().traffic.calls, 1);
  EXPECT_EQ(counted_.total().questions, 2);
}

TEST_F(CountingServerTest, FullTraceStillAddsUp) {
  const int64_t most = static_cast<int64_t>(CountingServer::kMaxTrace);
  for (int64_t i = 0; i < most + 3; ++i) {
    ASSERT_TRUE(counted_.Read({field_, Attribute::kCaret}, Soon()).ok());
  }
  EXPECT_EQ(counted_.trace().size(), CountingServer::kMaxTrace);
  EXPECT_EQ(counted_.questions_not_traced(), 3);
  EXPECT_EQ(counted_.total().traffic.calls, most + 3);
}

// Whatever is asked of whatever desktop, the mock takes exactly the time that
// the model predicts from the trace, unless a hostility delays or a deadline
// ends it.
TEST(CostModelOnMockTest, PredictionIsTheSimulatedTimeExactly) {
  for (int round = 0; round < 500; ++round) {
    std::vector<uint8_t> bytes;
    uint32_t state = static_cast<uint32_t>(round) * 2654435761u + 1;
    for (int i = 0; i < 400; ++i) {
      state = state * 1664525u + 1013904223u;
      bytes.push_back(static_cast<uint8_t>(state >> 24));
    }
    mock::Script script = mock::FromBytes(bytes);
    script.hostilities.clear();
    mock::World world(script.desktop);
    SimulatedClock clock;
    mock::MockServer server(&world, &clock, script.latency);
    ASSERT_TRUE(mock::Play(script, server).ok());
    CountingServer counted(&server);
    const CostModel model = ModelOf(script.latency);

    const absl::Time deadline = clock.Now() + absl::Minutes(1);
    const absl::StatusOr<Application> app =
        counted.FocusedApplication(deadline);
    counted.WindowList(deadline).IgnoreError();
    counted.ApplicationOfProcess(100, deadline).IgnoreError();
    std::vector<ReadRequest> requests;
    for (const mock::Program& program : script.desktop.programs) {
      const absl::StatusOr<std::vector<Element>> found =
          counted.FocusedElements(program.application, deadline);
      if (!found.ok()) continue;
      for (const Element& element : *found) {
        requests.push_back({element, Attribute::kRole});
        requests.push_back({element, Attribute::kText, {0, 1000}});
        requests.push_back({element, Attribute::kSelection});
      }
    }
    counted.ReadMany(requests, deadline).IgnoreError();
    for (const ReadRequest& request : requests) {
      counted.Read(request, deadline).status().IgnoreError();
    }
    for (const TraceEntry& entry : counted.trace()) {
      ASSERT_EQ(entry.elapsed, model.Predict(entry.traffic))
          << "round " << round << ", " << VerbName(entry.verb);
    }
    ASSERT_EQ(clock.Now() - absl::UnixEpoch(),
              model.Predict(counted.total().traffic));
  }
}

}  // namespace
}  // namespace tactus::ax::cost
