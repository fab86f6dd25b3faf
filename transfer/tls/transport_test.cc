#include "transfer/tls/transport.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "transfer/clock/clock.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/identity.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/identity/private_folder.h"
#include "transfer/stream/header.h"
#include "transfer/stream/read_full.h"
#include "transfer/stream/stream.h"
#include "transfer/tls/socket.h"
#include "transfer/tls/testing/relay.h"

namespace tactus::transfer {
namespace {

using absl::StatusCode;

// Far beyond what anything here takes, so that only a hang fails a test.
absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(60); }

// Until something that other threads do is so; false when it never is.
bool Eventually(const std::function<bool()>& so) {
  const absl::Time deadline = Soon();
  while (!so()) {
    if (Clock::Real().Now() > deadline) return false;
    absl::SleepFor(absl::Milliseconds(2));
  }
  return true;
}

struct Device {
  explicit Device(TlsOptions options = {})
      : folder(*PrivateFolder::Open(NewPath())),
        identity(*Identity::LoadOrCreate(folder)),
        peers(*PinnedPeers::Open(folder)) {
    Start(std::move(options));
  }

  static std::string NewPath() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/device.XXXXXX");
    return absl::StrCat(mkdtemp(pattern.data()), "/state");
  }

  void Start(TlsOptions options) {
    transport.reset();
    transport = *TlsTransport::Create(identity, *peers, std::move(options));
    const auto listening = transport->Listen("127.0.0.1:0");
    ASSERT_TRUE(listening.ok()) << listening.status();
    address = *listening;
  }

  const DeviceId& id() const { return identity.id(); }

  void Pin(const Device& peer, const std::string& name,
           std::vector<std::string> addresses) {
    ASSERT_TRUE(peers
                    ->Add({.name = name,
                           .key = peer.identity.digest(),
                           .addresses = std::move(addresses)})
                    .ok());
  }

  TlsPeerStatus StatusOf(const DeviceId& peer) {
    for (const TlsPeerStatus& status : transport->PeerStatus()) {
      if (status.id == peer) return status;
    }
    return {};
  }

  PrivateFolder folder;
  Identity identity;
  std::unique_ptr<PinnedPeers> peers;
  std::unique_ptr<TlsTransport> transport;
  std::string address;
};

// Two devices that are paired; the laptop connects to the desk.
class TlsTransportTest : public testing::Test {
 protected:
  void Pair(TlsOptions laptop_options = {}, TlsOptions desk_options = {}) {
    desk_ = std::make_unique<Device>(std::move(desk_options));
    laptop_ = std::make_unique<Device>(std::move(laptop_options));
    laptop_->Pin(*desk_, "desk", {desk_->address});
    desk_->Pin(*laptop_, "laptop", {});
  }

  absl::StatusOr<std::unique_ptr<Stream>> Open(StreamHeader header = {}) {
    return laptop_->transport->Open(desk_->id(), header, Soon());
  }

  // Both ends of one stream, the opener's first.
  std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>> Connected(
      const StreamHeader& header = {}) {
    auto near = Open(header);
    EXPECT_TRUE(near.ok()) << near.status();
    EXPECT_TRUE((*near)->Write("", Soon()).ok());
    auto far = desk_->transport->Accept(Soon());
    EXPECT_TRUE(far.ok()) << far.status();
    return {*std::move(near), *std::move(far)};
  }

  static std::string ReadAll(Stream& stream) {
    std::string all;
    char buffer[32 << 10];
    while (true) {
      const auto n = stream.Read(absl::MakeSpan(buffer), Soon());
      if (!n.ok()) return n.status().ToString();
      if (*n == 0) return all;
      all.append(buffer, *n);
    }
  }

  static absl::Status ReadError(Stream& stream) {
    char byte;
    return stream.Read(absl::MakeSpan(&byte, 1), Soon()).status();
  }

  std::unique_ptr<Device> desk_;
  std::unique_ptr<Device> laptop_;
};

