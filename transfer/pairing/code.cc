#include "transfer/pairing/code.h"

#include <sodium.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "transfer/pairing/words.h"

namespace tactus::transfer {
namespace {

constexpr uint32_t kFirstNumber = 100;
constexpr uint32_t kNumbers = 900;
// Longer is no code, and is not put into a message.
constexpr size_t kLongest = 64;

absl::Status NoCode() {
  return absl::InvalidArgumentError(
      "a pairing code is a number of three digits and two words, as in "
      "417-maple-otter: type the one that the other device shows");
}

// How many letters are to be changed, added or left out.
size_t Distance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t kept = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({kept, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::optional<absl::string_view> FindWord(absl::string_view typed) {
  for (const absl::string_view word : kPairingWords) {
    // The first three letters are no other word's.
    if (word == typed || (typed.size() >= 3 && absl::StartsWith(word, typed))) {
      return word;
    }
  }
  return std::nullopt;
}

absl::Status NoWord(absl::string_view typed) {
  const auto nearest =
      std::min_element(kPairingWords.begin(), kPairingWords.end(),
                       [typed](absl::string_view a, absl::string_view b) {
                         return Distance(typed, a) < Distance(typed, b);
                       });
  return absl::InvalidArgumentError(
      absl::StrCat("'", typed, "' is no word of a pairing code",
                   Distance(typed, *nearest) <= 2
                       ? absl::StrCat(": is it '", *nearest, "'?")
                       : ": look at what the other device shows"));
}

}  // namespace

absl::StatusOr<PairingCode> PairingCode::Generate(
    const std::function<uint32_t(uint32_t)>& random) {
  if (sodium_init() < 0) {
    return absl::InternalError("libsodium cannot be started");
  }
  const auto draw = [&random](size_t bound) {
    const auto below = static_cast<uint32_t>(bound);
    return random != nullptr ? random(below) : randombytes_uniform(below);
  };
  const uint32_t number = kFirstNumber + draw(kNumbers);
  const absl::string_view first = kPairingWords[draw(kPairingWords.size())];
  const absl::string_view second = kPairingWords[draw(kPairingWords.size())];
  return PairingCode(absl::StrCat(number, "-", first, "-", second));
}

absl::StatusOr<PairingCode> PairingCode::Parse(absl::string_view text) {
  if (text.size() > kLongest) return NoCode();
  // Runs of digits and runs of letters.
  std::vector<std::string> parts;
  bool joined = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool digit = absl::ascii_isdigit(byte);
    if (!digit && !absl::ascii_isalpha(byte)) {
      if (!absl::ascii_isspace(byte) && !absl::StrContains("-_.,", c)) {
        return NoCode();
      }
      joined = false;
      continue;
    }
    const bool same = joined && absl::ascii_isdigit(static_cast<unsigned char>(
                                    parts.back().back())) == digit;
    if (!same) parts.emplace_back();
    parts.back().push_back(absl::ascii_tolower(byte));
    joined = true;
  }
  if (parts.size() != 3) return NoCode();
  const std::string& number = parts[0];
  if (number.size() != 3 ||
      !std::all_of(number.begin(), number.end(), absl::ascii_isdigit) ||
      number[0] == '0') {
    return NoCode();
  }
  std::string code = number;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (absl::ascii_isdigit(static_cast<unsigned char>(parts[i][0]))) {
      return NoCode();
    }
    const std::optional<absl::string_view> word = FindWord(parts[i]);
    if (!word.has_value()) return NoWord(parts[i]);
    absl::StrAppend(&code, "-", *word);
  }
  return PairingCode(code);
}

}  // namespace tactus::transfer
