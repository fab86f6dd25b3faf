#include "transfer/files/content_hash.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "transfer/files/limits.h"
#include "xxhash.h"

namespace tactus::transfer::files {
namespace {

Hash128 Canonical(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  Hash128 result;
  std::copy(std::begin(canonical.digest), std::end(canonical.digest),
            result.bytes.begin());
  return result;
}

template <typename Bytes>
std::string HexOf(const Bytes& bytes) {
  return absl::BytesToHexString(absl::string_view(
      reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace

std::string Hash128::Hex() const { return HexOf(bytes); }

Hash128 HashOf(absl::string_view bytes) {
  return Canonical(XXH3_128bits(bytes.data(), bytes.size()));
}

Hash128 HashOfZeros(size_t size) {
  static const char* const zeros = new char[kChunk]();
  static const Hash128 whole = HashOf(absl::string_view(zeros, kChunk));
  if (size == kChunk) return whole;
  return HashOf(absl::string_view(zeros, std::min(size, kChunk)));
}

struct RootHash::State {
  XXH3_state_t* xxh = XXH3_createState();
  ~State() { XXH3_freeState(xxh); }
};

RootHash::RootHash() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(state_->xxh);
}
RootHash::~RootHash() = default;
RootHash::RootHash(RootHash&&) noexcept = default;
RootHash& RootHash::operator=(RootHash&&) noexcept = default;

void RootHash::Add(const Hash128& chunk) {
  XXH3_128bits_update(state_->xxh, chunk.bytes.data(), chunk.bytes.size());
}

Hash128 RootHash::Digest() const {
  return Canonical(XXH3_128bits_digest(state_->xxh));
}

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::Add(absl::string_view bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

Sha256Digest Sha256::Finish() {
  Sha256Digest digest = {};
  EVP_DigestFinal_ex(state_->context, digest.data(), nullptr);
  return digest;
}

std::string Hex(const Sha256Digest& digest) { return HexOf(digest); }

}  // namespace tactus::transfer::files