TEST_F(TlsTransportTest, WhatIsWrittenIsReadThenTheEndBothWays) {
  Pair();
  const auto [near, far] =
      Connected({.kind = StreamKind::kMcp, .label = "echo"});
  EXPECT_EQ(near->peer(), desk_->id());
  EXPECT_EQ(far->peer(), laptop_->id());
  EXPECT_EQ(far->header().kind, StreamKind::kMcp);
  EXPECT_EQ(far->header().label, "echo");
  EXPECT_TRUE(near->Write("question", Soon()).ok());
  EXPECT_TRUE(near->CloseWrite(Soon()).ok());
  EXPECT_TRUE(near->CloseWrite(Soon()).ok());
  EXPECT_EQ(near->Write("more", Soon()).code(),
            StatusCode::kFailedPrecondition);
  EXPECT_EQ(ReadAll(*far), "question");
  EXPECT_TRUE(far->Write("the answer", Soon()).ok());
  EXPECT_TRUE(far->CloseWrite(Soon()).ok());
  EXPECT_EQ(ReadAll(*near), "the answer");
}

TEST_F(TlsTransportTest, AnOpenerThatReadsFirstIsSeenByThePeer) {
  Pair();
  auto near = *Open();
  std::thread desk([this] {
    auto far = *desk_->transport->Accept(Soon());
    EXPECT_TRUE(far->Write("hello", Soon()).ok());
    EXPECT_TRUE(far->CloseWrite(Soon()).ok());
    EXPECT_EQ(ReadError(*far).code(), StatusCode::kUnavailable);
  });
  EXPECT_EQ(ReadAll(*near), "hello");
  near.reset();
  desk.join();
}

// A bridge reads in one thread and writes in another from the first moment.
TEST_F(TlsTransportTest, WhoeverIsFirstTheHeaderComesBeforeTheBytes) {
  Pair();
  for (int i = 0; i < 30; ++i) {
    auto near = *Open({.kind = StreamKind::kMcp, .label = "bridge"});
    std::thread reader([stream = near.get()] {
      char answer[6];
      EXPECT_TRUE(ReadFull(*stream, absl::MakeSpan(answer), Soon()).ok());
    });
    EXPECT_TRUE(near->Write("asking", Soon()).ok());
    const auto far = desk_->transport->Accept(Soon());
    ASSERT_TRUE(far.ok());
    EXPECT_EQ((*far)->header().label, "bridge");
    char asked[6];
    ASSERT_TRUE(ReadFull(**far, absl::MakeSpan(asked), Soon()).ok());
    EXPECT_EQ(std::string(asked, 6), "asking");
    EXPECT_TRUE((*far)->Write("answer", Soon()).ok());
    reader.join();
  }
}

