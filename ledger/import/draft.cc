#include "ledger/import/draft.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/import/fields.h"
#include "ledger/import/imported.h"
#include "ledger/row/exact_json.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

namespace json = boost::json;

constexpr absl::string_view kKeys[] = {
    "schema",    "run",        "date",     "instrument",    "commit",
    "dirty",     "device",     "series",   "configuration", "unit",
    "direction", "samples",    "failures", "conditions",    "label",
    "citation",  "hypothesis", "plan"};
constexpr absl::string_view kInstrumentKeys[] = {"name", "binary", "harness"};
constexpr absl::string_view kDeviceKeys[] = {
    "id", "processor", "cores", "memory", "kernel", "virtualization"};
constexpr absl::string_view kConditionKeys[] = {"load_before", "load_after",
                                                "mhz_before", "mhz_after"};

// The first object of `text`, which is taken off it: from its brace to the one
// that closes it. What is inside is the parser's to judge. Empty where the text
// does not begin with one, or ends before it does.
absl::string_view TakeObject(absl::string_view& text) {
  if (text.empty() || text.front() != '{') return "";
  int64_t depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_text = false;
      }
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      const absl::string_view object = text.substr(0, i + 1);
      text.remove_prefix(i + 1);
      return object;
    }
  }
  return "";
}

template <typename Keys>
void CheckKeys(const json::object& object, absl::string_view place,
               const Keys& keys, Fields& fields) {
  for (const json::key_value_pair& pair : object) {
    const absl::string_view key(pair.key().data(), pair.key().size());
    if (std::find(std::begin(keys), std::end(keys), key) != std::end(keys)) {
      continue;
    }
    if (place.empty() && (key == "id" || key == "summary")) {
      fields.Fail(place, key, "is computed: leave it out");
    } else if (place.empty() && key == "origin") {
      fields.Fail(place, key, "says who wrote the row: leave it out");
    } else {
      fields.Fail(place, key,
                  absl::StrCat("is no key of a row; these are: ",
                               absl::StrJoin(keys, ", ")));
    }
  }
}

void ReadInstrument(const json::object& draft, Fields& fields, Row& row) {
  if (const json::value* name = draft.if_contains("instrument");
      name != nullptr && name->is_string()) {
    row.instrument.name = fields.Text(draft, "instrument", "");
    return;
  }
  const json::object& instrument = fields.Object(draft, "instrument", "");
  CheckKeys(instrument, "instrument", kInstrumentKeys, fields);
  row.instrument.name = fields.Text(instrument, "name", "instrument");
  if (Fields::Has(instrument, "binary")) {
    row.instrument.binary = fields.Text(instrument, "binary", "instrument");
  }
  if (Fields::Has(instrument, "harness")) {
    row.instrument.harness = fields.Text(instrument, "harness", "instrument");
  }
}

void ReadDevice(const json::object& draft, Fields& fields, Row& row) {
  const json::object& device = fields.Object(draft, "device", "");
  CheckKeys(device, "device", kDeviceKeys, fields);
  row.device = {
      .processor = fields.Text(device, "processor", "device"),
      .cores = fields.Count(device, "cores", "device"),
      .memory = fields.Text(device, "memory", "device"),
      .kernel = fields.Text(device, "kernel", "device"),
      .virtualization = fields.Text(device, "virtualization", "device")};
  row.device.id = Fields::Has(device, "id")
                      ? fields.Text(device, "id", "device")
                      : DeviceId(row.device);
}

void ReadProvenance(const json::object& draft, const DraftDefaults& defaults,
                    Fields& fields, Row& row) {
  row.run =
      Fields::Has(draft, "run") ? fields.Text(draft, "run", "") : defaults.run;
  row.date = absl::FromUnixSeconds(absl::ToUnixSeconds(defaults.date));
  if (Fields::Has(draft, "date")) {
    const std::string text = fields.Text(draft, "date", "");
    std::string error;
    if (!absl::ParseTime(absl::RFC3339_full, text, &row.date, &error)) {
      fields.Fail(
          "", "date",
          absl::StrCat("'", text, "' is not of the form 2026-01-31T12:00:00Z"));
    }
  }
  const bool here = row.label == Label::kMeasured;
  if (Fields::Has(draft, "commit")) {
    row.commit = fields.Text(draft, "commit", "");
  } else if (here) {
    row.commit = defaults.commit;
    row.dirty = defaults.dirty;
  }
  if (Fields::Has(draft, "dirty")) row.dirty = fields.Bool(draft, "dirty", "");
  if (Fields::Has(draft, "device")) {
    ReadDevice(draft, fields, row);
  } else if (row.label == Label::kVerified) {
    fields.Fail("", "device",
                "is missing: a verified row says what its source measured on");
  } else {
    row.device = defaults.device;
  }
}

