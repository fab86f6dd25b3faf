// bazel run //gate:all
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gate/command_line.h"
#include "gate/process.h"
#include "gate/verdict.h"

namespace tactus::gate {
namespace {

constexpr char kGate[] = "all";
// The longest stages a desktop for each toolkit.
constexpr absl::Duration kPatience = absl::Minutes(20);

struct Part {
  const char* name;
  bool budgets;
  bool ledger;   // reads it
  bool records;  // may append to it
};

// Those that need nothing but a machine and a ledger. `compare` needs a base;
// `transfer` and `mcp` join when what they hold to their budgets has been
// published, and so stands in the ledger.
constexpr Part kParts[] = {
    {"ax_trips", true, false, false},   {"ax_read", true, false, true},
    {"ax_ratio", true, false, true},    {"budget", true, true, false},
    {"regression", false, true, false}, {"history", false, true, false}};

Report Broken(const Part& part, std::string reason) {
  return {.gate = part.name,
          .checks = {{.name = part.name,
                      .outcome = Outcome::kBreach,
                      .reason = std::move(reason)}}};
}

Report RunPart(const Part& part, const Common& common, bool record) {
  const std::string program = Runfile(absl::StrCat("gate/", part.name));
  if (program.empty()) {
    return Broken(part, "is not among the runfiles: start it with bazel run");
  }
  std::vector<std::string> command = {program, "--json"};
  if (part.budgets && !common.budgets.empty()) {
    command.insert(command.end(), {"--budgets", common.budgets});
  }
  if ((part.ledger || (part.records && record)) && !common.ledger.empty()) {
    command.insert(command.end(), {"--ledger", common.ledger});
  }
  if (part.records && record) command.emplace_back("--record");
  absl::StatusOr<Ran> ran = RunProgram(command, {.patience = kPatience});
  if (!ran.ok()) return Broken(part, std::string(ran.status().message()));
  if (ran->timed_out) return Broken(part, "did not end in time");
  std::optional<Report> report = ParseJson(ran->out);
  // A gate that says nothing has judged nothing, whatever it exits with.
  if (!report.has_value() || ran->code != ExitCode(report->outcome(), false)) {
    const std::string said = LastLine(ran->err);
    return Broken(part,
                  absl::StrCat("gave no verdict and ended with ", ran->code,
                               said.empty() ? "" : ": ", said));
  }
  return *std::move(report);
}

// One check for each gate, with what it said below.
Check SumUp(const Report& report) {
  Check check{.name = report.gate,
              .outcome = report.outcome(),
              .reason = report.reason(),
              .headroom = report.headroom()};
  for (const Check& one : Together(report.checks)) {
    if (report.checks.size() > 1) {
      check.details.push_back(absl::StrCat(OutcomeName(one.outcome), "  ",
                                           one.name, ": ", one.reason));
    }
    for (const std::string& detail : one.details) {
      if (one.outcome != Outcome::kPass) {
        check.details.push_back(absl::StrCat("  ", detail));
      }
    }
  }
  check.details.insert(check.details.end(), report.details.begin(),
                       report.details.end());
  return check;
}

int Main(int argc, char** argv) {
  Common common;
  bool record = false;
  std::vector<std::string> only;
  std::vector<std::string> names;
  for (const Part& part : kParts) names.emplace_back(part.name);
  CLI::App app(
      "Runs the gates that need nothing but this machine and a ledger, one "
      "after the other, and\nsums them up. `compare` needs a base, and "
      "`transfer` and `mcp` are not published yet:\nrun them by themselves.",
      kGate);
  app.add_option("--only", only, "which of them (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  app.add_flag("--record", record,
               "append what is measured to the ledger; needs -c opt");
  AddBudgets(app, &common);
  AddLedger(app, &common);
  AddCommon(app, &common);
  if (const int code = Parse(app, argc, argv); code >= 0) return code;
  StopOnSignals();
  std::vector<Report> reports;
  Report sum{.gate = kGate};
  for (const Part& part : kParts) {
    if (!only.empty() &&
        std::find(only.begin(), only.end(), part.name) == only.end()) {
      continue;
    }
    reports.push_back(RunPart(part, common, record));
    if (const int number = StoppedBy(); number != 0) return 128 + number;
    sum.checks.push_back(SumUp(reports.back()));
    if (common.format == "text" && !common.json) {
      // As they come: the whole takes minutes.
      fprintf(stderr, "%s: %s\n", part.name,
              std::string(OutcomeName(reports.back().outcome())).c_str());
    }
  }
  if (common.format == "junit" && !common.json) {
    const std::string xml = FormatJunit(reports, common.require_measurement);
    if (fwrite(xml.data(), 1, xml.size(), stdout) != xml.size() ||
        fflush(stdout) != 0) {
      return kExitBreach;
    }
    return ExitCode(sum.outcome(), common.require_measurement);
  }
  return Finish(sum, common);
}

}  // namespace
}  // namespace tactus::gate

int main(int argc, char** argv) { return tactus::gate::Main(argc, argv); }
