// A JSON object as one line that is safe to print.
//
// Its form is told in json.h. Use it for what is already JSON, such as an
// answer of the daemon: what one end wrote the other end writes the same again.
//
// Example:
//
//   WriteResult(JsonLine(answer.result->at("snapshot").as_object()));
#ifndef TACTUS_TOOLS_TACTUS_JSON_LINE_H_
#define TACTUS_TOOLS_TACTUS_JSON_LINE_H_

#include <boost/json/fwd.hpp>
#include <string>

#include "absl/strings/string_view.h"

namespace tactus::cli {

// With its newline. Strings must be valid UTF-8.
std::string JsonLine(const boost::json::object& result);

// A string for it, of an application's bytes: what is no UTF-8 is replaced.
boost::json::value Sanitized(absl::string_view text);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_JSON_LINE_H_
