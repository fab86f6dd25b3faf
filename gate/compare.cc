// bazel run //gate:compare -- --base COMMIT --target LABEL --series NAME
#include "ledger/stats/compare.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "gate/command_line.h"
#include "gate/compare_check.h"
#include "gate/configuration.h"
#include "gate/histories.h"
#include "gate/measurement.h"
#include "gate/process.h"
#include "gate/verdict.h"
#include "gate/worktree.h"

namespace tactus::gate {
namespace {

constexpr char kGate[] = "compare";
// A whole tree with a cold cache, on two cores.
constexpr absl::Duration kBuildPatience = absl::Hours(2);

struct Options {
  Common common;
  std::string base;
  std::string target;
  std::string workspace;
  std::string bazel = "bazel";
  std::vector<std::string> bazel_options;
  HistoryFilter filter;
  std::vector<std::string> configuration;
  ledger::ComparisonOptions comparison;
  int run_minutes = 20;
  std::vector<std::string> arguments;
};

void Say(absl::string_view line) {
  const std::string text(line);
  fprintf(stderr, "compare: %s\n", text.c_str());
}

std::string Variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

// One of the two builds: where its program is, and how it is measured.
class Build {
 public:
  Build(const Options& options, std::string tree,
        std::vector<std::string> startup)
      : options_(options),
        tree_(std::move(tree)),
        startup_(std::move(startup)) {}

  absl::Status Make() {
    const std::vector<std::string> how = {
        "-c", "opt", "--experimental_convenience_symlinks=ignore"};
    std::vector<std::string> build = how;
    // The cache that tools/ci/bazel.sh uses: what the base has in common with
    // the present is not compiled again.
    std::string cache = Variable("TACTUS_DISK_CACHE");
    if (cache.empty() && !Variable("HOME").empty()) {
      cache = Variable("HOME") + "/.cache/tactus/bazel";
    }
    if (!cache.empty()) build.push_back("--disk_cache=" + cache);
    build.insert(build.end(), options_.bazel_options.begin(),
                 options_.bazel_options.end());
    build.push_back(options_.target);
    absl::StatusOr<std::string> built = Bazel("build", build, true);
    if (!built.ok()) return built.status();
    std::vector<std::string> query = how;
    query.insert(query.end(), options_.bazel_options.begin(),
                 options_.bazel_options.end());
    for (const char* word :
         {"--output=starlark",
          "--starlark:expr=target.files_to_run.executable.path"}) {
      query.emplace_back(word);
    }
    query.push_back(options_.target);
    absl::StatusOr<std::string> path = Bazel("cquery", query, false);
    if (!path.ok()) return path.status();
    absl::StatusOr<std::string> root = Bazel("info", {"execution_root"}, false);
    if (!root.ok()) return root.status();
    program_ = absl::StrCat(*root, "/", *path);
    if (access(program_.c_str(), X_OK) != 0) {
      return absl::NotFoundError(
          absl::StrCat(options_.target, " is no program: ", program_));
    }
    runfiles_ = absl::StrCat(program_, ".runfiles/tactus");
    if (access(runfiles_.c_str(), X_OK) != 0) runfiles_.clear();
    return absl::OkStatus();
  }

  absl::StatusOr<Measurement> Measure() const {
    MeasurementRequest request{.command = {program_},
                               .folder = runfiles_,
                               .filter = options_.filter,
                               .patience = absl::Minutes(options_.run_minutes)};
    request.command.insert(request.command.end(), options_.arguments.begin(),
                           options_.arguments.end());
    return MeasureOnce(request);
  }

  // Its server would stay in memory for hours.
  void Shutdown() { Bazel("shutdown", {}, false).IgnoreError(); }

 private:
  absl::StatusOr<std::string> Bazel(const char* command,
                                    const std::vector<std::string>& arguments,
                                    bool show) const {
    std::vector<std::string> words = {options_.bazel};
    words.insert(words.end(), startup_.begin(), startup_.end());
    words.emplace_back(command);
    words.insert(words.end(), arguments.begin(), arguments.end());
    absl::StatusOr<Ran> ran = RunProgram(
        words,
        {.patience = kBuildPatience, .folder = tree_, .show_errors = show});
    if (!ran.ok()) return ran.status();
    if (ran->code != 0 || ran->timed_out) {
      return absl::InternalError(
          absl::StrCat("bazel ", command, " failed in ", tree_, ": ",
                       ran->timed_out ? "out of time" : LastLine(ran->err)));
    }
    return std::string(absl::StripAsciiWhitespace(ran->out));
  }

