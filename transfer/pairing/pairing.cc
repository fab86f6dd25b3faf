#include "transfer/pairing/pairing.h"

#include <sodium.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "transfer/identity/device_id.h"
#include "transfer/pairing/code.h"
#include "transfer/pairing/connection.h"
#include "transfer/pairing/cpace.h"
#include "transfer/pairing/message.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer {
namespace {

constexpr absl::string_view kProtocol = "tactus-pair/1";
// Of what is read and left out while this side ends. A peer that is told why
// may have written what it had to, and no more.
constexpr size_t kMostLeftOut = 4096;

const uint8_t* Bytes(absl::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

std::string Text(const KeyDigest& key) {
  return {reinterpret_cast<const char*>(key.bytes().data()),
          key.bytes().size()};
}

bool SameTag(absl::string_view a, absl::string_view b) {
  return a.size() == b.size() &&
         sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

absl::Status OutOfTurn() {
  return absl::DataLossError(
      "the other device says what does not belong here: is it Tactus, and of "
      "the same version?");
}

// One end of a pairing, and what both ends do alike.
class Party {
 public:
  Party(PairingConnection& connection, bool guest, const PairingCode& code,
        const PairingSelf& self, absl::Time deadline)
      : connection_(connection),
        guest_(guest),
        code_(code),
        self_(self),
        deadline_(deadline) {}
  ~Party() { sodium_memzero(key_.data(), key_.size()); }
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;

  absl::Status Start() {
    const KeyDigest& own = connection_.own_key;
    const KeyDigest& peer = connection_.peer_key;
    CPaceInput input = {
        .secret = code_.text(),
        .channel = JoinWithLengths(
            {kProtocol, Text(guest_ ? own : peer), Text(guest_ ? peer : own)}),
        .sid = connection_.binding};
    absl::StatusOr<CPace> cpace = CPace::Create(
        guest_ ? CPace::Role::kInitiator : CPace::Role::kResponder, input);
    if (!cpace.ok()) return cpace.status();
    cpace_.emplace(*std::move(cpace));
    return absl::OkStatus();
  }

  const std::string& share() const { return cpace_->share(); }

  absl::Status Agree(const std::string& peer_share) {
    absl::StatusOr<CPaceKey> agreed =
        cpace_->Finish(Role(guest_), peer_share, Role(!guest_));
    if (!agreed.ok()) return agreed.status();
    const std::string text =
        JoinWithLengths({kProtocol, agreed->session_id, agreed->key});
    crypto_hash_sha512(key_.data(), Bytes(text), text.size());
    sodium_memzero(agreed->key.data(), agreed->key.size());
    return absl::OkStatus();
  }

  // Of what the guest or the host says.
  std::string Tag(bool guest, absl::string_view what,
                  absl::string_view body = "") const {
    const std::string text = JoinWithLengths({Role(guest), what, body});
    std::string tag(kPairingTagSize, '\0');
    crypto_auth_hmacsha512_state state;
    crypto_auth_hmacsha512_init(&state, key_.data(), key_.size());
    crypto_auth_hmacsha512_update(&state, Bytes(text), text.size());
    crypto_auth_hmacsha512_final(&state,
                                 reinterpret_cast<uint8_t*>(tag.data()));
    return tag;
  }
  static_assert(kPairingTagSize == crypto_auth_hmacsha512_BYTES);
  static_assert(kPairingShareSize == CPace::kShareSize);

  ConfirmMessage Confirm() const { return {Tag(guest_, "confirm")}; }
  bool Proves(const ConfirmMessage& message) const {
    return SameTag(message.tag, Tag(!guest_, "confirm"));
  }

  AboutMessage About() const {
    return {.name = self_.name,
            .port = self_.port,
            .tag = Tag(guest_, "about", AboutBody(self_.name, self_.port))};
  }
  bool Proves(const AboutMessage& message) const {
    return SameTag(message.tag, Tag(!guest_, "about",
                                    AboutBody(message.name, message.port)));
  }
  PairingPeer PeerOf(const AboutMessage& message) const {
    return {.name = message.name,
            .key = connection_.peer_key,
            .port = message.port,
            .host = connection_.peer_host};
  }

  DoneMessage Done() const { return {Tag(guest_, "done")}; }
  bool Proves(const DoneMessage& message) const {
    return SameTag(message.tag, Tag(!guest_, "done"));
  }

  // In one write, where several follow each other.
  absl::Status Send(std::initializer_list<PairingMessage> messages) {
    std::string bytes;
    for (const PairingMessage& message : messages) {
      const absl::StatusOr<std::string> encoded = EncodePairingMessage(message);
      if (!encoded.ok()) return encoded.status();
      bytes += *encoded;
    }
    return connection_.stream->Write(bytes, deadline_);
  }

  absl::StatusOr<PairingMessage> Receive() {
    for (;;) {
      absl::StatusOr<std::optional<DecodedPairingMessage>> decoded =
          DecodePairingMessage(in_);
      if (!decoded.ok()) return OutOfTurn();
      if (decoded->has_value()) {
        in_.erase(0, (*decoded)->size);
        return std::move((*decoded)->message);
      }
      char part[kLongestPairingMessage];
      const absl::StatusOr<size_t> n =
          connection_.stream->Read(absl::MakeSpan(part), deadline_);
      if (!n.ok()) return n.status();
      if (*n == 0) {
        return absl::UnavailableError(
            "the other device ended the pairing without saying why");
      }
      in_.append(part, *n);
    }
  }

  // The next message where it is an M. A refusal is the status that it means.
  template <typename M>
  absl::StatusOr<M> Expect() {
    absl::StatusOr<PairingMessage> message = Receive();
    if (!message.ok()) return message.status();
    if (auto* wanted = std::get_if<M>(&*message)) return std::move(*wanted);
    if (const auto* refusal = std::get_if<RefuseMessage>(&*message)) {
      refused_ = true;
      switch (refusal->reason) {
        case PairingRefusal::kWrongCode:
          return absl::PermissionDeniedError(
              "the code is not the one that the other device shows, or "
              "somebody is in between: that code is spent, so have it show a "
              "new one (`tactus pair`)");
        case PairingRefusal::kNotKept:
          return absl::FailedPreconditionError(
              "the code was right, but the other device does not take this "
              "one: it says there why. Nothing was paired");
        case PairingRefusal::kProtocol:
          return OutOfTurn();
      }
    }
    return OutOfTurn();
  }

  // Ends without success: tells the peer why, unless it has ended itself.
  absl::Status Refuse(PairingRefusal reason, absl::Status why) {
    if (!refused_) {
      const absl::Status sent = Send({RefuseMessage{reason}});
      if (sent.ok()) Leave();
    }
    return why;
  }

  // Says that nothing more comes, and waits until the peer has read that: a
  // stream that is destroyed sooner takes what was written last with it.
  void Leave() {
    if (!connection_.stream->CloseWrite(deadline_).ok()) return;
    char part[256];
    size_t left_out = 0;
    while (left_out < kMostLeftOut) {
      const absl::StatusOr<size_t> n =
          connection_.stream->Read(absl::MakeSpan(part), deadline_);
      if (!n.ok() || *n == 0) return;
      left_out += *n;
    }
  }

  // What a failure to receive is, seen from here; a message that is none is
  // answered.
  absl::Status Failed(absl::Status status) {
    if (absl::IsDataLoss(status)) {
      return Refuse(PairingRefusal::kProtocol, std::move(status));
    }
    return status;
  }

  bool refused() const { return refused_; }

 private:
  static absl::string_view Role(bool guest) { return guest ? "guest" : "host"; }
  static std::string AboutBody(absl::string_view name, uint16_t port) {
    return absl::StrCat(std::string(1, static_cast<char>(port >> 8)),
                        std::string(1, static_cast<char>(port & 255)), name);
  }

  PairingConnection& connection_;
  const bool guest_;
  const PairingCode& code_;
  const PairingSelf& self_;
  const absl::Time deadline_;
  std::optional<CPace> cpace_;
  std::array<uint8_t, crypto_hash_sha512_BYTES> key_ = {};
  std::string in_;
  bool refused_ = false;  // by the peer
};

}  // namespace

PairingResult PairAsHost(PairingConnection& connection, const PairingCode& code,
                         const PairingSelf& self, PairingStore& store,
                         absl::Time deadline) {
  PairingResult result;
  Party party(connection, /*guest=*/false, code, self, deadline);
  const auto failed = [&](absl::Status status) {
    result.status = std::move(status);
    return result;
  };
  if (absl::Status started = party.Start(); !started.ok()) {
    return failed(std::move(started));
  }
  const absl::StatusOr<ShareMessage> share = party.Expect<ShareMessage>();
  if (!share.ok()) return failed(party.Failed(share.status()));
  if (!party.Agree(share->share).ok()) {
    return failed(party.Refuse(PairingRefusal::kProtocol, OutOfTurn()));
  }
  if (absl::Status sent = party.Send({ShareMessage{party.share()}});
      !sent.ok()) {
    return failed(std::move(sent));
  }
  const absl::StatusOr<ConfirmMessage> proof = party.Expect<ConfirmMessage>();
  if (!proof.ok()) return failed(party.Failed(proof.status()));
  result.code_spent = true;
  if (!party.Proves(*proof)) {
    return failed(party.Refuse(
        PairingRefusal::kWrongCode,
        absl::PermissionDeniedError(
            "somebody connected with another code, or is in between: this "
            "code is spent, and nothing was paired. Show a new one")));
  }
  if (absl::Status sent = party.Send({party.Confirm(), party.About()});
      !sent.ok()) {
    return failed(std::move(sent));
  }
  const absl::StatusOr<AboutMessage> about = party.Expect<AboutMessage>();
  if (!about.ok()) return failed(party.Failed(about.status()));
  if (!party.Proves(*about)) {
    return failed(party.Refuse(PairingRefusal::kProtocol, OutOfTurn()));
  }
  const PairingPeer peer = party.PeerOf(*about);
  absl::Status kept = store.Check(peer);
  if (kept.ok()) kept = store.Keep(peer);
  if (!kept.ok()) {
    return failed(party.Refuse(PairingRefusal::kNotKept, std::move(kept)));
  }
  // From here on this side has a peer, unless that says that it has none.
  absl::StatusOr<DoneMessage> done = DoneMessage();
  if (absl::Status sent = party.Send({party.Done()}); sent.ok()) {
    done = party.Expect<DoneMessage>();
  } else {
    done = sent;
  }
  if (party.refused()) {
    store.Drop(peer);
    return failed(done.status());
  }
  result.status = absl::OkStatus();
  result.peer = peer;
  result.confirmed = done.ok() && party.Proves(*done);
  party.Leave();
  return result;
}

PairingResult PairAsGuest(PairingConnection& connection,
                          const PairingCode& code, const PairingSelf& self,
                          PairingStore& store, absl::Time deadline) {
  PairingResult result;
  Party party(connection, /*guest=*/true, code, self, deadline);
  const auto failed = [&](absl::Status status) {
    result.status = std::move(status);
    return result;
  };
  if (absl::Status started = party.Start(); !started.ok()) {
    return failed(std::move(started));
  }
  if (absl::Status sent = party.Send({ShareMessage{party.share()}});
      !sent.ok()) {
    return failed(std::move(sent));
  }
  const absl::StatusOr<ShareMessage> share = party.Expect<ShareMessage>();
  if (!share.ok()) return failed(party.Failed(share.status()));
  if (!party.Agree(share->share).ok()) {
    return failed(party.Refuse(PairingRefusal::kProtocol, OutOfTurn()));
  }
  if (absl::Status sent = party.Send({party.Confirm()}); !sent.ok()) {
    return failed(std::move(sent));
  }
  const absl::StatusOr<ConfirmMessage> proof = party.Expect<ConfirmMessage>();
  if (!proof.ok()) return failed(party.Failed(proof.status()));
  if (!party.Proves(*proof)) {
    return failed(party.Refuse(
        PairingRefusal::kWrongCode,
        absl::PermissionDeniedError(
            "what answers there does not know the code: it is another device, "
            "or somebody is in between. Nothing was paired")));
  }
  const absl::StatusOr<AboutMessage> about = party.Expect<AboutMessage>();
  if (!about.ok()) return failed(party.Failed(about.status()));
  if (!party.Proves(*about)) {
    return failed(party.Refuse(PairingRefusal::kProtocol, OutOfTurn()));
  }
  const PairingPeer peer = party.PeerOf(*about);
  if (absl::Status may = store.Check(peer); !may.ok()) {
    return failed(party.Refuse(PairingRefusal::kNotKept, std::move(may)));
  }
  // From here on the host may keep this device, also where sending fails: what
  // was sent can have arrived all the same.
  absl::StatusOr<DoneMessage> done = DoneMessage();
  if (absl::Status sent = party.Send({party.About()}); sent.ok()) {
    done = party.Expect<DoneMessage>();
  } else {
    done = sent;
  }
  if (!done.ok()) {
    if (party.refused()) return failed(done.status());
    return failed(absl::Status(
        done.status().code(),
        absl::StrCat(done.status().message(),
                     ": the other device may have this one in its list. Pair "
                     "again, with a new code, to be sure")));
  }
  if (!party.Proves(*done)) {
    return failed(party.Refuse(PairingRefusal::kProtocol, OutOfTurn()));
  }
  if (absl::Status kept = store.Keep(peer); !kept.ok()) {
    return failed(party.Refuse(PairingRefusal::kNotKept, std::move(kept)));
  }
  // Whether it arrives or not: the host has kept this device.
  const absl::Status told = party.Send({party.Done()});
  if (told.ok()) party.Leave();
  result.status = absl::OkStatus();
  result.peer = peer;
  result.confirmed = true;
  return result;
}

}  // namespace tactus::transfer
