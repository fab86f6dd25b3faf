#include "site/render/figures.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ledger/row/row.h"
#include "site/book/book.h"
#include "site/format/format.h"
#include "site/plot/plot.h"
#include "site/reference/reference.h"
#include "site/render/history.h"
#include "site/render/rows.h"
#include "site/render/templates.h"
#include "site/resolve/resolve.h"

namespace tactus::site {
namespace {

// What has to be said beside a figure, and not only in its card.
std::string Doubt(const Entry& entry) {
  std::vector<std::string> doubts;
  if (entry.label != ledger::Label::kMeasured) {
    doubts.emplace_back(ledger::LabelName(entry.label));
  }
  if (entry.dirty) doubts.emplace_back("dirty tree");
  if (entry.failures > 0) {
    doubts.push_back(absl::StrCat(entry.failures, " failed"));
  }
  return absl::StrJoin(doubts, ", ");
}

}  // namespace

Figures::Figures(const Book& book, const Declarations& declared,
                 const RowPages& rows, const History& history,
                 const Templates& templates, SampleSource& samples)
    : book_(book),
      declared_(declared),
      rows_(rows),
      history_(history),
      templates_(templates),
      samples_(samples) {}

absl::StatusOr<std::string> Figures::RenderPage(absl::string_view name,
                                                absl::string_view text) {
  const auto wrong = [&](const absl::Status& status, absl::string_view place) {
    return absl::Status(status.code(),
                        absl::StrCat(name, ":", place, status.message()));
  };
  const absl::StatusOr<std::vector<Piece>> pieces = ParsePage(text);
  if (!pieces.ok()) return wrong(pieces.status(), "");
  next_id_ = 1;
  std::string html;
  for (const Piece& piece : *pieces) {
    if (!piece.is_reference) {
      html += piece.text;
      continue;
    }
    const absl::StatusOr<std::string> rendered = Render(piece.reference);
    if (!rendered.ok()) {
      return wrong(rendered.status(), absl::StrCat(piece.line, ": "));
    }
    html += *rendered;
  }
  return html;
}

absl::StatusOr<std::string> Figures::Render(const Reference& reference) {
  switch (reference.verb) {
    case Verb::kFigure:
      return RenderFigure(reference);
    case Verb::kRatio:
      return RenderRatio(reference);
    case Verb::kPlot:
      return RenderPlot(reference);
    case Verb::kStrip:
      return RenderStrip(reference);
    case Verb::kCompare:
      return RenderComparison(reference);
    case Verb::kOverview:
      return RenderOverview();
  }
  return absl::InternalError("no such reference");
}

std::string Figures::Title(const std::string& series) const {
  const auto declared = declared_.find(series);
  return declared == declared_.end() ? series : declared->second.title;
}

void Figures::Describe(Dictionary& card, const Choice& choice,
                       Statistic statistic) const {
  const Entry& entry = *choice.entry;
  const Timeline& timeline = *choice.timeline;
  Dictionary* row = card.AddSectionDictionary("ROW");
  row->SetValue("SERIES", timeline.series);
  row->SetValue("CONFIGURATION", FormatConfiguration(timeline.configuration));
  row->SetValue("VALUE", ShowText(ValueOf(entry, statistic),
                                  UnitOf(timeline, statistic)));
  row->SetValue("STATISTIC", std::string(StatisticName(statistic)));
  row->SetValue("N", ShowCount(entry.summary.n));
  row->SetValue("MIN", ShowText(entry.summary.min, timeline.unit));
  row->SetValue("P95", ShowText(entry.summary.p95, timeline.unit));
  if (entry.failures > 0) {
    row->SetValueAndShowSection("FAILURES", ShowCount(entry.failures),
                                "FAILED");
  }
  row->SetValue("HREF", RowHref(entry, rows_));
}

void Figures::DescribeRun(Dictionary& card, const Entry& entry) const {
  card.SetValue("INSTRUMENT", entry.instrument->name);
  card.SetValue("DATE", ShowDay(entry.date));
  card.SetValue("DEVICE", entry.device->processor);
  card.SetIntValue("CORES", static_cast<long>(entry.device->cores));
  card.SetValue("COMMIT", entry.commit->empty() ? "unknown commit"
                                                : entry.commit->substr(0, 10));
  if (entry.dirty) card.ShowSection("DIRTY");
  card.SetValue("LABEL", std::string(ledger::LabelName(entry.label)));
}

std::string Figures::Value(const Choice& choice, Statistic statistic) {
  Dictionary to("figure");
  const Shown shown = ShowValue(ValueOf(*choice.entry, statistic),
                                UnitOf(*choice.timeline, statistic));
  to.SetValue("TEXT", Join(shown));
  to.SetIntValue("ID", next_id_++);
  const std::string doubt = Doubt(*choice.entry);
  if (!doubt.empty()) to.SetValueAndShowSection("DOUBT", doubt, "DOUBTFUL");
  Describe(to, choice, statistic);
  DescribeRun(to, *choice.entry);
  Dictionary* one = to.AddSectionDictionary("ONE");
  one->SetValue("HREF", RowHref(*choice.entry, rows_));
  one->SetValue("HISTORY", HistoryHref(*choice.timeline));
  return templates_.Expand("figure.tpl", to);
}

std::string Figures::Ratio(const Choice& first, const Choice& second,
                           Statistic statistic) {
  const double below = ValueOf(*second.entry, statistic);
  Dictionary to("ratio");
  // A quotient by zero has no value to show.
  to.SetValue("TEXT", below > 0
                          ? ShowText(ValueOf(*first.entry, statistic) / below,
                                     ledger::Unit::kRatio)
                          : "no ratio");
  to.SetIntValue("ID", next_id_++);
  to.ShowSection("RATIO");
  std::string doubt = Doubt(*first.entry);
  if (doubt.empty()) doubt = Doubt(*second.entry);
  if (!doubt.empty()) to.SetValueAndShowSection("DOUBT", doubt, "DOUBTFUL");
  Describe(to, first, statistic);
  Describe(to, second, statistic);
  // Of one run, so of one instrument, commit, device and date; the label may
  // differ, and then the weaker one is said.
  DescribeRun(to, first.entry->label == ledger::Label::kMeasured
                      ? *second.entry
                      : *first.entry);
  return templates_.Expand("figure.tpl", to);
}

std::string Figures::NoRow(const std::vector<Selector>& selectors) {
  Dictionary to("none");
  to.SetIntValue("ID", next_id_++);
  for (const Selector& selector : selectors) {
    if (!book_.OfSeries(selector.series).empty()) continue;
    Dictionary* item = to.AddSectionDictionary("SERIES");
    item->SetValue("NAME", selector.series);
    item->SetValue("ABOUT", declared_.at(selector.series).about);
  }
  return templates_.Expand("no_row.tpl", to);
}

absl::StatusOr<std::string> Figures::RenderFigure(const Reference& reference) {
  const absl::StatusOr<Choice> choice =
      Choose(book_, declared_, reference.selectors[0]);
  if (!choice.ok()) return choice.status();
  if (choice->entry == nullptr) return NoRow(reference.selectors);
  return Value(*choice, reference.statistic);
}

absl::StatusOr<std::string> Figures::RenderRatio(const Reference& reference) {
  const absl::StatusOr<Pair> pair = ChoosePair(
      book_, declared_, reference.selectors[0], reference.selectors[1]);
  if (!pair.ok()) return pair.status();
  if (pair->first.entry == nullptr) return NoRow(reference.selectors);
  return Ratio(pair->first, pair->second, reference.statistic);
}

absl::StatusOr<std::string> Figures::RenderPlot(const Reference& reference) {
  const absl::StatusOr<Choice> choice =
      Choose(book_, declared_, reference.selectors[0]);
  if (!choice.ok()) return choice.status();
  if (choice->entry == nullptr) return NoRow(reference.selectors);
  const absl::StatusOr<std::string> plot =
      history_.Plot(*choice->timeline, absl::StrCat("p", next_id_++));
  if (!plot.ok()) return plot.status();
  Dictionary to("plot");
  to.SetValue("PLOT", *plot);
  to.SetValue("TITLE", Title(choice->timeline->series));
  to.SetValue("CONFIGURATION",
              FormatConfiguration(choice->timeline->configuration));
  to.SetValue("HREF", HistoryHref(*choice->timeline));
  return templates_.Expand("plot.tpl", to);
}

absl::StatusOr<std::string> Figures::RenderStrip(const Reference& reference) {
  const absl::StatusOr<Choice> choice =
      Choose(book_, declared_, reference.selectors[0]);
  if (!choice.ok()) return choice.status();
  if (choice->entry == nullptr) return NoRow(reference.selectors);
  const absl::StatusOr<std::vector<double>> samples =
      samples_.Samples(*choice->entry);
  if (!samples.ok()) return samples.status();
  const Entry& entry = *choice->entry;
  const ledger::Unit unit = choice->timeline->unit;
  Dictionary to("strip");
  to.SetValue("STRIP", Strip(*samples, entry.summary.p95,
                             absl::StrCat(samples->size(),
                                          " samples in the order in which they "
                                          "were taken; the median is ",
                                          ShowText(entry.summary.p50, unit),
                                          ", the p95 ",
                                          ShowText(entry.summary.p95, unit))));
  to.SetValue("TITLE", Title(choice->timeline->series));
  to.SetValue("CONFIGURATION",
              FormatConfiguration(choice->timeline->configuration));
  to.SetValue("VALUE", Value(*choice, Statistic::kP50));
  to.SetValue("N", ShowCount(entry.summary.n));
  to.SetValue("HREF", RowHref(entry, rows_));
  return templates_.Expand("strip.tpl", to);
}

std::string Figures::RenderOverview() {
  // As many as a first page holds; the rest is on the page of histories.
  constexpr size_t kMost = 60;
  std::vector<const Timeline*> newest;
  for (const Timeline& timeline : book_.timelines())
    newest.push_back(&timeline);
  const auto last = [&](const Timeline* timeline) -> const Entry& {
    return book_.entries()[timeline->rows.back()];
  };
  if (newest.size() > kMost) {
    std::partial_sort(newest.begin(), newest.begin() + kMost, newest.end(),
                      [&](const Timeline* a, const Timeline* b) {
                        if (last(a).date != last(b).date) {
                          return last(a).date > last(b).date;
                        }
                        return a < b;
                      });
    newest.resize(kMost);
    std::sort(newest.begin(), newest.end());
  }
  Dictionary to("overview");
  to.ShowSection(newest.empty() ? "EMPTY" : "SOME");
  to.SetValue("ROWS", ShowCount(static_cast<int64_t>(book_.entries().size())));
  to.SetValue("HISTORIES",
              ShowCount(static_cast<int64_t>(book_.timelines().size())));
  to.SetValue("DEVICES",
              ShowCount(static_cast<int64_t>(book_.devices().size())));
  for (const Timeline* timeline : newest) {
    Dictionary* item = to.AddSectionDictionary("TIMELINE");
    item->SetValue("SERIES", timeline->series);
    item->SetValue("CONFIGURATION",
                   FormatConfiguration(timeline->configuration));
    item->SetValue("HREF", HistoryHref(*timeline));
    item->SetValue("DATE", ShowDay(last(timeline).date));
    item->SetValue("VALUE",
                   Value({timeline, &last(timeline)}, Statistic::kP50));
    item->SetValue("HIGH",
                   ShowText(last(timeline).summary.p95, timeline->unit));
  }
  return templates_.Expand("overview.tpl", to);
}

absl::StatusOr<std::string> Figures::RenderComparison(
    const Reference& reference) {
  const absl::StatusOr<std::vector<Line>> lines =
      ChooseLines(book_, declared_, reference.by, reference.selectors);
  if (!lines.ok()) return lines.status();
  if (lines->empty()) return NoRow(reference.selectors);
  const size_t columns = reference.selectors.size();
  Dictionary to("comparison");
  to.SetValue("BY", reference.by);
  to.SetValue("STATISTIC", std::string(StatisticName(reference.statistic)));
  for (const Selector& selector : reference.selectors) {
    Dictionary* column = to.AddSectionDictionary("COLUMN");
    column->SetValue("TITLE", Title(selector.series));
    column->SetValue("SERIES", FormatSelector(selector));
  }
  if (columns > 1) {
    to.ShowSection("RATIOS");
    to.SetValue("FIRST", Title(reference.selectors[0].series));
    to.SetValue("SECOND", Title(reference.selectors[1].series));
  }
  bool mixed = false;
  for (const Line& line : *lines) {
    Dictionary* to_line = to.AddSectionDictionary("LINE");
    to_line->SetValue("VALUE", line.value);
    double largest = 0;
    bool comparable = true;
    const Timeline* some = nullptr;
    for (const Choice& choice : line.choices) {
      if (choice.entry == nullptr) continue;
      largest = std::max(largest, ValueOf(*choice.entry, reference.statistic));
      comparable = comparable &&
                   (some == nullptr || some->unit == choice.timeline->unit);
      some = choice.timeline;
    }
    std::string bars;
    for (size_t i = 0; i < columns; ++i) {
      const Choice& choice = line.choices[i];
      Dictionary* cell = to_line->AddSectionDictionary("CELL");
      cell->SetValue("HTML", choice.entry == nullptr
                                 ? "<span class=\"none\">no row</span>"
                                 : Value(choice, reference.statistic));
      if (choice.entry != nullptr && comparable) {
        bars += Bar(ValueOf(*choice.entry, reference.statistic), largest,
                    i == 0 ? "ours" : "theirs");
      }
    }
    if (columns < 2) continue;
    Dictionary* ratio = to_line->AddSectionDictionary("RATIO");
    ratio->SetValue("BARS", bars);
    const Choice& first = line.choices[0];
    const Choice& second = line.choices[1];
    if (first.entry == nullptr || second.entry == nullptr) continue;
    if (!comparable) continue;  // two units: a rate beside a time, say
    if (!line.same_run) {
      // Two machines in one figure, even on one machine.
      mixed = true;
      ratio->SetValue("HTML", "<span class=\"none\">two runs</span>");
      continue;
    }
    ratio->SetValue("HTML", Ratio(second, first, reference.statistic));
  }
  if (mixed) to.ShowSection("MIXED");
  return templates_.Expand("comparison.tpl", to);
}

}  // namespace tactus::site
