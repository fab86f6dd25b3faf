// What a device is called by other devices: derived from its public key, so
// that nobody can take the name of another.
//
// `KeyDigest` is the SHA-256 of the key's SubjectPublicKeyInfo (DER), and is
// what is pinned and compared. `DeviceId` is the part of it that people see,
// type and read to each other: 115 bits and a check character, in Crockford's
// base32, which has no I, L, O and U.
//
// Example:
//
//   const DeviceId id(digest);
//   id.text();                          // "7ZK0-M2QX-..." six groups of four
//   DeviceId::Parse("7zkO m2qx ...");   // the same: O is 0, I and L are 1
//
// The check character is one of a code over GF(32): a character that is wrong,
// or two that changed places, are found always. 115 bits leave an attacker who
// wants a key with the same id 2^115 tries; who compares keys uses the digest.
#ifndef TACTUS_TRANSFER_IDENTITY_DEVICE_ID_H_
#define TACTUS_TRANSFER_IDENTITY_DEVICE_ID_H_

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tactus::transfer {

class KeyDigest {
 public:
  KeyDigest() = default;
  explicit KeyDigest(const std::array<uint8_t, 32>& bytes) : bytes_(bytes) {}

  // Of a SubjectPublicKeyInfo in DER.
  static KeyDigest OfPublicKey(absl::Span<const uint8_t> spki);

  // 64 digits of hexadecimal, lower case; InvalidArgument for anything else.
  static absl::StatusOr<KeyDigest> ParseHex(absl::string_view hex);
  std::string Hex() const;

  const std::array<uint8_t, 32>& bytes() const { return bytes_; }

  friend bool operator==(const KeyDigest&, const KeyDigest&) = default;
  friend auto operator<=>(const KeyDigest&, const KeyDigest&) = default;

 private:
  std::array<uint8_t, 32> bytes_ = {};
};

class DeviceId {
 public:
  DeviceId() : DeviceId(KeyDigest()) {}
  explicit DeviceId(const KeyDigest& key);

  // Takes what people write: any case, with or without dashes and spaces, O for
  // 0, I and L for 1. InvalidArgument says what is wrong with it: a character,
  // the length, or the check character.
  static absl::StatusOr<DeviceId> Parse(absl::string_view text);

  // Six groups of four, upper case, with dashes: one text for each id.
  const std::string& text() const { return text_; }

  friend bool operator==(const DeviceId&, const DeviceId&) = default;
  friend auto operator<=>(const DeviceId&, const DeviceId&) = default;

 private:
  explicit DeviceId(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_IDENTITY_DEVICE_ID_H_
