#include "ax/bench/wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::bench {
namespace {

TEST(Wire, WhatIsPutIsTakenWhateverItsKind) {
  const std::vector<Reading> readings = {
      Value(),
      Value(true),
      Value(int64_t{-7}),
      Value(std::string("h\xC3\xA9", 3)),
      Value(Range{2, 5}),
      Value(RoleValue{Role::kTextArea, "text"}),
      Value(Element{"app:1", "/text"}),
      absl::NotFoundError("nothing is selected")};
  Packer packer;
  for (const Reading& reading : readings) packer.PutReading(reading);
  Unpacker unpacker(packer.bytes());
  for (const Reading& reading : readings) {
    EXPECT_EQ(unpacker.TakeReading(), reading);
  }
  EXPECT_TRUE(unpacker.ok());
}

TEST(Wire, HalfAMessageIsNoAnswer) {
  Packer packer;
  packer.PutReading(Reading(Value(std::string("text"))));
  for (size_t size = 0; size < packer.bytes().size(); ++size) {
    Unpacker unpacker(absl::string_view(packer.bytes()).substr(0, size));
    unpacker.TakeReading().IgnoreError();
    EXPECT_FALSE(unpacker.ok()) << size;
  }
}

TEST(Wire, AMessageComesThroughWhole) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const std::string sent(9000, 'x');
  ASSERT_TRUE(Send(ends[0], sent).ok());
  const absl::StatusOr<std::string> got = Receive(ends[1]);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(*got, sent);
  close(ends[0]);
  EXPECT_TRUE(absl::IsUnavailable(Receive(ends[1]).status()));
  EXPECT_TRUE(absl::IsUnavailable(Send(ends[1], "x")));
  close(ends[1]);
}

TEST(Wire, AMessageThatIsTooLongIsRefusedUnread) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const uint32_t size = kMostMessage + 1;
  ASSERT_EQ(write(ends[0], &size, sizeof(size)), ssize_t{sizeof(size)});
  EXPECT_TRUE(absl::IsDataLoss(Receive(ends[1]).status()));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace tactus::ax::bench
