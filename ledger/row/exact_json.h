// JSON text to a Boost.JSON value whose numbers are the nearest doubles.
//
// Use it where a number must read back as it was written. Boost.JSON's own
// parser is an unit in the last place off for some of them (until its version
// 1.84, and there by option), so that a checksum over what was read fails.
//
// Example:
//
//   json::monotonic_resource memory(buffer);
//   absl::StatusOr<json::value> value =
//       ParseExactJson(line, {.max_depth = 4, .memory = &memory});
//
// InvalidArgument says what is wrong and at which byte. A number that no double
// holds (1e999) is wrong as well.
#ifndef TACTUS_LEDGER_ROW_EXACT_JSON_H_
#define TACTUS_LEDGER_ROW_EXACT_JSON_H_

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>
#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::ledger {

struct ExactJsonOptions {
  // Of objects and lists in each other: the parser's own state is as deep.
  size_t max_depth = 32;
  boost::json::storage_ptr memory = {};
};

absl::StatusOr<boost::json::value> ParseExactJson(
    absl::string_view text, const ExactJsonOptions& options = {});

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_ROW_EXACT_JSON_H_
