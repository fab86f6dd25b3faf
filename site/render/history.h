// The pages of histories: one for each timeline, and the list of all.
//
// Use it once the book is closed. A page has the plot, the change points, and
// the figures of the plot as a table, so that whoever cannot see the one can
// read the other. Where a timeline has more rows than a plot can tell apart,
// neighbours share a mark, and the page says how many.
//
// Example:
//
//   History history(book, rows, templates, pages, declared);
//   absl::Status s = history.WriteAll();
//   html += history.Plot(timeline, "f3");   // on another page
#ifndef TACTUS_SITE_RENDER_HISTORY_H_
#define TACTUS_SITE_RENDER_HISTORY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "site/book/book.h"
#include "site/plot/plot.h"
#include "site/render/pages.h"
#include "site/render/rows.h"
#include "site/render/templates.h"
#include "site/resolve/resolve.h"

namespace tactus::site {

// "history-edit.word-1f0c9a2b44d1.html"
std::string HistoryHref(const Timeline& timeline);
// "rows-edit-1.html#r-9f86…"
std::string RowHref(const Entry& entry, const RowPages& rows);

class History {
 public:
  // All stay alive longer than this.
  History(const Book& book, const RowPages& rows, const Templates& templates,
          PageWriter& pages, const Declarations& declared);

  absl::Status WriteAll();

  // The plot of a timeline, for wide and for narrow windows. `id` is unique on
  // its page.
  absl::StatusOr<std::string> Plot(const Timeline& timeline,
                                   absl::string_view id) const;

 private:
  // A mark a row, with the change points.
  absl::StatusOr<std::vector<PlotPoint>> Points(const Timeline& timeline) const;
  std::string Draw(const Timeline& timeline,
                   const std::vector<PlotPoint>& points,
                   absl::string_view id) const;
  absl::Status WriteOne(const Timeline& timeline);
  absl::Status WriteIndex();

  const Book& book_;
  const RowPages& rows_;
  const Templates& templates_;
  PageWriter& pages_;
  const Declarations& declared_;
};

}  // namespace tactus::site

#endif  // TACTUS_SITE_RENDER_HISTORY_H_
