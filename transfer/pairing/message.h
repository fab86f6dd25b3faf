// What two devices say to each other while they pair, as bytes.
//
// Use it to write a message, and to read one from a stranger, of whom nothing
// is believed. What is said when is pairing.h's; docs/protocol.md has the
// bytes.
//
// Example:
//
//   absl::StatusOr<std::string> bytes = EncodePairingMessage(
//       AboutMessage{.name = "laptop", .port = 7411, .tag = tag});
//   absl::StatusOr<std::optional<DecodedPairingMessage>> decoded =
//       DecodePairingMessage(*bytes);
//
// There is one way to write a message, so that what is decoded encodes to the
// very bytes it came from.
#ifndef TACTUS_TRANSFER_PAIRING_MESSAGE_H_
#define TACTUS_TRANSFER_PAIRING_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "transfer/identity/name.h"

namespace tactus::transfer {

inline constexpr size_t kPairingShareSize = 32;
inline constexpr size_t kPairingTagSize = 64;
// The longest message is an AboutMessage.
inline constexpr size_t kLongestPairingMessage =
    1 + 1 + kLongestName + 2 + kPairingTagSize;

// A share of CPace.
struct ShareMessage {
  std::string share;  // kPairingShareSize bytes
  friend bool operator==(const ShareMessage&, const ShareMessage&) = default;
};

// Proof of the key that was agreed.
struct ConfirmMessage {
  std::string tag;  // kPairingTagSize bytes, as in all that follow
  friend bool operator==(const ConfirmMessage&,
                         const ConfirmMessage&) = default;
};

// What the peer calls this device.
struct AboutMessage {
  std::string name;   // as PinnedPeer::name
  uint16_t port = 0;  // where it listens; 0: it does not
  std::string tag;
  friend bool operator==(const AboutMessage&, const AboutMessage&) = default;
};

// The peer is kept.
struct DoneMessage {
  std::string tag;
  friend bool operator==(const DoneMessage&, const DoneMessage&) = default;
};

// The pairing has ended here, without success.
enum class PairingRefusal : uint8_t {
  kWrongCode = 1,
  kNotKept = 2,   // the code was right, and this device may not keep the peer
  kProtocol = 3,  // the last message was none, or out of turn
};
struct RefuseMessage {
  PairingRefusal reason = PairingRefusal::kProtocol;
  friend bool operator==(const RefuseMessage&, const RefuseMessage&) = default;
};

using PairingMessage = std::variant<ShareMessage, ConfirmMessage, AboutMessage,
                                    DoneMessage, RefuseMessage>;

// InvalidArgument for a share or a tag of another size, and a name that is
// none.
absl::StatusOr<std::string> EncodePairingMessage(const PairingMessage& message);

struct DecodedPairingMessage {
  PairingMessage message;
  size_t size = 0;  // bytes that it took
};

// The message that `bytes` begins with. Nothing while all is well so far and
// more bytes are needed, kLongestPairingMessage at most; InvalidArgument as
// soon as no bytes could make it good.
absl::StatusOr<std::optional<DecodedPairingMessage>> DecodePairingMessage(
    absl::string_view bytes);

}  // namespace tactus::transfer

#endif  // TACTUS_TRANSFER_PAIRING_MESSAGE_H_
