#include "ax/read/read.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/hostility.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax {
namespace {

class ReadTest : public ::testing::Test {
 protected:
  ReadTest()
      : world_(mock::EditorDesktop("hello")),
        server_(&world_, &clock_,
                {.per_flight = absl::Milliseconds(10),
                 .per_call = absl::Milliseconds(1)}),
        field_(*world_.Focused()) {}

  void Add(const char* name, mock::HostilityOptions options = {}) {
    auto hostility = mock::MakeHostility(name, options);
    ASSERT_TRUE(hostility.ok()) << hostility.status();
    server_.Add(*std::move(hostility));
  }

  ReadResult ReadThree() {
    const ReadRequest requests[] = {{field_, Attribute::kRole},
                                    {field_, Attribute::kText, {0, 100}},
                                    {field_, Attribute::kCaret}};
    return ReadAll(server_, requests, clock_.Now() + absl::Seconds(1));
  }

  mock::World world_;
  SimulatedClock clock_;
  mock::MockServer server_;
  const Element field_;
};

TEST_F(ReadTest, BatchIsOneFlight) {
  const ReadResult result = ReadThree();
  EXPECT_TRUE(result.batched);
  ASSERT_EQ(result.readings.size(), 3u);
  EXPECT_EQ(*Get<std::string>(result.readings[1]), "hello");
  EXPECT_EQ(*Get<int64_t>(result.readings[2]), 5);
  EXPECT_EQ(server_.traffic().flights, 1);
  EXPECT_EQ(server_.traffic().calls, 3);
}

TEST_F(ReadTest, RejectedBatchIsReadAttributeByAttribute) {
  Add("batch_rejected");
  const ReadResult result = ReadThree();
  EXPECT_FALSE(result.batched);
  EXPECT_EQ(*Get<std::string>(result.readings[1]), "hello");
  // The batch that was refused, and three reads.
  EXPECT_EQ(server_.traffic().flights, 4);
}

TEST_F(ReadTest, BatchOfTheWrongLengthIsNotBelieved) {
  for (const char* name : {"batch_short", "batch_long"}) {
    mock::World world(mock::EditorDesktop("hello"));
    mock::MockServer server(&world, &clock_);
    server.Add(*mock::MakeHostility(name, {.parameter = 1}));
    const ReadRequest requests[] = {{field_, Attribute::kRole},
                                    {field_, Attribute::kCaret}};
    const ReadResult result =
        ReadAll(server, requests, clock_.Now() + absl::Seconds(1));
    EXPECT_FALSE(result.batched) << name;
    ASSERT_EQ(result.readings.size(), 2u) << name;
    EXPECT_EQ(*Get<int64_t>(result.readings[1]), 5) << name;
  }
}

TEST_F(ReadTest, OneFailingAttributeCostsNoOther) {
  Add("attribute_fails",
      {.parameter = static_cast<int64_t>(Attribute::kCaret)});
  const ReadResult result = ReadThree();
  EXPECT_TRUE(result.batched);
  EXPECT_TRUE(result.readings[0].ok());
  EXPECT_TRUE(result.readings[1].ok());
  EXPECT_FALSE(result.readings[2].ok());
}

TEST_F(ReadTest, HangingAttributeEndsAtTheDeadlineAndKeepsTheOthers) {
  Add("hung_on_attribute",
      {.parameter = static_cast<int64_t>(Attribute::kCaret)});
  const ReadResult result = ReadThree();
  EXPECT_EQ(*Get<std::string>(result.readings[1]), "hello");
  EXPECT_EQ(result.readings[2].status().code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(clock_.Now(), absl::UnixEpoch() + absl::Seconds(1));
  // Nothing was asked a second time.
  EXPECT_EQ(server_.traffic().flights, 1);
}

TEST_F(ReadTest, WrongTypeIsDataLossAndNotAValue) {
  Add("wrong_type");
  for (const Reading& reading : ReadThree().readings) {
    EXPECT_EQ(reading.status().code(), absl::StatusCode::kDataLoss);
  }
}

TEST_F(ReadTest, NoRequestsAreNoFlight) {
  EXPECT_TRUE(ReadAll(server_, {}, clock_.Now()).readings.empty());
  EXPECT_EQ(server_.traffic().flights, 0);
}

}  // namespace
}  // namespace tactus::ax
