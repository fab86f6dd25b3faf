#include "tools/tactus/json_line.h"

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "ax/text/escape.h"
#include "ax/text/utf.h"

namespace tactus::cli {

std::string JsonLine(const boost::json::object& result) {
  const std::string json = boost::json::serialize(result);
  std::string safe;
  safe.reserve(json.size() + 1);
  // Only within strings can anything but ASCII stand, or DEL.
  std::string_view rest = json;
  while (!rest.empty()) {
    const ax::DecodedCodePoint decoded = ax::DecodeOne(rest);
    const std::string_view one = rest.substr(0, decoded.size);
    const bool ascii = decoded.code_point < 0x7F;
    if (ascii || ax::ForTerminal(one) == one) {
      safe.append(one);
    } else {
      // Nothing that is escaped lies beyond U+FFFF.
      safe.append(absl::StrFormat("\\u%04x",
                                  static_cast<uint32_t>(decoded.code_point)));
    }
    rest.remove_prefix(decoded.size);
  }
  safe.push_back('\n');
  return safe;
}

boost::json::value Sanitized(absl::string_view text) {
  const std::string valid =
      ax::Sanitize(std::string_view(text.data(), text.size()));
  return boost::json::value(boost::json::string(valid.data(), valid.size()));
}

}  // namespace tactus::cli
