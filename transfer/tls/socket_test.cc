#include "transfer/tls/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace tactus::transfer {
namespace {

int Option(int fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof(value);
  getsockopt(fd, level, name, &value, &size);
  return value;
}

TEST(ParseHostPort, TakesNamesAndNumbersOfBothKinds) {
  EXPECT_EQ(ParseHostPort("desk.local:7411")->host, "desk.local");
  EXPECT_EQ(ParseHostPort("10.0.0.2:0")->port, "0");
  EXPECT_EQ(ParseHostPort("[fe80::1%eth0]:65535")->host, "fe80::1%eth0");
}

TEST(ParseHostPort, SaysWhatIsWrong) {
  const auto why = [](const char* text) {
    return std::string(ParseHostPort(text).status().message());
  };
  EXPECT_TRUE(absl::StrContains(why("desk"), "no port"));
  EXPECT_TRUE(absl::StrContains(why(":7411"), "no host"));
  EXPECT_TRUE(absl::StrContains(why("[]:7411"), "no host"));
  EXPECT_TRUE(absl::StrContains(why("fe80::1:7411"), "brackets"));
  for (const char* text :
       {"a:", "a:x", "a:65536", "a:-1", "a:+1", "a: 1", "a:000001", "a:1x"}) {
    EXPECT_TRUE(absl::StrContains(why(text), "port")) << text;
  }
  EXPECT_TRUE(absl::StrContains(why("\x1b[2J"), "\\x1b"));
}

TEST(Endpoint, NumbersReadBackAndNamesAreNone) {
  for (const char* text : {"127.0.0.1:7411", "[::1]:7411"}) {
    const auto endpoints = NumericEndpoints(*ParseHostPort(text));
    ASSERT_EQ(endpoints.size(), 1u);
    EXPECT_EQ(endpoints[0].Text(), text);
  }
  EXPECT_TRUE(NumericEndpoints(*ParseHostPort("localhost:1")).empty());
}

TEST(Resolve, AnUnknownNameIsSaid) {
  const absl::Status status =
      Resolve({.host = "no-such-host.invalid", .port = "1"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(absl::StrContains(status.message(), "no-such-host.invalid"));
}

// What the transport's header states: 15 s, and then two probes in 10 s.
TEST(Socket, IsTunedForPromptWritesAndADetectionTimeOf25Seconds) {
  const SocketOptions options;
  EXPECT_EQ(options.detection(), absl::Seconds(25));
  const auto listener =
      ListenSocket(NumericEndpoints(*ParseHostPort("127.0.0.1:0"))[0]);
  ASSERT_TRUE(listener.ok());
  const auto fd = ConnectSocket(*LocalEndpoint(*listener), options);
  ASSERT_TRUE(fd.ok());
  EXPECT_EQ(Option(*fd, IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(Option(*fd, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(Option(*fd, IPPROTO_TCP, TCP_KEEPIDLE), 15);
  EXPECT_EQ(Option(*fd, IPPROTO_TCP, TCP_KEEPINTVL), 5);
  EXPECT_EQ(Option(*fd, IPPROTO_TCP, TCP_KEEPCNT), 2);
  // A peer that does not read is waited for, so this one must be off.
  EXPECT_EQ(Option(*fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 0);
  close(*fd);
  close(*listener);
}

TEST(JudgeSilence, OnlyAMachineThatAcknowledgesNothingIsGone) {
  tcp_info info = {};
  EXPECT_FALSE(*JudgeSilence(info));
  // A question after an hour of silence: nothing is wrong with that.
  info.tcpi_unacked = 1;
  info.tcpi_last_ack_recv = 3'600'000;
  info.tcpi_rto = 200'000;
  EXPECT_TRUE(*JudgeSilence(info));
  // Lost, and sent again, for a while.
  info.tcpi_retransmits = 6;
  info.tcpi_rto = 12'800'000;
  EXPECT_TRUE(*JudgeSilence(info));
  info.tcpi_retransmits = 7;
  info.tcpi_rto = 25'600'000;
  EXPECT_EQ(JudgeSilence(info).status().code(), absl::StatusCode::kUnavailable);
  // It answers: a window of nothing is an answer.
  info.tcpi_last_ack_recv = 400;
  EXPECT_TRUE(*JudgeSilence(info));
}

TEST(DataUnderWay, IsFalseForWhatIsNoTcp) {
  int fds[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
  EXPECT_FALSE(*DataUnderWay(fds[0]));
  close(fds[0]);
  close(fds[1]);
}

}  // namespace
}  // namespace tactus::transfer
