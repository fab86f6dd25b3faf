#include "transfer/files/frame.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "transfer/files/content_hash.h"
#include "transfer/files/limits.h"
#include "transfer/files/path.h"

namespace tactus::transfer::files {
namespace {

constexpr uint8_t kSettleType = 0x02;
constexpr uint8_t kEntryType = 0x10;
constexpr uint8_t kHoleType = 0x12;
constexpr uint8_t kKeepType = 0x13;
constexpr uint8_t kFileEndType = 0x14;
constexpr uint8_t kTurnType = 0x15;
constexpr uint8_t kEndType = 0x16;
constexpr uint8_t kAliveType = 0x1f;
constexpr uint8_t kAcceptType = 0x20;
constexpr uint8_t kHaveType = 0x21;
constexpr uint8_t kVerdictType = 0x22;

constexpr uint32_t kMostNanoseconds = 999'999'999;

// The longest body of each type; nothing for a type that there is not.
std::optional<size_t> LongestBody(uint8_t type) {
  switch (type) {
    case kOfferType:
      return 16 + 8 + 8 + 2 + kLongestPath + 4 + 1 +
             kMostNames * (2 + kLongestName);
    case kSettleType:
      return 16;
    case kEntryType:
      return 1 + 2 + kLongestPath + 2 + 8 + 4 + 8 + 1 + 2 + kLongestPath;
    case kChunkType:
      return kChunkHead + kChunk;
    case kHoleType:
      return 8;
    case kKeepType:
      return 4;
    case kFileEndType:
      return 1 + 8 + 16 + 32;
    case kTurnType:
    case kAliveType:
      return 0;
    case kEndType:
      return 8;
    case kAcceptType:
      return 1;
    case kHaveType:
      return kGroup * 16;
    case kVerdictType:
      return 16 + 1 + 4 * 8 + 2 + kLongestReason;
    default:
      return std::nullopt;
  }
}

class Builder {
 public:
  explicit Builder(uint8_t type) {
    bytes_.push_back(static_cast<char>(type));
    bytes_.append(4, '\0');
  }

  template <typename T>
  Builder& Number(T value) {
    for (int shift = 8 * (sizeof(T) - 1); shift >= 0; shift -= 8) {
      bytes_.push_back(static_cast<char>((value >> shift) & 0xff));
    }
    return *this;
  }
  template <size_t N>
  Builder& Bytes(const std::array<uint8_t, N>& bytes) {
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), N);
    return *this;
  }
  Builder& Raw(absl::string_view text) {
    bytes_.append(text.data(), text.size());
    return *this;
  }
  Builder& Text(absl::string_view text) {
    return Number(static_cast<uint16_t>(text.size())).Raw(text);
  }

  std::string Take() {
    const size_t size = bytes_.size() - kFrameHead;
    const std::optional<size_t> most =
        LongestBody(static_cast<uint8_t>(bytes_[0]));
    if (!most.has_value() || size > *most) std::abort();
    for (int i = 0; i < 4; ++i) {
      bytes_[1 + static_cast<size_t>(i)] =
          static_cast<char>((size >> (24 - 8 * i)) & 0xff);
    }
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
};

// Takes values off the front; one that is not there fails it for good.
class Parser {
 public:
  explicit Parser(absl::string_view bytes) : left_(bytes) {}

  template <typename T>
  T Number() {
    T value = 0;
    for (const char c : Raw(sizeof(T))) {
      value = static_cast<T>((static_cast<uint64_t>(value) << 8) |
                             static_cast<uint8_t>(c));
    }
    return value;
  }
  template <size_t N>
  std::array<uint8_t, N> Bytes() {
    std::array<uint8_t, N> result = {};
    const absl::string_view raw = Raw(N);
    std::copy(raw.begin(), raw.end(), result.begin());
    return result;
  }
  absl::string_view Text(size_t most) {
    const size_t size = Number<uint16_t>();
    Require(size <= most);
    return Raw(size);
  }
  bool Flag() {
    const uint8_t value = Number<uint8_t>();
    Require(value <= 1);
    return value == 1;
  }
  absl::string_view Raw(size_t size) {
    if (size > left_.size()) failed_ = true;
    if (failed_) return {};
    const absl::string_view result = left_.substr(0, size);
    left_.remove_prefix(size);
    return result;
  }
  absl::string_view Rest() { return Raw(left_.size()); }
  size_t left() const { return left_.size(); }
  void Require(bool holds) { failed_ = failed_ || !holds; }
  bool good() const { return !failed_ && left_.empty(); }

