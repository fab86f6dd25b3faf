#include "site/resolve/resolve.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/row/row.h"
#include "site/book/book.h"
#include "site/reference/reference.h"

namespace tactus::site {
namespace {

// How many names an error lists: enough to see what was meant.
constexpr size_t kMostNames = 8;

// The better of two rows to show is the greater.
std::tuple<bool, bool, absl::Time> Rank(const Entry& entry) {
  const bool measured = entry.label == ledger::Label::kMeasured;
  return {measured, measured && !entry.dirty, entry.date};
}

bool Fits(const Timeline& timeline, const Selector& selector) {
  if (!selector.device.empty() && timeline.device->id != selector.device) {
    return false;
  }
  return std::all_of(selector.configuration.begin(),
                     selector.configuration.end(), [&](const auto& wanted) {
                       const auto found =
                           timeline.configuration.find(wanted.first);
                       return found != timeline.configuration.end() &&
                              found->second == wanted.second;
                     });
}

std::string List(const std::set<std::string>& names) {
  std::string list;
  size_t listed = 0;
  for (const std::string& name : names) {
    if (listed++ == kMostNames) {
      absl::StrAppend(&list, "; and ", names.size() - kMostNames, " more");
      break;
    }
    absl::StrAppend(&list, list.empty() ? "" : "; ",
                    name.empty() ? "(none)" : name);
  }
  return list;
}

std::set<std::string> Configurations(
    const std::vector<const Timeline*>& timelines) {
  std::set<std::string> all;
  for (const Timeline* timeline : timelines) {
    all.insert(FormatConfiguration(timeline->configuration));
  }
  return all;
}

// The timelines that fit, all of one configuration unless `any` is set; none
// where the series is declared and has no row.
absl::StatusOr<std::vector<const Timeline*>> Fitting(
    const Book& book, const Declarations& declared, const Selector& selector,
    bool any = false) {
  const std::vector<const Timeline*> all = book.OfSeries(selector.series);
  if (all.empty()) {
    if (declared.count(selector.series) > 0) {
      return std::vector<const Timeline*>();
    }
    return absl::NotFoundError(absl::StrCat(
        "the ledger has no row of the series '", selector.series,
        "': record one, correct the name, or declare it in declared.txt"));
  }
  std::vector<const Timeline*> fitting;
  for (const Timeline* timeline : all) {
    if (Fits(*timeline, selector)) fitting.push_back(timeline);
  }
  if (fitting.empty()) {
    return absl::NotFoundError(absl::StrCat(
        "no row of '", FormatSelector(selector),
        "': record one, or name one of the configurations that the series "
        "has: ",
        List(Configurations(all)),
        selector.device.empty() ? "" : ", or another device"));
  }
  if (any) return fitting;
  const std::set<std::string> configurations = Configurations(fitting);
  if (configurations.size() > 1) {
    return absl::FailedPreconditionError(absl::StrCat(
        "'", FormatSelector(selector), "' fits rows of ", configurations.size(),
        " configurations; add what tells them apart: ", List(configurations)));
  }
  return fitting;
}

Choice Best(const Book& book, const std::vector<const Timeline*>& timelines) {
  // The device of the newest row, so that figures of one page are of one.
  Choice newest;
  for (const Timeline* timeline : timelines) {
    const Entry& last = book.entries()[timeline->rows.back()];
    if (newest.entry == nullptr || last.date > newest.entry->date) {
      newest = {timeline, &last};
    }
  }
  Choice best;
  for (const Timeline* timeline : timelines) {
    if (timeline->device != newest.timeline->device) continue;
    for (const size_t row : timeline->rows) {
      const Entry& entry = book.entries()[row];
      if (best.entry == nullptr || Rank(entry) >= Rank(*best.entry)) {
        best = {timeline, &entry};
      }
    }
  }
  return best;
}

// The best row of run `run`.
Choice OfRun(const Book& book, const std::vector<const Timeline*>& timelines,
             const std::string* run) {
  Choice best;
  for (const Timeline* timeline : timelines) {
    for (const size_t row : timeline->rows) {
      const Entry& entry = book.entries()[row];
      if (entry.run != run) continue;
      if (best.entry == nullptr || Rank(entry) >= Rank(*best.entry)) {
        best = {timeline, &entry};
      }
    }
  }
  return best;
}

// The best run that has a row of each; null where there is none.
const std::string* CommonRun(
    const Book& book,
    const std::vector<std::vector<const Timeline*>>& columns) {
  std::set<const std::string*> common;
  std::optional<std::tuple<bool, bool, absl::Time>> best_rank;
  const std::string* best = nullptr;
  for (size_t i = 0; i < columns.size(); ++i) {
    std::set<const std::string*> runs;
    for (const Timeline* timeline : columns[i]) {
      for (const size_t row : timeline->rows) {
        const Entry& entry = book.entries()[row];
        if (i > 0 && common.count(entry.run) == 0) continue;
        runs.insert(entry.run);
      }
    }
    common = std::move(runs);
  }
  if (columns.empty()) return nullptr;
  for (const Timeline* timeline : columns[0]) {
    for (const size_t row : timeline->rows) {
      const Entry& entry = book.entries()[row];
      if (common.count(entry.run) == 0) continue;
      if (!best_rank.has_value() || Rank(entry) >= *best_rank) {
        best_rank = Rank(entry);
        best = entry.run;
      }
    }
  }
  return best;
}

}  // namespace

absl::StatusOr<Declarations> ParseDeclarations(absl::string_view text) {
  Declarations declared;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    const std::vector<absl::string_view> parts = absl::StrSplit(line, '|');
    const auto wrong = [&](absl::string_view what) {
      return absl::InvalidArgumentError(absl::StrCat(number, ": ", what));
    };
    if (parts.size() != 3) {
      return wrong("a declared series is NAME | TITLE | ABOUT");
    }
    const std::string name(absl::StripAsciiWhitespace(parts[0]));
    const absl::string_view title = absl::StripAsciiWhitespace(parts[1]);
    const absl::string_view about = absl::StripAsciiWhitespace(parts[2]);
    if (!ledger::IsSeriesName(name)) {
      return wrong(absl::StrCat("'", name, "' is not the name of a series"));
    }
    if (title.empty() || about.empty()) {
      return wrong(absl::StrCat(name, " has no title, or nothing about it"));
    }
    if (!declared
             .emplace(name, Declared{.title = std::string(title),
                                     .about = std::string(about)})
             .second) {
      return wrong(absl::StrCat(name, " is declared twice"));
    }
  }
  return declared;
}

