#include "ax/atspi/benchmark/record_options.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "ledger/record/recorder.h"

namespace tactus::ax::atspi::bench {

void AddRecordOptions(CLI::App& app, RecordOptions* options) {
  app.add_option("--ledger", options->ledger,
                 "append a row for each series to the ledger in this folder");
  app.add_option("--run", options->run,
                 "what the rows of one run share, 16 hexadecimal digits");
  app.add_option("--application", options->application,
                 "which application has the focus, for the rows");
  app.add_option("--beside", options->beside,
                 "how many others are open, for the rows");
}

absl::StatusOr<std::unique_ptr<ledger::Recorder>> StartRecorder(
    const RecordOptions& options, const std::string& instrument,
    const std::string& harness) {
  ledger::Recorder::Options to = {.instrument = instrument,
                                  .harness = harness,
                                  .ledger = options.ledger,
                                  .prefix = "focused_text/",
                                  .run = options.run};
  if (!options.application.empty()) {
    to.configuration["application"] = options.application;
  }
  if (!options.beside.empty()) to.configuration["beside"] = options.beside;
  return ledger::Recorder::Start(std::move(to));
}

}  // namespace tactus::ax::atspi::bench
