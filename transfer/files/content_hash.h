// Hashes of content: XXH3-128 of a chunk, the root of a file's chunks, and
// SHA-256 for whoever wants to compare it elsewhere.
//
// Use XXH3 to find what disks and bugs change. It proves nothing against
// somebody who wants two contents to look alike: that what arrives is what the
// peer sent is TLS's to prove, and a peer that sends bad files sends them with
// good hashes.
//
// Example:
//
//   RootHash root;
//   root.Add(HashOf(first_chunk));
//   root.Add(HashOf(second_chunk));
//   root.Digest();          // of the file, from the hashes of its chunks alone
//
// Source: XXH3 of xxHash 0.8, seed 0, in its canonical (big-endian) form; the
// root is XXH3-128 over the hashes of the chunks, 16 bytes each, in order.
#ifndef TACTUS_TRANSFER_FILES_CONTENT_HASH_H_
#define TACTUS_TRANSFER_FILES_CONTENT_HASH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace tactus::transfer::files {

struct Hash128 {
  std::array<uint8_t, 16> bytes = {};

  std::string Hex() const;

  friend bool operator==(const Hash128&, const Hash128&) = default;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;
};

Hash128 HashOf(absl::string_view bytes);

// The hash of that many bytes that are zero, at most kChunk (frame.h) of them.
Hash128 HashOfZeros(size_t size);

class RootHash {
 public:
  RootHash();
  ~RootHash();
  RootHash(RootHash&&) noexcept;
  RootHash& operator=(RootHash&&) noexcept;

  void Add(const Hash128& chunk);
  // Of what was added so far; more may follow.
  Hash128 Digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

using Sha256Digest = std::array<uint8_t, 32>;

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void Add(absl::string_view bytes);
  // Once, and nothing after it.
  Sha256Digest Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string Hex(const Sha256Digest& digest);

}  // namespace tactus::transfer::files

#endif  // TACTUS_TRANSFER_FILES_CONTENT_HASH_H_
