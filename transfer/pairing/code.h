// The code by which two devices are paired: a number and two words, which one
// shows and a person types on the other.
//
// Example:
//
//   absl::StatusOr<PairingCode> code = PairingCode::Generate();
//   code->text();                                  // "417-maple-otter"
//   PairingCode::Parse(" 417 Maple, OTTER ");      // the same
//
// There are 900 numbers and 256 words, so 58,982,400 codes, all alike likely
// (25.8 bits). That is enough because of what is done with it: a guess costs an
// attempt that the person sees, and the offer with it (cpace.h, pairing.h).
#ifndef TACTUS_TRANSFER_PAIRING_CODE_H_
#define TACTUS_TRANSFER_PAIRING_CODE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::transfer {

class PairingCode {
 public:
  // By the system's randomness; `random` is for tests: a number from 0 to below
  // its argument, each alike likely. Internal where libsodium cannot be
  // started.
  static absl::StatusOr<PairingCode> Generate(
      const std::function<uint32_t(uint32_t)>& random = nullptr);

  // Takes what people type: any case; spaces, dashes, dots, commas and
  // underscores between the parts, or, after the number, nothing. A word may be
  // its first three letters or more. InvalidArgument says what is wrong, and
  // what word may have been meant: better than an offer that is burned by a
  // slip.
  static absl::StatusOr<PairingCode> Parse(absl::string_view text);

  // As it is shown, and what goes into the pairing: one text for each code.
  const std::string& text() const { return text_; }

  friend bool operator==(const PairingCode&, const PairingCode&) = default;

 private:
  explicit PairingCode(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_PAIRING_CODE_H_
