// Plots as SVG, made when a page is built, so that it needs no script.
//
// Use TimePlot for a history, Strip for the samples of one row in the order in
// which they were taken, Histogram for their shape, Bars to compare two or more
// values of one unit.
//
// What a plot promises:
//   - x is time, never the number of a row: a pause looks like a pause;
//   - y begins at zero and says its unit and which way is better;
//   - each mark shows its spread, from the lowest to the 95th percentile;
//   - of a row with more failed tries than samples no value is drawn, since
//     those that came through say little: it is a cross at the edge that is
//     worse, and the line is broken there. A timeout cannot look like speed.
//
// Example:
//
//   std::string svg = TimePlot(points, {.id = "h1", .title = "edit/word",
//                                       .unit = Unit::kMicroseconds});
//
// Texts are escaped here; the result may stand in HTML as it is. The same
// points give the same bytes.
#ifndef TACTUS_SITE_PLOT_PLOT_H_
#define TACTUS_SITE_PLOT_PLOT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ledger/row/row.h"

namespace tactus::site {

struct PlotPoint {
  absl::Time time;
  double low = 0;    // of all samples
  double mid = 0;    // the p50
  double high = 0;   // the p95
  int64_t rows = 1;  // that this mark stands for
  int64_t samples = 1;
  int64_t failures = 0;  // tries that gave no sample
  bool change = false;   // a change point: from here on it is another level
  double before = 0;     // the mean until that change,
  double after = 0;      // and from it on
  bool dirty = false;    // of a tree with changes that no commit has
  std::string href;      // of its row; empty where it stands for several

  // More tries failed than gave a sample.
  bool missing() const { return failures > samples; }
};

struct PlotOptions {
  std::string id;     // unique on the page; letters, digits, '-'
  std::string title;  // read out by screen readers, never drawn
  ledger::Unit unit = ledger::Unit::kMicroseconds;
  ledger::Direction direction = ledger::Direction::kLessIsBetter;
  int width = 720;
  int height = 280;
};

// Neighbours put together where there are more than `most`: the time is divided
// into so many equal parts, and what is in one part becomes one mark with the
// middle value of the medians, the least low and the greatest high. A part has
// another mark where it changed, and one for all of its missing rows, so that
// nothing hides them: at most twice `most` marks and one for each change.
std::vector<PlotPoint> Reduce(absl::Span<const PlotPoint> points, size_t most);

// By how much the level changed, seen from the one before: "42 %"; "from zero"
// where there is no such share.
std::string ShowChange(double before, double after);

// `points` in order of time; "" where there are none.
std::string TimePlot(absl::Span<const PlotPoint> points,
                     const PlotOptions& options);

// One stroke a sample, from zero up; those over `mark` in the other colour.
// Where there are more than `most` samples a stroke is the greatest of several.
std::string Strip(absl::Span<const double> samples, double mark,
                  absl::string_view title, size_t most = 240);

// How often which values were there: `bins` bars from `low` to `high`, the last
// one with all that is over it.
std::string Histogram(absl::Span<const double> samples, double low, double high,
                      int bins);

// A bar of `value` where the longest is `largest`. `kind` is a class for its
// colour: "ours" or "theirs".
std::string Bar(double value, double largest, absl::string_view kind);

// Where an axis from zero to `largest` has its ticks: round numbers, at most
// `most` of them without zero, the last one at least `largest`.
std::vector<double> Ticks(double largest, int most);

}  // namespace tactus::site

#endif  // TACTUS_SITE_PLOT_PLOT_H_
