#include "gate/read_gate.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gate/budgets.h"
#include "gate/command_line.h"
#include "gate/desktop.h"
#include "gate/reading.h"
#include "gate/verdict.h"
#include "ledger/row/row.h"

namespace tactus::gate {
namespace {

constexpr char kProbe[] = "ax/atspi/probe/read_probe";

}  // namespace

int RunReadGate(const ReadGate& gate, int argc, char** argv) {
  Common common;
  std::vector<std::string> applications = {"gtk3"};
  bool record = false;
  int samples = 200;
  int cap = 1000;
  double slow_ms = 0;
  CLI::App app(gate.about, gate.name);
  app.add_option("--apps", applications,
                 "which editors are staged (default: gtk3)")
      ->delimiter(',')
      ->check(CLI::IsMember({"gtk3", "gtk4", "qt5", "qt6", "mousepad",
                             "featherpad", "gnome-text-editor", "libreoffice",
                             "vte", "chromium", "firefox"}));
  app.add_flag("--record", record,
               "append what was measured to the ledger; needs -c opt");
  app.add_option("--samples", samples, "samples at first (default: 200)")
      ->check(CLI::Range(20, 4000));
  app.add_option("--cap", cap,
                 "samples at most, where the first are too few (default: 1000)")
      ->check(CLI::Range(20, 4000));
  app.add_option("--slow", slow_ms,
                 "make each read so many milliseconds slower, to see it breach")
      ->check(CLI::Range(0.0, 1000.0));
  AddBudgets(app, &common);
  AddLedger(app, &common);
  AddCommon(app, &common);
  if (const int code = Parse(app, argc, argv); code >= 0) return code;
  absl::StatusOr<Budgets> budgets = OpenBudgets(common);
  if (!budgets.ok()) return UsageError(gate.name, budgets.status());

  std::vector<std::string> arguments = {
      "--text", "lazy dog",        "--samples", absl::StrCat(samples),
      "--cap",  absl::StrCat(cap), "--slow-ms", absl::StrCat(slow_ms)};
  if (gate.ratio) arguments.push_back("--ratio");
  // What the probe is to be sure of. Of the ratio it takes a fixed number.
  double confidence = 0;
  for (const Budget& budget : budgets->budgets) {
    if (gate.ratio || budget.series != gate.series) continue;
    if (budget.statistic != "p50" && budget.statistic != "p99") continue;
    absl::StatusOr<double> bound =
        Convert(budget.bound, budget.unit, ledger::Unit::kMilliseconds);
    if (!bound.ok()) return UsageError(gate.name, bound.status());
    arguments.push_back(absl::StrCat("--", budget.statistic, "-ms"));
    arguments.push_back(absl::StrCat(*bound));
    confidence = std::max(confidence, budget.confidence);
  }
  if (confidence > 0) {
    arguments.push_back("--confidence");
    arguments.push_back(absl::StrCat(confidence));
  }
  if (record || !common.ledger.empty()) {
    if (!kOptimized) {
      return UsageError(gate.name, OnlyOptimized(gate.name));
    }
    if (slow_ms > 0) {
      return UsageError(gate.name,
                        absl::InvalidArgumentError(
                            "--slow: what was slowed on purpose is not "
                            "recorded"));
    }
    absl::StatusOr<std::string> folder = LedgerFolder(common);
    if (!folder.ok()) return UsageError(gate.name, folder.status());
    // The first row that is ever recorded finds no folder.
    std::error_code error;
    std::filesystem::create_directories(*folder, error);
    if (error) {
      return UsageError(gate.name,
                        absl::NotFoundError(absl::StrCat(
                            *folder, " cannot be made: ", error.message())));
    }
    arguments.push_back("--ledger");
    arguments.push_back(*folder);
  }

  Report report{.gate = gate.name};
  for (const std::string& application : applications) {
    Staging staging{
        .application = application, .probe = kProbe, .arguments = arguments};
    staging.arguments.push_back("--application");
    staging.arguments.push_back(application);
    Staged staged = RunOnDesktop(staging);
    if (staged.refusal.has_value()) {
      report.checks.push_back(*std::move(staged.refusal));
      continue;
    }
    const Reading reading = ReadLines(staged.out);
    for (Check& check :
         JudgeReading(gate.series, *budgets, application, reading)) {
      report.checks.push_back(std::move(check));
    }
    for (std::string& detail : Details(reading)) {
      report.details.push_back(
          absl::StrCat(application, ": ", std::move(detail)));
    }
  }
  return Finish(report, common);
}

}  // namespace tactus::gate
