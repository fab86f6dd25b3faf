#include "gate/regression_check.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gate/verdict.h"
#include "ledger/row/row.h"
#include "ledger/stats/regression.h"

namespace tactus::gate {
namespace {

using ledger::BaselineCheck;
using ledger::BaselineVerdict;

std::string Percent(double share) {
  return absl::StrFormat("%+.1f %%", share * 100);
}

bool Worse(const BaselineCheck& check) {
  return check.verdict == BaselineVerdict::kRegressed ||
         check.verdict == BaselineVerdict::kDrifted;
}

std::string Describe(const RegressionQuestion& question,
                     const BaselineCheck& check, size_t measurements) {
  const std::string unit(ledger::UnitName(question.unit));
  return absl::StrCat(Figure(check.present), " ", unit, ", median of ",
                      measurements, ": ", Percent(check.worse_than_recent),
                      " worse than the recent ", Figure(check.recent), " and ",
                      Percent(check.worse_than_anchor), " than the anchor ",
                      Figure(check.anchor));
}

}  // namespace

Check CheckRegression(const RegressionQuestion& question, const Again& again) {
  Check check{.name = question.name};
  const ledger::BaselineOptions options = {.better = question.better};
  const auto few = [&](size_t rows) {
    return rows < static_cast<size_t>(options.min_present);
  };
  if (few(question.history.size()) || question.present.empty()) {
    check.reason =
        absl::StrCat("no baseline: ", question.history.size(),
                     " rows before and ", question.present.size(),
                     " now, and it takes ", options.min_rows, " of each");
    return check;
  }
  const absl::StatusOr<BaselineCheck> first =
      ledger::CheckBaseline(question.history, question.present, options);
  const auto broken = [&](std::string reason) {
    check.outcome = Outcome::kBreach;
    check.reason = std::move(reason);
    return check;
  };
  // A value that is zero, negative or no number.
  if (!first.ok()) return broken(std::string(first.status().message()));
  if (first->verdict == BaselineVerdict::kNoBaseline) {
    check.reason =
        absl::StrCat("no baseline: ", question.history.size(),
                     " rows before and ", question.present.size(),
                     " now, and it takes ", options.min_rows, " of each");
    return check;
  }
  const auto room = [&](const BaselineCheck& of) {
    const double worst = std::max(of.worse_than_recent, of.worse_than_anchor);
    return (1 + options.noise) / (1 + worst);
  };
  if (first->verdict == BaselineVerdict::kImplausible) {
    return broken(
        absl::StrCat(Describe(question, *first, question.present.size()),
                     "; better than can be believed: look at the instrument"));
  }
  BaselineCheck said = *first;
  size_t measurements = question.present.size();
  const bool any_worse =
      std::max(first->worse_than_recent, first->worse_than_anchor) > 0;
  if (any_worse && again != nullptr) {
    absl::StatusOr<std::vector<double>> more = again();
    if (!more.ok()) return broken(std::string(more.status().message()));
    check.details.push_back(absl::StrCat(
        "at first ", Describe(question, *first, question.present.size()),
        "; measured again"));
    std::vector<double> judged = *more;
    if (!Worse(*first)) {
      judged.insert(judged.end(), question.present.begin(),
                    question.present.end());
    }
    const absl::StatusOr<BaselineCheck> second =
        ledger::CheckBaseline(question.history, judged, options);
    if (!second.ok()) return broken(std::string(second.status().message()));
    said = *second;
    measurements = judged.size();
    if (said.verdict == BaselineVerdict::kNoBaseline) {
      check.reason = "too few measurements the second time";
      return check;
    }
    if (said.verdict == BaselineVerdict::kImplausible) {
      return broken(absl::StrCat(
          Describe(question, said, measurements),
          "; better than can be believed: look at the instrument"));
    }
    if (Worse(*first) && !Worse(said)) {
      check.details.push_back("not confirmed the second time");
    }
  }
  check.headroom = room(said);
  check.reason = Describe(question, said, measurements);
  if (Worse(said)) {
    check.outcome = Outcome::kBreach;
    absl::StrAppend(&check.reason,
                    said.verdict == BaselineVerdict::kDrifted
                        ? "; small steps that added up"
                        : (any_worse && again != nullptr ? "; confirmed" : ""));
  } else {
    check.outcome = Outcome::kPass;
  }
  return check;
}

}  // namespace tactus::gate