TEST_F(TlsTransportTest, MegabytesArriveAsTheyWereBothWaysAtOnce) {
  Pair();
  const auto [near, far] = Connected({.kind = StreamKind::kFile});
  std::string there(5 << 20, '\0');
  for (size_t i = 0; i < there.size(); ++i) {
    there[i] = static_cast<char>(i * 2654435761u >> 13);
  }
  const std::string back(there.rbegin(), there.rend());
  std::vector<std::thread> threads;
  threads.emplace_back([&, stream = near.get()] {
    EXPECT_TRUE(stream->Write(there, Soon()).ok());
    EXPECT_TRUE(stream->CloseWrite(Soon()).ok());
  });
  threads.emplace_back([&, stream = far.get()] {
    EXPECT_TRUE(stream->Write(back, Soon()).ok());
    EXPECT_TRUE(stream->CloseWrite(Soon()).ok());
  });
  threads.emplace_back(
      [&, stream = far.get()] { EXPECT_TRUE(ReadAll(*stream) == there); });
  threads.emplace_back(
      [&, stream = near.get()] { EXPECT_TRUE(ReadAll(*stream) == back); });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(TlsTransportTest, AStalledBulkStreamHoldsUpNoMessage) {
  Pair();
  const auto [bulk, unread] = Connected({.kind = StreamKind::kFile});
  // More than the kernels of both ends take, and nobody reads it.
  const absl::Status stalled = bulk->Write(
      std::string(16 << 20, 'x'), Clock::Real().Now() + absl::Milliseconds(50));
  EXPECT_EQ(stalled.code(), StatusCode::kDeadlineExceeded);
  const auto [message, heard] = Connected({.kind = StreamKind::kMessage});
  EXPECT_TRUE(message->Write("now", Soon()).ok());
  char now[3];
  EXPECT_TRUE(ReadFull(*heard, absl::MakeSpan(now), Soon()).ok());
  EXPECT_EQ(std::string(now, 3), "now");
}

TEST_F(TlsTransportTest, OfAStalledStreamEverythingAcceptedArrivesAndNoMore) {
  Pair();
  const auto [near, far] = Connected({.kind = StreamKind::kFile});
  // Messages until one does not go; it may go in part, and none follows it.
  const std::string chunk(4096, 'x');
  size_t whole = 0;
  while (
      near->Write(chunk, Clock::Real().Now() + absl::Milliseconds(50)).ok()) {
    ++whole;
  }
  EXPECT_EQ(near->Write("y", Soon()).code(), StatusCode::kDeadlineExceeded);
  std::thread closer([stream = near.get()] { stream->Cancel(); });
  std::string all;
  char buffer[32 << 10];
  absl::Status end;
  while (end.ok()) {
    const auto n = far->Read(absl::MakeSpan(buffer), Soon());
    if (n.ok()) {
      all.append(buffer, *n);
    }
    end = n.status();
  }
  closer.join();
  EXPECT_EQ(end.code(), StatusCode::kUnavailable);
  EXPECT_LE(all.size(), (whole + 1) * chunk.size());
  EXPECT_EQ(all.find('y'), std::string::npos);
}

TEST_F(TlsTransportTest, OpeningTakesAWarmConnectionAndAnotherIsMade) {
  Pair();
  const auto first = Connected();
  ASSERT_TRUE(
      Eventually([this] { return laptop_->StatusOf(desk_->id()).warm == 2; }));
  EXPECT_EQ(laptop_->StatusOf(desk_->id()).streams, 1u);
  EXPECT_EQ(laptop_->StatusOf(desk_->id()).path, desk_->address);
  EXPECT_GT(laptop_->StatusOf(desk_->id()).round_trip, absl::ZeroDuration());
  const auto second = Connected();
  EXPECT_EQ(laptop_->StatusOf(desk_->id()).streams, 2u);
  ASSERT_TRUE(
      Eventually([this] { return laptop_->StatusOf(desk_->id()).warm == 2; }));
}

TEST_F(TlsTransportTest, WarmConnectionsAreKeptWithoutAStreamWhenAsked) {
  Pair();
  laptop_->transport->KeepWarm(desk_->id());
  EXPECT_TRUE(
      Eventually([this] { return laptop_->StatusOf(desk_->id()).warm == 2; }));
}

TEST_F(TlsTransportTest, WithoutAPoolEachStreamConnectsForItself) {
  Pair({.warm = 0});
  for (int i = 0; i < 3; ++i) {
    const auto pair = Connected();
    EXPECT_EQ(laptop_->StatusOf(desk_->id()).warm, 0u);
  }
}

TEST_F(TlsTransportTest, WarmConnectionsAnswerProbesAndStillCarryAStream) {
  Pair({.warm = 1,
        .socket = {.idle = absl::Milliseconds(3),
                   .patience = absl::Seconds(30)}});
  // Streams opened at any moment between a probe and its answer.
  for (int i = 0; i < 40; ++i) {
    const auto [near, far] = Connected();
    EXPECT_TRUE(far->Write("data", Soon()).ok());
    EXPECT_TRUE(far->CloseWrite(Soon()).ok());
    EXPECT_EQ(ReadAll(*near), "data");
    absl::SleepFor(absl::Milliseconds(i % 5));
  }
}

TEST_F(TlsTransportTest, Ipv6IsSpoken) {
  Pair();
  const auto listening = desk_->transport->Listen("[::1]:0");
  if (!listening.ok()) {
    // No IPv6 in this sandbox: then that is what Listen says.
    EXPECT_TRUE(absl::StrContains(listening.status().message(), "[::1]"));
    return;
  }
  ASSERT_TRUE(laptop_->peers->SetAddresses(desk_->id(), {*listening}).ok());
  const auto pair = Connected();
  EXPECT_EQ(laptop_->StatusOf(desk_->id()).path, *listening);
}

TEST_F(TlsTransportTest, ANameIsLookedUp) {
  Pair();
  const std::string port = desk_->address.substr(desk_->address.rfind(':'));
  ASSERT_TRUE(
      laptop_->peers->SetAddresses(desk_->id(), {"localhost" + port}).ok());
  Connected();
}

TEST_F(TlsTransportTest, ADeadAddressBeforeAGoodOneCostsNothingMore) {
  Pair();
  // Nothing listens at the first.
  ASSERT_TRUE(
      laptop_->peers->SetAddresses(desk_->id(), {"127.0.0.1:1", desk_->address})
          .ok());
  Connected();
  EXPECT_EQ(laptop_->StatusOf(desk_->id()).path, desk_->address);
}

// ---- Who is let in.

TEST_F(TlsTransportTest, AStrangerIsRefusedAndToldWhatToDo) {
  Pair();
  Device stranger;
  stranger.Pin(*desk_, "desk", {desk_->address});
  const absl::Status status =
      stranger.transport->Open(desk_->id(), {}, Soon()).status();
  EXPECT_EQ(status.code(), StatusCode::kPermissionDenied);
  EXPECT_TRUE(absl::StrContains(status.message(), "pair again")) << status;
  EXPECT_TRUE(Eventually([this] { return desk_->transport->refused() > 0; }));
  EXPECT_EQ(desk_->transport->Accept(Clock::Real().Now()).status().code(),
            StatusCode::kDeadlineExceeded);
}

TEST_F(TlsTransportTest, WhoAnswersWithAnotherKeyIsRefused) {
  Pair();
  Device impostor;
  impostor.Pin(*laptop_, "laptop", {});
  ASSERT_TRUE(
      laptop_->peers->SetAddresses(desk_->id(), {impostor.address}).ok());
  const absl::Status status = Open().status();
  EXPECT_EQ(status.code(), StatusCode::kPermissionDenied);
  EXPECT_TRUE(absl::StrContains(status.message(), "in between")) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), impostor.id().text()));
}

