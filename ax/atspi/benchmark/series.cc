#include "ax/atspi/benchmark/series.h"

#include <boost/json.hpp>
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/strings/string_view.h"

namespace tactus::ax::atspi::bench {
namespace {

// At once, so that what was measured is told even if the process then dies.
void Print(const std::string& line) {
  puts(line.c_str());
  fflush(stdout);
}

std::string FactLine(absl::string_view name, boost::json::value value) {
  boost::json::object line;
  line["fact"] = std::string(name);
  line["value"] = std::move(value);
  return boost::json::serialize(line);
}

}  // namespace

std::string SeriesLine(const Series& series) {
  boost::json::object line;
  line["series"] = series.name;
  line["unit"] = series.unit;
  line["samples"] =
      boost::json::array(series.samples.begin(), series.samples.end());
  line["failures"] = series.failures;
  if (!series.failure.empty()) line["failure"] = series.failure;
  return boost::json::serialize(line);
}

void PrintSeries(const Series& series) { Print(SeriesLine(series)); }

void PrintFact(absl::string_view name, absl::string_view value) {
  Print(FactLine(name, std::string(value).c_str()));
}

void PrintFact(absl::string_view name, int64_t value) {
  Print(FactLine(name, value));
}

}  // namespace tactus::ax::atspi::bench
