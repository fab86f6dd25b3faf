#include "site/render/site.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "ledger/file/reader.h"
#include "ledger/row/row.h"
#include "site/book/book.h"
#include "site/format/format.h"
#include "site/render/embedded.h"
#include "site/render/figures.h"
#include "site/render/history.h"
#include "site/render/pages.h"
#include "site/render/rows.h"
#include "site/render/templates.h"
#include "site/resolve/resolve.h"

namespace tactus::site {
namespace {

namespace fs = std::filesystem;

// Of a page of prose or a list: a page that is larger could not be written.
constexpr size_t kMostSource = kMostPage;

using Sources = std::map<std::string, std::string>;

absl::StatusOr<std::string> ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(absl::StrCat(path.string(), ": cannot be read"));
  }
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) {
    return absl::DataLossError(absl::StrCat(path.string(), ": cannot be read"));
  }
  if (text.size() > kMostSource) {
    return absl::InvalidArgumentError(absl::StrCat(
        path.string(), ": ", text.size(), " bytes, of at most ", kMostSource));
  }
  return text;
}

// Names of files here begin with their folder, so that an error can be clicked.
struct Prose {
  std::string folder;  // "" for those that are carried along
  Sources files;

  std::string Path(const std::string& name) const {
    return folder.empty() ? name : absl::StrCat(folder, "/", name);
  }
};

absl::StatusOr<Prose> ReadProse(const std::string& folder) {
  if (folder.empty()) return Prose{.files = EmbeddedPages()};
  Prose prose = {.folder = folder};
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!absl::EndsWith(name, ".html") && !absl::EndsWith(name, ".txt")) {
      continue;
    }
    absl::StatusOr<std::string> text = ReadText(at->path());
    if (!text.ok()) return text.status();
    prose.files.emplace(name, *std::move(text));
  }
  if (error) {
    return absl::NotFoundError(
        absl::StrCat(folder, ": ", error.message(),
                     ": --templates is a folder with site.txt and pages"));
  }
  return prose;
}

struct ProsePage {
  std::string name;  // "index.html"
  std::string title;
  std::string about;
  bool wide = false;
};

struct Outline {
  SiteFacts site;
  std::vector<ProsePage> pages;
};

// site.txt: a line each, WORD | …; see docs/site.md.
absl::StatusOr<Outline> ParseOutline(const Prose& prose) {
  const std::string path = prose.Path("site.txt");
  const auto found = prose.files.find("site.txt");
  if (found == prose.files.end()) {
    return absl::NotFoundError(
        absl::StrCat(path,
                     ": is missing: it names the site and its pages, see "
                     "docs/site.md"));
  }
  Outline outline;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(found->second, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> parts;
    for (const absl::string_view part : absl::StrSplit(line, '|')) {
      parts.emplace_back(absl::StripAsciiWhitespace(part));
    }
    const auto wrong = [&](absl::string_view what) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", number, ": ", what));
    };
    if (parts[0] == "name" && parts.size() == 3) {
      outline.site.name = parts[1];
      outline.site.tagline = parts[2];
    } else if (parts[0] == "page" && parts.size() == 5) {
      const std::string& file = parts[1];
      if (prose.files.count(file) == 0 || !absl::EndsWith(file, ".html")) {
        return wrong(absl::StrCat("no page '", file, "' beside this file"));
      }
      outline.site.navigation.push_back({file, parts[2]});
      outline.pages.push_back(
          {.name = file, .title = parts[3], .about = parts[4]});
    } else {
      return wrong(
          "a line is `name | NAME | TAGLINE` or `page | FILE | LINK | "
          "TITLE | ABOUT`");
    }
  }
  if (outline.site.name.empty() || outline.pages.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": has no name, or no page"));
  }
  for (const auto& [name, text] : prose.files) {
    if (!absl::EndsWith(name, ".html")) continue;
    if (std::none_of(
            outline.pages.begin(), outline.pages.end(),
            [&](const ProsePage& page) { return page.name == name; })) {
      return absl::InvalidArgumentError(absl::StrCat(
          prose.Path(name), ": no line of site.txt names this page"));
    }
  }
  outline.site.navigation.push_back({"history.html", "History"});
  outline.site.navigation.push_back({"rows.html", "Rows"});
  return outline;
}

// Reads a row's line again, for the few rows whose samples a page shows.
class LedgerSamples : public SampleSource {
 public:
  explicit LedgerSamples(const std::vector<std::string>& files)
      : files_(files) {}

