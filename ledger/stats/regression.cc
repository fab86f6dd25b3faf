#include "ledger/stats/regression.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ledger/stats/summary.h"

namespace tactus::ledger {
namespace {

absl::Status CheckPositive(absl::Span<const double> values,
                           absl::string_view what) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] > 0) || std::isinf(values[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, "[", i, "] is ", values[i],
                       ", not a positive number: the run that wrote it did not "
                       "measure"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOptions(const BaselineOptions& options) {
  if (!(options.noise > 0) || std::isinf(options.noise)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "noise is ", options.noise, ": it must be a number above 0"));
  }
  if (!(options.implausible > 1 + options.noise) ||
      std::isinf(options.implausible)) {
    return absl::InvalidArgumentError(
        absl::StrCat("implausible is ", options.implausible,
                     ": it must be a factor above that of the noise"));
  }
  for (const auto& [value, name] :
       {std::pair(options.recent_rows, "recent_rows"),
        std::pair(options.anchor_rows, "anchor_rows"),
        std::pair(options.min_rows, "min_rows"),
        std::pair(options.min_present, "min_present")}) {
    if (value < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " is ", value, ": it must be 1 at least"));
    }
  }
  return absl::OkStatus();
}

// Of values that were checked, and are not none.
double MedianOf(absl::Span<const double> values) {
  return Median(values).value_or(0);
}

// The factor by which `present` is worse than `base`; below 1 it is better.
double Worse(double present, double base, Better better) {
  return better == Better::kLess ? present / base : base / present;
}

double Anchor(absl::Span<const double> history,
              const BaselineOptions& options) {
  const size_t rows =
      std::min(static_cast<size_t>(options.anchor_rows), history.size());
  double anchor = MedianOf(history.first(rows));
  for (size_t begin = 1; begin + rows <= history.size(); ++begin) {
    const double later = MedianOf(history.subspan(begin, rows));
    if (Worse(anchor, later, options.better) > 1 + options.noise) {
      anchor = later;
    }
  }
  return anchor;
}

}  // namespace

absl::string_view BaselineVerdictName(BaselineVerdict verdict) {
  switch (verdict) {
    case BaselineVerdict::kPass:
      return "pass";
    case BaselineVerdict::kImproved:
      return "improved";
    case BaselineVerdict::kRegressed:
      return "regressed";
    case BaselineVerdict::kDrifted:
      return "drifted";
    case BaselineVerdict::kImplausible:
      return "implausible";
    case BaselineVerdict::kNoBaseline:
      return "no baseline";
  }
  return "unknown";
}

absl::StatusOr<BaselineCheck> CheckBaseline(absl::Span<const double> history,
                                            absl::Span<const double> present,
                                            const BaselineOptions& options) {
  absl::Status status = CheckOptions(options);
  if (status.ok()) status = CheckSamples(present, "present");
  if (status.ok()) status = CheckPositive(present, "present");
  if (status.ok()) status = CheckPositive(history, "history");
  if (!status.ok()) return status;

  BaselineCheck check;
  check.present = MedianOf(present);
  if (static_cast<int64_t>(history.size()) < options.min_rows ||
      static_cast<int64_t>(present.size()) < options.min_present) {
    return check;
  }
  check.recent = MedianOf(history.last(
      std::min(static_cast<size_t>(options.recent_rows), history.size())));
  check.anchor = Anchor(history, options);
  const double recent = Worse(check.present, check.recent, options.better);
  const double anchor = Worse(check.present, check.anchor, options.better);
  check.worse_than_recent = recent - 1;
  check.worse_than_anchor = anchor - 1;

  const double worst = 1 + options.noise;
  if (std::min(recent, anchor) < 1 / options.implausible) {
    check.verdict = BaselineVerdict::kImplausible;
  } else if (recent > worst) {
    check.verdict = BaselineVerdict::kRegressed;
  } else if (anchor > worst) {
    check.verdict = BaselineVerdict::kDrifted;
  } else if (std::max(recent, anchor) < 1 / worst) {
    check.verdict = BaselineVerdict::kImproved;
  } else {
    check.verdict = BaselineVerdict::kPass;
  }
  return check;
}

}  // namespace tactus::ledger
