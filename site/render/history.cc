#include "site/render/history.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "ledger/row/row.h"
#include "ledger/stats/changepoints.h"
#include "site/book/book.h"
#include "site/format/format.h"
#include "site/plot/plot.h"
#include "site/render/pages.h"
#include "site/render/rows.h"
#include "site/render/templates.h"
#include "site/resolve/resolve.h"

namespace tactus::site {
namespace {

// As many marks as can be told apart on the width of each plot.
constexpr size_t kWideMarks = 120;
constexpr size_t kNarrowMarks = 48;
// Below that a change is as likely the machine's mood: the noise of one series
// on one machine spans more than this around its median.
constexpr double kLeastChange = 0.05;

void Show(Dictionary& to, const PlotPoint& point, const Timeline& timeline) {
  to.SetValue("DATE", ShowMinute(point.time));
  if (point.rows > 1)
    to.SetValueAndShowSection("ROWS", ShowCount(point.rows), "SEVERAL");
  if (!point.href.empty()) to.SetValueAndShowSection("HREF", point.href, "ONE");
  to.SetValue("N", ShowCount(point.samples));
  if (point.failures > 0) {
    to.SetValueAndShowSection("FAILURES", ShowCount(point.failures), "FAILED");
  }
  if (point.dirty) to.ShowSection("DIRTY");
  if (point.missing()) {
    to.ShowSection("MISSING");
    return;
  }
  Dictionary* value = to.AddSectionDictionary("VALUE");
  value->SetValue("P50", ShowText(point.mid, timeline.unit));
  value->SetValue("LOW", ShowText(point.low, timeline.unit));
  value->SetValue("HIGH", ShowText(point.high, timeline.unit));
}

}  // namespace

std::string HistoryHref(const Timeline& timeline) {
  return absl::StrCat("history-", Book::Slug(timeline), ".html");
}

std::string RowHref(const Entry& entry, const RowPages& rows) {
  return absl::StrCat(rows.PageName(entry.place.page), "#r-", entry.id);
}

History::History(const Book& book, const RowPages& rows,
                 const Templates& templates, PageWriter& pages,
                 const Declarations& declared)
    : book_(book),
      rows_(rows),
      templates_(templates),
      pages_(pages),
      declared_(declared) {}

absl::StatusOr<std::vector<PlotPoint>> History::Points(
    const Timeline& timeline) const {
  std::vector<PlotPoint> points;
  std::vector<double> medians;
  std::vector<size_t> point_of;  // of each median
  points.reserve(timeline.rows.size());
  for (const size_t row : timeline.rows) {
    const Entry& entry = book_.entries()[row];
    PlotPoint point = {.time = entry.date,
                       .low = entry.summary.min,
                       .mid = entry.summary.p50,
                       .high = entry.summary.p95,
                       .samples = entry.summary.n,
                       .failures = entry.failures,
                       .dirty = entry.dirty,
                       .href = RowHref(entry, rows_)};
    if (!point.missing()) {
      medians.push_back(point.mid);
      point_of.push_back(points.size());
    }
    points.push_back(std::move(point));
  }
  if (medians.empty()) return points;
  const absl::StatusOr<std::vector<ledger::ChangePoint>> changes =
      ledger::FindChangePoints(medians, {.min_magnitude = kLeastChange});
  if (!changes.ok()) return changes.status();
  for (const ledger::ChangePoint& change : *changes) {
    PlotPoint& point = points[point_of[static_cast<size_t>(change.index)]];
    point.change = true;
    point.before = change.mean_before;
    point.after = change.mean_after;
  }
  return points;
}

std::string History::Draw(const Timeline& timeline,
                          const std::vector<PlotPoint>& points,
                          absl::string_view id) const {
  const std::string configuration = FormatConfiguration(timeline.configuration);
  PlotOptions options = {
      .id = std::string(id),
      .title = absl::StrCat("History of ", timeline.series,
                            configuration.empty() ? "" : ", ", configuration),
      .unit = timeline.unit,
      .direction = timeline.direction};
  const std::string wide = TimePlot(Reduce(points, kWideMarks), options);
  options.id += "n";
  options.width = 360;
  options.height = 240;
  const std::string narrow = TimePlot(Reduce(points, kNarrowMarks), options);
  return absl::StrCat("<div class=\"wide\">", wide,
                      "</div><div class=\"narrow\">", narrow, "</div>");
}

absl::StatusOr<std::string> History::Plot(const Timeline& timeline,
                                          absl::string_view id) const {
  const absl::StatusOr<std::vector<PlotPoint>> points = Points(timeline);
  if (!points.ok()) return points.status();
  return Draw(timeline, *points, id);
}

absl::Status History::WriteOne(const Timeline& timeline) {
  absl::StatusOr<std::vector<PlotPoint>> points = Points(timeline);
  if (!points.ok()) return points.status();
  Dictionary to("history");
  // A long name breaks at its slashes before it breaks anywhere else.
  to.SetValue("NAME", absl::StrReplaceAll(EscapeHtml(timeline.series),
                                          {{"/", "/<wbr>"}}));
  const auto declared = declared_.find(timeline.series);
  if (declared != declared_.end()) {
    to.SetValueAndShowSection("TEXT", declared->second.about, "SAID");
  }
  for (const auto& [key, value] : timeline.configuration) {
    Dictionary* item = to.AddSectionDictionary("CONFIGURATION");
    item->SetValue("KEY", key);
    item->SetValue("VALUE", value);
  }
  const ledger::Device& device = *timeline.device;
  to.SetValue("DEVICE", device.id);
  to.SetValue("PROCESSOR", device.processor);
  to.SetIntValue("CORES", static_cast<long>(device.cores));
  to.SetValue("MEMORY", device.memory);
  to.SetValue("KERNEL", device.kernel);
  to.SetValue("VIRTUALIZATION", device.virtualization);
  to.SetValue("COUNT", ShowCount(static_cast<int64_t>(points->size())));
  to.ShowSection(points->size() == 1 ? "ONE_ROW" : "MANY_ROWS");
  to.SetValue("PLOT", Draw(timeline, *points, "h"));

  // A page has room for so many; the newest are told, the plot has all.
  constexpr int kMostChanges = 100;
  int changed = 0;
  for (auto at = points->rbegin(); at != points->rend(); ++at) {
    const PlotPoint& point = *at;
    if (!point.change || ++changed > kMostChanges) continue;
    const bool rose = point.after > point.before;
    const bool worse =
        rose == (timeline.direction == ledger::Direction::kLessIsBetter);
    Dictionary* item = to.AddSectionDictionary("CHANGE");
    item->SetValue("DATE", ShowDay(point.time));
    item->SetValue("KIND", worse ? "worse" : "better");
    item->SetValue("BY", ShowChange(point.before, point.after));
    item->SetValue("WAY", rose ? "more" : "less");
    item->SetValue("BEFORE", ShowText(point.before, timeline.unit));
    item->SetValue("AFTER", ShowText(point.after, timeline.unit));
    item->SetValue("HREF", point.href);
  }
  to.ShowSection(changed > 0 ? "CHANGED" : "STEADY");
  if (changed > kMostChanges) {
    to.SetValueAndShowSection("LEFT", ShowCount(changed - kMostChanges),
                              "MORE_CHANGES");
  }

  const std::vector<PlotPoint> marks = Reduce(*points, kWideMarks);
  if (marks.size() < points->size()) to.ShowSection("REDUCED");
  for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) {
    Show(*to.AddSectionDictionary("MARK"), *mark, timeline);
  }

