#include "gate/transfer_check.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gate/budgets.h"
#include "gate/reading.h"
#include "gate/verdict.h"
#include "ledger/row/row.h"
#include "ledger/stats/summary.h"

namespace tactus::gate {
namespace {

constexpr char kFloor[] = "/openssl";

// The median of each run; absent where a run has none.
std::optional<std::vector<double>> Medians(const std::string& series,
                                           absl::Span<const Reading> runs) {
  std::vector<double> medians;
  for (const Reading& run : runs) {
    const auto found = run.series.find(series);
    if (found == run.series.end()) return std::nullopt;
    absl::StatusOr<double> median =
        ledger::Quantile(found->second.samples, 0.5);
    if (!median.ok()) return std::nullopt;
    medians.push_back(*median);
  }
  return medians;
}

// Why the runs say nothing of the series; empty where they do.
std::string Lack(const std::string& series, absl::Span<const Reading> runs) {
  for (const Reading& run : runs) {
    if (run.broken > 0) return "the probe printed what cannot be read";
    const auto found = run.series.find(series);
    if (found == run.series.end()) return "was not measured";
    // Speed does not count where the outcome is wrong.
    if (found->second.failures > 0) {
      return absl::StrCat(found->second.failures,
                          " tries failed: ", found->second.failure);
    }
    if (found->second.samples.empty()) return "no samples";
  }
  return runs.empty() ? "nothing was run" : "";
}

Check JudgeOne(const Budget& budget, absl::Span<const Reading> runs) {
  const std::string lack = Lack(budget.series, runs);
  if (!lack.empty()) {
    return {.name = budget.name, .outcome = Outcome::kBreach, .reason = lack};
  }
  const ledger::Unit unit = runs[0].series.at(budget.series).unit;
  const std::vector<double> medians = *Medians(budget.series, runs);
  Check check = Judge(budget, medians, unit);
  check.details.push_back(absl::StrCat(
      "medians of the runs, in ", ledger::UnitName(unit), ": ",
      absl::StrJoin(medians, ", ", [](std::string* out, double median) {
        absl::StrAppend(out, Figure(median));
      })));
  if (check.outcome != Outcome::kBreach) return check;
  const std::optional<std::vector<double>> floor =
      Medians(absl::StrCat(budget.series, kFloor), runs);
  if (floor.has_value() &&
      Judge(budget, *floor, unit).outcome == Outcome::kBreach) {
    check.outcome = Outcome::kNotMeasurable;
    absl::StrAppend(&check.reason,
                    ", and bare OpenSSL in the same runs does not keep it "
                    "either: the machine is too slow or too busy to say");
  }
  return check;
}

}  // namespace

std::vector<Check> JudgeRuns(const Budgets& budgets, absl::string_view prefix,
                             absl::Span<const Reading> runs) {
  std::vector<Check> checks;
  for (const Budget& budget : budgets.budgets) {
    if (!absl::StartsWith(budget.name, prefix)) continue;
    checks.push_back(JudgeOne(budget, runs));
  }
  return checks;
}

}  // namespace tactus::gate
