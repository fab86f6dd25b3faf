// What was measured, as plain samples, and how it leaves the process: one line
// of JSON each on standard output, which the judge reads.
//
// Nothing is summed up here. A median is the judge's to take, and whoever
// records the run wants the samples.
//
// Example:
//
//   PrintSeries({.name = "find.tactus", .unit = "us", .samples = {512.0}});
//   PrintFact("held.route", "socket");
#ifndef TACTUS_AX_ATSPI_BENCHMARK_SERIES_H_
#define TACTUS_AX_ATSPI_BENCHMARK_SERIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tactus::ax::atspi::bench {

struct Series {
  std::string name;  // "find.tactus": what is compared, then who did it
  std::string unit;  // "us"
  std::vector<double> samples;
  // Tries that ended in an error, and the last of those. They are no samples.
  int64_t failures = 0;
  std::string failure;
};

// {"series":"find.tactus","unit":"us","samples":[512],"failures":0}
std::string SeriesLine(const Series& series);
void PrintSeries(const Series& series);

// What else the judge needs to know of the run, or a reader to understand it.
void PrintFact(absl::string_view name, absl::string_view value);
void PrintFact(absl::string_view name, int64_t value);

}  // namespace tactus::ax::atspi::bench

#endif  // TACTUS_AX_ATSPI_BENCHMARK_SERIES_H_
