#include "tools/tactus_ledger/csv.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

constexpr absl::string_view kColumns =
    "id,run,date,series,configuration,unit,direction,n,min,p50,p95,p99,max,"
    "mean,failures,label,instrument,binary,harness,commit,dirty,device,"
    "processor,cores,memory,kernel,virtualization,load_before,load_after,"
    "mhz_before,mhz_after,origin,citation,hypothesis,plan";

std::string Number(const std::optional<double>& value) {
  return value.has_value() ? FormatNumber(*value) : "";
}

}  // namespace

std::string CsvField(absl::string_view text) {
  std::string field(text);
  // A tab or a line end before the sign is skipped by some.
  if (!field.empty() && absl::string_view("=+-@\t\r\n").find(field.front()) !=
                            absl::string_view::npos) {
    field.insert(0, "'");
  }
  if (field.find_first_of("\",\r\n") == std::string::npos) return field;
  return absl::StrCat("\"", absl::StrReplaceAll(field, {{"\"", "\"\""}}), "\"");
}

std::string CsvHeader(const CsvOptions& options) {
  return absl::StrCat(kColumns, options.samples ? ",samples" : "", "\r\n");
}

std::string CsvLine(const Row& row, const CsvOptions& options) {
  std::string configuration;
  for (const auto& [key, value] : row.configuration) {
    absl::StrAppend(&configuration, configuration.empty() ? "" : " ", key, "=",
                    value);
  }
  const Summary& summary = row.summary;
  std::vector<std::string> fields = {
      row.id,
      row.run,
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", row.date, absl::UTCTimeZone()),
      CsvField(row.series),
      CsvField(configuration),
      CsvField(UnitName(row.unit)),
      CsvField(DirectionName(row.direction)),
      absl::StrCat(summary.n),
      FormatNumber(summary.min),
      FormatNumber(summary.p50),
      FormatNumber(summary.p95),
      FormatNumber(summary.p99),
      FormatNumber(summary.max),
      FormatNumber(summary.mean),
      absl::StrCat(row.failures),
      CsvField(LabelName(row.label)),
      CsvField(row.instrument.name),
      CsvField(row.instrument.binary),
      CsvField(row.instrument.harness),
      row.commit,
      row.dirty ? "true" : "false",
      row.device.id,
      CsvField(row.device.processor),
      absl::StrCat(row.device.cores),
      CsvField(row.device.memory),
      CsvField(row.device.kernel),
      CsvField(row.device.virtualization),
      Number(row.conditions.load_before),
      Number(row.conditions.load_after),
      Number(row.conditions.mhz_before),
      Number(row.conditions.mhz_after),
      CsvField(row.origin),
      CsvField(row.citation),
      CsvField(row.hypothesis),
      CsvField(row.plan)};
  if (options.samples) {
    fields.push_back(
        absl::StrJoin(row.samples, " ", [](std::string* out, double sample) {
          absl::StrAppend(out, FormatNumber(sample));
        }));
  }
  return absl::StrCat(absl::StrJoin(fields, ","), "\r\n");
}

}  // namespace tactus::ledger
