// What a gate says: pass, breach, or not measurable here, with the reason.
//
// Use it for everything that decides whether a build may go on. A gate makes
// one Check for each thing that it was asked about; the worst of them is the
// gate's.
//
// Example:
//
//   Report report{.gate = "ax_read"};
//   report.checks.push_back({.name = "p50", .outcome = Outcome::kPass,
//                            .reason = "0.41 ms of at most 2 ms",
//                            .headroom = 4.9});
//   printf("%s", FormatText(report).c_str());
//   return ExitCode(report, {.require_measurement = options.require});
//
// Not measurable is no pass: it exits with 0 on a machine that cannot measure,
// so that a developer without a display can go on, and with 3 where measurement
// is required, so that a CI does not fail open. A report without any check is
// not measurable: nothing asked is nothing proved.
//
// What was measured and cannot be true (below zero, no number, faster than
// anything can be) is a breach and never "not measurable": an instrument that
// is broken must not exit 0.
#ifndef TACTUS_GATE_VERDICT_H_
#define TACTUS_GATE_VERDICT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tactus::gate {

enum class Outcome {
  kPass,
  kNotMeasurable,
  kBreach,
};

// "pass", "not measurable", "breach".
absl::string_view OutcomeName(Outcome outcome);

struct Check {
  std::string name;
  Outcome outcome = Outcome::kNotMeasurable;
  // One clause: what was found, held against what.
  std::string reason;
  // How many times better than its bound it is: 5 where a fifth of the budget
  // is used, below 1 for a breach. Absent where nothing was measured.
  std::optional<double> headroom;
  // A line each, for people.
  std::vector<std::string> details;
};

struct Report {
  std::string gate;
  std::vector<Check> checks;
  // What holds for all of them: the desktop, the rows that were set aside.
  std::vector<std::string> details;

  Outcome outcome() const;
  // The first line without its verdict: of one check its reason; of several how
  // many there are of each kind, and the worst.
  std::string reason() const;
  // The least of the checks'.
  std::optional<double> headroom() const;
};

inline constexpr int kExitPass = 0;
inline constexpr int kExitBreach = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitNotMeasured = 3;

// kExitNotMeasured only where measurement is required.
int ExitCode(Outcome outcome, bool require_measurement);

// The checks as a person wants to read them: what was not measurable for the
// same reason, with the same details, is one check where the first of it stood,
// called "NAME and N more". A young ledger has hundreds of them, and whatever
// else a gate has to say would be lost among them. JSON and JUnit have them
// all.
std::vector<Check> Together(const std::vector<Check>& checks);

// "ax_read: pass: p50: 0.41 ms of at most 2 ms\n", then each check, its
// headroom and its details, indented, those that are not measurable together.
// Control characters of what came from outside are spelled out.
std::string FormatText(const Report& report);

// One line: {"gate","verdict","reason","headroom","checks":[…],"details":[…]},
// with its line end.
std::string FormatJson(const Report& report);

// A <testsuite> for each report. A breach is a failure; not measurable is
// skipped, and an error where measurement is required.
std::string FormatJunit(const std::vector<Report>& reports,
                        bool require_measurement);

// What FormatJson wrote; absent for anything else.
std::optional<Report> ParseJson(absl::string_view line);

// A figure for people: three digits that count, and no exponent for what a
// person measures.
std::string Figure(double value);

// "4.9 times".
std::string Times(double headroom);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_VERDICT_H_
