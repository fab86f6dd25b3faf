// What stands on a page where a reference stood.
//
// Use it for each page of prose. A figure is a value with its unit and a card
// that shows on hover, tap or focus, without any script: how many samples,
// which instrument, when, on which device, from which commit, how far it may be
// believed, and a link to the row. What is dirty, suspected or verified only is
// said beside the figure itself. What is declared and has no row says so.
//
// Example:
//
//   Figures figures(book, declared, rows, history, templates);
//   absl::StatusOr<std::string> html = figures.RenderPage("index.html", text);
//   if (!html.ok()) ...   // "index.html:7: the ledger has no row of …"
#ifndef TACTUS_SITE_RENDER_FIGURES_H_
#define TACTUS_SITE_RENDER_FIGURES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "site/book/book.h"
#include "site/reference/reference.h"
#include "site/render/history.h"
#include "site/render/rows.h"
#include "site/render/templates.h"
#include "site/resolve/resolve.h"

namespace tactus::site {

// Reads the samples of one row again: the book has none.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  virtual absl::StatusOr<std::vector<double>> Samples(const Entry& entry) = 0;
};

class Figures {
 public:
  // All stay alive longer than this.
  Figures(const Book& book, const Declarations& declared, const RowPages& rows,
          const History& history, const Templates& templates,
          SampleSource& samples);

  // A page of prose with its references filled in. The error of one that cannot
  // be begins with "NAME:LINE: ".
  absl::StatusOr<std::string> RenderPage(absl::string_view name,
                                         absl::string_view text);

 private:
  absl::StatusOr<std::string> Render(const Reference& reference);
  absl::StatusOr<std::string> RenderFigure(const Reference& reference);
  absl::StatusOr<std::string> RenderRatio(const Reference& reference);
  absl::StatusOr<std::string> RenderPlot(const Reference& reference);
  absl::StatusOr<std::string> RenderStrip(const Reference& reference);
  absl::StatusOr<std::string> RenderComparison(const Reference& reference);
  std::string RenderOverview();

  // The value with its card.
  std::string Value(const Choice& choice, Statistic statistic);
  std::string Ratio(const Choice& first, const Choice& second,
                    Statistic statistic);
  std::string NoRow(const std::vector<Selector>& selectors);
  // One row of a card, and what all of its rows share.
  void Describe(Dictionary& card, const Choice& choice,
                Statistic statistic) const;
  void DescribeRun(Dictionary& card, const Entry& entry) const;
  std::string Title(const std::string& series) const;

  const Book& book_;
  const Declarations& declared_;
  const RowPages& rows_;
  const History& history_;
  const Templates& templates_;
  SampleSource& samples_;
  int next_id_ = 1;  // of the page that is being rendered
};

}  // namespace tactus::site

#endif  // TACTUS_SITE_RENDER_FIGURES_H_
