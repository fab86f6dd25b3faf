// The pages that show every row of a ledger, each under an address that stays.
//
// Use it while the ledger is read: a row is written out at once and forgotten,
// so that memory does not grow with the samples. A row's address is its page
// and "#r-" with its id. Pages are filled in the order of the ledger's lines,
// to which lines are only ever added, so that a row never moves to another
// page.
//
// Example:
//
//   RowPages rows(templates, pages);
//   absl::StatusOr<int32_t> page = rows.Add("edit.jsonl", 7, row);
//   ...
//   absl::Status done = rows.Close();
//   rows.PageName(*page);   // "rows-edit-1.html"
#ifndef TACTUS_SITE_RENDER_ROWS_H_
#define TACTUS_SITE_RENDER_ROWS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/row/row.h"
#include "site/render/pages.h"
#include "site/render/templates.h"

namespace tactus::site {

class RowPages {
 public:
  // Both stay alive longer than this.
  RowPages(const Templates& templates, PageWriter& pages);

  // `file` is the name of the ledger's file; its rows come one after the other.
  // Answers the index of the page that the row is on.
  absl::StatusOr<int32_t> Add(absl::string_view file, int64_t line,
                              const ledger::Row& row);

  // Writes the last page, and the list of all.
  absl::Status Close();

  const std::string& PageName(int32_t page) const {
    return shards_[static_cast<size_t>(page)].name;
  }

 private:
  struct Shard {
    std::string name;
    std::string file;
    int64_t number = 1;  // of the file's pages
    int64_t rows = 0;
    int64_t first_line = 0;
    int64_t last_line = 0;
    absl::Time first;  // the earliest and the latest date
    absl::Time last;
  };

  void Begin(absl::string_view file);
  absl::Status Finish();
  void Render(int64_t line, const ledger::Row& row);

  const Templates& templates_;
  PageWriter& pages_;
  std::vector<Shard> shards_;
  std::string body_;  // of the page that is being filled
  std::set<std::string> stems_;
  std::string stem_;
};

}  // namespace tactus::site

#endif  // TACTUS_SITE_RENDER_ROWS_H_