void ReadConditions(const json::object& draft, Fields& fields, Row& row) {
  if (!Fields::Has(draft, "conditions")) return;
  const json::object& conditions = fields.Object(draft, "conditions", "");
  CheckKeys(conditions, "conditions", kConditionKeys, fields);
  const auto number = [&](const char* key) -> std::optional<double> {
    if (!Fields::Has(conditions, key)) return std::nullopt;
    return fields.Number(conditions, key, "conditions");
  };
  row.conditions = {.load_before = number("load_before"),
                    .load_after = number("load_after"),
                    .mhz_before = number("mhz_before"),
                    .mhz_after = number("mhz_after")};
}

// A name out of a closed list.
template <typename Enum>
Enum OneOf(const json::object& draft, absl::string_view key,
           absl::StatusOr<Enum> (*parse)(absl::string_view), Fields& fields) {
  const std::string name = fields.Text(draft, key, "");
  if (!fields.status().ok()) return Enum{};
  const absl::StatusOr<Enum> value = parse(name);
  if (value.ok()) return *value;
  fields.Fail("", key, value.status().message());
  return Enum{};
}

absl::Status Complete(absl::string_view text, const DraftDefaults& defaults,
                      Imported& imported, absl::string_view place) {
  const absl::StatusOr<json::value> value = ParseExactJson(text);
  if (!value.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": ", value.status().message()));
  }
  Fields fields;
  const json::object& draft = fields.AsObject(*value, "");
  CheckKeys(draft, "", kKeys, fields);
  Row row;
  if (Fields::Has(draft, "schema") &&
      fields.Count(draft, "schema", "") != kSchema) {
    fields.Fail("", "schema", absl::StrCat("is not ", kSchema));
  }
  if (Fields::Has(draft, "label")) {
    row.label = OneOf<Label>(draft, "label", ParseLabel, fields);
  }
  ReadInstrument(draft, fields, row);
  ReadProvenance(draft, defaults, fields, row);
  row.series = fields.Text(draft, "series", "");
  if (Fields::Has(draft, "configuration")) {
    for (const json::key_value_pair& pair :
         fields.Object(draft, "configuration", "")) {
      const std::string key(pair.key().data(), pair.key().size());
      row.configuration[key] = fields.Text(
          draft.at("configuration").as_object(), key, "configuration");
    }
  }
  row.unit = OneOf<Unit>(draft, "unit", ParseUnit, fields);
  row.direction = OneOf<Direction>(draft, "direction", ParseDirection, fields);
  std::vector<double> samples = fields.Numbers(draft, "samples", "");
  if (Fields::Has(draft, "failures")) {
    row.failures = fields.Count(draft, "failures", "");
  }
  ReadConditions(draft, fields, row);
  for (const auto& [key, to] : {std::pair("citation", &row.citation),
                                std::pair("hypothesis", &row.hypothesis),
                                std::pair("plan", &row.plan)}) {
    if (Fields::Has(draft, key)) *to = fields.Text(draft, key, "");
  }
  row.origin = defaults.origin;
  if (!fields.status().ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": ", fields.status().message()));
  }
  return AddRow(std::move(row), std::move(samples), place, imported);
}

}  // namespace

absl::StatusOr<std::vector<Row>> CompleteDrafts(absl::string_view text,
                                                const DraftDefaults& defaults) {
  Imported imported;
  text = absl::StripAsciiWhitespace(text);
  while (!text.empty()) {
    const std::string place = absl::StrCat("row ", imported.rows.size() + 1);
    const absl::string_view draft = TakeObject(text);
    if (draft.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          place, ": ",
          text.front() == '{' ? "the input ends within the object"
                              : "is not a JSON object; several stand one after "
                                "the other, without a list around them"));
    }
    if (absl::Status s = Complete(draft, defaults, imported, place); !s.ok()) {
      return s;
    }
    text = absl::StripLeadingAsciiWhitespace(text);
  }
  if (imported.rows.empty()) {
    return absl::InvalidArgumentError("there is no row in the input");
  }
  return std::move(imported.rows);
}

}  // namespace tactus::ledger
