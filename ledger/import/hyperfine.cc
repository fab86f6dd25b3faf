#include "ledger/import/hyperfine.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ledger/import/fields.h"
#include "ledger/import/imported.h"
#include "ledger/row/exact_json.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

namespace json = boost::json;

// The times of the runs that succeeded; the others are counted.
std::vector<double> ReadTimes(const json::object& result,
                              absl::string_view place, Fields& fields,
                              int64_t* failures) {
  std::vector<double> times = fields.Numbers(result, "times", place);
  if (!Fields::Has(result, "exit_codes")) return times;
  const json::array& codes = fields.Array(result, "exit_codes", place);
  if (codes.size() != times.size()) {
    fields.Fail(
        place, "exit_codes",
        absl::StrCat(codes.size(), " of them, but ", times.size(), " times"));
    return {};
  }
  std::vector<double> good;
  for (size_t i = 0; i < times.size(); ++i) {
    // null: a signal ended it.
    const bool whole = codes[i].is_int64();
    if (!whole && !codes[i].is_null()) {
      fields.Fail(place, absl::StrCat("exit_codes[", i, "]"),
                  "is not a whole number");
      return {};
    }
    if (whole && codes[i].get_int64() == 0) {
      good.push_back(times[i]);
    } else {
      ++*failures;
    }
  }
  return good;
}

// As a text, whatever its type: hyperfine has written numbers and texts.
void ReadParameters(const json::object& result, absl::string_view place,
                    Fields& fields, Row& row) {
  if (!Fields::Has(result, "parameters")) return;
  for (const json::key_value_pair& pair :
       fields.Object(result, "parameters", place)) {
    const std::string key(pair.key().data(), pair.key().size());
    const json::string* text = pair.value().if_string();
    if (text == nullptr && !pair.value().is_number()) {
      fields.Fail(place, absl::StrCat("parameters.", key),
                  "is neither a text nor a number");
      return;
    }
    const std::string value =
        text != nullptr ? std::string(text->data(), text->size())
                        : FormatNumber(pair.value().to_number<double>());
    if (!row.configuration
             .emplace(absl::StrCat("parameter.", SeriesNameOf(key)), value)
             .second) {
      fields.Fail(place, absl::StrCat("parameters.", key),
                  "is spelled like another one, but for case and signs");
    }
  }
}

}  // namespace

absl::StatusOr<Imported> ImportHyperfine(absl::string_view text,
                                         const ImportContext& context) {
  const absl::StatusOr<json::value> value = ParseExactJson(text);
  if (!value.ok()) return value.status();
  Fields fields;
  const json::object& document = fields.AsObject(*value, "");
  const json::array& results = fields.Array(document, "results", "");
  if (!fields.status().ok()) return fields.status();
  Imported imported;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string place = absl::StrCat("results[", i, "]");
    const json::object& result = fields.AsObject(results[i], place);
    const std::string command = fields.Text(result, "command", place);
    Row row = RowFrom(context, "hyperfine");
    row.series = SeriesNameOf(command);
    row.configuration = {{"command", command}};
    row.unit = Unit::kSeconds;
    row.direction = Direction::kLessIsBetter;
    ReadParameters(result, place, fields, row);
    std::vector<double> times = ReadTimes(result, place, fields, &row.failures);
    if (!fields.status().ok()) return fields.status();
    if (times.empty() && row.failures > 0) {
      imported.notes.push_back(
          absl::StrCat(place, ": each of its ", row.failures,
                       " runs failed, so there is no row of it"));
      continue;
    }
    if (absl::Status s =
            AddRow(std::move(row), std::move(times), place, imported);
        !s.ok()) {
      return s;
    }
  }
  if (imported.rows.empty()) {
    return absl::InvalidArgumentError(
        "results: none of them has a run that succeeded");
  }
  return imported;
}

}  // namespace tactus::ledger
