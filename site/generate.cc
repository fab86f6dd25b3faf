// `bazel run //site:generate`: a ledger becomes static pages. docs/site.md
// tells of them.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "site/render/site.h"

namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

// `bazel run` starts programs in a folder of its own; paths are meant from
// where the person stands.
std::string FromWhereYouStand(const std::string& path) {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  if (path.empty() || folder == nullptr) return path;
  return (std::filesystem::path(folder) / path).string();
}

}  // namespace

int main(int argc, char** argv) {
  tactus::site::SiteOptions options;
  bool quiet = false;
  CLI::App app(
      "Makes static pages from a ledger: every row, the history of each "
      "series, and the pages of prose whose figures are references to rows.");
  app.name("generate");
  app.footer(
      "Exit codes: 0 the site is there; 1 it is not, and why (an unresolved "
      "reference, a line of the ledger that cannot be read, a page that is too "
      "large); 2 usage.");
  app.add_option("--ledger", options.ledger, "folder with *.jsonl");
  app.add_option("--out", options.out, "folder for the pages")->required();
  app.add_option("--templates", options.pages,
                 "folder with site.txt, declared.txt and pages of prose; "
                 "without it, pages that fit every ledger");
  app.add_flag("--quiet", quiet, "say nothing when all is well");
  app.add_option("FILE", options.files, "files of a ledger, one by one");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  options.ledger = FromWhereYouStand(options.ledger);
  options.out = FromWhereYouStand(options.out);
  options.pages = FromWhereYouStand(options.pages);
  for (std::string& file : options.files) file = FromWhereYouStand(file);

  const absl::StatusOr<tactus::site::SiteReport> report =
      tactus::site::BuildSite(options);
  if (!report.ok()) {
    std::fprintf(stderr, "site: %s\n",
                 std::string(report.status().message()).c_str());
    return kFailed;
  }
  if (!quiet) {
    std::printf(
        "site: %lld rows, %zu histories, %zu pages, the largest of %zu bytes, "
        "%llu bytes in all\n",
        static_cast<long long>(report->rows), report->series, report->pages,
        report->largest_page, static_cast<unsigned long long>(report->bytes));
  }
  return 0;
}
