// The options that all gates have, and how a gate ends.
//
// Example:
//
//   Common common;
//   CLI::App app("Holds …");
//   AddCommon(app, &common);
//   if (const int code = Parse(app, argc, argv); code >= 0) return code;
//   …
//   return Finish(report, common);
#ifndef TACTUS_GATE_COMMAND_LINE_H_
#define TACTUS_GATE_COMMAND_LINE_H_

#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gate/budgets.h"
#include "gate/verdict.h"

namespace tactus::gate {

struct Common {
  std::string format = "text";
  bool json = false;
  bool require_measurement = false;
  std::string budgets;  // as typed; empty for our own
  std::string ledger;
};

// --json, --format, --require-measurement, and the exit codes in the help.
void AddCommon(CLI::App& app, Common* common);
// --budgets FILE
void AddBudgets(CLI::App& app, Common* common);
// --ledger DIR
void AddLedger(CLI::App& app, Common* common);

// The exit code where there is nothing more to do (--help, wrong usage); -1
// where the program goes on.
int Parse(CLI::App& app, int argc, char** argv);

// The file that --budgets names, or else gate/budgets.json.
absl::StatusOr<Budgets> OpenBudgets(const Common& common);

// The folder that --ledger names, or else docs/perf/data of the workspace that
// `bazel run` was typed in. FailedPrecondition without either.
absl::StatusOr<std::string> LedgerFolder(const Common& common);

// How the gate is compiled, and so is the probe beside it: rows of what was not
// optimized are refused, which is better told before anything is started.
#ifdef NDEBUG
inline constexpr bool kOptimized = true;
#else
inline constexpr bool kOptimized = false;
#endif

// That, with the remedy. FailedPrecondition.
absl::Status OnlyOptimized(absl::string_view gate);

// Prints the report as asked, and answers the exit code.
int Finish(const Report& report, const Common& common);

// Says what is wrong with how it was called; kExitUsage.
int UsageError(absl::string_view gate, const absl::Status& status);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_COMMAND_LINE_H_
