#include "site/testing/rows.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "ledger/row/row.h"
#include "ledger/stats/summary.h"

namespace tactus::site {

using ledger::Label;
using ledger::Row;

Row MakeRow(const MadeUp& made_up) {
  Row row;
  row.run = absl::StrFormat("%016x", made_up.run);
  row.date = absl::FromUnixSeconds(1767225600 + 86400 * made_up.day);
  row.instrument = {.name = "made-up"};
  row.commit = absl::StrFormat("%040x", made_up.day);
  row.dirty = made_up.dirty;
  row.device = {.processor = absl::StrCat("made-up processor ", made_up.device),
                .cores = 2,
                .memory = "4-8 GiB",
                .kernel = "6.1.0",
                .virtualization = "none"};
  row.device.id = ledger::DeviceId(row.device);
  row.series = made_up.series;
  row.configuration = made_up.configuration;
  row.unit = made_up.unit;
  row.direction = made_up.direction;
  row.samples = made_up.samples;
  row.summary = *ledger::Summarize(row.samples);
  row.failures = made_up.failures;
  row.label = made_up.label;
  if (row.label == Label::kVerified) row.citation = "a made-up source";
  if (row.label == Label::kSuspected) {
    row.hypothesis = "a made-up hypothesis";
    row.plan = "a made-up plan";
  }
  row.id = ledger::RowId(row);
  return row;
}

std::string MakeLine(const MadeUp& made_up) {
  const auto line = ledger::FormatRow(MakeRow(made_up));
  if (!line.ok()) {
    std::fprintf(stderr, "made-up row: %s\n", line.status().ToString().c_str());
    std::abort();
  }
  return *line;
}

}  // namespace tactus::site
