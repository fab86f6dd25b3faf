#include "transfer/pairing/message.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "transfer/identity/name.h"

namespace tactus::transfer {
namespace {

// The first byte of each.
enum class Type : char {
  kShare = 1,
  kConfirm = 2,
  kAbout = 3,
  kDone = 4,
  kRefuse = 5,
};

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("a message of a pairing is wrong: ", what));
}

class Encoder {
 public:
  absl::StatusOr<std::string> operator()(const ShareMessage& message) const {
    if (message.share.size() != kPairingShareSize) return Bad("its share");
    return Text(Type::kShare, message.share);
  }
  absl::StatusOr<std::string> operator()(const ConfirmMessage& message) const {
    return Tagged(Type::kConfirm, "", message.tag);
  }
  absl::StatusOr<std::string> operator()(const AboutMessage& message) const {
    if (!IsName(message.name)) return Bad("its name");
    std::string body(1, static_cast<char>(message.name.size()));
    body += message.name;
    body += static_cast<char>(message.port >> 8);
    body += static_cast<char>(message.port & 255);
    return Tagged(Type::kAbout, body, message.tag);
  }
  absl::StatusOr<std::string> operator()(const DoneMessage& message) const {
    return Tagged(Type::kDone, "", message.tag);
  }
  absl::StatusOr<std::string> operator()(const RefuseMessage& message) const {
    return Text(Type::kRefuse,
                std::string(1, static_cast<char>(message.reason)));
  }

 private:
  static std::string Text(Type type, absl::string_view body) {
    return absl::StrCat(std::string(1, static_cast<char>(type)), body);
  }
  static absl::StatusOr<std::string> Tagged(Type type, absl::string_view body,
                                            absl::string_view tag) {
    if (tag.size() != kPairingTagSize) return Bad("its tag");
    return Text(type, absl::StrCat(body, tag));
  }
};

using Decoded = absl::StatusOr<std::optional<DecodedPairingMessage>>;

Decoded DecodeAbout(absl::string_view body) {
  if (body.empty()) return std::nullopt;
  const auto length = static_cast<uint8_t>(body[0]);
  if (length == 0 || length > kLongestName) {
    return Bad("the length of its name");
  }
  const absl::string_view name = body.substr(1, length);
  // As soon as a byte is wrong, whether or not all are there.
  if (!name.empty() && !IsName(name)) return Bad("its name");
  const size_t size = 1 + size_t{length} + 2 + kPairingTagSize;
  if (body.size() < size) return std::nullopt;
  const absl::string_view port = body.substr(1 + size_t{length}, 2);
  AboutMessage message = {
      .name = std::string(name),
      .port = static_cast<uint16_t>(static_cast<uint8_t>(port[0]) << 8 |
                                    static_cast<uint8_t>(port[1])),
      .tag = std::string(body.substr(size - kPairingTagSize, kPairingTagSize))};
  return DecodedPairingMessage{std::move(message), 1 + size};
}

}  // namespace

absl::StatusOr<std::string> EncodePairingMessage(
    const PairingMessage& message) {
  return std::visit(Encoder(), message);
}

Decoded DecodePairingMessage(absl::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  const absl::string_view body = bytes.substr(1);
  // The first `size` bytes of the body, where they are there.
  const auto part = [body](size_t size) -> std::optional<std::string> {
    if (body.size() < size) return std::nullopt;
    return std::string(body.substr(0, size));
  };
  switch (static_cast<Type>(bytes[0])) {
    case Type::kShare: {
      const auto share = part(kPairingShareSize);
      if (!share.has_value()) return std::nullopt;
      return DecodedPairingMessage{ShareMessage{*share}, 1 + share->size()};
    }
    case Type::kConfirm: {
      const auto tag = part(kPairingTagSize);
      if (!tag.has_value()) return std::nullopt;
      return DecodedPairingMessage{ConfirmMessage{*tag}, 1 + tag->size()};
    }
    case Type::kAbout:
      return DecodeAbout(body);
    case Type::kDone: {
      const auto tag = part(kPairingTagSize);
      if (!tag.has_value()) return std::nullopt;
      return DecodedPairingMessage{DoneMessage{*tag}, 1 + tag->size()};
    }
    case Type::kRefuse: {
      const auto reason = part(1);
      if (!reason.has_value()) return std::nullopt;
      const char value = (*reason)[0];
      if (value < static_cast<char>(PairingRefusal::kWrongCode) ||
          value > static_cast<char>(PairingRefusal::kProtocol)) {
        return Bad("its reason");
      }
      return DecodedPairingMessage{
          RefuseMessage{static_cast<PairingRefusal>(value)}, 2};
    }
  }
  return Bad("its kind");
}

}  // namespace tactus::transfer
