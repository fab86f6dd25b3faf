#include "transfer/pairing/pairing.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "transfer/identity/device_id.h"
#include "transfer/memory/network.h"
#include "transfer/memory/schedule.h"
#include "transfer/pairing/code.h"
#include "transfer/pairing/connection.h"
#include "transfer/pairing/cpace.h"
#include "transfer/pairing/message.h"
#include "transfer/pairing/offer.h"
#include "transfer/stream/stream.h"
#include "transfer/stream/transport.h"

namespace tactus::transfer {
namespace {

using absl::StatusCode;

KeyDigest Key(uint8_t seed) { return KeyDigest::OfPublicKey({&seed, 1}); }
absl::Time At(int seconds) { return absl::FromUnixSeconds(seconds); }
PairingCode Code(absl::string_view text) { return *PairingCode::Parse(text); }

constexpr uint8_t kHost = 1;
constexpr uint8_t kGuest = 2;
constexpr uint8_t kOther = 3;

// A list of peers of which the first call of each kind can fail.
class Store : public PairingStore {
 public:
  absl::Status Check(const PairingPeer& peer) override { return check; }
  absl::Status Keep(const PairingPeer& peer) override {
    if (keep.ok()) kept.push_back(peer);
    return keep;
  }
  void Drop(const PairingPeer& peer) override {
    EXPECT_EQ(kept, std::vector<PairingPeer>{peer});
    kept.clear();
  }

  absl::Status check;
  absl::Status keep;
  std::vector<PairingPeer> kept;
};

// Two devices on a network of their own, each with its end of a connection.
struct World {
  explicit World(MemoryOptions options = {})
      : network(std::move(options)),
        host_side(network.Add(DeviceId(Key(kHost)))),
        guest_side(network.Add(DeviceId(Key(kGuest)))) {}

  PairingConnection GuestEnd(uint8_t seen = kHost) {
    auto stream = guest_side.Open(DeviceId(Key(kHost)),
                                  {.kind = StreamKind::kControl}, At(100));
    EXPECT_TRUE(stream.ok()) << stream.status();
    return {.stream = *std::move(stream),
            .own_key = Key(kGuest),
            .peer_key = Key(seen),
            .binding = binding,
            .peer_host = "192.0.2.1"};
  }
  // Nothing where nobody came.
  absl::StatusOr<PairingConnection> HostEnd(absl::Time until,
                                            uint8_t seen = kGuest) {
    auto stream = host_side.Accept(until);
    if (!stream.ok()) return stream.status();
    return PairingConnection{.stream = *std::move(stream),
                             .own_key = Key(kHost),
                             .peer_key = Key(seen),
                             .binding = binding,
                             .peer_host = "192.0.2.2"};
  }

  PairingResult Guest(const PairingCode& code) {
    PairingConnection connection = GuestEnd();
    return PairAsGuest(connection, code, {.name = "guest", .port = 2},
                       guest_store, At(20));
  }
  PairingResult Host(const PairingCode& code) {
    absl::StatusOr<PairingConnection> connection = HostEnd(At(20));
    if (!connection.ok()) {
      PairingResult nobody;
      nobody.status = connection.status();
      return nobody;
    }
    return PairAsHost(*connection, code, {.name = "host", .port = 1},
                      host_store, At(20));
  }
  void Both(const PairingCode& host_code, const PairingCode& guest_code) {
    network.Run(
        {[&] { host = Host(host_code); }, [&] { guest = Guest(guest_code); }});
  }

