#include "ax/atspi/benchmark/report.h"

#include <boost/json.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"

namespace tactus::ax::atspi::bench {
namespace {

void Print(const std::string& line) {
  puts(line.c_str());
  fflush(stdout);
}

boost::json::string Text(absl::string_view text) {
  return boost::json::string(text.data(), text.size());
}

void PrintFact(absl::string_view name, boost::json::value value) {
  boost::json::object line;
  line["fact"] = Text(name);
  line["value"] = std::move(value);
  Print(boost::json::serialize(line));
}

}  // namespace

std::string SeriesLine(const ledger::Series& series) {
  boost::json::object line;
  line["series"] = series.name;
  line["unit"] = Text(ledger::UnitName(series.unit));
  line["samples"] =
      boost::json::array(series.samples.begin(), series.samples.end());
  line["failures"] = series.failures;
  if (!series.failure.empty()) line["failure"] = series.failure;
  return boost::json::serialize(line);
}

void Report::Record(const ledger::Series& series) {
  if (series.samples.empty()) return;
  const absl::Status recorded = recorder_.Record(series);
  if (!recorded.ok() && status_.ok()) status_ = recorded;
}

void Report::Add(const ledger::Series& series) {
  Print(SeriesLine(series));
  Record(series);
}

void Report::Count(absl::string_view name, int64_t value) {
  Fact(name, value);
  Record({.name = std::string(name),
          .unit = ledger::Unit::kCount,
          .samples = {static_cast<double>(value)}});
}

void Report::Fact(absl::string_view name, absl::string_view value) {
  PrintFact(name, Text(value));
}

void Report::Fact(absl::string_view name, int64_t value) {
  PrintFact(name, value);
}

}  // namespace tactus::ax::atspi::bench
