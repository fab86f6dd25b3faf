#include "transfer/tls/channel.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/identity.h"
#include "transfer/tls/context.h"

namespace tactus::transfer {
namespace {

using absl::StatusCode;

// Two devices that pinned each other, made once: keys take long to make.
struct Devices {
  Devices() {
    for (int i = 0; i < 2; ++i) {
      context[i] =
          *TlsContext::Create(identity[i], [this](const KeyDigest& key) {
            return pinned &&
                   (key == identity[0].digest() || key == identity[1].digest());
          });
    }
  }
  const Identity identity[2] = {*Identity::Generate(), *Identity::Generate()};
  std::shared_ptr<TlsContext> context[2];
  bool pinned = true;
};

Devices& BothDevices() {
  static Devices* const devices = new Devices();
  return *devices;
}

// A client (0) and a server (1), and a wire between them that carries bytes
// only when the test says so, and only so many.
class Wire {
 public:
  Wire() {
    Devices& both = BothDevices();
    for (int i = 0; i < 2; ++i) {
      int fds[2];
      EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
      outer_[i] = fds[1];
      SslPtr ssl = i == 0
                       ? *both.context[0]->NewClient(both.identity[1].digest())
                       : *both.context[1]->NewServer();
      end[i] =
          std::make_unique<Channel>(both.context[i], std::move(ssl), fds[0]);
    }
  }
  ~Wire() {
    for (const int fd : outer_) close(fd);
  }

  // Carries what end `from` has sent, until `limit` bytes of that end have been
  // carried in all; then the wire is cut, and ends there.
  void Carry(int from) {
    char buffer[4096];
    while (!cut_) {
      const size_t room = std::min(sizeof(buffer), limit[from] - carried[from]);
      if (room == 0) {
        cut_ = true;
        for (const int fd : outer_) shutdown(fd, SHUT_RDWR);
        return;
      }
      const ssize_t n = recv(outer_[from], buffer, room, 0);
      if (n <= 0) return;
      for (ssize_t i = 0; i < n; ++i) {
        if (carried[from] + static_cast<size_t>(i) == flip[from])
          buffer[i] ^= 1;
      }
      carried[from] += static_cast<size_t>(n);
      sent[from].append(buffer, static_cast<size_t>(n));
      EXPECT_EQ(
          send(outer_[1 - from], buffer, static_cast<size_t>(n), MSG_NOSIGNAL),
          n);
    }
  }

  // Takes what end `from` has sent off the wire; how many bytes.
  size_t Drain(int from) {
    char buffer[4096];
    size_t count = 0;
    while (true) {
      const ssize_t n = recv(outer_[from], buffer, sizeof(buffer), 0);
      if (n <= 0) return count;
      count += static_cast<size_t>(n);
    }
  }

  // Both sides' outcomes, OK while not finished.
  bool Handshake(absl::Status status[2]) {
    bool done[2] = {};
    for (int round = 0; round < 6; ++round) {
      for (int i = 0; i < 2; ++i) {
        if (!done[i] && status[i].ok()) {
          const auto want = end[i]->TryHandshake();
          status[i] = want.status();
          done[i] = want.ok() && *want == Channel::Want::kNothing;
        }
        Carry(i);
      }
    }
    return done[0] && done[1];
  }

  std::unique_ptr<Channel> end[2];
  size_t limit[2] = {SIZE_MAX, SIZE_MAX};
  size_t flip[2] = {SIZE_MAX, SIZE_MAX};  // the byte that is changed
  size_t carried[2] = {};
  std::string sent[2];

