// bazel run -c opt //gate:transfer
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

constexpr char kGate[] = "transfer";
constexpr char kProbe[] = "transfer/benchmark/benchmark";
constexpr int kRuns = 3;
// What the probe ends with where two devices cannot be had at all.
constexpr int kNotAvailable = 3;
// Of a run, on a busy machine; what takes longer hangs.
constexpr absl::Duration kPatience = absl::Minutes(4);

#ifdef NDEBUG
constexpr bool kOptimized = true;
#else
constexpr bool kOptimized = false;
#endif

int Main(int argc, char** argv) {
  Common common;
  bool record = false;
  CLI::App app(
      "Pairs two daemons with homes of their own on this machine's loopback, "
      "and holds what\ngoes between them to the budgets transfer.*: round "
      "trip, first byte of a second file,\ncold connect, rate; the median of "
      "three runs of each.",
      kGate);
  app.add_flag("--record", record,
               "append what was measured to the ledger; needs -c opt");
  AddBudgets(app, &common);
  AddLedger(app, &common);
  AddCommon(app, &common);
  if (const int code = Parse(app, argc, argv); code >= 0) return code;
  absl::StatusOr<Budgets> budgets = OpenBudgets(common);
  if (!budgets.ok()) return UsageError(kGate, budgets.status());
  const std::string probe = Runfile(kProbe);
  if (probe.empty()) {
    return UsageError(kGate, absl::NotFoundError(absl::StrCat(
                                 kProbe,
                                 " is not among the runfiles: start it "
                                 "with bazel run")));
  }
  std::vector<std::string> command = {probe, "--lines", "--only",
                                      "echo,first,cold,rate"};
  if (record || !common.ledger.empty()) {
    if (!kOptimized) {
      return UsageError(kGate,
                        absl::FailedPreconditionError(
                            "rows are of optimized programs alone: bazel run "
                            "-c opt //gate:transfer -- --record"));
    }
    absl::StatusOr<std::string> folder = LedgerFolder(common);
    if (!folder.ok()) return UsageError(kGate, folder.status());
    command.insert(command.end(), {"--ledger", *folder});
  }

  Report report{.gate = kGate};
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
          {.name = kGate,
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
    report.checks = JudgeRuns(*budgets, readings);
    if (!kOptimized) {
      report.details.push_back(
          "not optimized: a user's is faster; -c opt measures what is shipped");
    }
  }
  return Finish(report, common);
}

}  // namespace
}  // namespace tactus::gate

int main(int argc, char** argv) { return tactus::gate::Main(argc, argv); }
