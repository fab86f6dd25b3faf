// Usage: remote_server_test MOCK_PROCESS
#include "ax/bench/remote_server.h"

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::bench {
namespace {

std::string& Program() {
  static std::string& program = *new std::string();
  return program;
}

absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(30); }

class RemoteServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<MockProcess>> process =
        MockProcess::Start(Program(), 2);
    ASSERT_TRUE(process.ok()) << process.status();
    process_ = *std::move(process);
  }
  int64_t TripsOfASnapshot(RemoteServer::Options options) {
    RemoteServer server(process_->connection(0), options);
    const absl::StatusOr<Snapshot> snapshot =
        SnapshotFocused(server, {.deadline = Soon()});
    EXPECT_TRUE(snapshot.ok()) << snapshot.status();
    EXPECT_EQ(*snapshot->value, "The quick brown fox jumps over the lazy dog.");
    EXPECT_EQ(*snapshot->character_count, 44);
    EXPECT_EQ(*snapshot->caret, 44);
    EXPECT_EQ(*snapshot->value_settable, true);
    return server.traffic().flights;
  }

  std::unique_ptr<MockProcess> process_;
};

TEST_F(RemoteServerTest, ASnapshotIsTheSameHoweverItIsRead) {
  EXPECT_EQ(TripsOfASnapshot({}), 4);
  EXPECT_EQ(TripsOfASnapshot({.probes_alone = true}), 6);
  EXPECT_EQ(TripsOfASnapshot({.in_turn = true}), 11);
}

TEST_F(RemoteServerTest, WhatOneConnectionWritesTheOtherReads) {
  RemoteServer one(process_->connection(0), {});
  RemoteServer two(process_->connection(1), {});
  const Element field = {"app:100", "/text"};
  const WriteResult written = one.Write({.element = field,
                                         .kind = WriteRequest::Kind::kSetValue,
                                         .text = "h\xC3\xA9llo"},
                                        Soon());
  EXPECT_TRUE(written.sent);
  EXPECT_TRUE(written.status.ok()) << written.status;
  const absl::StatusOr<std::string> read =
      Get<std::string>(two.Read({field, Attribute::kText, {0, 10}}, Soon()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, "h\xC3\xA9llo");
}

TEST_F(RemoteServerTest, AProgramThatIsNotThereIsSaidToBe) {
  EXPECT_TRUE(absl::IsUnavailable(
      MockProcess::Start(Program() + ".missing", 1).status()));
}

}  // namespace
}  // namespace tactus::ax::bench

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return 2;
  tactus::ax::bench::Program() = argv[1];
  return RUN_ALL_TESTS();
}
