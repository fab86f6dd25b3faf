// What a stranger says to a device that is pairing.
//
// The first byte says to whom the rest goes: 0 the decoder of messages, 1 the
// parser of codes, 2 a host that waits, 3 a guest that has connected. What is
// decoded encodes to the bytes it came from, and a longer input never changes
// what a shorter one was; a code that is read is read from its own text, and
// from three digits and twice three letters at least; nobody who does not know
// the code is kept, and whoever tries one has spent it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "fuzz/check.h"
#include "transfer/identity/device_id.h"
#include "transfer/pairing/code.h"
#include "transfer/pairing/connection.h"
#include "transfer/pairing/message.h"
#include "transfer/pairing/pairing.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"

namespace tactus::transfer {
namespace {

void CheckDecoder(absl::string_view bytes) {
  bool refused = false;
  size_t decoded_at = 0;
  // As they arrive: one byte more each time.
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const auto decoded = DecodePairingMessage(bytes.substr(0, size));
    FUZZ_CHECK(!refused || !decoded.ok());
    refused = !decoded.ok();
    if (refused) continue;
    FUZZ_CHECK(decoded_at == 0 || decoded->has_value());
    // Nobody waits for more than a message can have.
    FUZZ_CHECK(size < kLongestPairingMessage || decoded->has_value());
    if (!decoded->has_value()) continue;
    if (decoded_at == 0) decoded_at = size;
    FUZZ_CHECK((*decoded)->size == decoded_at);
    const auto encoded = EncodePairingMessage((*decoded)->message);
    FUZZ_CHECK(encoded.ok());
    FUZZ_CHECK(*encoded == bytes.substr(0, decoded_at));
  }
}

void CheckCode(absl::string_view text) {
  const absl::StatusOr<PairingCode> code = PairingCode::Parse(text);
  if (!code.ok()) return;
  const absl::StatusOr<PairingCode> again = PairingCode::Parse(code->text());
  FUZZ_CHECK(again.ok());
  FUZZ_CHECK(*again == *code);
  // Shorter ones would be guessed sooner.
  FUZZ_CHECK(std::count_if(text.begin(), text.end(), absl::ascii_isdigit) == 3);
  FUZZ_CHECK(std::count_if(text.begin(), text.end(), absl::ascii_isalpha) >= 6);
}

// Whether this is a share, and then a guess at the code.
bool Guesses(absl::string_view said) {
  const auto share = DecodePairingMessage(said);
  if (!share.ok() || !share->has_value() ||
      !std::holds_alternative<ShareMessage>((*share)->message)) {
    return false;
  }
  const auto guess = DecodePairingMessage(said.substr((*share)->size));
  return guess.ok() && guess->has_value() &&
         std::holds_alternative<ConfirmMessage>((*guess)->message);
}

// Says what the input says, a few bytes at a time, and hears all.
class Stranger : public Stream {
 public:
  explicit Stranger(absl::string_view says) : says_(says) {}
  absl::StatusOr<size_t> Read(absl::Span<char> into, absl::Time) override {
    const size_t n = std::min({into.size(), says_.size(), size_t{40}});
    memcpy(into.data(), says_.data(), n);
    says_.remove_prefix(n);
    return n;
  }
  absl::Status Write(absl::string_view, absl::Time) override {
    return absl::OkStatus();
  }
  absl::Status CloseWrite(absl::Time) override { return absl::OkStatus(); }
  void Cancel() override {}
  const DeviceId& peer() const override { return peer_; }
  const StreamHeader& header() const override { return header_; }

 private:
  absl::string_view says_;
  const DeviceId peer_;
  const StreamHeader header_ = {};
};

class Nobody : public PairingStore {
 public:
  absl::Status Check(const PairingPeer&) override { return Kept(); }
  absl::Status Keep(const PairingPeer&) override { return Kept(); }
  void Drop(const PairingPeer&) override { (void)Kept(); }

 private:
  static absl::Status Kept() {
    FUZZ_CHECK(false);
    return absl::OkStatus();
  }
};

void CheckParty(bool guest, absl::string_view said) {
  const uint8_t other = 1;
  PairingConnection connection = {
      .stream = std::make_unique<Stranger>(said),
      .own_key = KeyDigest(),
      .peer_key = KeyDigest::OfPublicKey({&other, 1}),
      .binding = std::string(32, 'b'),
      .peer_host = "192.0.2.1"};
  Nobody nobody;
  const PairingCode code = *PairingCode::Parse("417-maple-otter");
  const PairingResult result = (guest ? PairAsGuest : PairAsHost)(
      connection, code, {.name = "a"}, nobody, absl::InfiniteFuture());
  FUZZ_CHECK(!result.status.ok());
  // A share that is none is answered before the guess is heard.
  const bool heard =
      !guest && Guesses(said) && absl::IsPermissionDenied(result.status);
  FUZZ_CHECK(!heard || result.code_spent);
}

}  // namespace
}  // namespace tactus::transfer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Beyond what a whole pairing says.
  if (size == 0 || size > 700) return -1;
  const absl::string_view rest(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  switch (data[0]) {
    case 0:
      tactus::transfer::CheckDecoder(rest);
      return 0;
    case 1:
      tactus::transfer::CheckCode(rest);
      return 0;
    case 2:
      tactus::transfer::CheckParty(/*guest=*/false, rest);
      return 0;
    case 3:
      tactus::transfer::CheckParty(/*guest=*/true, rest);
      return 0;
    default:
      return -1;
  }
}
