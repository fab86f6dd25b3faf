#include "gate/history_check.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gate/histories.h"
#include "gate/shifts.h"
#include "gate/verdict.h"
#include "ledger/row/row.h"
#include "ledger/stats/better.h"
#include "ledger/stats/changepoints.h"

namespace tactus::gate {
namespace {

// Fewer rows than this hold no change that statistics can tell from noise.
constexpr size_t kFewest = 3;

bool Worse(ledger::Better better, double before, double after) {
  return better == ledger::Better::kLess ? after > before : after < before;
}

}  // namespace

Check CheckHistory(const History& history, const std::vector<Shift>& shifts,
                   const ledger::ChangePointOptions& options) {
  Check check{.name = history.key};
  if (history.mixed) {
    check.outcome = Outcome::kBreach;
    check.reason = "its rows are in several units or directions";
    return check;
  }
  const size_t n = history.entries.size();
  if (n < kFewest) {
    check.reason = absl::StrCat(n, " rows, and a change takes ", kFewest);
    return check;
  }
  const absl::StatusOr<std::vector<ledger::ChangePoint>> points =
      ledger::FindChangePoints(history.values(), options);
  if (!points.ok()) {
    check.outcome = Outcome::kBreach;
    check.reason = std::string(points.status().message());
    return check;
  }
  const ledger::Better better = history.better();
  const std::string unit(ledger::UnitName(history.unit));
  int unmeant = 0;
  for (size_t i = 0; i < points->size(); ++i) {
    const ledger::ChangePoint& point = (*points)[i];
    const Entry& entry = history.entries[static_cast<size_t>(point.index)];
    const Entry& before = history.entries[static_cast<size_t>(point.index) - 1];
    std::string line = absl::StrCat(
        Figure(point.mean_before), " to ", Figure(point.mean_after), " ", unit,
        " (",
        absl::StrFormat("%+.1f %%", (point.mean_after - point.mean_before) /
                                        std::abs(point.mean_before) * 100),
        ") at row ", point.index, ", ", Describe(entry), ", after ",
        Describe(before));
    const Shift* shift = ShiftAt(shifts, history, entry);
    if (!Worse(better, point.mean_before, point.mean_after)) {
      line += ": better";
    } else if (shift != nullptr) {
      absl::StrAppend(&line, ": meant, ", shift->why);
    } else if (std::any_of(points->begin() + static_cast<ptrdiff_t>(i) + 1,
                           points->end(), [&](const auto& later) {
                             return !Worse(better, point.mean_before,
                                           later.mean_after);
                           })) {
      line += ": worse, and taken back later";
    } else {
      line += ": worse, and nobody wrote down that it was meant";
      if (unmeant++ == 0) check.reason = line;
    }
    check.details.push_back(std::move(line));
  }
  if (unmeant > 0) {
    check.outcome = Outcome::kBreach;
    return check;
  }
  check.outcome = Outcome::kPass;
  check.reason = absl::StrCat(n, " rows, ", points->size(), " changes",
                              points->empty() ? ""
                                              : ", none for the worse that "
                                                "was not meant");
  return check;
}

}  // namespace tactus::gate