  absl::StatusOr<std::vector<double>> Samples(const Entry& entry) override {
    const std::string& path = files_[static_cast<size_t>(entry.place.file)];
    std::vector<double> samples;
    const absl::StatusOr<ledger::ReadCounts> read = ledger::ReadFile(
        path,
        [&](const ledger::Place& place, ledger::Row row) {
          if (row.id != entry.id) return absl::OkStatus();
          samples = std::move(row.samples);
          return absl::CancelledError("found");
        },
        [](const ledger::Rejection&) {});
    if (!samples.empty()) return samples;
    return absl::NotFoundError(
        absl::StrCat(path, ":", entry.place.line,
                     ": the row is no longer there: the ledger "
                     "changed while the site was built"));
  }

 private:
  const std::vector<std::string>& files_;
};

std::string BaseName(const std::string& path) {
  return fs::path(path).filename().string();
}

}  // namespace

absl::StatusOr<SiteReport> BuildSite(const SiteOptions& options) {
  std::vector<std::string> files = options.files;
  if (!options.ledger.empty()) {
    absl::StatusOr<std::vector<std::string>> found =
        ledger::LedgerFiles(options.ledger);
    if (!found.ok()) return found.status();
    files.insert(files.end(), found->begin(), found->end());
  }
  const absl::StatusOr<Prose> prose = ReadProse(options.pages);
  if (!prose.ok()) return prose.status();
  absl::StatusOr<Outline> outline = ParseOutline(*prose);
  if (!outline.ok()) return outline.status();
  Declarations declared;
  if (const auto text = prose->files.find("declared.txt");
      text != prose->files.end()) {
    absl::StatusOr<Declarations> parsed = ParseDeclarations(text->second);
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          prose->Path("declared.txt"), ":", parsed.status().message()));
    }
    declared = *std::move(parsed);
  }
  absl::StatusOr<std::unique_ptr<Templates>> templates =
      Templates::Load(EmbeddedTemplates());
  if (!templates.ok()) return templates.status();

  std::error_code error;
  fs::create_directories(options.out, error);
  if (error) {
    return absl::UnavailableError(
        absl::StrCat(options.out, ": cannot be made: ", error.message()));
  }
  PageWriter pages(**templates, options.out, outline->site);
  RowPages rows(**templates, pages);
  Book book;
  SiteReport report;
  int64_t rejected = 0;
  std::set<std::string> ids;
  for (size_t i = 0; i < files.size(); ++i) {
    const std::string name = BaseName(files[i]);
    const absl::StatusOr<ledger::ReadCounts> read = ledger::ReadFile(
        files[i],
        [&](const ledger::Place& place, ledger::Row row) {
          // Two equal ids are one row; its address is that of the first.
          if (!ids.insert(row.id).second) {
            ++report.duplicates;
            return absl::OkStatus();
          }
          const absl::StatusOr<int32_t> page = rows.Add(name, place.line, row);
          if (!page.ok()) return page.status();
          book.Add(row, {.file = static_cast<int32_t>(i),
                         .line = place.line,
                         .page = *page});
          return absl::OkStatus();
        },
        [&](const ledger::Rejection& rejection) {
          std::fprintf(stderr, "%s\n",
                       ledger::DescribeRejection(rejection).c_str());
          ++rejected;
        });
    if (!read.ok()) return read.status();
  }
  // A site that shows less than the ledger holds would look complete.
  if (rejected > 0) {
    return absl::DataLossError(absl::StrCat(
        rejected, rejected == 1 ? " line" : " lines",
        " of the ledger, told above, cannot be read: mend or take them out"));
  }
  book.Close();
  if (absl::Status s = rows.Close(); !s.ok()) return s;

  History history(book, rows, **templates, pages, declared);
  LedgerSamples samples(files);
  Figures figures(book, declared, rows, history, **templates, samples);
  for (const ProsePage& page : outline->pages) {
    const absl::StatusOr<std::string> body =
        figures.RenderPage(prose->Path(page.name), prose->files.at(page.name));
    if (!body.ok()) return body.status();
    if (absl::Status s = pages.Write({.name = page.name,
                                      .title = page.title,
                                      .about = page.about,
                                      .here = page.name,
                                      .body = *body});
        !s.ok()) {
      return s;
    }
  }
  if (absl::Status s = history.WriteAll(); !s.ok()) return s;
  report.rows = static_cast<int64_t>(book.entries().size());
  report.series = book.timelines().size();
  report.pages = pages.pages();
  report.largest_page = pages.largest();
  report.bytes = pages.bytes();
  return report;
}

}  // namespace tactus::site