  MemoryNetwork network;
  Transport& host_side;
  Transport& guest_side;
  std::string binding = std::string(32, 'b');
  Store host_store;
  Store guest_store;
  PairingResult host;
  PairingResult guest;
};

const PairingPeer kTheGuest = {
    .name = "guest", .key = Key(kGuest), .port = 2, .host = "192.0.2.2"};
const PairingPeer kTheHost = {
    .name = "host", .key = Key(kHost), .port = 1, .host = "192.0.2.1"};

TEST(Pairing, WithTheSameCodeEachKeepsTheOther) {
  World world;
  world.Both(Code("417-maple-otter"), Code("417 maple otter"));
  EXPECT_TRUE(world.host.status.ok()) << world.host.status;
  EXPECT_TRUE(world.guest.status.ok()) << world.guest.status;
  EXPECT_TRUE(world.host.code_spent);
  EXPECT_TRUE(world.host.confirmed);
  EXPECT_EQ(world.host.peer, kTheGuest);
  EXPECT_EQ(world.guest.peer, kTheHost);
  EXPECT_EQ(world.host_store.kept, std::vector<PairingPeer>{kTheGuest});
  EXPECT_EQ(world.guest_store.kept, std::vector<PairingPeer>{kTheHost});
  // Four flights; the host's proof and its name are one.
  size_t writes = 0;
  for (const MemoryMessage& message : world.network.messages()) {
    if (message.kind == MemoryMessage::kWrite) ++writes;
  }
  EXPECT_EQ(writes, 7u);
}

TEST(Pairing, WithAnotherCodeNobodyIsKeptAndTheCodeIsSpent) {
  World world;
  world.Both(Code("417-maple-otter"), Code("418-maple-otter"));
  EXPECT_EQ(world.host.status.code(), StatusCode::kPermissionDenied);
  EXPECT_TRUE(world.host.code_spent);
  EXPECT_EQ(world.guest.status.code(), StatusCode::kPermissionDenied);
  EXPECT_TRUE(absl::StrContains(world.guest.status.message(),
                                "have it show a new one"));
  EXPECT_TRUE(world.host_store.kept.empty());
  EXPECT_TRUE(world.guest_store.kept.empty());
}

// A machine in the middle has a connection to each, and so another key of TLS'
// and another binding on each side. It passes on what it hears.
TEST(Pairing, MachineInTheMiddleThatPassesAllOnIsRefused) {
  struct Case {
    const char* what;
    uint8_t guest_sees;
    uint8_t host_sees;
    bool bindings_differ;
  };
  for (const Case& one :
       {Case{"only the bindings differ", kHost, kGuest, true},
        Case{"the guest sees another key", kOther, kGuest, false},
        Case{"the host sees another key", kHost, kOther, false},
        Case{"all of it", kOther, kOther, true}}) {
    World world;
    const PairingCode code = Code("417-maple-otter");
    world.network.Run({[&] {
                         absl::StatusOr<PairingConnection> end =
                             world.HostEnd(At(20), one.host_sees);
                         ASSERT_TRUE(end.ok());
                         world.host = PairAsHost(*end, code, {.name = "host"},
                                                 world.host_store, At(20));
                       },
                       [&] {
                         PairingConnection end = world.GuestEnd(one.guest_sees);
                         if (one.bindings_differ) end.binding[31] ^= 1;
                         world.guest = PairAsGuest(end, code, {.name = "guest"},
                                                   world.guest_store, At(20));
                       }});
    EXPECT_EQ(world.host.status.code(), StatusCode::kPermissionDenied)
        << one.what;
    EXPECT_TRUE(world.host.code_spent) << one.what;
    EXPECT_EQ(world.guest.status.code(), StatusCode::kPermissionDenied)
        << one.what;
    EXPECT_TRUE(world.host_store.kept.empty()) << one.what;
    EXPECT_TRUE(world.guest_store.kept.empty()) << one.what;
  }
}

// Writes `what` where a party would write, and reads until the end.
std::string Say(Stream& stream, absl::string_view what) {
  std::string heard;
  EXPECT_TRUE(stream.Write(what, At(20)).ok());
  char part[300];
  while (true) {
    const absl::StatusOr<size_t> n = stream.Read(absl::MakeSpan(part), At(20));
    if (!n.ok() || *n == 0) return heard;
    heard.append(part, *n);
  }
}

// A stream that keeps what is written and passes it on.
class Recorder : public Stream {
 public:
  Recorder(std::unique_ptr<Stream> inner, std::string* written)
      : inner_(std::move(inner)), written_(written) {}
  absl::StatusOr<size_t> Read(absl::Span<char> into,
                              absl::Time deadline) override {
    return inner_->Read(into, deadline);
  }
  absl::Status Write(absl::string_view bytes, absl::Time deadline) override {
    absl::StrAppend(written_, bytes);
    return inner_->Write(bytes, deadline);
  }
  absl::Status CloseWrite(absl::Time deadline) override {
    return inner_->CloseWrite(deadline);
  }
  void Cancel() override { inner_->Cancel(); }
  const DeviceId& peer() const override { return inner_->peer(); }
  const StreamHeader& header() const override { return inner_->header(); }