TEST_F(TlsTransportTest, OfTwoThatAnswerThePinnedOneIsTaken) {
  Pair();
  Device impostor;
  ASSERT_TRUE(
      laptop_->peers
          ->SetAddresses(desk_->id(), {impostor.address, desk_->address})
          .ok());
  Connected();
}

TEST_F(TlsTransportTest, WhatIsChangedOnTheWayIsNeverRead) {
  Pair({.warm = 0});
  const auto relay = *Relay::Start(desk_->address);
  ASSERT_TRUE(
      laptop_->peers->SetAddresses(desk_->id(), {relay->address()}).ok());
  const auto [near, far] = Connected();
  relay->Garble(true);
  EXPECT_TRUE(near->Write("pay 10", Soon()).ok());
  EXPECT_EQ(ReadError(*far).code(), StatusCode::kDataLoss);
}

TEST_F(TlsTransportTest, ForgettingEndsStreamsAndLetsNobodyBackIn) {
  Pair();
  auto [near, far] = Connected();
  ASSERT_TRUE(
      Eventually([this] { return laptop_->StatusOf(desk_->id()).warm == 2; }));
  ASSERT_TRUE(desk_->peers->Remove(laptop_->id()).ok());
  desk_->transport->Forget(laptop_->id());
  EXPECT_EQ(ReadError(*far).code(), StatusCode::kCancelled);
  EXPECT_EQ(far->Write("x", Soon()).code(), StatusCode::kCancelled);
  EXPECT_EQ(ReadError(*near).code(), StatusCode::kUnavailable);
  // The laptop has tickets from before, and warm connections that are cut.
  ASSERT_TRUE(
      Eventually([this] { return absl::IsPermissionDenied(Open().status()); }));
  EXPECT_EQ(desk_->transport->Accept(Clock::Real().Now()).status().code(),
            StatusCode::kDeadlineExceeded);
}

