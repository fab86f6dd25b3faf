#include "gate/command_line.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gate/budgets.h"
#include "gate/process.h"
#include "gate/verdict.h"
#include "ledger/file/file_name.h"

namespace tactus::gate {

void AddCommon(CLI::App& app, Common* common) {
  app.add_flag("--json", common->json, "one line of JSON, as --format json");
  app.add_option("--format", common->format, "text, json or junit")
      ->check(CLI::IsMember({"text", "json", "junit"}));
  app.add_flag("--require-measurement", common->require_measurement,
               "exit with 3 where nothing can be measured");
  app.footer(
      "Exit codes: 0 pass, or not measurable here, which is said; 1 breach; "
      "2 usage;\n3 not measurable, with --require-measurement.\n"
      "docs/gates.md says what each gate promises.");
}

void AddBudgets(CLI::App& app, Common* common) {
  app.add_option("--budgets", common->budgets,
                 "the reviewed file of budgets (default: gate/budgets.json)");
}

void AddLedger(CLI::App& app, Common* common) {
  app.add_option("--ledger", common->ledger,
                 "the folder of the ledger (default: docs/perf/data)");
}

int Parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitPass : kExitUsage;
  }
  return -1;
}

absl::StatusOr<Budgets> OpenBudgets(const Common& common) {
  if (!common.budgets.empty()) return ReadBudgets(Typed(common.budgets));
  const std::string own = Runfile("gate/budgets.json");
  if (own.empty()) {
    return absl::FailedPreconditionError(
        "gate/budgets.json is not among the runfiles: start it with bazel run, "
        "or name a file with --budgets FILE");
  }
  return ReadBudgets(own);
}

absl::StatusOr<std::string> LedgerFolder(const Common& common) {
  if (!common.ledger.empty()) return Typed(common.ledger);
  const char* workspace = getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) {
    return absl::FailedPreconditionError(
        "there is no workspace to look for a ledger in: start it with bazel "
        "run, or name the folder with --ledger DIR");
  }
  return absl::StrCat(workspace, "/", ledger::kLedgerFolder);
}

absl::Status OnlyOptimized(absl::string_view gate) {
  return absl::FailedPreconditionError(
      absl::StrCat("rows are of optimized programs alone: bazel run -c opt "
                   "//gate:",
                   gate, " -- --record"));
}

int Finish(const Report& report, const Common& common) {
  std::string text;
  if (common.json || common.format == "json") {
    text = FormatJson(report);
  } else if (common.format == "junit") {
    text = FormatJunit({report}, common.require_measurement);
  } else {
    text = FormatText(report);
  }
  const bool written =
      fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
      fflush(stdout) == 0;
  if (!written) {
    fprintf(stderr, "%s: the verdict cannot be written\n", report.gate.c_str());
    return kExitBreach;
  }
  return ExitCode(report.outcome(), common.require_measurement);
}

int UsageError(absl::string_view gate, const absl::Status& status) {
  const std::string message(status.message());
  fprintf(stderr, "%s: %s\n", std::string(gate).c_str(), message.c_str());
  return kExitUsage;
}

}  // namespace tactus::gate
