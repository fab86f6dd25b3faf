#include "site/render/rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/row/row.h"
#include "ledger/stats/summary.h"
#include "site/book/book.h"
#include "site/format/format.h"
#include "site/plot/plot.h"
#include "site/render/pages.h"
#include "site/render/templates.h"

namespace tactus::site {
namespace {

constexpr int kBins = 28;

// A file's name as part of a page's: letters, digits, '.', '_' and '-'.
std::string Stem(absl::string_view file) {
  const size_t slash = file.rfind('/');
  if (slash != absl::string_view::npos) file.remove_prefix(slash + 1);
  constexpr absl::string_view kEnding = ".jsonl";
  if (absl::EndsWith(file, kEnding)) file.remove_suffix(kEnding.size());
  std::string stem(file.substr(0, 80));
  for (char& c : stem) {
    if (!absl::ascii_isalnum(c) && c != '.' && c != '_') c = '-';
  }
  return stem.empty() ? "ledger" : stem;
}

std::string Number(std::optional<double> value) {
  return value.has_value() ? ThreeDigits(*value) : "unknown";
}

}  // namespace

RowPages::RowPages(const Templates& templates, PageWriter& pages)
    : templates_(templates), pages_(pages) {}

void RowPages::Begin(absl::string_view file) {
  Shard shard = {.file = std::string(file)};
  if (!shards_.empty() && shards_.back().file == file) {
    shard.number = shards_.back().number + 1;
  } else {
    // Two names that differ in what an address cannot hold get a number.
    const std::string wanted = Stem(file);
    stem_ = wanted;
    for (int i = 2; !stems_.insert(stem_).second; ++i) {
      stem_ = absl::StrCat(wanted, "~", i);
    }
  }
  shard.name = absl::StrCat("rows-", stem_, "-", shard.number, ".html");
  shards_.push_back(std::move(shard));
}

absl::StatusOr<int32_t> RowPages::Add(absl::string_view file, int64_t line,
                                      const ledger::Row& row) {
  if (shards_.empty() || shards_.back().file != file ||
      body_.size() >= kFullPage) {
    if (absl::Status s = Finish(); !s.ok()) return s;
    Begin(file);
  }
  Shard& shard = shards_.back();
  if (shard.rows++ == 0) {
    shard.first_line = line;
    shard.first = shard.last = row.date;
  }
  shard.last_line = line;
  shard.first = std::min(shard.first, row.date);
  shard.last = std::max(shard.last, row.date);
  Render(line, row);
  return static_cast<int32_t>(shards_.size() - 1);
}

void RowPages::Render(int64_t line, const ledger::Row& row) {
  const ledger::Summary& summary = row.summary;
  Dictionary to("row");
  to.SetValue("ID", row.id);
  to.SetValue("SERIES", row.series);
  to.SetValue("CONFIGURATION", FormatConfiguration(row.configuration));
  to.SetValue("HISTORY", absl::StrCat("history-", Book::Slug(row), ".html"));
  to.SetValue("DATE", ShowMinute(row.date));
  to.SetIntValue("LINE", static_cast<long>(line));
  to.SetValue("LABEL", std::string(ledger::LabelName(row.label)));
  if (row.dirty) to.ShowSection("DIRTY");
  if (!row.citation.empty())
    to.SetValueAndShowSection("CITATION", row.citation, "CITED");
  if (!row.hypothesis.empty()) {
    Dictionary* suspected = to.AddSectionDictionary("SUSPECTED");
    suspected->SetValue("HYPOTHESIS", row.hypothesis);
    suspected->SetValue("PLAN", row.plan);
  }
  if (!row.origin.empty())
    to.SetValueAndShowSection("ORIGIN", row.origin, "IMPORTED");
  to.SetValue("P50", ShowText(summary.p50, row.unit));
  to.SetValue("P95", ShowText(summary.p95, row.unit));
  to.SetValue("P99", ShowText(summary.p99, row.unit));
  to.SetValue("MIN", ShowText(summary.min, row.unit));
  to.SetValue("MAX", ShowText(summary.max, row.unit));
  to.SetValue("MEAN", ShowText(summary.mean, row.unit));
  to.SetValue("EXACT", absl::StrCat(ledger::FormatNumber(summary.p50), " ",
                                    ledger::UnitName(row.unit)));
  to.SetValue("N", ShowCount(summary.n));
  if (row.failures > 0) {
    to.SetValueAndShowSection("FAILURES", ShowCount(row.failures), "FAILED");
  }
  to.SetValue("DIRECTION", std::string(ledger::DirectionName(row.direction)));
  // Up to the p99, so that one outlier leaves the rest its shape.
  to.SetValue("SHAPE", Histogram(row.samples, summary.min,
                                 std::max(summary.p99, summary.p50), kBins));
  to.SetValue("INSTRUMENT", row.instrument.name);
  if (!row.instrument.binary.empty()) {
    to.SetValueAndShowSection("BINARY", row.instrument.binary, "BINARY_KNOWN");
  }
  if (!row.instrument.harness.empty()) {
    to.SetValueAndShowSection("HARNESS", row.instrument.harness,
                              "HARNESS_KNOWN");
  }
  to.SetValue("COMMIT", row.commit.empty() ? "unknown" : row.commit);
  to.SetValue("RUN", row.run);
  to.SetValue("DEVICE", row.device.id);
  to.SetValue("PROCESSOR", row.device.processor);
  to.SetIntValue("CORES", static_cast<long>(row.device.cores));
  to.SetValue("MEMORY", row.device.memory);
  to.SetValue("KERNEL", row.device.kernel);
  to.SetValue("VIRTUALIZATION", row.device.virtualization);
  if (row.conditions.load_before.has_value() ||
      row.conditions.load_after.has_value()) {
    Dictionary* load = to.AddSectionDictionary("LOAD");
    load->SetValue("BEFORE", Number(row.conditions.load_before));
    load->SetValue("AFTER", Number(row.conditions.load_after));
  }
  if (row.conditions.mhz_before.has_value() ||
      row.conditions.mhz_after.has_value()) {
    Dictionary* clock = to.AddSectionDictionary("CLOCK");
    clock->SetValue("BEFORE", Number(row.conditions.mhz_before));
    clock->SetValue("AFTER", Number(row.conditions.mhz_after));
  }
  templates_.Expand("row.tpl", to, body_);
}

absl::Status RowPages::Finish() {
  if (body_.empty()) return absl::OkStatus();
  const Shard& shard = shards_.back();
  Dictionary to("rows");
  to.SetValue("FILE", shard.file);
  to.SetIntValue("FIRST", static_cast<long>(shard.first_line));
  to.SetIntValue("LAST", static_cast<long>(shard.last_line));
  to.SetIntValue("ROWS", static_cast<long>(shard.rows));
  to.SetValue("BODY", body_);
  body_.clear();
  const std::string title =
      absl::StrCat("Rows of ", shard.file, ", lines ", shard.first_line, " to ",
                   shard.last_line);
  return pages_.Write({.name = shard.name,
                       .title = title,
                       .about = absl::StrCat(title,
                                             ", each with its summary "
                                             "and where it comes from."),
                       .here = "rows.html",
                       .body = templates_.Expand("rows.tpl", to)});
}

absl::Status RowPages::Close() {
  if (absl::Status s = Finish(); !s.ok()) return s;
  // The list of pages is as long as it has to be, and a page of it is not.
  constexpr size_t kPerPage = 500;
  const size_t pages =
      std::max<size_t>(1, (shards_.size() + kPerPage - 1) / kPerPage);
  int64_t rows = 0;
  for (const Shard& shard : shards_) rows += shard.rows;
  for (size_t page = 0; page < pages; ++page) {
    Dictionary to("index");
    to.SetValue("ROWS", ShowCount(rows));
    to.ShowSection(rows == 0 ? "EMPTY" : "SOME");
    const size_t end = std::min(shards_.size(), (page + 1) * kPerPage);
    for (size_t i = page * kPerPage; i < end; ++i) {
      const Shard& shard = shards_[i];
      Dictionary* item = to.AddSectionDictionary("PAGE");
      item->SetValue("HREF", shard.name);
      item->SetValue("FILE", shard.file);
      item->SetIntValue("FIRST", static_cast<long>(shard.first_line));
      item->SetIntValue("LAST", static_cast<long>(shard.last_line));
      item->SetValue("COUNT", ShowCount(shard.rows));
      item->SetValue("FROM", ShowDay(shard.first));
      item->SetValue("TO", ShowDay(shard.last));
    }
    const auto name = [](size_t number) {
      return number == 0 ? std::string("rows.html")
                         : absl::StrCat("rows-list~", number + 1, ".html");
    };
    if (page > 0) to.SetValueAndShowSection("HREF", name(page - 1), "PREVIOUS");
    if (page + 1 < pages) {
      to.SetValueAndShowSection("HREF", name(page + 1), "NEXT");
    }
    if (absl::Status s = pages_.Write(
            {.name = name(page),
             .title = "Every row",
             .about = "Every row of the ledger, in the order of its lines.",
             .here = "rows.html",
             .body = templates_.Expand("rows_index.tpl", to)});
        !s.ok()) {
      return s;
    }
  }
  return absl::OkStatus();
}

}  // namespace tactus::site