TEST_F(TlsTransportTest, ForgettingEndsAReadInProgressAndAnOpen) {
  Pair();
  auto [near, far] = Connected();
  ASSERT_TRUE(desk_->peers->Remove(laptop_->id()).ok());
  std::thread reader([stream = far.get()] {
    EXPECT_EQ(ReadError(*stream).code(), StatusCode::kCancelled);
  });
  desk_->transport->Forget(laptop_->id());
  reader.join();
  ASSERT_TRUE(laptop_->peers->Remove(desk_->id()).ok());
  laptop_->transport->Forget(desk_->id());
  EXPECT_EQ(ReadError(*near).code(), StatusCode::kCancelled);
  EXPECT_EQ(Open().status().code(), StatusCode::kNotFound);
}

TEST_F(TlsTransportTest, AHeaderFromSomebodyWhoseRemovalNobodySaidIsNotHeard) {
  Pair();
  auto near = *Open();
  // Another process took the peer off the list, and Forget was not called.
  ASSERT_TRUE(desk_->peers->Remove(laptop_->id()).ok());
  (void)near->Write("hello", Soon());
  EXPECT_EQ(ReadError(*near).code(), StatusCode::kUnavailable);
  EXPECT_EQ(desk_->transport->Accept(Clock::Real().Now()).status().code(),
            StatusCode::kDeadlineExceeded);
}

TEST_F(TlsTransportTest, AForgottenPeerThatPairsAgainIsLetInAgain) {
  Pair();
  Connected();
  ASSERT_TRUE(desk_->peers->Remove(laptop_->id()).ok());
  desk_->transport->Forget(laptop_->id());
  desk_->Pin(*laptop_, "laptop", {});
  ASSERT_TRUE(Eventually([this] { return Open().ok(); }));
}

// ---- Bad days.

TEST_F(TlsTransportTest, ACutConnectionIsUnavailableAndANewStreamIsFound) {
  Pair();
  const auto relay = *Relay::Start(desk_->address);
  ASSERT_TRUE(
      laptop_->peers->SetAddresses(desk_->id(), {relay->address()}).ok());
  const auto [near, far] = Connected();
  relay->CutAll();
  EXPECT_EQ(ReadError(*near).code(), StatusCode::kUnavailable);
  EXPECT_EQ(ReadError(*far).code(), StatusCode::kUnavailable);
  // Warm ones were cut too; a stream on one fails and the next does not.
  ASSERT_TRUE(Eventually([this] {
    auto stream = Open();
    if (!stream.ok() || !(*stream)->Write("again", Soon()).ok()) return false;
    auto heard =
        desk_->transport->Accept(Clock::Real().Now() + absl::Seconds(1));
    return heard.ok();
  }));
}

TEST_F(TlsTransportTest, APeerThatFallsSilentIsGivenUpAndFoundWhenItIsBack) {
  Pair({.socket = {.idle = absl::Milliseconds(50),
                   .patience = absl::Milliseconds(100)},
        .backoff = {.first = absl::Milliseconds(20),
                    .most = absl::Milliseconds(50)}});
  const auto relay = *Relay::Start(desk_->address);
  ASSERT_TRUE(
      laptop_->peers->SetAddresses(desk_->id(), {relay->address()}).ok());
  laptop_->transport->KeepWarm(desk_->id());
  ASSERT_TRUE(
      Eventually([this] { return laptop_->StatusOf(desk_->id()).warm == 2; }));
  EXPECT_TRUE(laptop_->StatusOf(desk_->id()).trouble.ok());
  // No end, no reset: nothing, as when a cable is pulled.
  relay->Freeze(true);
  ASSERT_TRUE(Eventually([this] {
    const TlsPeerStatus status = laptop_->StatusOf(desk_->id());
    return status.warm == 0 && !status.trouble.ok();
  }));
  relay->Freeze(false);
  ASSERT_TRUE(
      Eventually([this] { return laptop_->StatusOf(desk_->id()).warm == 2; }));
  EXPECT_TRUE(laptop_->StatusOf(desk_->id()).trouble.ok());
}

