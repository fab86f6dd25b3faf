#include "ledger/import/criterion.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cmath>
#include <cstddef>
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

// Two sums of the same doubles in another order differ by less; two runs of a
// benchmark, by more.
constexpr double kSameMean = 1e-6;

absl::Status In(absl::string_view file, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat(file, ": ", status.message()));
}

// Nanoseconds an iteration.
absl::StatusOr<std::vector<double>> ReadSamples(absl::string_view text) {
  const absl::StatusOr<json::value> value = ParseExactJson(text);
  if (!value.ok()) return value.status();
  Fields fields;
  const json::object& document = fields.AsObject(*value, "");
  const std::vector<double> iterations = fields.Numbers(document, "iters", "");
  std::vector<double> times = fields.Numbers(document, "times", "");
  if (iterations.size() != times.size()) {
    fields.Fail("", "iters",
                absl::StrCat(iterations.size(), " of them, but ", times.size(),
                             " times"));
  }
  if (times.empty()) fields.Fail("", "times", "there are none");
  if (!fields.status().ok()) return fields.status();
  for (size_t i = 0; i < times.size(); ++i) {
    if (!(iterations[i] >= 1)) {
      fields.Fail("", absl::StrCat("iters[", i, "]"), "is less than one");
      return fields.status();
    }
    times[i] /= iterations[i];
  }
  return times;
}

absl::Status CompareMeans(absl::string_view text,
                          const std::vector<double>& samples) {
  const absl::StatusOr<json::value> value = ParseExactJson(text);
  if (!value.ok()) return value.status();
  Fields fields;
  const json::object& document = fields.AsObject(*value, "");
  const double told = fields.Number(fields.Object(document, "mean", ""),
                                    "point_estimate", "mean");
  if (!fields.status().ok()) return fields.status();
  double mean = 0;
  for (const double sample : samples) {
    mean += sample / static_cast<double>(samples.size());
  }
  if (!(std::abs(mean - told) <= kSameMean * std::max(mean, told))) {
    return absl::InvalidArgumentError(
        absl::StrCat("mean.point_estimate: ", told, ", but the samples' is ",
                     mean, ": the two files are not of the same run"));
  }
  return absl::OkStatus();
}

// The row of what is done in a second, where the benchmark says how much an
// iteration does.
absl::Status AddThroughput(const json::object& document, Row row,
                           const std::vector<double>& samples,
                           Imported& imported) {
  if (!Fields::Has(document, "throughput")) return absl::OkStatus();
  Fields fields;
  const json::object& throughput = fields.Object(document, "throughput", "");
  const bool bytes = Fields::Has(throughput, "Bytes");
  const char* key = bytes ? "Bytes" : "Elements";
  if (fields.status().ok() && !Fields::Has(throughput, key)) {
    imported.notes.push_back(absl::StrCat(
        row.configuration["id"],
        ": its throughput is in neither Bytes nor Elements, so it is left "
        "out"));
    return absl::OkStatus();
  }
  const double amount = fields.Number(throughput, key, "throughput");
  if (!fields.status().ok()) return fields.status();
  std::vector<double> rates;
  rates.reserve(samples.size());
  for (const double sample : samples) rates.push_back(amount * 1e9 / sample);
  row.configuration["rate"] = bytes ? "bytes" : "elements";
  row.unit = bytes ? Unit::kBytesPerSecond : Unit::kPerSecond;
  row.direction = Direction::kMoreIsBetter;
  return AddRow(std::move(row), std::move(rates), "throughput", imported);
}

}  // namespace

absl::StatusOr<Imported> ImportCriterion(const CriterionFiles& files,
                                         const ImportContext& context) {
  const absl::StatusOr<std::vector<double>> samples = ReadSamples(files.sample);
  if (!samples.ok()) return In("sample.json", samples.status());
  if (!files.estimates.empty()) {
    if (absl::Status s = CompareMeans(files.estimates, *samples); !s.ok()) {
      return In("estimates.json", s);
    }
  }
  const absl::StatusOr<json::value> value = ParseExactJson(files.benchmark);
  if (!value.ok()) return In("benchmark.json", value.status());
  Fields fields;
  const json::object& document = fields.AsObject(*value, "");
  const std::string id = fields.Text(document, "full_id", "");
  if (!fields.status().ok()) return In("benchmark.json", fields.status());
  Imported imported;
  Row row = RowFrom(context, "criterion");
  row.series = SeriesNameOf(id);
  row.configuration = {{"id", id}};
  row.unit = Unit::kNanoseconds;
  row.direction = Direction::kLessIsBetter;
  if (absl::Status s = AddRow(row, *samples, "times", imported); !s.ok()) {
    return In("sample.json", s);
  }
  if (absl::Status s = AddThroughput(document, row, *samples, imported);
      !s.ok()) {
    return In("benchmark.json", s);
  }
  return imported;
}

}  // namespace tactus::ledger