  // Other configurations and devices of the series, where there are few.
  constexpr size_t kMostOthers = 40;
  const std::vector<const Timeline*> all = book_.OfSeries(timeline.series);
  if (all.size() > 1 && all.size() <= kMostOthers) {
    to.ShowSection("OTHERS");
    for (const Timeline* other : all) {
      if (other == &timeline) continue;
      Dictionary* item = to.AddSectionDictionary("OTHER");
      item->SetValue("HREF", HistoryHref(*other));
      const std::string text = FormatConfiguration(other->configuration);
      item->SetValue("TEXT", text.empty() ? other->series : text);
      if (other->device != timeline.device) {
        item->SetValueAndShowSection("DEVICE", other->device->processor,
                                     "ELSEWHERE");
      }
    }
  }

  const std::string configuration = FormatConfiguration(timeline.configuration);
  return pages_.Write(
      {.name = HistoryHref(timeline),
       .title = absl::StrCat("History of ", timeline.series,
                             configuration.empty() ? "" : ", ", configuration),
       .about = absl::StrCat(timeline.series,
                             " over time, with the points where it changed."),
       .here = "history.html",
       .body = templates_.Expand("history.tpl", to)});
}

absl::Status History::WriteIndex() {
  // Items first, so that a page ends when it is full.
  std::vector<std::string> bodies(1);
  std::string series;
  const auto flush = [&](std::string item) {
    if (bodies.back().size() + item.size() > kFullPage) bodies.emplace_back();
    bodies.back() += item;
  };
  const std::vector<Timeline>& timelines = book_.timelines();
  for (size_t i = 0; i < timelines.size();) {
    const std::string& name = timelines[i].series;
    // A series with very many timelines goes on in another section.
    constexpr size_t kMostItems = 100;
    Dictionary to("series");
    to.SetValue("SERIES", name);
    const auto declared = declared_.find(name);
    if (declared != declared_.end()) {
      to.SetValueAndShowSection("TEXT", declared->second.about, "SAID");
    }
    size_t end = i;
    for (; end < timelines.size() && end - i < kMostItems &&
           timelines[end].series == name;
         ++end) {
      const Timeline& timeline = timelines[end];
      const Entry& last = book_.entries()[timeline.rows.back()];
      Dictionary* item = to.AddSectionDictionary("TIMELINE");
      item->SetValue("HREF", HistoryHref(timeline));
      const std::string text = FormatConfiguration(timeline.configuration);
      item->SetValue("CONFIGURATION",
                     text.empty() ? "one configuration" : text);
      item->SetValue("DEVICE", timeline.device->processor);
      item->SetValue("DEVICE_ID", timeline.device->id);
      item->SetValue("ROWS",
                     ShowCount(static_cast<int64_t>(timeline.rows.size())));
      item->SetValue("LAST", ShowText(last.summary.p50, timeline.unit));
      item->SetValue("LAST_HREF", RowHref(last, rows_));
      item->SetValue("DATE", ShowDay(last.date));
      if (last.dirty) item->ShowSection("DIRTY");
    }
    flush(templates_.Expand("history_series.tpl", to));
    i = end;
  }
  for (const auto& [name, text] : declared_) {
    if (!book_.OfSeries(name).empty()) continue;
    Dictionary to("declared");
    to.SetValue("SERIES", name);
    to.SetValue("ABOUT", text.about);
    flush(templates_.Expand("history_declared.tpl", to));
  }
  const auto name = [](size_t number) {
    return number == 0 ? std::string("history.html")
                       : absl::StrCat("history-list~", number + 1, ".html");
  };
  for (size_t page = 0; page < bodies.size(); ++page) {
    Dictionary to("index");
    to.SetValue("BODY", bodies[page]);
    to.SetValue("COUNT", ShowCount(static_cast<int64_t>(timelines.size())));
    to.ShowSection(timelines.empty() ? "EMPTY" : "SOME");
    if (page > 0) to.SetValueAndShowSection("HREF", name(page - 1), "PREVIOUS");
    if (page + 1 < bodies.size()) {
      to.SetValueAndShowSection("HREF", name(page + 1), "NEXT");
    }
    if (absl::Status s =
            pages_.Write({.name = name(page),
                          .title = "History",
                          .about = "Every series of the ledger over time.",
                          .here = "history.html",
                          .body = templates_.Expand("history_index.tpl", to)});
        !s.ok()) {
      return s;
    }
  }
  return absl::OkStatus();
}

absl::Status History::WriteAll() {
  for (const Timeline& timeline : book_.timelines()) {
    if (absl::Status s = WriteOne(timeline); !s.ok()) return s;
  }
  return WriteIndex();
}

}  // namespace tactus::site
