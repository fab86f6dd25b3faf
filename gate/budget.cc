// bazel run //gate:budget: the newest rows of a ledger held to a file of
// budgets.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gate/budgets.h"
#include "gate/command_line.h"
#include "gate/histories.h"
#include "gate/verdict.h"
#include "ledger/stats/better.h"
#include "ledger/stats/regression.h"
#include "ledger/stats/summary.h"

namespace tactus::gate {
namespace {

constexpr char kGate[] = "budget";
// Below this a median of what was before says nothing.
constexpr size_t kRowsToDoubtBy = 3;

// The newest row, and whether it can be true beside those before it.
Check CheckNewest(const Budget& budget, const History& history) {
  if (history.mixed) {
    return {.name = budget.name,
            .outcome = Outcome::kBreach,
            .reason = "its rows are in several units or directions"};
  }
  const Entry& newest = history.entries.back();
  Check check = Judge(budget, newest.samples, history.unit);
  check.details.push_back(absl::StrCat(
      history.key, ", row ", newest.id.substr(0, 12), ", ", Describe(newest)));
  if (check.outcome != Outcome::kPass ||
      history.entries.size() <= kRowsToDoubtBy) {
    return check;
  }
  std::vector<double> before = history.values();
  const double now = before.back();
  before.pop_back();
  const absl::StatusOr<double> median = ledger::Median(before);
  const double factor = ledger::BaselineOptions().implausible;
  if (!median.ok()) return check;
  const bool wonder = history.better() == ledger::Better::kLess
                          ? now < *median / factor
                          : now > *median * factor;
  if (wonder) {
    check.outcome = Outcome::kBreach;
    absl::StrAppend(&check.reason, ", and more than ", Figure(factor),
                    " times better than the median of the rows before: look at "
                    "the instrument");
  }
  return check;
}

Check CheckBudget(const Budget& budget, const std::string& folder,
                  const std::string& device, std::vector<std::string>* told) {
  const HistoryFilter filter = {.device = device,
                                .series = budget.series,
                                .configuration = budget.configuration,
                                .keep_samples = true};
  absl::StatusOr<Histories> read = ReadHistories(folder, filter);
  if (!read.ok()) {
    return {.name = budget.name,
            .reason = std::string(read.status().message())};
  }
  if (told->empty()) *told = ReadDetails(*read);
  if (const std::string why = WhyNone(*read, filter); !why.empty()) {
    return {.name = budget.name, .reason = why};
  }
  // Several configurations or devices: each must keep it, the worst is told.
  Check worst;
  bool first = true;
  for (const History& history : read->histories) {
    Check check = CheckNewest(budget, history);
    if (first || check.outcome > worst.outcome ||
        (check.outcome == worst.outcome &&
         check.headroom.value_or(0) < worst.headroom.value_or(0))) {
      worst = std::move(check);
    }
    first = false;
  }
  return worst;
}

int Main(int argc, char** argv) {
  Common common;
  std::string device;
  std::vector<std::string> names;
  CLI::App app(
      "Holds the newest row of each series to the budgets of a file: of this "
      "repository or\nof any other that keeps a ledger.",
      kGate);
  app.add_option("--only", names, "the names of budgets (default: all)")
      ->delimiter(',');
  app.add_option("--device", device,
                 "the id of a device, or any (default: this one)");
  AddBudgets(app, &common);
  AddLedger(app, &common);
  AddCommon(app, &common);
  if (const int code = Parse(app, argc, argv); code >= 0) return code;
  absl::StatusOr<Budgets> budgets = OpenBudgets(common);
  if (!budgets.ok()) return UsageError(kGate, budgets.status());
  absl::StatusOr<std::string> folder = LedgerFolder(common);
  if (!folder.ok()) return UsageError(kGate, folder.status());
  absl::StatusOr<std::string> id = DeviceOrThis(device);
  if (!id.ok()) return UsageError(kGate, id.status());
  for (const std::string& name : names) {
    if (budgets->Find(name) == nullptr) {
      return UsageError(
          kGate, absl::NotFoundError(absl::StrCat("no budget '", name, "'")));
    }
  }
  Report report{.gate = kGate};
  for (const Budget& budget : budgets->budgets) {
    if (!names.empty() &&
        std::find(names.begin(), names.end(), budget.name) == names.end()) {
      continue;
    }
    report.checks.push_back(CheckBudget(budget, *folder, *id, &report.details));
  }
  return Finish(report, common);
}

}  // namespace
}  // namespace tactus::gate

int main(int argc, char** argv) { return tactus::gate::Main(argc, argv); }
