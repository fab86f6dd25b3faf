#include "ledger/import/google_benchmark.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/import/fields.h"
#include "ledger/import/imported.h"
#include "ledger/row/exact_json.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

namespace json = boost::json;

constexpr absl::string_view kTool = "google-benchmark";

// What the reporter writes of every run; any other key is a counter.
constexpr absl::string_view kOwnKeys[] = {"name",
                                          "family_index",
                                          "per_family_instance_index",
                                          "run_name",
                                          "run_type",
                                          "repetitions",
                                          "repetition_index",
                                          "threads",
                                          "iterations",
                                          "real_time",
                                          "cpu_time",
                                          "time_unit",
                                          "label",
                                          "error_occurred",
                                          "error_message",
                                          "skipped",
                                          "skip_message",
                                          "bytes_per_second",
                                          "items_per_second"};

// The repetitions of one benchmark.
struct Benchmark {
  std::string name;
  std::string place;
  int64_t threads = 1;
  std::string time_unit;
  std::vector<double> real;
  std::vector<double> cpu;
  std::vector<double> bytes;
  std::vector<double> items;
  int64_t failures = 0;
};

bool IsFailure(const json::object& run, absl::string_view place,
               Fields& fields) {
  if (Fields::Has(run, "error_occurred")) {
    return fields.Bool(run, "error_occurred", place);
  }
  return Fields::Has(run, "skipped");
}

void ReadRun(const json::object& run, absl::string_view place, Fields& fields,
             Benchmark& benchmark) {
  if (IsFailure(run, place, fields)) {
    ++benchmark.failures;
    return;
  }
  const std::string unit = fields.Text(run, "time_unit", place);
  if (benchmark.time_unit.empty()) benchmark.time_unit = unit;
  if (benchmark.time_unit != unit) {
    fields.Fail(place, "time_unit",
                absl::StrCat("'", unit, "', and '", benchmark.time_unit,
                             "' in another repetition"));
  }
  benchmark.real.push_back(fields.Number(run, "real_time", place));
  benchmark.cpu.push_back(fields.Number(run, "cpu_time", place));
  for (const auto& [key, values] :
       {std::pair("bytes_per_second", &benchmark.bytes),
        std::pair("items_per_second", &benchmark.items)}) {
    if (Fields::Has(run, key)) {
      values->push_back(fields.Number(run, key, place));
    }
  }
}

// Names of the counters of `run`, each noted once.
void NoteCounters(const json::object& run, std::map<std::string, bool>& seen) {
  for (const json::key_value_pair& pair : run) {
    const absl::string_view key(pair.key().data(), pair.key().size());
    if (std::find(std::begin(kOwnKeys), std::end(kOwnKeys), key) ==
        std::end(kOwnKeys)) {
      seen.emplace(key, true);
    }
  }
}

absl::Status AddRows(const Benchmark& benchmark, const Row& start,
                     Imported& imported) {
  if (benchmark.real.empty()) {
    imported.notes.push_back(
        absl::StrCat(benchmark.name, ": each of its ", benchmark.failures,
                     " repetitions failed, so there is no row of it"));
    return absl::OkStatus();
  }
  const absl::StatusOr<Unit> unit = ParseUnit(benchmark.time_unit);
  const bool is_time =
      unit.ok() &&
      (*unit == Unit::kNanoseconds || *unit == Unit::kMicroseconds ||
       *unit == Unit::kMilliseconds || *unit == Unit::kSeconds);
  if (!is_time) {
    return absl::InvalidArgumentError(
        absl::StrCat(benchmark.place, ".time_unit: '", benchmark.time_unit,
                     "' is no unit of time: one of ns, us, ms, s"));
  }
  Row row = start;
  row.series = SeriesNameOf(benchmark.name);
  row.failures = benchmark.failures;
  row.configuration = {{"name", benchmark.name}};
  if (benchmark.threads != 1) {
    row.configuration["threads"] = absl::StrCat(benchmark.threads);
  }
  struct Measure {
    const char* key;
    const char* value;
    Unit unit;
    Direction direction;
    const std::vector<double>* samples;
  };
  for (const Measure& measure :
       {Measure{"clock", "real", *unit, Direction::kLessIsBetter,
                &benchmark.real},
        Measure{"clock", "cpu", *unit, Direction::kLessIsBetter,
                &benchmark.cpu},
        Measure{"rate", "bytes", Unit::kBytesPerSecond,
                Direction::kMoreIsBetter, &benchmark.bytes},
        Measure{"rate", "items", Unit::kPerSecond, Direction::kMoreIsBetter,
                &benchmark.items}}) {
    if (measure.samples->empty()) continue;
    Row one = row;
    one.configuration[measure.key] = measure.value;
    one.unit = measure.unit;
    one.direction = measure.direction;
    if (absl::Status s =
            AddRow(std::move(one), *measure.samples, benchmark.place, imported);
        !s.ok()) {
      return s;
    }
  }
  return absl::OkStatus();
}

