#include "transfer/mcp/id_scanner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tactus::transfer {
namespace {

// "requestId" with each character escaped.
constexpr size_t kLongestKey = 54;

constexpr absl::string_view kCancelled = "notifications/cancelled";

// How much is looked at by one call for each byte that is sought. The calls are
// many times as fast as a loop, and what a byte that was found makes them look
// at anew is no more than this.
constexpr size_t kWindow = 256;

// How many bytes at the beginning of a text end neither it nor the line, nor
// begin an escape.
size_t DullBytes(absl::string_view bytes) {
  size_t dull = 0;
  while (dull < bytes.size()) {
    const absl::string_view window = bytes.substr(dull, kWindow);
    size_t length = window.size();
    for (const char sought : {'"', '\\', '\n'}) {
      const void* found = memchr(window.data(), sought, length);
      if (found == nullptr) continue;
      length =
          static_cast<size_t>(static_cast<const char*>(found) - window.data());
    }
    dull += length;
    if (length < window.size()) break;
  }
  return dull;
}

bool IsSpace(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

void AppendUtf8(uint32_t code, std::string& out) {
  const auto push = [&out](uint32_t byte) {
    out.push_back(static_cast<char>(byte));
  };
  if (code < 0x80) return push(code);
  if (code < 0x800) {
    push(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      push(0xE0 | code >> 12);
    } else {
      push(0xF0 | code >> 18);
      push(0x80 | (code >> 12 & 0x3F));
    }
    push(0x80 | (code >> 6 & 0x3F));
  }
  push(0x80 | (code & 0x3F));
}

std::optional<uint32_t> Hex4(absl::string_view text) {
  if (text.size() < 4) return std::nullopt;
  uint32_t code = 0;
  for (const char digit : text.substr(0, 4)) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(digit))) {
      return std::nullopt;
    }
    const char low = absl::ascii_tolower(static_cast<unsigned char>(digit));
    code = code << 4 |
           static_cast<uint32_t>(low <= '9' ? low - '0' : low - 'a' + 10);
  }
  return code;
}

// The text between the quotes. A surrogate without its partner is taken as it
// is; what is no escape stays as written.
std::string Unescaped(absl::string_view text) {
  std::string out;
  while (!text.empty()) {
    if (text[0] != '\\' || text.size() < 2) {
      out.push_back(text[0]);
      text.remove_prefix(1);
      continue;
    }
    const char kind = text[1];
    text.remove_prefix(2);
    if (kind != 'u') {
      constexpr absl::string_view kFrom = "bfnrt";
      const size_t at = kFrom.find(kind);
      out.push_back(at == absl::string_view::npos ? kind : "\b\f\n\r\t"[at]);
      continue;
    }
    const std::optional<uint32_t> first = Hex4(text);
    if (!first.has_value()) {
      out.append("\\u");
      continue;
    }
    text.remove_prefix(4);
    uint32_t code = *first;
    if (code >= 0xD800 && code < 0xDC00 && text.size() >= 6 &&
        text[0] == '\\' && text[1] == 'u') {
      const std::optional<uint32_t> second = Hex4(text.substr(2));
      if (second.has_value() && *second >= 0xDC00 && *second < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (*second - 0xDC00);
        text.remove_prefix(6);
      }
    }
    AppendUtf8(code, out);
  }
  return out;
}

// A number without what has no part in its value.
std::string NumberKey(absl::string_view number) {
  absl::string_view rest = number;
  const bool negative = !rest.empty() && rest[0] == '-';
  if (negative) rest.remove_prefix(1);
  const size_t e = rest.find_first_of("eE");
  int64_t exponent = 0;
  if (e != absl::string_view::npos) {
    absl::string_view digits = rest.substr(e + 1);
    if (!digits.empty() && digits[0] == '+') digits.remove_prefix(1);
    // Beyond that two spellings of a number count as two.
    if (digits.size() > 10 || !absl::SimpleAtoi(digits, &exponent)) {
      return absl::StrCat("n", number);
    }
    rest = rest.substr(0, e);
  }
  std::string digits;
  const size_t point = rest.find('.');
  absl::StrAppend(&digits, rest.substr(0, point));
  if (point != absl::string_view::npos) {
    const absl::string_view fraction = rest.substr(point + 1);
    absl::StrAppend(&digits, fraction);
    exponent -= static_cast<int64_t>(fraction.size());
  }
  const size_t begin = std::min(digits.find_first_not_of('0'), digits.size());
  digits.erase(0, begin);
  if (digits.empty()) return "n0";
  while (digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  return absl::StrCat("n", negative ? "-" : "", digits, "e", exponent);
}

}  // namespace

std::string IdScanner::IdIn(absl::string_view json, absl::string_view name) {
  IdScanner inner;
  inner.id_name_ = name;
  inner.looks_inside_ = false;
  std::string id;
  const auto keep = [&id](const ScannedLine& line) { id = line.id; };
  inner.Feed(json, keep);
  inner.End(keep);
  return id;
}

