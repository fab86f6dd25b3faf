#include "ledger/row/exact_json.h"

#include <boost/json.hpp>
// The parser is a template of its handler, and so are its definitions.
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tactus::ledger {
namespace {

namespace json = boost::json;

// What json::parser does with the events of json::basic_parser, but for
// doubles. The names and signatures are Boost.JSON's.
struct Handler {
  static constexpr size_t max_object_size = static_cast<size_t>(-1);
  static constexpr size_t max_array_size = static_cast<size_t>(-1);
  static constexpr size_t max_key_size = static_cast<size_t>(-1);
  static constexpr size_t max_string_size = static_cast<size_t>(-1);

  explicit Handler(const json::storage_ptr& memory) { stack.reset(memory); }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) { return true; }
  bool on_object_end(size_t n, json::error_code&) {
    stack.push_object(n);
    return true;
  }
  bool on_array_begin(json::error_code&) { return true; }
  bool on_array_end(size_t n, json::error_code&) {
    stack.push_array(n);
    return true;
  }
  bool on_key_part(json::string_view part, size_t, json::error_code&) {
    stack.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, size_t, json::error_code&) {
    stack.push_key(part);
    return true;
  }
  bool on_string_part(json::string_view part, size_t, json::error_code&) {
    stack.push_chars(part);
    return true;
  }
  bool on_string(json::string_view part, size_t, json::error_code&) {
    stack.push_string(part);
    return true;
  }
  bool on_number_part(json::string_view part, json::error_code&) {
    number.append(part.data(), part.size());
    return true;
  }
  bool on_int64(int64_t value, json::string_view, json::error_code&) {
    number.clear();
    stack.push_int64(value);
    return true;
  }
  bool on_uint64(uint64_t value, json::string_view, json::error_code&) {
    number.clear();
    stack.push_uint64(value);
    return true;
  }
  bool on_double(double, json::string_view part, json::error_code& error) {
    number.append(part.data(), part.size());
    double value = 0;
    const char* end = number.data() + number.size();
    const std::from_chars_result read =
        std::from_chars(number.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end || !std::isfinite(value)) {
      error = json::error::exponent_overflow;
      return false;
    }
    number.clear();
    stack.push_double(value);
    return true;
  }
  bool on_bool(bool value, json::error_code&) {
    stack.push_bool(value);
    return true;
  }
  bool on_null(json::error_code&) {
    stack.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

  json::value_stack stack;
  std::string number;
};

}  // namespace

absl::StatusOr<json::value> ParseExactJson(absl::string_view text,
                                           const ExactJsonOptions& options) {
  json::parse_options form;
  form.max_depth = options.max_depth;
  json::basic_parser<Handler> parser(form, options.memory);
  json::error_code error;
  const size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (!error && read < text.size()) error = json::error::extra_data;
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat("not JSON: ", error.message(), " at byte ", read));
  }
  return parser.handler().stack.release();
}

}  // namespace tactus::ledger
