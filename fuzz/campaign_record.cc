// Appends the rows of a campaign to the ledger; campaign.py starts it.
//
//   campaign_record --record | --ledger DIR < LINES
//
// A line is what one target came to: "SERIES less|more VALUE SECONDS SEEDS",
// seconds being the share of one core's time that the target had, and seeds
// those of its runs, with commas, or "-". Its row is fuzz/SERIES, a count of
// one sample, with the share and the seeds as its configuration.
//
// What is counted is how much was tried and reached, so the rows of a build
// with sanitizers are of the very thing that is asked for.
//
// Exit codes: 0 appended; 1 not, or not all; 2 usage.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fuzz/campaign_harness.h"
#include "ledger/record/recorder.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "campaign_record: %s\n",
               std::string(status.message()).c_str());
  return 1;
}

int Main(bool record, const std::string& option) {
  const absl::StatusOr<std::string> ledger = LedgerDirectory(record, option);
  if (!ledger.ok()) return Fail(ledger.status());
  const absl::StatusOr<std::unique_ptr<Recorder>> recorder =
      Recorder::Start({.instrument = "//fuzz:campaign",
                       .harness = kHarnessDigest,
                       .ledger = *ledger,
                       .prefix = "fuzz/",
                       .optimized = true});
  if (!recorder.ok()) return Fail(recorder.status());
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string name;
    std::string direction;
    int64_t value = 0;
    std::string seconds;
    std::string seeds;
    if (!(words >> name >> direction >> value >> seconds >> seeds)) {
      return Fail(absl::InvalidArgumentError("not a line of a campaign"));
    }
    const absl::StatusOr<Direction> better = ParseDirection(direction);
    if (!better.ok()) return Fail(better.status());
    const absl::Status recorded =
        (*recorder)->Record({.name = name,
                             .unit = Unit::kCount,
                             .direction = *better,
                             .samples = {static_cast<double>(value)}},
                            {{"seconds", seconds}, {"seeds", seeds}});
    if (!recorded.ok()) return Fail(recorded);
  }
  return 0;
}

}  // namespace
}  // namespace tactus::ledger

int main(int argc, char** argv) {
  bool record = false;
  std::string ledger;
  CLI::App app("Appends the rows of a campaign to the ledger.");
  CLI::Option_group* where = app.add_option_group("where");
  where->add_flag("--record", record, "to docs/perf/data of the workspace");
  where->add_option("--ledger", ledger, "to the ledger in this folder");
  where->require_option(1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return tactus::ledger::Main(record, ledger);
}