void IdScanner::Feed(absl::string_view bytes, OnLine on_line) {
  while (!bytes.empty()) {
    // What is no object, or is over, is of no interest up to the line's end.
    if (place_ == Place::kOver) {
      const size_t end = std::min(bytes.find('\n'), bytes.size());
      line_bytes_ += end;
      bytes.remove_prefix(end);
      if (bytes.empty()) return;
    }
    // Most of a long line lies within texts that are not either.
    if (place_ == Place::kValue && in_string_ && !escaped_ &&
        (member_ == Member::kOther || value_too_long_)) {
      const size_t dull = DullBytes(bytes);
      line_bytes_ += dull;
      bytes.remove_prefix(dull);
      if (bytes.empty()) return;
    }
    const char byte = bytes[0];
    bytes.remove_prefix(1);
    if (byte == '\n') {
      on_line(Take());
    } else {
      ++line_bytes_;
      Byte(byte);
    }
  }
}

void IdScanner::End(OnLine on_line) {
  if (line_bytes_ > 0) on_line(Take());
}

void IdScanner::Byte(char byte) {
  if (place_ == Place::kValue) return ValueByte(byte);
  if (in_string_) {
    // A name: strings elsewhere are values.
    if (!escaped_ && byte == '"') return KeyEnds();
    escaped_ = !escaped_ && byte == '\\';
    if (key_.size() < kLongestKey) {
      key_.push_back(byte);
    } else {
      key_too_long_ = true;
    }
    return;
  }
  if (!IsSpace(byte)) Structure(byte);
}

void IdScanner::Structure(char byte) {
  switch (place_) {
    case Place::kBegin:
      place_ = byte == '{' ? Place::kKey : Place::kOver;
      return;
    case Place::kKey:
      if (byte == '"') {
        in_string_ = true;
        escaped_ = false;
        key_.clear();
        key_too_long_ = false;
      } else {
        // The end of an empty object, or no JSON.
        place_ = Place::kOver;
      }
      return;
    case Place::kColon:
      place_ = byte == ':' ? Place::kValue : Place::kOver;
      value_.clear();
      value_too_long_ = false;
      first_ = '\0';
      depth_ = 0;
      return;
    case Place::kAfterValue:
      place_ = byte == ',' ? Place::kKey : Place::kOver;
      return;
    case Place::kValue:
    case Place::kOver:
      return;
  }
}

void IdScanner::KeyEnds() {
  in_string_ = false;
  place_ = Place::kColon;
  member_ = Member::kOther;
  if (key_too_long_) return;
  const std::string name = Unescaped(key_);
  if (name == id_name_) member_ = Member::kId;
  if (!looks_inside_) return;
  if (name == "method") member_ = Member::kMethod;
  if (name == "params") member_ = Member::kParams;
}

void IdScanner::ValueByte(char byte) {
  if (!in_string_ && depth_ == 0 && (byte == ',' || byte == '}')) {
    ValueEnds();
    place_ = Place::kAfterValue;
    return Structure(byte);
  }
  if (first_ == '\0') {
    if (IsSpace(byte)) return;
    first_ = byte;
  }
  if (member_ != Member::kOther) {
    // What comes behind it, up to the comma, may be any length of space.
    if (value_.size() < kLongestId) {
      value_.push_back(byte);
    } else if (in_string_ || !IsSpace(byte)) {
      value_too_long_ = true;
    }
  }
  if (in_string_) {
    if (!escaped_ && byte == '"') in_string_ = false;
    escaped_ = !escaped_ && byte == '\\';
    return;
  }
  if (byte == '"') {
    in_string_ = true;
    escaped_ = false;
  } else if (byte == '{' || byte == '[') {
    ++depth_;
  } else if (byte == '}' || byte == ']') {
    --depth_;
  }
}

void IdScanner::ValueEnds() {
  while (!value_.empty() && IsSpace(value_.back())) value_.pop_back();
  if (member_ == Member::kMethod) {
    found_.has_method = first_ == '"';
    cancels_ = found_.has_method && !value_too_long_ && value_.size() >= 2 &&
               Unescaped(absl::string_view(value_).substr(
                   1, value_.size() - 2)) == kCancelled;
  }
  if (member_ == Member::kParams) {
    params_ = value_too_long_ ? "" : value_;
  }
  if (member_ != Member::kId) return;
  const bool usable =
      first_ == '"' || first_ == '-' || (first_ >= '0' && first_ <= '9');
  found_.id_too_long = usable && value_too_long_;
  found_.id = usable && !value_too_long_ ? value_ : "";
}

ScannedLine IdScanner::Take() {
  // Cut within a value or a name, it is no object.
  ScannedLine line = place_ == Place::kOver ? std::move(found_) : ScannedLine();
  if (cancels_ && line.has_method && line.id.empty() && !line.id_too_long) {
    line.cancelled = IdIn(params_, "requestId");
  }
  found_ = ScannedLine();
  cancels_ = false;
  params_.clear();
  place_ = Place::kBegin;
  in_string_ = false;
  escaped_ = false;
  depth_ = 0;
  line_bytes_ = 0;
  return line;
}

std::string IdKey(absl::string_view id) {
  if (id.size() >= 2 && id.front() == '"') {
    return absl::StrCat("s", Unescaped(id.substr(1, id.size() - 2)));
  }
  return NumberKey(id);
}

}  // namespace tactus::transfer
