#include "ax/text/escape.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "ax/text/utf.h"

namespace tactus::ax {
namespace {

bool IsBidiControl(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F ||
         (0x202A <= c && c <= 0x202E) || (0x2066 <= c && c <= 0x2069);
}

bool IsLineSeparator(char32_t c) { return c == 0x2028 || c == 0x2029; }

bool IsC1(char32_t c) { return 0x80 <= c && c <= 0x9F; }

void AppendByteEscape(unsigned char byte, std::string& out) {
  absl::StrAppend(&out, "\\x", absl::Hex(byte, absl::kZeroPad2));
}

void AppendScalar(char32_t c, std::string& out) {
  if (c == '\\') {
    out.append("\\\\");
  } else if (c == '\n') {
    out.append("\\n");
  } else if (c == '\r') {
    out.append("\\r");
  } else if (c == '\t') {
    out.append("\\t");
  } else if (c < 0x20 || c == 0x7F) {
    AppendByteEscape(static_cast<unsigned char>(c), out);
  } else if (IsC1(c) || IsBidiControl(c) || IsLineSeparator(c)) {
    absl::StrAppend(&out, "\\u{", absl::Hex(c), "}");
  } else {
    AppendCodePoint(c, out);
  }
}

}  // namespace

std::string ForTerminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const DecodedCodePoint decoded = DecodeOne(text);
    switch (decoded.form) {
      case CodePointForm::kScalar:
      case CodePointForm::kSurrogatePair:
        AppendScalar(decoded.code_point, out);
        break;
      case CodePointForm::kLoneSurrogate:
        absl::StrAppend(&out, "\\u{", absl::Hex(decoded.code_point), "}");
        break;
      case CodePointForm::kIllFormed:
        for (const char byte : text.substr(0, decoded.size)) {
          AppendByteEscape(static_cast<unsigned char>(byte), out);
        }
        break;
    }
    text.remove_prefix(decoded.size);
  }
  return out;
}

}  // namespace tactus::ax
