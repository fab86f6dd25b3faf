// Holds templates, pages and documents to the rules of digits.h.
//
//   check_digits NAMES FILE...
//
// Run as a test: each FILE is checked by its ending (.tpl, .html: template;
// .css: style; .txt: list; .md: document), and a name of NAMES that is nowhere
// is told.
//
// Exit codes: 0 nothing found; 1 something found; 2 usage, or a file that
// cannot be read.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ledger/file/reader.h"
#include "ledger/row/row.h"
#include "site/book/book.h"
#include "site/digits/digits.h"
#include "site/format/format.h"
#include "site/reference/reference.h"
#include "site/resolve/resolve.h"

namespace tactus::site {
namespace {

std::optional<std::string> Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

// What the row shows, as the pages show it. `path` is relative to the document
// or to the top; the ledger is one folder, so its name is enough.
absl::StatusOr<std::string> RowText(absl::string_view path,
                                    absl::string_view id,
                                    absl::string_view name) {
  const size_t slash = path.rfind('/');
  const std::string file = absl::StrCat(
      "docs/perf/data/",
      slash == absl::string_view::npos ? path : path.substr(slash + 1));
  const absl::StatusOr<Statistic> statistic = ParseStatistic(name);
  if (!statistic.ok()) return statistic.status();
  Book book;
  const absl::StatusOr<ledger::ReadCounts> read = ledger::ReadFile(
      file,
      [&](const ledger::Place&, ledger::Row row) {
        if (row.id == id) book.Add(row, {});
        return absl::OkStatus();
      },
      [](const ledger::Rejection&) {});
  if (!read.ok()) return read.status();
  if (book.entries().empty()) {
    return absl::NotFoundError(
        absl::StrCat(file, " has no row ", id, ": link to one that it has"));
  }
  book.Close();
  const Entry& entry = book.entries()[0];
  return ShowText(ValueOf(entry, *statistic),
                  UnitOf(book.TimelineOf(entry), *statistic));
}

std::vector<Finding> Check(const std::string& path, const std::string& content,
                           ReviewedNames& names) {
  if (absl::EndsWith(path, ".md")) {
    return CheckMarkdown(path, content, names, RowText);
  }
  if (absl::EndsWith(path, ".txt")) return CheckList(path, content, names);
  if (absl::EndsWith(path, ".css")) return CheckStyle(path, content, names);
  return CheckTemplate(path, content, names);
}

int Run(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    std::fprintf(stderr, "usage: check_digits NAMES FILE...\n");
    return 2;
  }
  const std::string& list = arguments[0];
  const std::optional<std::string> text = Read(list);
  if (!text.has_value()) {
    std::fprintf(stderr, "%s: cannot be read\n", list.c_str());
    return 2;
  }
  absl::StatusOr<ReviewedNames> names = ReviewedNames::Parse(*text);
  if (!names.ok()) {
    std::fprintf(stderr, "%s:%s\n", list.c_str(),
                 std::string(names.status().message()).c_str());
    return 2;
  }
  std::vector<Finding> findings;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string& path = arguments[i];
    const std::optional<std::string> content = Read(path);
    if (!content.has_value()) {
      std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
      return 2;
    }
    std::vector<Finding> found = Check(path, *content, *names);
    findings.insert(findings.end(), found.begin(), found.end());
  }
  for (const Finding& finding : names->Unused(list)) {
    findings.push_back(finding);
  }
  for (const Finding& finding : findings) {
    std::fprintf(stderr, "%s\n", DescribeFinding(finding).c_str());
  }
  std::printf("%zu files, %zu typed figures\n", arguments.size() - 1,
              findings.size());
  return findings.empty() ? 0 : 1;
}

}  // namespace
}  // namespace tactus::site

int main(int argc, char** argv) {
  return tactus::site::Run({argv + 1, argv + argc});
}
