// Which row a reference means.
//
// Use it when a page is built. What a page asks for either is in the ledger, or
// is declared as not measured yet, or the build ends with an error that says
// what to do: a page never shows less than it says.
//
// Of the rows that a selector fits, the newest is meant whose tree was clean
// and whose label is measured; where there is none the newest measured one, and
// only then the newest of all. What is not clean or not measured is in the row,
// and a page says so beside the figure. The device is that of the newest row
// unless the selector names one.
//
// Example:
//
//   absl::StatusOr<Choice> choice = Choose(book, declared, selector);
//   if (!choice.ok()) return choice.status();   // names the remedy
//   if (choice->entry == nullptr) ...           // declared: "no row yet"
#ifndef TACTUS_SITE_RESOLVE_RESOLVE_H_
#define TACTUS_SITE_RESOLVE_RESOLVE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ledger/row/row.h"
#include "ledger/stats/summary.h"
#include "site/book/book.h"
#include "site/reference/reference.h"

namespace tactus::site {

// A series that a page may name before anything has measured it.
struct Declared {
  std::string title;  // for people: "Tactus, searching"
  std::string about;  // a sentence: what is measured
};
using Declarations = std::map<std::string, Declared>;

// A line a series: NAME | TITLE | ABOUT. Empty lines and those that begin with
// '#' say nothing. InvalidArgument begins with the line: "7: …".
absl::StatusOr<Declarations> ParseDeclarations(absl::string_view text);

// The row that is meant; no entry where the series is declared and has none.
struct Choice {
  const Timeline* timeline = nullptr;
  const Entry* entry = nullptr;
};

// NotFound where the series is neither in the ledger nor declared, or no row of
// it has that configuration or device; FailedPrecondition where rows of several
// configurations fit. The message says what to write instead.
absl::StatusOr<Choice> Choose(const Book& book, const Declarations& declared,
                              const Selector& selector);

// Two rows of one run, for a ratio: the newest run that has both. NotFound as
// above, and where no run measured both; FailedPrecondition where their units
// differ. Both entries are null where one of the series is declared and has no
// row.
struct Pair {
  Choice first;
  Choice second;
};
absl::StatusOr<Pair> ChoosePair(const Book& book, const Declarations& declared,
                                const Selector& first, const Selector& second);

// Lines of a comparison: for each value of `by` the choice of each selector,
// in the order of the selectors. Where one has no such row its entry is null.
// Choices of one line are of one run wherever there is a run that has all those
// which the line has; `same_run` says so.
struct Line {
  std::string value;
  std::vector<Choice> choices;
  bool same_run = false;
};
absl::StatusOr<std::vector<Line>> ChooseLines(
    const Book& book, const Declarations& declared, absl::string_view by,
    const std::vector<Selector>& selectors);

// E.g. summary.p95. Failures are the row's and not the summary's.
double ValueOf(const Entry& entry, Statistic statistic);

// What `statistic` counts in: tries and failures are counts whatever the unit.
ledger::Unit UnitOf(const Timeline& timeline, Statistic statistic);

}  // namespace tactus::site

#endif  // TACTUS_SITE_RESOLVE_RESOLVE_H_