 private:
  absl::string_view left_;
  bool failed_ = false;
};

std::string Encode(const Offer& offer) {
  Builder builder(kOfferType);
  builder.Bytes(offer.id.bytes)
      .Number(offer.files)
      .Number(offer.bytes)
      .Text(offer.folder)
      .Number(offer.roots)
      .Number(static_cast<uint8_t>(offer.names.size()));
  for (const std::string& name : offer.names) builder.Text(name);
  return builder.Take();
}

std::string Encode(const Settle& settle) {
  return Builder(kSettleType).Bytes(settle.id.bytes).Take();
}

std::string Encode(const Entry& entry) {
  Builder builder(kEntryType);
  builder.Number(static_cast<uint8_t>(entry.type)).Text(entry.path);
  if (entry.type != EntryType::kLink) builder.Number(entry.mode);
  builder.Number(static_cast<uint64_t>(entry.mtime_seconds))
      .Number(entry.mtime_nanoseconds);
  if (entry.type == EntryType::kFile) {
    builder.Number(entry.size).Number(static_cast<uint8_t>(entry.sparse));
  }
  if (entry.type == EntryType::kLink) builder.Text(entry.target);
  return builder.Take();
}

std::string Encode(const Chunk& chunk) {
  return Builder(kChunkType).Bytes(chunk.hash.bytes).Raw(chunk.bytes).Take();
}
std::string Encode(const Hole& hole) {
  return Builder(kHoleType).Number(hole.bytes).Take();
}
std::string Encode(const Keep& keep) {
  return Builder(kKeepType).Number(keep.chunks).Take();
}

std::string Encode(const FileEnd& end) {
  Builder builder(kFileEndType);
  if (end.left_out) return builder.Number(uint8_t{0}).Take();
  builder.Number(static_cast<uint8_t>(end.sha256.has_value() ? 2 : 1))
      .Number(end.size)
      .Bytes(end.root.bytes);
  if (end.sha256.has_value()) builder.Bytes(*end.sha256);
  return builder.Take();
}

std::string Encode(const Turn&) { return Builder(kTurnType).Take(); }
std::string Encode(const Alive&) { return Builder(kAliveType).Take(); }
std::string Encode(const End& end) {
  return Builder(kEndType).Number(end.entries).Take();
}
std::string Encode(const Accept& accept) {
  return Builder(kAcceptType).Number(static_cast<uint8_t>(accept.ask)).Take();
}
std::string Encode(const Have& have) {
  Builder builder(kHaveType);
  for (const Hash128& chunk : have.chunks) builder.Bytes(chunk.bytes);
  return builder.Take();
}
std::string Encode(const Verdict& verdict) {
  return Builder(kVerdictType)
      .Bytes(verdict.id.bytes)
      .Number(static_cast<uint8_t>(verdict.outcome))
      .Number(verdict.files)
      .Number(verdict.bytes)
      .Number(verdict.replaced)
      .Number(verdict.links_left_out)
      .Text(verdict.reason)
      .Take();
}

Offer DecodeOffer(Parser& parser) {
  Offer offer;
  offer.id.bytes = parser.Bytes<16>();
  offer.files = parser.Number<uint64_t>();
  offer.bytes = parser.Number<uint64_t>();
  offer.folder = std::string(parser.Text(kLongestPath));
  parser.Require(offer.folder.empty() || CheckPath(offer.folder).ok());
  offer.roots = parser.Number<uint32_t>();
  const size_t names = parser.Number<uint8_t>();
  // Of more roots than there is room for all places are taken.
  parser.Require(names == std::min<size_t>(offer.roots, kMostNames));
  for (size_t i = 0; i < names && parser.left() > 0; ++i) {
    offer.names.emplace_back(parser.Text(kLongestName));
    parser.Require(CheckName(offer.names.back()).ok());
  }
  parser.Require(offer.names.size() == names);
  return offer;
}

Entry DecodeEntry(Parser& parser) {
  Entry entry;
  const uint8_t type = parser.Number<uint8_t>();
  parser.Require(type >= 1 && type <= 4);
  entry.type = static_cast<EntryType>(type);
  entry.path = std::string(parser.Text(kLongestPath));
  parser.Require(CheckPath(entry.path).ok());
  if (entry.type != EntryType::kLink) entry.mode = parser.Number<uint16_t>();
  parser.Require(entry.mode <= 0777);
  entry.mtime_seconds = static_cast<int64_t>(parser.Number<uint64_t>());
  entry.mtime_nanoseconds = parser.Number<uint32_t>();
  parser.Require(entry.mtime_nanoseconds <= kMostNanoseconds);
  if (entry.type == EntryType::kFile) {
    entry.size = parser.Number<uint64_t>();
    parser.Require(entry.size == kSizeUnknown || entry.size <= kLargestFile);
    entry.sparse = parser.Flag();
  }
  if (entry.type == EntryType::kLink) {
    entry.target = std::string(parser.Text(kLongestPath));
    parser.Require(!entry.target.empty() &&
                   entry.target.find('\0') == std::string::npos);
  }
  return entry;
}

FileEnd DecodeFileEnd(Parser& parser) {
  FileEnd end;
  const uint8_t kind = parser.Number<uint8_t>();
  parser.Require(kind <= 2);
  end.left_out = kind == 0;
  if (end.left_out) return end;
  end.size = parser.Number<uint64_t>();
  parser.Require(end.size <= kLargestFile);
  end.root.bytes = parser.Bytes<16>();
  if (kind == 2) end.sha256 = parser.Bytes<32>();
  return end;
}

Have DecodeHave(Parser& parser) {
  Have have;
  parser.Require(parser.left() % 16 == 0);
  have.chunks.resize(parser.left() / 16);
  for (Hash128& chunk : have.chunks) chunk.bytes = parser.Bytes<16>();
  return have;
}

Verdict DecodeVerdict(Parser& parser) {
  Verdict verdict;
  verdict.id.bytes = parser.Bytes<16>();
  const uint8_t outcome = parser.Number<uint8_t>();
  parser.Require(outcome >= 1 && outcome <= 5);
  verdict.outcome = static_cast<Outcome>(outcome);
  verdict.files = parser.Number<uint64_t>();
  verdict.bytes = parser.Number<uint64_t>();
  verdict.replaced = parser.Number<uint64_t>();
  verdict.links_left_out = parser.Number<uint64_t>();
  verdict.reason = std::string(parser.Text(kLongestReason));
  return verdict;
}

Frame Decode(uint8_t type, Parser& parser) {
  switch (type) {
    case kOfferType:
      return DecodeOffer(parser);
    case kSettleType:
      return Settle{{parser.Bytes<16>()}};
    case kEntryType:
      return DecodeEntry(parser);
    case kChunkType: {
      Chunk chunk;
      chunk.hash.bytes = parser.Bytes<16>();
      parser.Require(parser.left() > 0);
      chunk.bytes = std::string(parser.Rest());
      return chunk;
    }
    case kHoleType: {
      const Hole hole{parser.Number<uint64_t>()};
      parser.Require(hole.bytes > 0 && hole.bytes <= kGroup * kChunk);
      return hole;
    }
    case kKeepType: {
      const Keep keep{parser.Number<uint32_t>()};
      parser.Require(keep.chunks > 0 && keep.chunks <= kGroup);
      return keep;
    }
    case kFileEndType:
      return DecodeFileEnd(parser);
    case kTurnType:
      return Turn();
    case kEndType:
      return End{parser.Number<uint64_t>()};
    case kAcceptType:
      return Accept{parser.Flag()};
    case kHaveType:
      return DecodeHave(parser);
    case kVerdictType:
      return DecodeVerdict(parser);
    default:
      return Alive();
  }
}

}  // namespace

