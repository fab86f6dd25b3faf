// How a program that measures is told where its rows go, and under which name.
//
// Example:
//
//   RecordOptions record;
//   AddRecordOptions(app, &record);
//   ...
//   absl::StatusOr<std::unique_ptr<ledger::Recorder>> recorder =
//       StartRecorder(record, "//ax/atspi:edit_benchmark",
//                     ledger::kHarnessDigest);
#ifndef TACTUS_AX_ATSPI_BENCHMARK_RECORD_OPTIONS_H_
#define TACTUS_AX_ATSPI_BENCHMARK_RECORD_OPTIONS_H_

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "ledger/record/recorder.h"

namespace tactus::ax::atspi::bench {

struct RecordOptions {
  std::string ledger;
  std::string run;
  std::string application;
  std::string beside;
};

// --ledger, --run, --application, --beside.
void AddRecordOptions(CLI::App& app, RecordOptions* options);

// Series are called "focused_text/…"; the application and what else is open are
// their configuration.
absl::StatusOr<std::unique_ptr<ledger::Recorder>> StartRecorder(
    const RecordOptions& options, const std::string& instrument,
    const std::string& harness);

}  // namespace tactus::ax::atspi::bench

#endif  // TACTUS_AX_ATSPI_BENCHMARK_RECORD_OPTIONS_H_