// Of the path of the program nothing but its name: the rest names a machine.
std::string ProgramOf(absl::string_view executable) {
  const size_t slash = executable.rfind('/');
  return std::string(slash == absl::string_view::npos
                         ? executable
                         : executable.substr(slash + 1));
}

void ReadContext(const json::object& context, Fields& fields, Row& row,
                 const ImportContext& given) {
  std::string error;
  absl::Time date;
  const std::string text = fields.Text(context, "date", "context");
  if (!absl::ParseTime(absl::RFC3339_full, text, &date, &error)) {
    fields.Fail("context", "date",
                absl::StrCat("'", text,
                             "' is not of the form "
                             "2026-01-31T12:00:00+00:00"));
  }
  std::string program;
  if (Fields::Has(context, "executable")) {
    program = ProgramOf(fields.Text(context, "executable", "context"));
  }
  row = RowFrom(given, kTool, program);
  row.date = absl::FromUnixSeconds(absl::ToUnixSeconds(date));
  if (Fields::Has(context, "load_avg")) {
    const std::vector<double> load =
        fields.Numbers(context, "load_avg", "context");
    if (!load.empty()) row.conditions.load_before = load.front();
  }
  if (Fields::Has(context, "mhz_per_cpu")) {
    row.conditions.mhz_before =
        fields.Number(context, "mhz_per_cpu", "context");
  }
}

}  // namespace

absl::StatusOr<Imported> ImportGoogleBenchmark(absl::string_view text,
                                               const ImportContext& context) {
  const absl::StatusOr<json::value> value = ParseExactJson(text);
  if (!value.ok()) return value.status();
  Fields fields;
  const json::object& document = fields.AsObject(*value, "");
  Row start;
  ReadContext(fields.Object(document, "context", ""), fields, start, context);
  const json::array& runs = fields.Array(document, "benchmarks", "");
  if (!fields.status().ok()) return fields.status();

  // In the order in which they were run.
  std::vector<Benchmark> benchmarks;
  std::map<std::pair<std::string, int64_t>, size_t> places;
  std::map<std::string, bool> counters;
  int64_t aggregates = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    const std::string place = absl::StrCat("benchmarks[", i, "]");
    const json::object& run = fields.AsObject(runs[i], place);
    if (Fields::Has(run, "run_type") &&
        fields.Text(run, "run_type", place) == "aggregate") {
      ++aggregates;
      continue;
    }
    NoteCounters(run, counters);
    const std::string name = fields.Text(
        run, Fields::Has(run, "run_name") ? "run_name" : "name", place);
    const int64_t threads =
        Fields::Has(run, "threads") ? fields.Count(run, "threads", place) : 1;
    const auto [at, fresh] =
        places.emplace(std::pair(name, threads), benchmarks.size());
    if (fresh) {
      benchmarks.push_back({.name = name, .place = place, .threads = threads});
    }
    ReadRun(run, place, fields, benchmarks[at->second]);
    if (!fields.status().ok()) return fields.status();
  }
  Imported imported;
  for (const Benchmark& benchmark : benchmarks) {
    if (absl::Status s = AddRows(benchmark, start, imported); !s.ok()) return s;
  }
  for (const auto& [counter, seen] : counters) {
    imported.notes.push_back(absl::StrCat(
        "the counter '", counter, "' is left out: nothing tells its unit"));
  }
  if (imported.rows.empty()) {
    return absl::InvalidArgumentError(
        aggregates > 0 && benchmarks.empty()
            ? "benchmarks: there are aggregates alone; run it without "
              "--benchmark_report_aggregates_only"
            : "benchmarks: none of them has a repetition that succeeded");
  }
  return imported;
}

}  // namespace tactus::ledger