TransferId TransferId::Random() {
  TransferId id;
  size_t got = 0;
  while (got < id.bytes.size()) {
    const ssize_t n = getrandom(&id.bytes[got], id.bytes.size() - got, 0);
    if (n > 0) got += static_cast<size_t>(n);
  }
  return id;
}

std::string TransferId::Hex() const {
  return absl::BytesToHexString(absl::string_view(
      reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

absl::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return "done";
    case Outcome::kRefused:
      return "refused";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kCancelled:
      return "cancelled";
    case Outcome::kUnknown:
      break;
  }
  return "unknown";
}

absl::StatusOr<FrameHead> DecodeFrameHead(absl::string_view bytes) {
  Parser parser(bytes.substr(0, kFrameHead));
  FrameHead head;
  head.type = parser.Number<uint8_t>();
  head.size = parser.Number<uint32_t>();
  if (!parser.good()) {
    return absl::InvalidArgumentError("the head of a frame is cut");
  }
  const std::optional<size_t> most = LongestBody(head.type);
  if (!most.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no frame of type ", head.type));
  }
  if (head.size > *most) {
    return absl::InvalidArgumentError(
        absl::StrCat("a frame of type ", head.type, " has ", head.size,
                     " bytes, more than ", *most));
  }
  return head;
}

absl::StatusOr<Frame> DecodeFrame(const FrameHead& head,
                                  absl::string_view body) {
  Parser parser(body);
  Frame frame = Decode(head.type, parser);
  if (!parser.good() || body.size() != head.size) {
    return absl::InvalidArgumentError(
        absl::StrCat("a frame of type ", head.type, " is not as it should be"));
  }
  return frame;
}

std::string EncodeFrame(const Frame& frame) {
  return std::visit([](const auto& one) { return Encode(one); }, frame);
}

std::array<char, kFrameHead + kChunkHead> EncodeChunkHead(const Hash128& hash,
                                                          size_t bytes) {
  std::array<char, kFrameHead + kChunkHead> head;
  head[0] = static_cast<char>(kChunkType);
  const size_t size = kChunkHead + bytes;
  for (size_t i = 0; i < 4; ++i) {
    head[1 + i] = static_cast<char>((size >> (24 - 8 * i)) & 0xff);
  }
  std::copy(hash.bytes.begin(), hash.bytes.end(), &head[kFrameHead]);
  return head;
}

}  // namespace tactus::transfer::files
