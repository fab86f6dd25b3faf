// Finds figures that somebody typed.
//
// Use it on everything that is published: a measured number comes from a row of
// the ledger by a reference, or it is not there. What was typed goes stale and
// nobody can ask it where it comes from.
//
// Two rules:
//
//   templates  No digit in the text of a page or of a template, nor in an
//              attribute that is read out, but in references and in reviewed
//              names (GTK 3, p50).
//   documents  In Markdown numbers are facts as well (an exit code, a limit),
//   so
//              the rule is of measured quantities: a number, in digits or in
//              words, with a unit of time, size, rate, ratio or share. It
//              stands in a link to its row, which is checked against the
//              ledger:
//                  [412 us](docs/perf/data/edit.jsonl "9f86d0… p50")
//              or between `<!-- NAME: begin … -->` and `<!-- NAME: end -->`,
//              where a program writes, or in a file that says in its second
//              line which program generated it, or it is a reviewed phrase (the
//              default of a deadline). Code blocks are exempt; code spans are
//              not.
//
// Example:
//
//   for (const Finding& finding : CheckTemplate("index.html", text, names)) …
#ifndef TACTUS_SITE_DIGITS_DIGITS_H_
#define TACTUS_SITE_DIGITS_DIGITS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::site {

struct Finding {
  std::string file;
  int line = 0;
  std::string what;  // with the remedy
};
// "FILE:LINE: WHAT"
std::string DescribeFinding(const Finding& finding);

// Names and phrases that were reviewed: a line each, WHERE | NAME | WHY, where
// WHERE is a file or '*' for all. Empty lines and those that begin with '#' say
// nothing.
class ReviewedNames {
 public:
  // InvalidArgument begins with the line: "7: …".
  static absl::StatusOr<ReviewedNames> Parse(absl::string_view text);

  // Whether text[begin, end) is within one of the names that hold for `file`;
  // remembers which were met. A name ends where its last letter or digit is not
  // followed by another.
  bool Covers(absl::string_view file, absl::string_view text, size_t begin,
              size_t end);

  // Those that nothing met: what was reviewed is no longer there.
  std::vector<Finding> Unused(absl::string_view file) const;

 private:
  struct Name {
    std::string where;
    std::string name;
    int line = 0;
    bool met = false;
  };
  std::vector<Name> names_;
};

std::vector<Finding> CheckTemplate(absl::string_view file,
                                   absl::string_view text,
                                   ReviewedNames& names);

// Of site.txt and declared.txt: all fields of a line but the first.
std::vector<Finding> CheckList(absl::string_view file, absl::string_view text,
                               ReviewedNames& names);

// Of a style sheet: what it lets appear on a page, `content: "…"`.
std::vector<Finding> CheckStyle(absl::string_view file, absl::string_view text,
                                ReviewedNames& names);

// What a row of the ledger file `path` (as it is written in the link) with this
// id shows for this statistic, e.g. "412 us"; an error says what is not there.
using RowText = absl::FunctionRef<absl::StatusOr<std::string>(
    absl::string_view path, absl::string_view id, absl::string_view statistic)>;

std::vector<Finding> CheckMarkdown(absl::string_view file,
                                   absl::string_view text, ReviewedNames& names,
                                   RowText row_text);

}  // namespace tactus::site

#endif  // TACTUS_SITE_DIGITS_DIGITS_H_
