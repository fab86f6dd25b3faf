#include "transfer/mcp/frame.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tactus::transfer {

std::string FrameHead(FrameKind kind, size_t size) {
  std::string head(1, static_cast<char>(kind));
  for (int shift = 24; shift >= 0; shift -= 8) {
    head.push_back(static_cast<char>(size >> shift & 0xFF));
  }
  return head;
}

std::string EncodeEndNote(const EndNote& note) {
  std::string payload(1, static_cast<char>(note.kind));
  payload.push_back(static_cast<char>(note.value));
  payload.append(note.why, 0, kLongestWhy);
  return payload;
}

std::optional<EndNote> DecodeEndNote(absl::string_view payload) {
  if (payload.size() < 2 || payload.size() > 2 + kLongestWhy) {
    return std::nullopt;
  }
  EndNote note;
  note.kind = static_cast<EndNote::Kind>(payload[0]);
  note.value = static_cast<uint8_t>(payload[1]);
  note.why = std::string(payload.substr(2));
  switch (note.kind) {
    case EndNote::Kind::kExited:
    case EndNote::Kind::kKilled:
      if (!note.why.empty()) return std::nullopt;
      return note;
    case EndNote::Kind::kNotStarted:
      if (note.value != 0) return std::nullopt;
      return note;
  }
  return std::nullopt;
}

absl::Status FrameReader::Feed(
    absl::string_view bytes,
    absl::FunctionRef<void(FrameKind kind, absl::string_view piece)> on_piece) {
  const auto bad = [this] {
    over_ = true;
    return absl::DataLossError("the other device sent what is no frame");
  };
  while (!bytes.empty()) {
    if (over_) return bad();
    if (left_ == 0) {
      const size_t more = std::min(kFrameHead - head_.size(), bytes.size());
      head_.append(bytes.data(), more);
      bytes.remove_prefix(more);
      if (head_.size() < kFrameHead) break;
      kind_ = static_cast<FrameKind>(head_[0]);
      for (size_t i = 1; i < kFrameHead; ++i) {
        left_ = left_ << 8 | static_cast<uint8_t>(head_[i]);
      }
      head_.clear();
      const bool known = kind_ == FrameKind::kOutput ||
                         kind_ == FrameKind::kErrors ||
                         kind_ == FrameKind::kPulse || kind_ == FrameKind::kEnd;
      if (!known || left_ == 0 || left_ > kLongestFrame) return bad();
      continue;
    }
    const absl::string_view piece =
        bytes.substr(0, std::min(left_, bytes.size()));
    bytes.remove_prefix(piece.size());
    left_ -= piece.size();
    if (kind_ == FrameKind::kOutput) {
      on_piece(kind_, piece);
      continue;
    }
    whole_.append(piece.data(), piece.size());
    if (left_ > 0) continue;
    on_piece(kind_, whole_);
    whole_.clear();
    over_ = kind_ == FrameKind::kEnd;
  }
  return absl::OkStatus();
}

}  // namespace tactus::transfer
