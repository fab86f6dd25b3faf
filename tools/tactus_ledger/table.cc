#include "tools/tactus_ledger/table.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "ax/text/escape.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

// "-" for what a row does not say; '+' behind a commit that the tree was not.
std::string CommitOf(const Row& row) {
  return absl::StrCat(row.commit.empty() ? "-" : row.commit.substr(0, 8),
                      row.dirty ? "+" : "");
}

}  // namespace

std::string TableHeader() {
  return absl::StrFormat(
      "%-20s %10s %10s %10s %10s %-6s %6s %-9s %-9s %-8s %s\n", "date", "min",
      "p50", "p99", "max", "unit", "n", "label", "commit", "device", "series");
}

std::string TableLine(const Row& row) {
  std::string what = SeriesKey(row);
  if (row.failures > 0) {
    absl::StrAppend(&what, "  (", row.failures, " failed)");
  }
  const Summary& summary = row.summary;
  return absl::StrFormat(
      "%-20s %10.6g %10.6g %10.6g %10.6g %-6s %6d %-9s %-9s %-8s %s\n",
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", row.date, absl::UTCTimeZone()),
      summary.min, summary.p50, summary.p99, summary.max, UnitName(row.unit),
      summary.n, LabelName(row.label), CommitOf(row),
      row.device.id.substr(0, 8), ax::ForTerminal(what));
}

}  // namespace tactus::ledger