absl::StatusOr<Choice> Choose(const Book& book, const Declarations& declared,
                              const Selector& selector) {
  const auto timelines = Fitting(book, declared, selector);
  if (!timelines.ok()) return timelines.status();
  if (timelines->empty()) return Choice{};
  return Best(book, *timelines);
}

absl::StatusOr<Pair> ChoosePair(const Book& book, const Declarations& declared,
                                const Selector& first, const Selector& second) {
  const auto firsts = Fitting(book, declared, first);
  if (!firsts.ok()) return firsts.status();
  const auto seconds = Fitting(book, declared, second);
  if (!seconds.ok()) return seconds.status();
  if (firsts->empty() || seconds->empty()) return Pair{};
  const std::string* run = CommonRun(book, {*firsts, *seconds});
  if (run == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        "no run measured both '", FormatSelector(first), "' and '",
        FormatSelector(second),
        "', and a ratio of two runs says nothing: record both in one"));
  }
  Pair pair = {OfRun(book, *firsts, run), OfRun(book, *seconds, run)};
  if (pair.first.timeline->unit != pair.second.timeline->unit) {
    return absl::FailedPreconditionError(
        absl::StrCat("'", FormatSelector(first), "' is in ",
                     ledger::UnitName(pair.first.timeline->unit), " and '",
                     FormatSelector(second), "' in ",
                     ledger::UnitName(pair.second.timeline->unit),
                     ": a ratio is of one unit"));
  }
  return pair;
}

absl::StatusOr<std::vector<Line>> ChooseLines(
    const Book& book, const Declarations& declared, absl::string_view by,
    const std::vector<Selector>& selectors) {
  const std::string key(by);
  std::vector<std::vector<const Timeline*>> columns;
  std::set<std::string> values;
  bool empty = true;
  for (const Selector& selector : selectors) {
    auto timelines = Fitting(book, declared, selector, /*any=*/true);
    if (!timelines.ok()) return timelines.status();
    empty = empty && timelines->empty();
    for (const Timeline* timeline : *timelines) {
      const auto found = timeline->configuration.find(key);
      if (found != timeline->configuration.end()) values.insert(found->second);
    }
    columns.push_back(*std::move(timelines));
  }
  if (values.empty() && !empty) {
    return absl::NotFoundError(
        absl::StrCat("no row of these series has the key '", by,
                     "' in its "
                     "configuration: choose another for by="));
  }
  std::vector<Line> lines;
  for (const std::string& value : values) {
    Line line = {.value = value};
    std::vector<std::vector<const Timeline*>> cells(selectors.size());
    std::vector<std::vector<const Timeline*>> there;
    for (size_t i = 0; i < selectors.size(); ++i) {
      Selector selector = selectors[i];
      selector.configuration[key] = value;
      for (const Timeline* timeline : columns[i]) {
        if (Fits(*timeline, selector)) cells[i].push_back(timeline);
      }
      const std::set<std::string> configurations = Configurations(cells[i]);
      if (configurations.size() > 1) {
        return absl::FailedPreconditionError(
            absl::StrCat("'", FormatSelector(selector), "' fits rows of ",
                         configurations.size(),
                         " configurations; add what tells them "
                         "apart: ",
                         List(configurations)));
      }
      if (!cells[i].empty()) there.push_back(cells[i]);
    }
    const std::string* run = CommonRun(book, there);
    line.same_run = run != nullptr;
    for (const auto& cell : cells) {
      line.choices.push_back(cell.empty()     ? Choice{}
                             : run != nullptr ? OfRun(book, cell, run)
                                              : Best(book, cell));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

double ValueOf(const Entry& entry, Statistic statistic) {
  switch (statistic) {
    case Statistic::kN:
      return static_cast<double>(entry.summary.n);
    case Statistic::kMin:
      return entry.summary.min;
    case Statistic::kP50:
      return entry.summary.p50;
    case Statistic::kP95:
      return entry.summary.p95;
    case Statistic::kP99:
      return entry.summary.p99;
    case Statistic::kMax:
      return entry.summary.max;
    case Statistic::kMean:
      return entry.summary.mean;
    case Statistic::kFailures:
      return static_cast<double>(entry.failures);
  }
  return 0;
}

ledger::Unit UnitOf(const Timeline& timeline, Statistic statistic) {
  return statistic == Statistic::kN || statistic == Statistic::kFailures
             ? ledger::Unit::kCount
             : timeline.unit;
}

}  // namespace tactus::site
