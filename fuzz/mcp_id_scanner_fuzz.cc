// Any bytes, against the scanner of carried MCP lines; Boost.JSON is the second
// opinion.
//
// The oracles, beyond crashes: of each line that is a JSON object the scanner
// finds the id that the parser finds, by its value, and whether there is a
// method; as many lines are told as there are; and however the bytes are cut,
// the same is found.
//
// The first byte says where they are cut.

#include <boost/json.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "fuzz/check.h"
#include "transfer/mcp/id_scanner.h"

namespace tactus::transfer {
namespace {

std::vector<ScannedLine> Scan(absl::string_view bytes, size_t chunk) {
  std::vector<ScannedLine> lines;
  const auto keep = [&lines](const ScannedLine& line) {
    lines.push_back(line);
  };
  IdScanner scanner;
  for (size_t at = 0; at < bytes.size(); at += chunk) {
    scanner.Feed(bytes.substr(at, chunk), keep);
  }
  scanner.End(keep);
  return lines;
}

// Whether the scanner's id is the parser's.
bool IsSame(const ScannedLine& line, const boost::json::value* id) {
  if (id == nullptr || (!id->is_string() && !id->is_number())) {
    return line.id.empty() && !line.id_too_long;
  }
  if (line.id_too_long) return line.id.empty();
  if (line.id.empty()) return false;
  const std::string key = IdKey(line.id);
  if (id->is_string()) {
    return key == absl::StrCat("s", absl::string_view(id->get_string().data(),
                                                      id->get_string().size()));
  }
  if (id->is_int64()) return key == IdKey(absl::StrCat(id->get_int64()));
  if (id->is_uint64()) return key == IdKey(absl::StrCat(id->get_uint64()));
  // A double is not exact, so it is read again from what the scanner found.
  boost::json::error_code failed;
  const boost::json::value again = boost::json::parse(line.id, failed);
  if (failed || !again.is_double()) return false;
  // The parser makes no number of 0e400, twice alike.
  return again == *id ||
         (std::isnan(again.get_double()) && std::isnan(id->get_double()));
}

void Run(absl::string_view bytes) {
  if (bytes.empty()) return;
  const size_t chunk = 1 + static_cast<uint8_t>(bytes[0]) % 64;
  bytes.remove_prefix(1);
  const std::vector<ScannedLine> lines = Scan(bytes, chunk);
  FUZZ_CHECK(lines == Scan(bytes, 1));
  FUZZ_CHECK(lines == Scan(bytes, bytes.size() + 1));
  size_t next = 0;
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const absl::string_view text = bytes.substr(0, end);
    bytes.remove_prefix(end == absl::string_view::npos ? bytes.size()
                                                       : end + 1);
    FUZZ_CHECK(next < lines.size());
    const ScannedLine& line = lines[next++];
    FUZZ_CHECK(line.id.size() <= kLongestId);
    boost::json::parse_options options;
    options.max_depth = 4096;
    boost::json::error_code failed;
    const boost::json::value parsed =
        boost::json::parse(std::string_view(text.data(), text.size()), failed,
                           boost::json::storage_ptr(), options);
    if (failed || !parsed.is_object()) continue;
    FUZZ_CHECK(IsSame(line, parsed.get_object().if_contains("id")));
    const boost::json::value* method =
        parsed.get_object().if_contains("method");
    FUZZ_CHECK(line.has_method == (method != nullptr && method->is_string()));
    // Of long parameters nothing is found; what is found is what they hold.
    if (line.cancelled.empty()) continue;
    FUZZ_CHECK(line.has_method && line.id.empty());
    FUZZ_CHECK(method->get_string() == "notifications/cancelled");
    const boost::json::value* params =
        parsed.get_object().if_contains("params");
    FUZZ_CHECK(params != nullptr && params->is_object());
    FUZZ_CHECK(IsSame({.id = line.cancelled},
                      params->get_object().if_contains("requestId")));
  }
  FUZZ_CHECK(next == lines.size());
}

}  // namespace
}  // namespace tactus::transfer

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 8192) return -1;
  tactus::transfer::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
