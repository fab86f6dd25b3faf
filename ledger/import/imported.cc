#include "ledger/import/imported.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/row/row.h"
#include "ledger/stats/summary.h"

namespace tactus::ledger {

std::string SeriesNameOf(absl::string_view name) {
  std::string series;
  for (const char c : name) {
    // A line's length is bounded, and the name itself is kept elsewhere.
    if (series.size() == 128) break;
    const bool start = series.empty() || series.back() == '/';
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
        c == '.') {
      series.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
    } else if (c == '/') {
      while (!series.empty() && series.back() == '-') series.pop_back();
      if (!series.empty() && series.back() != '/') series.push_back('/');
    } else if (!start && series.back() != '-') {
      series.push_back('-');
    }
  }
  while (!series.empty() && (series.back() == '-' || series.back() == '/')) {
    series.pop_back();
  }
  return series.empty() ? "unnamed" : series;
}

Row RowFrom(const ImportContext& context, absl::string_view tool,
            absl::string_view program) {
  Row row;
  row.run = context.run;
  row.date = absl::FromUnixSeconds(absl::ToUnixSeconds(context.date));
  row.instrument.name = !context.instrument.empty() ? context.instrument
                        : program.empty()           ? std::string(tool)
                                          : absl::StrCat(tool, "-", program);
  row.commit = context.commit;
  row.dirty = context.dirty;
  row.device = context.device;
  row.label = Label::kMeasured;
  row.origin = std::string(tool);
  return row;
}

absl::Status AddRow(Row row, std::vector<double> samples,
                    absl::string_view place, Imported& imported) {
  const auto wrong = [place](const absl::Status& status) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": ", status.message()));
  };
  if (imported.rows.size() == kMaxImported) {
    return absl::InvalidArgumentError(absl::StrCat(
        place, ": is more than ", kMaxImported, " rows of one document"));
  }
  const absl::StatusOr<Summary> summary = Summarize(samples);
  if (!summary.ok()) return wrong(summary.status());
  row.summary = *summary;
  if (samples.size() > kMaxSamples) samples.resize(kMaxSamples);
  row.samples = std::move(samples);
  // As a line, since its length is bounded as well.
  if (absl::StatusOr<std::string> line = FormatRow(row); !line.ok()) {
    return wrong(line.status());
  }
  row.id = RowId(row);
  imported.rows.push_back(std::move(row));
  return absl::OkStatus();
}

}  // namespace tactus::ledger