 private:
  const std::unique_ptr<Stream> inner_;
  std::string* const written_;
};

TEST(Pairing, ReplayOfAGuestThatWasHeardIsRefused) {
  const PairingCode code = Code("417-maple-otter");
  std::string said;
  {
    World world;
    world.network.Run({[&] { world.host = world.Host(code); },
                       [&] {
                         PairingConnection end = world.GuestEnd();
                         end.stream = std::make_unique<Recorder>(
                             std::move(end.stream), &said);
                         world.guest = PairAsGuest(end, code, {.name = "guest"},
                                                   world.guest_store, At(20));
                       }});
    ASSERT_TRUE(world.guest.status.ok());
  }
  // Even where the code is shown again and the binding is the same.
  World world;
  world.network.Run({[&] { world.host = world.Host(code); },
                     [&] {
                       PairingConnection end = world.GuestEnd();
                       (void)Say(*end.stream, said);
                     }});
  EXPECT_EQ(world.host.status.code(), StatusCode::kPermissionDenied);
  EXPECT_TRUE(world.host.code_spent);
  EXPECT_TRUE(world.host_store.kept.empty());
}

TEST(Pairing, GuestWhoseOwnWordsComeBackRefuses) {
  World world;
  world.network.Run(
      {[&] {
         const auto stream = *world.host_side.Accept(At(20));
         char part[300];
         while (true) {
           const absl::StatusOr<size_t> n =
               stream->Read(absl::MakeSpan(part), At(20));
           if (!n.ok() || *n == 0) break;
           if (!stream->Write({part, *n}, At(20)).ok()) break;
         }
       },
       [&] { world.guest = world.Guest(Code("417-maple-otter")); }});
  EXPECT_EQ(world.guest.status.code(), StatusCode::kDataLoss);
  EXPECT_TRUE(world.guest_store.kept.empty());
}

TEST(Pairing, HostWhoseOwnWordsComeBackRefuses) {
  World world;
  world.network.Run({[&] { world.host = world.Host(Code("417-maple-otter")); },
                     [&] {
                       const PairingConnection end = world.GuestEnd();
                       const absl::StatusOr<CPace> other = CPace::Create(
                           CPace::Role::kInitiator, {.secret = "another"});
                       ASSERT_TRUE(other.ok());
                       const std::string first =
                           *EncodePairingMessage(ShareMessage{other->share()});
                       ASSERT_TRUE(end.stream->Write(first, At(20)).ok());
                       char part[300];
                       while (true) {
                         const absl::StatusOr<size_t> n =
                             end.stream->Read(absl::MakeSpan(part), At(20));
                         if (!n.ok() || *n == 0) break;
                         if (!end.stream->Write({part, *n}, At(20)).ok()) break;
                       }
                     }});
  EXPECT_EQ(world.host.status.code(), StatusCode::kDataLoss);
  // It proved nothing, and learned nothing.
  EXPECT_FALSE(world.host.code_spent);
  EXPECT_TRUE(world.host_store.kept.empty());
}

TEST(Pairing, WhatIsNoMessageOrOutOfTurnIsRefusedAndTheCodeIsNotSpent) {
  for (const std::string& said :
       {std::string("\x00", 1), std::string("GET / HTTP/1.1\r\n\r\n"),
        *EncodePairingMessage(ConfirmMessage{std::string(64, 'x')}),
        *EncodePairingMessage(DoneMessage{std::string(64, 'x')}),
        // No point has this encoding, and this one is the neutral one.
        *EncodePairingMessage(ShareMessage{std::string(32, '\xFF')}),
        *EncodePairingMessage(ShareMessage{std::string(32, '\0')})}) {
    World world;
    std::string heard;
    world.network.Run(
        {[&] { world.host = world.Host(Code("417-maple-otter")); },
         [&] {
           const PairingConnection end = world.GuestEnd();
           heard = Say(*end.stream, said);
         }});
    EXPECT_EQ(world.host.status.code(), StatusCode::kDataLoss);
    EXPECT_FALSE(world.host.code_spent);
    EXPECT_EQ(heard,
              *EncodePairingMessage(RefuseMessage{PairingRefusal::kProtocol}));
    EXPECT_TRUE(world.host_store.kept.empty());
  }
}

TEST(Pairing, WhoeverMayNotBeKeptIsKeptByNeither) {
  const PairingCode code = Code("417-maple-otter");
  const absl::Status taken = absl::AlreadyExistsError("the name is taken");
  {
    World world;
    world.host_store.check = taken;
    world.Both(code, code);
    EXPECT_EQ(world.host.status, taken);
    EXPECT_EQ(world.guest.status.code(), StatusCode::kFailedPrecondition);
    EXPECT_TRUE(world.guest_store.kept.empty());
  }
  {
    World world;
    world.host_store.keep = taken;
    world.Both(code, code);
    EXPECT_EQ(world.host.status, taken);
    EXPECT_EQ(world.guest.status.code(), StatusCode::kFailedPrecondition);
    EXPECT_TRUE(world.guest_store.kept.empty());
  }
  {
    World world;
    world.guest_store.check = taken;
    world.Both(code, code);
    EXPECT_EQ(world.guest.status, taken);
    EXPECT_EQ(world.host.status.code(), StatusCode::kFailedPrecondition);
    EXPECT_TRUE(world.host_store.kept.empty());
  }
  {
    // The host has kept it already, and drops it.
    World world;
    world.guest_store.keep = taken;
    world.Both(code, code);
    EXPECT_EQ(world.guest.status, taken);
    EXPECT_EQ(world.host.status.code(), StatusCode::kFailedPrecondition);
    EXPECT_TRUE(world.host_store.kept.empty());
  }
}

TEST(Pairing, SilentPeerIsWaitedForUntilTheDeadline) {
  World world;
  world.network.Run({[&] { world.host = world.Host(Code("417-maple-otter")); },
                     [&] {
                       const PairingConnection end = world.GuestEnd();
                       ASSERT_TRUE(end.stream->Write("\x01", At(20)).ok());
                       world.network.clock().SleepUntil(At(30));
                     }});
  EXPECT_EQ(world.host.status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(world.host.code_spent);
}

// However the connection ends: who says OK keeps the other; a guest that keeps
// its host is kept by it; who fails keeps nobody; and a host whose peer may not
// have kept it says so.
void CheckTruth(const World& world, const std::string& where) {
  const bool host_keeps = !world.host_store.kept.empty();
  const bool guest_keeps = !world.guest_store.kept.empty();
  EXPECT_EQ(world.host.status.ok(), host_keeps) << where;
  EXPECT_EQ(world.guest.status.ok(), guest_keeps) << where;
  EXPECT_TRUE(!guest_keeps || host_keeps) << where;
  EXPECT_TRUE(!world.host.confirmed || guest_keeps) << where;
  if (host_keeps && !guest_keeps) {
    EXPECT_TRUE(absl::StrContains(world.guest.status.message(),
                                  "may have this one in its list"))
        << where << ": " << world.guest.status;
  }
}

TEST(Pairing, CutAtAnyPlaceOfAnyMessageEndsInTheTruth) {
  const PairingCode code = Code("417-maple-otter");
  World whole;
  whole.Both(code, code);
  const std::vector<MemoryMessage> messages = whole.network.messages();
  size_t unconfirmed = 0;
  // The first is the connection's opening.
  for (size_t message = 1; message < messages.size(); ++message) {
    for (const bool told : {true, false}) {
      for (const size_t keep :
           {size_t{0}, size_t{1}, messages[message].bytes / 2,
            messages[message].bytes}) {
        World world({.faults = {{.message = message,
                                 .kind = MemoryFault::kCut,
                                 .keep = keep,
                                 .writer_told = told}}});
        world.Both(code, code);
        CheckTruth(world, absl::StrCat("message ", message, ", ", keep,
                                       " bytes, told ", told));
        if (world.host.status.ok() && !world.host.confirmed) ++unconfirmed;
      }
    }
  }
  // The case exists.
  EXPECT_GT(unconfirmed, 0u);
}

TEST(Pairing, MessageThatNeverArrivesEndsInTheTruth) {
  const PairingCode code = Code("417-maple-otter");
  for (size_t message = 1; message < 12; ++message) {
    World world({.faults = {{.message = message, .kind = MemoryFault::kLose}}});
    world.Both(code, code);
    CheckTruth(world, absl::StrCat("message ", message));
  }
}

TEST(Pairing, EveryOrderOfEventsEndsAlike) {
  const PairingCode code = Code("417-maple-otter");
  ExhaustiveSchedule schedule(/*choices=*/7);
  do {
    World world({.schedule = &schedule});
    world.Both(code, code);
    ASSERT_TRUE(world.host.status.ok()) << world.host.status;
    ASSERT_TRUE(world.guest.status.ok()) << world.guest.status;
    ASSERT_TRUE(world.host.confirmed);
  } while (schedule.Next());
  EXPECT_GT(schedule.runs(), 10u);
}

// ---- Offers.

class Offered : public World {
 public:
  PairingResult Offer(const PairingCode& code, int until = 300) {
    return ServeOffer(code, {.name = "host", .port = 1}, host_store,
                      [this](absl::Time deadline) {
                        ++asked;
                        return HostEnd(deadline);
                      },
                      network.clock(), {.deadline = At(until)});
  }

  int asked = 0;
};

TEST(PairingOffer, EndsWithTheFirstWhoHasTheCode) {
  Offered world;
  const PairingCode code = Code("417-maple-otter");
  world.network.Run({[&] { world.host = world.Offer(code); },
                     [&] { world.guest = world.Guest(code); }});
  EXPECT_TRUE(world.host.status.ok()) << world.host.status;
  EXPECT_EQ(world.asked, 1);
}

TEST(PairingOffer, WrongCodeBurnsItForWhoeverComesNext) {
  Offered world;
  const PairingCode code = Code("417-maple-otter");
  PairingResult second;
  world.network.Run({[&] { world.host = world.Offer(code); },
                     [&] {
                       world.guest = world.Guest(Code("417-maple-owl"));
                       // With the right one, too late.
                       second = world.Guest(code);
                     }});
  EXPECT_EQ(world.host.status.code(), StatusCode::kPermissionDenied);
  EXPECT_EQ(world.asked, 1);
  EXPECT_FALSE(second.status.ok());
  EXPECT_TRUE(world.host_store.kept.empty());
  EXPECT_TRUE(world.guest_store.kept.empty());
}

TEST(PairingOffer,
     ConnectionsThatComeToNothingDoNotSpendTheCodeUntilTheyAreMany) {
  const PairingCode code = Code("417-maple-otter");
  for (const int strangers : {15, 16}) {
    Offered world;
    world.network.Run({[&] { world.host = world.Offer(code); },
                       [&] {
                         for (int i = 0; i < strangers; ++i) {
                           const PairingConnection end = world.GuestEnd();
                           (void)Say(*end.stream, "nonsense");
                         }
                         if (strangers < 16) world.guest = world.Guest(code);
                       }});
    if (strangers < 16) {
      EXPECT_TRUE(world.host.status.ok()) << world.host.status;
      EXPECT_TRUE(world.guest.status.ok()) << world.guest.status;
    } else {
      EXPECT_EQ(world.host.status.code(), StatusCode::kResourceExhausted);
    }
    EXPECT_EQ(world.asked, 16);
  }
}

TEST(PairingOffer, EndsAtItsDeadline) {
  Offered world;
  world.network.Run(
      {[&] { world.host = world.Offer(Code("417-maple-otter"), 60); }});
  EXPECT_EQ(world.host.status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(world.network.clock().Now(), At(60));
}

TEST(PairingOffer, SlowStrangerIsGoneAfterItsPatience) {
  Offered world;
  const PairingCode code = Code("417-maple-otter");
  world.network.Run({[&] { world.host = world.Offer(code); },
                     [&] {
                       const PairingConnection slow = world.GuestEnd();
                       ASSERT_TRUE(slow.stream->Write("\x01", At(20)).ok());
                       world.network.clock().SleepUntil(At(10));
                       world.guest = world.Guest(code);
                     }});
  EXPECT_TRUE(world.host.status.ok()) << world.host.status;
  EXPECT_EQ(world.asked, 2);
}

}  // namespace
}  // namespace tactus::transfer
