#include "transfer/stream/header.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tactus::transfer {
namespace {

constexpr size_t kFixed = 3;

bool IsKind(uint8_t value) {
  return value >= static_cast<uint8_t>(StreamKind::kControl) &&
         value <= static_cast<uint8_t>(StreamKind::kMcp);
}

bool IsLabel(absl::string_view label) {
  return std::all_of(label.begin(), label.end(),
                     [](unsigned char c) { return absl::ascii_isgraph(c); });
}

}  // namespace

absl::string_view StreamKindName(StreamKind kind) {
  switch (kind) {
    case StreamKind::kControl:
      return "control";
    case StreamKind::kMessage:
      return "message";
    case StreamKind::kFile:
      return "file";
    case StreamKind::kMcp:
      return "mcp";
  }
  return "unknown";
}

absl::StatusOr<std::string> EncodeStreamHeader(const StreamHeader& header) {
  if (header.label.size() > kLongestStreamLabel) {
    return absl::InvalidArgumentError(
        absl::StrCat("a stream's label has ", header.label.size(),
                     " characters, ", kLongestStreamLabel, " are the most"));
  }
  if (!IsLabel(header.label)) {
    return absl::InvalidArgumentError(
        "a stream's label holds other than visible ASCII characters");
  }
  std::string bytes;
  bytes.reserve(kFixed + header.label.size());
  bytes += static_cast<char>(kStreamHeaderVersion);
  bytes += static_cast<char>(header.kind);
  bytes += static_cast<char>(header.label.size());
  bytes += header.label;
  return bytes;
}

absl::StatusOr<std::optional<DecodedStreamHeader>> DecodeStreamHeader(
    absl::string_view bytes) {
  const auto at = [bytes](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  if (!bytes.empty() && at(0) != kStreamHeaderVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("a stream begins with version ", at(0),
                     ", this Tactus speaks ", kStreamHeaderVersion));
  }
  if (bytes.size() > 1 && !IsKind(at(1))) {
    return absl::InvalidArgumentError(
        absl::StrCat("a stream is of kind ", at(1), ", which is none"));
  }
  if (bytes.size() > 2 && at(2) > kLongestStreamLabel) {
    return absl::InvalidArgumentError(
        absl::StrCat("a stream's label is said to have ", at(2),
                     " characters, ", kLongestStreamLabel, " are the most"));
  }
  if (bytes.size() < kFixed) return std::nullopt;
  const absl::string_view label = bytes.substr(kFixed, at(2));
  if (!IsLabel(label)) {
    return absl::InvalidArgumentError(
        "a stream's label holds other than visible ASCII characters");
  }
  if (label.size() < at(2)) return std::nullopt;
  return DecodedStreamHeader{.header = {.kind = static_cast<StreamKind>(at(1)),
                                        .label = std::string(label)},
                             .size = kFixed + label.size()};
}

}  // namespace tactus::transfer
