#include "transfer/pairing/cpace.h"

#include <sodium.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tactus::transfer {
namespace {

constexpr absl::string_view kDsi = "CPaceRistretto255";
constexpr absl::string_view kDsiIsk = "CPaceRistretto255_ISK";
constexpr absl::string_view kDsiSid = "CPaceSidOutput";
// The secret is padded so that it fills the first block of the hash alone.
constexpr size_t kBlock = 128;

static_assert(CPace::kShareSize == crypto_core_ristretto255_BYTES);
static_assert(CPace::kShareSize == crypto_core_ristretto255_SCALARBYTES);
static_assert(CPace::kKeySize == crypto_hash_sha512_BYTES);
static_assert(crypto_core_ristretto255_HASHBYTES == crypto_hash_sha512_BYTES);

const uint8_t* Bytes(absl::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}
uint8_t* Bytes(std::string& text) {
  return reinterpret_cast<uint8_t*>(text.data());
}

void AppendWithLength(std::string* to, absl::string_view part) {
  size_t length = part.size();
  for (; length > 127; length >>= 7) {
    to->push_back(static_cast<char>((length & 127) | 128));
  }
  to->push_back(static_cast<char>(length));
  absl::StrAppend(to, part);
}

std::string Sha512(absl::string_view text) {
  std::string hash(crypto_hash_sha512_BYTES, '\0');
  crypto_hash_sha512(Bytes(hash), Bytes(text), text.size());
  return hash;
}

absl::Status Refused() {
  return absl::PermissionDeniedError("what came is no valid share");
}

}  // namespace

std::string JoinWithLengths(std::initializer_list<absl::string_view> parts) {
  std::string joined;
  for (const absl::string_view part : parts) AppendWithLength(&joined, part);
  return joined;
}

std::string CPace::Generator(const CPaceInput& input) {
  const size_t before = 1 + JoinWithLengths({input.secret}).size() +
                        JoinWithLengths({kDsi}).size();
  const std::string pad(kBlock - std::min(kBlock, before), '\0');
  std::string text =
      JoinWithLengths({kDsi, input.secret, pad, input.channel, input.sid});
  std::string hash = Sha512(text);
  std::string generator(kShareSize, '\0');
  crypto_core_ristretto255_from_hash(Bytes(generator), Bytes(hash));
  sodium_memzero(text.data(), text.size());
  sodium_memzero(hash.data(), hash.size());
  return generator;
}

absl::StatusOr<std::string> CPace::Multiply(absl::string_view scalar,
                                            absl::string_view x) {
  if (scalar.size() != kShareSize || x.size() != kShareSize) return Refused();
  std::string product(kShareSize, '\0');
  // It fails for every encoding that is none, and for the neutral product.
  if (crypto_scalarmult_ristretto255(Bytes(product), Bytes(scalar), Bytes(x)) !=
      0) {
    return Refused();
  }
  return product;
}

absl::StatusOr<CPace> CPace::Create(Role role, const CPaceInput& input) {
  if (sodium_init() < 0) {
    return absl::InternalError("libsodium cannot be started");
  }
  std::string scalar(kShareSize, '\0');
  crypto_core_ristretto255_scalar_random(Bytes(scalar));
  absl::StatusOr<CPace> made = CreateWithScalar(role, input, scalar);
  sodium_memzero(scalar.data(), scalar.size());
  return made;
}

absl::StatusOr<CPace> CPace::CreateWithScalar(Role role,
                                              const CPaceInput& input,
                                              absl::string_view scalar) {
  if (sodium_init() < 0) {
    return absl::InternalError("libsodium cannot be started");
  }
  std::string generator = Generator(input);
  absl::StatusOr<std::string> share = Multiply(scalar, generator);
  sodium_memzero(generator.data(), generator.size());
  if (!share.ok()) return absl::InvalidArgumentError("the scalar is none");
  CPace made;
  made.role_ = role;
  made.sid_ = input.sid;
  memcpy(made.scalar_.data(), scalar.data(), kShareSize);
  made.share_ = *std::move(share);
  return made;
}

CPace::CPace(CPace&& other) noexcept
    : role_(other.role_),
      sid_(std::move(other.sid_)),
      scalar_(other.scalar_),
      share_(std::move(other.share_)) {
  sodium_memzero(other.scalar_.data(), other.scalar_.size());
}

CPace::~CPace() { sodium_memzero(scalar_.data(), scalar_.size()); }

absl::StatusOr<CPaceKey> CPace::Finish(absl::string_view own_data,
                                       absl::string_view peer_share,
                                       absl::string_view peer_data) const {
  // Not the peer's: it would be known to nobody, but this side would have
  // talked to itself.
  if (peer_share == share_) return Refused();
  absl::StatusOr<std::string> point =
      Multiply(absl::string_view(reinterpret_cast<const char*>(scalar_.data()),
                                 scalar_.size()),
               peer_share);
  if (!point.ok()) return point.status();
  const std::string own = JoinWithLengths({share_, own_data});
  const std::string peer = JoinWithLengths({peer_share, peer_data});
  std::string transcript;
  switch (role_) {
    case Role::kInitiator:
      transcript = absl::StrCat(own, peer);
      break;
    case Role::kResponder:
      transcript = absl::StrCat(peer, own);
      break;
    case Role::kSymmetric:
      // std::string compares bytes as unsigned ones.
      transcript = absl::StrCat("oc", std::max(own, peer), std::min(own, peer));
      break;
  }
  std::string text =
      absl::StrCat(JoinWithLengths({kDsiIsk, sid_, *point}), transcript);
  CPaceKey agreed = {.key = Sha512(text),
                     .session_id = Sha512(absl::StrCat(kDsiSid, transcript))};
  sodium_memzero(point->data(), point->size());
  sodium_memzero(text.data(), text.size());
  return agreed;
}

}  // namespace tactus::transfer
