#include "transfer/identity/device_id.h"

#include <openssl/sha.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tactus::transfer {
namespace {

constexpr char kAlphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
constexpr size_t kCharacters = 24;  // the last one checks the others
constexpr size_t kGroup = 4;

// In GF(32) with x^5 + x^2 + 1, where x generates all 31 elements but zero: so
// each place of the id has a weight of its own.
uint8_t TimesX(uint8_t value) {
  value = static_cast<uint8_t>(value << 1);
  return value & 32 ? value ^ 0b100101 : value;
}

// The sum of x^(23-i) * value_i over all but the last, which has the weight 1.
uint8_t Check(const std::array<uint8_t, kCharacters>& values) {
  uint8_t sum = 0;
  for (size_t i = 0; i + 1 < kCharacters; ++i) sum = TimesX(sum ^ values[i]);
  return sum;
}

std::string Format(const std::array<uint8_t, kCharacters>& values) {
  std::string text;
  for (size_t i = 0; i < kCharacters; ++i) {
    if (i > 0 && i % kGroup == 0) text += '-';
    text += kAlphabet[values[i]];
  }
  return text;
}

// 32 when no character of an id is written so.
uint8_t ValueOf(char c) {
  c = absl::ascii_toupper(static_cast<unsigned char>(c));
  if (c == 'O') c = '0';
  if (c == 'I' || c == 'L') c = '1';
  for (uint8_t i = 0; i < 32; ++i) {
    if (kAlphabet[i] == c) return i;
  }
  return 32;
}

}  // namespace

KeyDigest KeyDigest::OfPublicKey(absl::Span<const uint8_t> spki) {
  std::array<uint8_t, 32> bytes;
  SHA256(spki.data(), spki.size(), bytes.data());
  return KeyDigest(bytes);
}

absl::StatusOr<KeyDigest> KeyDigest::ParseHex(absl::string_view hex) {
  const std::string raw =
      hex.size() == 64 ? absl::HexStringToBytes(hex) : std::string();
  KeyDigest digest;
  for (size_t i = 0; i < raw.size() && i < digest.bytes_.size(); ++i) {
    digest.bytes_[i] = static_cast<uint8_t>(raw[i]);
  }
  // HexStringToBytes takes anything for a digit, so compare what comes back.
  if (raw.empty() || digest.Hex() != hex) {
    return absl::InvalidArgumentError(
        absl::StrCat("a key's digest is 64 hexadecimal digits in lower case, "
                     "not '",
                     absl::CHexEscape(hex.substr(0, 80)), "'"));
  }
  return digest;
}

std::string KeyDigest::Hex() const {
  return absl::BytesToHexString(absl::string_view(
      reinterpret_cast<const char*>(bytes_.data()), bytes_.size()));
}

DeviceId::DeviceId(const KeyDigest& key) {
  std::array<uint8_t, kCharacters> values = {};
  for (size_t i = 0; i + 1 < kCharacters; ++i) {
    for (size_t bit = 5 * i; bit < 5 * i + 5; ++bit) {
      const int one = key.bytes()[bit / 8] >> (7 - bit % 8) & 1;
      values[i] = static_cast<uint8_t>(values[i] << 1 | one);
    }
  }
  values.back() = Check(values);
  text_ = Format(values);
}

absl::StatusOr<DeviceId> DeviceId::Parse(absl::string_view text) {
  const auto wrong = [text](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", absl::CHexEscape(text.substr(0, 80)), "' is no device id: ", why,
        "; an id is 24 characters, as `tactus status` shows it"));
  };
  std::array<uint8_t, kCharacters> values = {};
  size_t count = 0;
  for (const char c : text) {
    if (c == '-' || c == ' ') continue;
    const uint8_t value = ValueOf(c);
    if (value == 32) {
      return wrong(absl::StrCat("it holds '",
                                absl::CHexEscape(absl::string_view(&c, 1)),
                                "', which no id does"));
    }
    if (count == kCharacters) return wrong("it is too long");
    values[count++] = value;
  }
  if (count < kCharacters) {
    return wrong(absl::StrCat("it has ", count, " characters"));
  }
  if (values.back() != Check(values)) {
    return wrong("a character is wrong, or two have changed places");
  }
  return DeviceId(Format(values));
}

}  // namespace tactus::transfer
