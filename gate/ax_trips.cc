// bazel run //gate:ax_trips: flights and calls of snapshots and edits, exactly.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gate/budgets.h"
#include "gate/command_line.h"
#include "gate/desktop.h"
#include "gate/trips.h"
#include "gate/verdict.h"

namespace tactus::gate {
namespace {

constexpr char kGate[] = "ax_trips";
constexpr char kMock[] = "mock";
constexpr char kProbe[] = "ax/atspi/probe/trips_probe";

int Main(int argc, char** argv) {
  Common common;
  std::vector<std::string> on;
  CLI::App app(
      "Holds the flights and calls of snapshots and edits to the table "
      "\"trips\" of the\nbudgets, exactly: on the mock server, and on real "
      "toolkits on a private desktop.",
      kGate);
  app.add_option("--on", on,
                 "where, of the table's rows: mock,gtk3,… (default: all)")
      ->delimiter(',');
  AddBudgets(app, &common);
  AddCommon(app, &common);
  if (const int code = Parse(app, argc, argv); code >= 0) return code;
  absl::StatusOr<Budgets> budgets = OpenBudgets(common);
  if (!budgets.ok()) return UsageError(kGate, budgets.status());
  if (on.empty()) {
    for (const auto& [where, table] : budgets->trips) on.push_back(where);
  }
  Report report{.gate = kGate};
  for (const std::string& where : on) {
    const bool mock = where == kMock;
    const Staging staging{
        .application = where,
        .probe = kProbe,
        .arguments = mock ? std::vector<std::string>{"--mock"}
                          : std::vector<std::string>{"--text", "lazy dog"}};
    Staged staged = mock ? RunProbe(staging) : RunOnDesktop(staging);
    if (staged.refusal.has_value()) {
      report.checks.push_back(*std::move(staged.refusal));
      continue;
    }
    for (Check& check : JudgeTrips(where, budgets->trips[where], staged.out)) {
      report.checks.push_back(std::move(check));
    }
  }
  return Finish(report, common);
}

}  // namespace
}  // namespace tactus::gate

int main(int argc, char** argv) { return tactus::gate::Main(argc, argv); }