  const Options& options_;
  const std::string tree_;
  const std::vector<std::string> startup_;
  std::string program_;
  std::string runfiles_;
};

Check Compare(const Options& options, const std::string& workspace) {
  Check check{.name = options.filter.series};
  absl::StatusOr<std::unique_ptr<Worktree>> base =
      Worktree::Make(workspace, options.base);
  if (!base.ok()) {
    check.reason = std::string(base.status().message());
    return check;
  }
  Say(absl::StrCat("base ", (*base)->commit()));
  Build present(
      options, workspace,
      absl::StrSplit(Variable("TACTUS_BAZEL_STARTUP"), ' ', absl::SkipEmpty()));
  // Its output goes away with its tree.
  Build before(options, (*base)->folder(),
               {absl::StrCat("--output_base=", (*base)->scratch(), "/output"),
                "--max_idle_secs=60"});
  if (absl::Status s = present.Make(); !s.ok()) {
    check.outcome = Outcome::kBreach;
    check.reason = absl::StrCat("the present build: ", s.message());
    return check;
  }
  const absl::Status built = before.Make();
  if (built.ok()) {
    check = CompareInTurn(
        {.name = options.filter.series,
         .options = options.comparison,
         .progress = Say},
        [&] { return before.Measure(); }, [&] { return present.Measure(); });
  } else {
    check.reason = absl::StrCat("the base: ", built.message());
  }
  before.Shutdown();
  check.details.push_back(absl::StrCat(options.target, " at ",
                                       (*base)->commit().substr(0, 12),
                                       " and as it is now, in turn"));
  return check;
}

int Main(int argc, char** argv) {
  Options options;
  options.filter.device = "any";
  CLI::App app(
      "Builds a base commit in a worktree of its own, outside of the tree, "
      "runs "
      "its benchmark\nand the present one in turn, pair by pair, until it is "
      "known which is faster or that\nthey are the same, and says the ratio "
      "with "
      "its interval. The default error rate is 1 %;\n`bazel run "
      "//gate:compare_simulation` shows what it comes to.\n\nThe program must "
      "take --ledger DIR and record there; after -- comes what else it is "
      "given.",
      kGate);
  app.add_option("--base", options.base, "the commit to compare with")
      ->required();
  app.add_option("--target", options.target,
                 "the benchmark: //ax/atspi:edit_benchmark")
      ->required();
  app.add_option("--series", options.filter.series,
                 "which of its series is compared")
      ->required();
  AddConfiguration(app, &options.configuration);
  app.add_option("--statistic", options.filter.statistic,
                 "of each row: min, p50, p95, p99, max, mean (default: p50)")
      ->check(CLI::IsMember({"min", "p50", "p95", "p99", "max", "mean"}));
  app.add_option("--max-pairs", options.comparison.max_pairs,
                 "pairs after which it gives up (default: 200)");
  app.add_option("--margin", options.comparison.margin,
                 "what is called the same (default: 0.05)");
  app.add_option("--error", options.comparison.error,
                 "how often it may say what is not so (default: 0.01)");
  app.add_option("--run-minutes", options.run_minutes,
                 "how long one run may take (default: 20)")
      ->check(CLI::Range(1, 600));
  app.add_option("--workspace", options.workspace,
                 "the repository (default: the one bazel run was typed in)");
  app.add_option("--bazel", options.bazel, "the program (default: bazel)");
  app.add_option("--bazel-option", options.bazel_options,
                 "of both builds; may be given again")
      ->allow_extra_args(false);
  app.add_option("arguments", options.arguments,
                 "after --: what the benchmark is given");
  AddCommon(app, &options.common);
  if (const int code = Parse(app, argc, argv); code >= 0) return code;
  absl::StatusOr<std::map<std::string, std::string>> configuration =
      ParseConfiguration(options.configuration);
  if (!configuration.ok()) return UsageError(kGate, configuration.status());
  options.filter.configuration = *configuration;
  if (absl::Status s =
          ledger::ComparisonPlan::Make(options.comparison).status();
      !s.ok()) {
    return UsageError(kGate, s);
  }
  const std::string workspace = options.workspace.empty()
                                    ? Variable("BUILD_WORKSPACE_DIRECTORY")
                                    : Typed(options.workspace);
  if (workspace.empty()) {
    return UsageError(kGate, absl::FailedPreconditionError(
                                 "there is no workspace: start it with bazel "
                                 "run, or name it with --workspace DIR"));
  }
  // So that the worktree goes whatever happens.
  StopOnSignals();
  const Check check = Compare(options, workspace);
  if (const int number = StoppedBy(); number != 0) return 128 + number;
  return Finish({.gate = kGate, .checks = {check}}, options.common);
}

}  // namespace
}  // namespace tactus::gate

int main(int argc, char** argv) { return tactus::gate::Main(argc, argv); }
