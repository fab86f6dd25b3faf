// Which rows a command is about.
//
// Example:
//
//   if (Matches({.series = "edit"}, row)) …   // of "edit", "edit/gtk3", …
#ifndef TACTUS_TOOLS_TACTUS_LEDGER_FILTER_H_
#define TACTUS_TOOLS_TACTUS_LEDGER_FILTER_H_

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ledger/row/row.h"

namespace tactus::ledger {

// What is empty is no condition.
struct Filter {
  std::string series;      // itself, and what is below it
  std::string instrument;  // its whole name
  std::string device;      // the start of its id
  std::string commit;      // the start of it
};

inline bool Matches(const Filter& filter, const Row& row) {
  return (filter.series.empty() || row.series == filter.series ||
          absl::StartsWith(row.series, absl::StrCat(filter.series, "/"))) &&
         (filter.instrument.empty() ||
          row.instrument.name == filter.instrument) &&
         absl::StartsWith(row.device.id, filter.device) &&
         absl::StartsWith(row.commit, filter.commit);
}

}  // namespace tactus::ledger

#endif  // TACTUS_TOOLS_TACTUS_LEDGER_FILTER_H_