TEST_F(TlsTransportTest, WhoCannotEvenBeTriedIsTriedLessAndLessOften) {
  std::atomic<int> waits = 0;
  Pair({.backoff = {.first = absl::Milliseconds(1),
                    .most = absl::Milliseconds(10)},
        .random = [&waits] { return ++waits > 0 ? 0.5 : 0; }});
  ASSERT_TRUE(laptop_->peers->SetAddresses(desk_->id(), {}).ok());
  laptop_->transport->KeepWarm(desk_->id());
  ASSERT_TRUE(Eventually([&waits] { return waits >= 4; }));
  // Its thread still answers.
  EXPECT_EQ(laptop_->StatusOf(desk_->id()).trouble.code(),
            StatusCode::kUnavailable);
  ASSERT_TRUE(laptop_->peers->SetAddresses(desk_->id(), {desk_->address}).ok());
  EXPECT_TRUE(
      Eventually([this] { return laptop_->StatusOf(desk_->id()).warm == 2; }));
}

TEST_F(TlsTransportTest, ASilentPeerEndsAnOpenAtItsDeadline) {
  Pair();
  const auto relay = *Relay::Start(desk_->address);
  relay->Freeze(true);
  ASSERT_TRUE(
      laptop_->peers->SetAddresses(desk_->id(), {relay->address()}).ok());
  const absl::Time deadline = Clock::Real().Now() + absl::Milliseconds(50);
  EXPECT_EQ(laptop_->transport->Open(desk_->id(), {}, deadline).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_GE(Clock::Real().Now(), deadline);
}

TEST_F(TlsTransportTest, AReadEndsAtItsDeadlineAndGoesOnAfterIt) {
  Pair();
  const auto [near, far] = Connected();
  char word[4];
  const absl::Time deadline = Clock::Real().Now() + absl::Milliseconds(20);
  EXPECT_EQ(near->Read(absl::MakeSpan(word), deadline).status().code(),
            StatusCode::kDeadlineExceeded);
  EXPECT_GE(Clock::Real().Now(), deadline);
  EXPECT_TRUE(far->Write("late", Soon()).ok());
  EXPECT_TRUE(ReadFull(*near, absl::MakeSpan(word), Soon()).ok());
  EXPECT_EQ(std::string(word, 4), "late");
}

TEST_F(TlsTransportTest, CancelEndsAReadAndAWriteInProgress) {
  Pair();
  const auto [near, far] = Connected();
  std::thread reader([stream = near.get()] {
    EXPECT_EQ(ReadError(*stream).code(), StatusCode::kCancelled);
  });
  std::thread writer([stream = near.get()] {
    EXPECT_EQ(stream->Write(std::string(16 << 20, 'x'), Soon()).code(),
              StatusCode::kCancelled);
  });
  absl::SleepFor(absl::Milliseconds(20));
  near->Cancel();
  reader.join();
  writer.join();
  EXPECT_EQ(near->CloseWrite(Soon()).code(), StatusCode::kCancelled);
}

TEST_F(TlsTransportTest, ShutdownEndsEverythingThatWaits) {
  Pair();
  auto [near, far] = Connected();
  std::thread reader([stream = near.get()] {
    EXPECT_EQ(ReadError(*stream).code(), StatusCode::kCancelled);
  });
  std::thread acceptor([this] {
    EXPECT_EQ(laptop_->transport->Accept(Soon()).status().code(),
              StatusCode::kCancelled);
  });
  absl::SleepFor(absl::Milliseconds(10));
  laptop_->transport->Shutdown();
  reader.join();
  acceptor.join();
  EXPECT_EQ(Open().status().code(), StatusCode::kCancelled);
  EXPECT_EQ(laptop_->transport->Listen("127.0.0.1:0").status().code(),
            StatusCode::kCancelled);
  EXPECT_EQ(ReadError(*far).code(), StatusCode::kUnavailable);
  laptop_->transport->Shutdown();
}

TEST_F(TlsTransportTest, APeerThatRestartsIsFoundAgain) {
  Pair({.backoff = {.first = absl::Milliseconds(20),
                    .most = absl::Milliseconds(50)}});
  Connected();
  // Another port, and the tickets that the laptop has are no good.
  desk_->Start({});
  ASSERT_TRUE(laptop_->peers->SetAddresses(desk_->id(), {desk_->address}).ok());
  ASSERT_TRUE(Eventually([this] {
    auto stream = Open();
    if (!stream.ok() || !(*stream)->Write("again", Soon()).ok()) return false;
    return desk_->transport->Accept(Clock::Real().Now() + absl::Seconds(1))
        .ok();
  }));
}

TEST_F(TlsTransportTest, AfterTheMachineSleptWhatWasWarmIsNotUsed) {
  std::atomic<int> slept = 0;
  Pair({.slept = [&slept] { return absl::Seconds(slept.load()); }});
  const auto relay = *Relay::Start(desk_->address);
  ASSERT_TRUE(
      laptop_->peers->SetAddresses(desk_->id(), {relay->address()}).ok());
  Connected();
  ASSERT_TRUE(
      Eventually([this] { return laptop_->StatusOf(desk_->id()).warm == 2; }));
  const size_t before = relay->connections();
  slept = 3600;
  Connected();
  // Neither of the two warm ones was it.
  EXPECT_GT(relay->connections(), before);
}

TEST_F(TlsTransportTest, AfterTheNetworkChangedWhatWasWarmIsReplaced) {
  Pair();
  const auto relay = *Relay::Start(desk_->address);
  ASSERT_TRUE(
      laptop_->peers->SetAddresses(desk_->id(), {relay->address()}).ok());
  Connected();
  ASSERT_TRUE(
      Eventually([this] { return laptop_->StatusOf(desk_->id()).warm == 2; }));
  const size_t before = relay->connections();
  laptop_->transport->NetworkChanged();
  ASSERT_TRUE(
      Eventually([this] { return laptop_->StatusOf(desk_->id()).warm == 2; }));
  EXPECT_EQ(relay->connections(), before + 2);
}

// ---- Strangers and greedy peers.

TEST_F(TlsTransportTest, StrangersWhoSayNothingLockNobodyOut) {
  Pair({}, {.most_handshakes = 4});
  const auto where = NumericEndpoints(*ParseHostPort(desk_->address));
  std::vector<int> mute;
  for (int i = 0; i < 32; ++i) {
    const auto fd = ConnectSocket(where[0], {});
    ASSERT_TRUE(fd.ok());
    mute.push_back(*fd);
  }
  Connected();
  EXPECT_TRUE(Eventually([this] { return desk_->transport->refused() >= 28; }));
  for (const int fd : mute) close(fd);
}

TEST_F(TlsTransportTest, AStrangerWhoSaysNothingIsGoneAfterThePatience) {
  Pair({}, {.patience = absl::Milliseconds(20)});
  const auto where = NumericEndpoints(*ParseHostPort(desk_->address));
  const auto fd = ConnectSocket(where[0], {});
  ASSERT_TRUE(fd.ok());
  EXPECT_TRUE(Eventually([this] { return desk_->transport->refused() == 1; }));
  close(*fd);
}

TEST_F(TlsTransportTest, AStrangerWhoSendsGarbageIsGoneAtOnce) {
  Pair();
  const auto where = NumericEndpoints(*ParseHostPort(desk_->address));
  const auto fd = ConnectSocket(where[0], {});
  ASSERT_TRUE(fd.ok());
  EXPECT_TRUE(Eventually([&] {
    return send(*fd, "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL) > 0;
  }));
  EXPECT_TRUE(Eventually([this] { return desk_->transport->refused() == 1; }));
  close(*fd);
}

TEST_F(TlsTransportTest, StreamsThatNobodyAcceptsAreBounded) {
  Pair({}, {.most_waiting = 3});
  std::vector<std::unique_ptr<Stream>> open;
  for (int i = 0; i < 5; ++i) {
    open.push_back(*Open());
    ASSERT_TRUE(open.back()->Write("x", Soon()).ok());
  }
  // The two beyond are cut; the others wait to be accepted.
  EXPECT_EQ(ReadError(*open[3]).code(), StatusCode::kUnavailable);
  EXPECT_EQ(ReadError(*open[4]).code(), StatusCode::kUnavailable);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(desk_->transport->Accept(Soon()).ok());
  }
  EXPECT_EQ(desk_->transport->Accept(Clock::Real().Now()).status().code(),
            StatusCode::kDeadlineExceeded);
}

TEST_F(TlsTransportTest, StreamsInUseOfAPeerAreBounded) {
  Pair({}, {.most_streams = 2});
  const auto one = Connected();
  auto two = Connected();
  auto third = *Open();
  ASSERT_TRUE(third->Write("x", Soon()).ok());
  EXPECT_EQ(ReadError(*third).code(), StatusCode::kUnavailable);
  two = {};
  Connected();
}

TEST_F(TlsTransportTest, WarmConnectionsThatAPeerHoldsHereAreBounded) {
  Pair({.warm = 4, .backoff = {.first = absl::Milliseconds(50)}},
       {.most_idle = 1});
  laptop_->transport->KeepWarm(desk_->id());
  // The newest is kept and can be used, whatever became of the others.
  ASSERT_TRUE(Eventually([this] {
    auto stream = Open();
    return stream.ok() && (*stream)->Write("x", Soon()).ok() &&
           desk_->transport
               ->Accept(Clock::Real().Now() + absl::Milliseconds(200))
               .ok();
  }));
}

// ---- What cannot be.

TEST_F(TlsTransportTest, WhatCannotBeOpenedSaysWhy) {
  Pair();
  Device other;
  EXPECT_EQ(laptop_->transport->Open(other.id(), {}, Soon()).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(Open({.label = "a b"}).status().code(),
            StatusCode::kInvalidArgument);
  const absl::Status nowhere =
      desk_->transport->Open(laptop_->id(), {}, Soon()).status();
  EXPECT_EQ(nowhere.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(absl::StrContains(nowhere.message(), "no address of laptop"));
  ASSERT_TRUE(laptop_->peers->SetAddresses(desk_->id(), {"127.0.0.1:1"}).ok());
  const absl::Status refused = Open().status();
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
  EXPECT_TRUE(absl::StrContains(refused.message(), "127.0.0.1:1")) << refused;
  EXPECT_EQ(laptop_->transport->Listen("localhost:0").status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_FALSE(laptop_->transport->Listen(desk_->address).ok());
}

// ---- Pairing.

TEST_F(TlsTransportTest, TwoThatAreNotPairedConnectToPairWithOneBinding) {
  Device a;
  Device b;
  EXPECT_EQ(a.transport->OpenPairing(b.address, Soon()).status().code(),
            StatusCode::kFailedPrecondition);
  b.transport->AllowPairing(true);
  auto near = a.transport->OpenPairing(b.address, Soon());
  ASSERT_TRUE(near.ok()) << near.status();
  auto far = b.transport->AcceptPairing(Soon());
  ASSERT_TRUE(far.ok()) << far.status();
  EXPECT_EQ(near->binding.size(), 32u);
  EXPECT_EQ(near->binding, far->binding);
  EXPECT_EQ(near->peer_key, b.identity.digest());
  EXPECT_EQ(near->own_key, far->peer_key);
  EXPECT_TRUE(near->stream->Write("code", Soon()).ok());
  char code[4];
  EXPECT_TRUE(ReadFull(*far->stream, absl::MakeSpan(code), Soon()).ok());
  EXPECT_EQ(b.transport->Accept(Clock::Real().Now()).status().code(),
            StatusCode::kDeadlineExceeded);
  b.transport->AllowPairing(false);
  EXPECT_FALSE(a.transport->OpenPairing(b.address, Soon()).ok());
}

}  // namespace
}  // namespace tactus::transfer
