// Where what was measured goes: to the judge, as a line of JSON each on
// standard output, and to the ledger when one is given.
//
// Nothing is summed up here. A median is the judge's to take, and whoever reads
// the ledger wants the samples.
//
// Example:
//
//   Report report(recorder.get());
//   report.Add({.name = "find.tactus", .samples = {512.0}});
//   report.Count("find.tactus.flights", 2);
//   report.Fact("held.route", "socket");
//   if (!report.status().ok()) …   // a row was not written
#ifndef TACTUS_AX_ATSPI_BENCHMARK_REPORT_H_
#define TACTUS_AX_ATSPI_BENCHMARK_REPORT_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "ledger/record/recorder.h"
#include "ledger/record/series.h"

namespace tactus::ax::atspi::bench {

// {"series":"find.tactus","unit":"us","samples":[512],"failures":0}
std::string SeriesLine(const ledger::Series& series);

class Report {
 public:
  // `recorder` must outlive this.
  explicit Report(ledger::Recorder* recorder) : recorder_(*recorder) {}

  // Printed at once and recorded, so that what was measured is known even if
  // the process then dies. A series without samples is printed alone.
  void Add(const ledger::Series& series);

  // A number that is the same each time, such as of round trips: a fact for the
  // judge, and a row of one sample.
  void Count(absl::string_view name, int64_t value);

  // What else the judge needs to know of the run, or a reader to understand it.
  void Fact(absl::string_view name, absl::string_view value);
  void Fact(absl::string_view name, int64_t value);

  // The first row that could not be recorded.
  const absl::Status& status() const { return status_; }

 private:
  void Record(const ledger::Series& series);

  ledger::Recorder& recorder_;
  absl::Status status_;
};

}  // namespace tactus::ax::atspi::bench

#endif  // TACTUS_AX_ATSPI_BENCHMARK_REPORT_H_