 private:
  int outer_[2];
  bool cut_ = false;
};

std::string Read(Channel& channel, absl::Status* status, bool* end) {
  std::string got;
  char buffer[100];
  while (true) {
    const auto read = channel.TryRead(absl::MakeSpan(buffer));
    *status = read.status();
    if (!read.ok() || read->want != Channel::Want::kNothing) return got;
    if (read->end) {
      *end = true;
      return got;
    }
    got.append(buffer, read->bytes);
  }
}

TEST(Channel, AMessageIsOneRecordOfItsOwnSizeAndNothingElse) {
  Wire wire;
  absl::Status status[2];
  ASSERT_TRUE(wire.Handshake(status));
  const size_t before = wire.carried[0];
  const auto wrote = wire.end[0]->TryWrite("question");
  ASSERT_TRUE(wrote.ok());
  EXPECT_EQ(wrote->bytes, 8u);
  EXPECT_EQ(wrote->want, Channel::Want::kNothing);
  wire.Carry(0);
  // A header of 5, the type 1, the tag 16 (RFC 8446 section 5.2).
  EXPECT_EQ(wire.carried[0] - before, 8u + 22u);
  bool end = false;
  EXPECT_EQ(Read(*wire.end[1], &status[1], &end), "question");
}

TEST(Channel, BulkGoesInRecordsOfTheLargestSize) {
  Wire wire;
  absl::Status status[2];
  ASSERT_TRUE(wire.Handshake(status));
  const size_t before = wire.carried[0];
  const std::string bulk(64 << 10, 'x');
  absl::string_view left = bulk;
  std::string got;
  bool end = false;
  while (true) {
    const auto wrote = wire.end[0]->TryWrite(left);
    ASSERT_TRUE(wrote.ok());
    left.remove_prefix(wrote->bytes);
    wire.Carry(0);
    got += Read(*wire.end[1], &status[1], &end);
    if (left.empty() && wrote->want == Channel::Want::kNothing) break;
  }
  EXPECT_EQ(got, bulk);
  EXPECT_EQ(wire.carried[0] - before, bulk.size() + 4 * 22);
}

TEST(Channel, WhatIsWrittenIsNotOnTheWireAsItIs) {
  Wire wire;
  absl::Status status[2];
  ASSERT_TRUE(wire.Handshake(status));
  ASSERT_TRUE(wire.end[0]->TryWrite("secret").ok());
  wire.Carry(0);
  EXPECT_FALSE(absl::StrContains(wire.sent[0], "secret"));
}

TEST(Channel, AWriterWhoseReaderStallsHoldsOneBatch) {
  Wire wire;
  absl::Status status[2];
  ASSERT_TRUE(wire.Handshake(status));
  const std::string bulk(8 << 20, 'x');
  size_t taken = 0;
  Channel::Want want = Channel::Want::kNothing;
  while (want == Channel::Want::kNothing) {
    const auto wrote =
        wire.end[0]->TryWrite(absl::string_view(bulk).substr(taken));
    ASSERT_TRUE(wrote.ok());
    taken += wrote->bytes;
    want = wrote->want;
  }
  ASSERT_LT(taken, bulk.size());
  // Nothing more is taken, however often it is tried.
  for (int i = 0; i < 100; ++i) {
    const auto wrote =
        wire.end[0]->TryWrite(absl::string_view(bulk).substr(taken));
    ASSERT_TRUE(wrote.ok());
    EXPECT_EQ(wrote->bytes, 0u);
    EXPECT_EQ(wrote->want, Channel::Want::kWrite);
  }
  // Beside what the kernel holds it has at most one batch.
  EXPECT_LE(taken, wire.Drain(0) + (64 << 10));
}

TEST(Channel, CutAtAnyByteOfTheHandshakeNeitherSideGetsAnywhere) {
  for (int side = 0; side < 2; ++side) {
    for (const bool resumed : {false, true}) {
      // Past what is shared by all handshakes of this kind, whose signatures
      // differ in length by some bytes.
      for (size_t limit = 1; limit < (resumed ? 100 : 700); limit += 7) {
        if (!resumed) {
          BothDevices().context[0]->ForgetSessions(
              BothDevices().identity[1].id());
        } else if (BothDevices().context[0]->SessionCount(
                       BothDevices().identity[1].digest()) == 0) {
          Wire first;
          absl::Status status[2];
          ASSERT_TRUE(first.Handshake(status));
          bool end = false;
          Read(*first.end[0], &status[0], &end);
        }
        Wire wire;
        wire.limit[side] = limit;
        absl::Status status[2];
        EXPECT_FALSE(wire.Handshake(status)) << side << " " << limit;
        EXPECT_EQ(status[1 - side].code(), StatusCode::kUnavailable)
            << side << " " << limit << " " << status[1 - side];
      }
    }
  }
}

TEST(Channel, CutAtEveryByteOfAStreamWholeRecordsAreReadAndNoEndIsSeen) {
  const size_t first = 3 + 22;
  const size_t second = first + 4 + 22;
  const size_t end_at = second + 2 + 22;  // an alert is two bytes
  for (size_t at = 0; at <= end_at; ++at) {
    Wire wire;
    absl::Status status[2];
    ASSERT_TRUE(wire.Handshake(status));
    wire.limit[0] = wire.carried[0] + at;
    for (const char* text : {"abc", "defg"}) {
      (void)wire.end[0]->TryWrite(text);
      wire.Carry(0);
    }
    (void)wire.end[0]->TryCloseWrite();
    wire.Carry(0);
    wire.Carry(0);  // finds no room, and cuts
    bool end = false;
    const std::string got = Read(*wire.end[1], &status[1], &end);
    EXPECT_EQ(got, at < first ? "" : at < second ? "abc" : "abcdefg") << at;
    EXPECT_EQ(end, at == end_at) << at;
    if (!end) {
      EXPECT_EQ(status[1].code(), StatusCode::kUnavailable) << at;
    }
  }
}

TEST(Channel, EveryChangedByteOfARecordIsNoticedAndNothingOfItIsRead) {
  for (size_t at = 0; at < 25; ++at) {
    Wire wire;
    absl::Status status[2];
    ASSERT_TRUE(wire.Handshake(status));
    wire.flip[0] = wire.carried[0] + at;
    ASSERT_TRUE(wire.end[0]->TryWrite("abc").ok());
    wire.Carry(0);
    // A length that grew leaves the record unfinished until more comes.
    ASSERT_TRUE(wire.end[0]->TryWrite("defghijklmnopqrstuvwxyz").ok());
    for (int i = 0; i < 20; ++i) (void)wire.end[0]->TryWrite("more and more");
    wire.Carry(0);
    bool end = false;
    EXPECT_EQ(Read(*wire.end[1], &status[1], &end), "") << at;
    EXPECT_FALSE(end);
    EXPECT_EQ(status[1].code(), StatusCode::kDataLoss) << at << status[1];
  }
}

TEST(Channel, CutFromElsewhereIsWhatEverybodyIsTold) {
  Wire wire;
  absl::Status status[2];
  ASSERT_TRUE(wire.Handshake(status));
  wire.end[0]->Cut(absl::CancelledError("forgotten"));
  wire.end[0]->Cut(absl::UnavailableError("later"));
  char byte;
  EXPECT_EQ(wire.end[0]->TryRead(absl::MakeSpan(&byte, 1)).status().message(),
            "forgotten");
  EXPECT_EQ(wire.end[0]->TryWrite("x").status().message(), "forgotten");
  EXPECT_EQ(wire.end[0]->TryCloseWrite().status().message(), "forgotten");
}

TEST(Channel, AStrangerIsToldAndTheServerKnowsWhy) {
  BothDevices().context[0]->ForgetSessions(BothDevices().identity[1].id());
  Wire wire;
  absl::Status status[2];
  const Identity stranger = *Identity::Generate();
  std::shared_ptr<TlsContext> context =
      *TlsContext::Create(stranger, [](const KeyDigest&) { return true; });
  const int fd = dup(wire.end[0]->fd());
  wire.end[0] = std::make_unique<Channel>(
      context, *context->NewClient(BothDevices().identity[1].digest()), fd);
  wire.Handshake(status);
  EXPECT_EQ(status[1].code(), StatusCode::kPermissionDenied);
  EXPECT_TRUE(absl::StrContains(status[1].message(), stranger.id().text()));
  bool end = false;
  absl::Status read;
  Read(*wire.end[0], &read, &end);
  EXPECT_EQ(read.code(), StatusCode::kPermissionDenied);
  EXPECT_TRUE(absl::StrContains(read.message(), "pair again"));
}

}  // namespace
}  // namespace tactus::transfer
