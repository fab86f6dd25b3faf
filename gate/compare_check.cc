#include "gate/compare_check.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gate/measurement.h"
#include "gate/verdict.h"
#include "ledger/row/row.h"
#include "ledger/stats/compare.h"

namespace tactus::gate {
namespace {

using ledger::Comparison;
using ledger::PairedComparison;

}  // namespace

Check CompareInTurn(const CompareQuestion& question, const MeasureSide& base,
                    const MeasureSide& present) {
  Check check{.name = question.name};
  const auto no = [&](Outcome outcome, std::string reason) {
    check.outcome = outcome;
    check.reason = std::move(reason);
    return check;
  };
  std::optional<PairedComparison> comparison;
  ledger::ComparisonOptions options = question.options;
  for (int64_t pair = 0; !comparison.has_value() ||
                         comparison->verdict() == Comparison::kNeedsMore;
       ++pair) {
    absl::StatusOr<Measurement> first, second;
    const bool base_first = pair % 2 == 0;
    first = base_first ? base() : present();
    if (first.ok()) second = base_first ? present() : base();
    const absl::StatusOr<Measurement>& of_base = base_first ? first : second;
    const absl::StatusOr<Measurement>& of_present = base_first ? second : first;
    // The one that was measured first, if that failed: the other was not tried.
    const bool base_failed =
        base_first ? !first.ok() : first.ok() && !second.ok();
    if (!first.ok() || !second.ok()) {
      const absl::Status& why =
          base_failed ? of_base.status() : of_present.status();
      return base_failed
                 ? no(Outcome::kNotMeasurable,
                      absl::StrCat("the base cannot be measured: ",
                                   why.message()))
                 : no(Outcome::kBreach,
                      absl::StrCat("the present build cannot be measured: ",
                                   why.message()));
    }
    if (of_base->unit != of_present->unit ||
        of_base->better != of_present->better) {
      return no(Outcome::kBreach,
                "the two measure in different units or directions");
    }
    if (!comparison.has_value()) {
      options.better = of_base->better;
      absl::StatusOr<ledger::ComparisonPlan> plan =
          ledger::ComparisonPlan::Make(options);
      if (!plan.ok()) {
        return no(Outcome::kNotMeasurable,
                  std::string(plan.status().message()));
      }
      comparison.emplace(*std::move(plan));
    }
    if (absl::Status s = comparison->Add(of_base->value, of_present->value);
        !s.ok()) {
      return no(Outcome::kBreach, std::string(s.message()));
    }
    if (question.progress) {
      question.progress(
          absl::StrFormat("pair %d: base %s, present %s %s", pair + 1,
                          Figure(of_base->value), Figure(of_present->value),
                          std::string(ledger::UnitName(of_base->unit))));
    }
  }
  const absl::StatusOr<PairedComparison::Ratio> ratio = comparison->ratio();
  if (!ratio.ok()) {
    return no(Outcome::kBreach, std::string(ratio.status().message()));
  }
  const std::string figures = absl::StrFormat(
      "present over base %.3f, between %.3f and %.3f, %d pairs, %s %% sure",
      ratio->estimate, ratio->low, ratio->high, comparison->pairs(),
      Figure((1 - options.error) * 100));
  // How far the end that is worse lies from what is called the same.
  check.headroom = options.better == ledger::Better::kLess
                       ? (1 + options.margin) / ratio->high
                       : ratio->low * (1 + options.margin);
  switch (comparison->verdict()) {
    case Comparison::kFaster:
      return no(Outcome::kPass, absl::StrCat("faster: ", figures));
    case Comparison::kSame:
      return no(Outcome::kPass,
                absl::StrCat("the same within ", Figure(options.margin * 100),
                             " %: ", figures));
    case Comparison::kSlower:
      return no(Outcome::kBreach, absl::StrCat("slower: ", figures));
    case Comparison::kUndecided:
    case Comparison::kNeedsMore:
      break;
  }
  return no(Outcome::kNotMeasurable,
            absl::StrCat("undecided at the cap: ", figures));
}

}  // namespace tactus::gate
