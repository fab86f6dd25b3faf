#include "gate/peer_gate.h"

#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gate/budgets.h"
#include "gate/command_line.h"
#include "gate/process.h"
#include "gate/reading.h"
#include "gate/transfer_check.h"
#include "gate/verdict.h"

namespace tactus::gate {
namespace {

constexpr int kRuns = 3;
// What the probe ends with where two devices cannot be had at all.
constexpr int kNotAvailable = 3;
// Of a run, on a busy machine; what takes longer hangs.
constexpr absl::Duration kPatience = absl::Minutes(4);

}  // namespace

int RunPeerGate(const PeerGate& gate, int argc, char** argv) {
  Common common;
  bool record = false;
  CLI::App app(gate.about, gate.name);
  app.add_flag("--record", record,
               "append what was measured to the ledger; needs -c opt");
  AddBudgets(app, &common);
  AddLedger(app, &common);
  AddCommon(app, &common);
  if (const int code = Parse(app, argc, argv); code >= 0) return code;
  absl::StatusOr<Budgets> budgets = OpenBudgets(common);
  if (!budgets.ok()) return UsageError(gate.name, budgets.status());
  const std::string probe = Runfile(gate.probe);
  if (probe.empty()) {
    return UsageError(gate.name, absl::NotFoundError(absl::StrCat(
                                     gate.probe,
                                     " is not among the runfiles: start it "
                                     "with bazel run")));
  }
  std::vector<std::string> command = {probe, "--lines"};
  command.insert(command.end(), gate.arguments.begin(), gate.arguments.end());
  if (record || !common.ledger.empty()) {
    if (!kOptimized) {
      return UsageError(gate.name, OnlyOptimized(gate.name));
    }
    absl::StatusOr<std::string> folder = LedgerFolder(common);
    if (!folder.ok()) return UsageError(gate.name, folder.status());
    command.insert(command.end(), {"--ledger", *folder});
  }

  Report report{.gate = gate.name};
  std::vector<Reading> readings;
  StopOnSignals();
  for (int run = 0; run < kRuns; ++run) {
    const absl::StatusOr<Ran> ran =
        RunProgram(command, {.patience = kPatience});
    if (const int number = StoppedBy(); number != 0) return 128 + number;
    if (!ran.ok() || ran->timed_out || ran->code != 0) {
      const std::string said =
          ran.ok() ? LastLine(ran->err) : std::string(ran.status().message());
      const bool unavailable = ran.ok() && ran->code == kNotAvailable;
      report.checks.push_back(
          {.name = gate.name,
           .outcome = unavailable ? Outcome::kNotMeasurable : Outcome::kBreach,
           .reason = absl::StrCat(unavailable ? "two devices cannot be had here"
                                  : ran.ok() && ran->timed_out
                                      ? "the probe did not end in time"
                                      : "the probe failed",
                                  said.empty() ? "" : ": ", said)});
      break;
    }
    readings.push_back(ReadLines(ran->out));
  }
  if (report.checks.empty()) {
    report.checks = JudgeRuns(*budgets, gate.name + ".", readings);
    if (!kOptimized) {
      report.details.push_back(
          "not optimized: a user's is faster; -c opt measures what is shipped");
    }
  }
  return Finish(report, common);
}

}  // namespace tactus::gate
