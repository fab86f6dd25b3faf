// How long a site takes from a large ledger, and how large its pages are.
//
//   bazel run -c opt //site:scale_benchmark -- --record
//
// Makes up a ledger of --rows rows of --samples samples (which nobody measured,
// and which is removed), builds the site from it --times times, and prints the
// time beside its goal. With --record the times are rows of the ledger.
//
// Exit codes: 0 every goal met; 1 one missed, or the site could not be built;
// 2 usage.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ledger/record/recorder.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"
#include "site/render/site.h"
#include "site/scale_harness.h"
#include "site/testing/scale.h"

namespace tactus::site {
namespace {

namespace fs = std::filesystem;

// What a change of a page may take before somebody stops looking at the result.
constexpr double kMostSeconds = 10;
constexpr size_t kLargestPage = 300'000;
constexpr int64_t kGoalRows = 100'000;

// The most memory this process has had, in bytes.
int64_t PeakMemory() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != "VmHWM:") continue;
    int64_t kibibytes = 0;
    status >> kibibytes;
    return kibibytes * 1024;
  }
  return 0;
}

struct Options {
  int64_t rows = kGoalRows;
  int samples = 200;
  int times = 3;
  bool record = false;
  std::string ledger;
};

int Run(const Options& options) {
  const auto failed = [](const absl::Status& status) {
    std::fprintf(stderr, "scale_benchmark: %s\n",
                 std::string(status.message()).c_str());
    return 1;
  };
  const absl::StatusOr<std::string> folder =
      ledger::LedgerDirectory(options.record, options.ledger);
  if (!folder.ok()) return failed(folder.status());
  absl::StatusOr<std::unique_ptr<ledger::Recorder>> recorder =
      ledger::Recorder::Start(
          {.instrument = "//site:scale_benchmark",
           .harness = ledger::kHarnessDigest,
           .ledger = *folder,
           .prefix = "site/",
           .configuration = {{"rows", absl::StrCat(options.rows)},
                             {"samples", absl::StrCat(options.samples)}}});
  if (!recorder.ok()) return failed(recorder.status());

  std::string scratch =
      (fs::temp_directory_path() / "tactus-site.XXXXXX").string();
  if (mkdtemp(scratch.data()) == nullptr) {
    return failed(absl::UnavailableError(scratch + " cannot be made"));
  }
  const absl::Cleanup remove = [&] {
    std::error_code ignored;
    fs::remove_all(scratch, ignored);
  };
  const std::string made_up = scratch + "/made-up.jsonl";
  {
    std::ofstream out(made_up, std::ios::binary);
    MakeScaleLedger(out, options.rows, options.samples);
    if (!out) return failed(absl::UnavailableError(made_up + " is not whole"));
  }
  std::printf("%lld rows of %d samples, %lld bytes\n",
              static_cast<long long>(options.rows), options.samples,
              static_cast<long long>(fs::file_size(made_up)));

  ledger::Series build = {.name = "build", .unit = ledger::Unit::kSeconds};
  SiteReport report;
  for (int i = 0; i < options.times; ++i) {
    const std::clock_t cpu = std::clock();
    const auto begin = std::chrono::steady_clock::now();
    absl::StatusOr<SiteReport> built =
        BuildSite({.files = {made_up}, .out = scratch + "/site"});
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - begin;
    if (!built.ok()) return failed(built.status());
    report = *built;
    build.samples.push_back(took.count());
    // On a machine that is busy with other work the two differ.
    std::printf("built in %.2f s, %.2f s of them of the processor\n",
                took.count(),
                static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC);
  }
  std::sort(build.samples.begin(), build.samples.end());
  const double median = build.samples[(build.samples.size() - 1) / 2];
  const int64_t memory = PeakMemory();
  bool met = true;
  const auto goal = [&](bool holds, const std::string& what) {
    met = met && holds;
    std::printf("%-6s  %s\n", holds ? "met" : "MISSED", what.c_str());
  };
  // The goal is of the size that it names; another is only reported.
  if (options.rows == kGoalRows) {
    goal(median < kMostSeconds,
         absl::StrCat("median of ", options.times, " builds under ",
                      kMostSeconds, " s: ", median, " s"));
  }
  goal(report.largest_page < kLargestPage,
       absl::StrCat("each page under ", kLargestPage,
                    " bytes: the largest has ", report.largest_page));
  std::printf("%zu pages, %llu bytes, %lld bytes of memory at most\n",
              report.pages, static_cast<unsigned long long>(report.bytes),
              static_cast<long long>(memory));
  if ((*recorder)->records()) {
    for (const ledger::Series& series :
         {build,
          ledger::Series{.name = "largest_page",
                         .unit = ledger::Unit::kBytes,
                         .samples = {static_cast<double>(report.largest_page)}},
          ledger::Series{.name = "memory",
                         .unit = ledger::Unit::kBytes,
                         .samples = {static_cast<double>(memory)}}}) {
      const absl::Status recorded = (*recorder)->Record(series);
      if (!recorded.ok()) return failed(recorded);
    }
  }
  return met ? 0 : 1;
}

}  // namespace
}  // namespace tactus::site

int main(int argc, char** argv) {
  tactus::site::Options options;
  CLI::App app("Builds the site of a large made-up ledger, and times it.");
  app.name("scale_benchmark");
  app.add_option("--rows", options.rows)->check(CLI::Range(1, 10'000'000));
  app.add_option("--samples", options.samples)->check(CLI::Range(1, 4096));
  app.add_option("--times", options.times)->check(CLI::Range(1, 1000));
  app.add_flag("--record", options.record, "append rows to docs/perf/data");
  app.add_option("--ledger", options.ledger,
                 "append rows to the ledger in this folder");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return tactus::site::Run(options);
}
