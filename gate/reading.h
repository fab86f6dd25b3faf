// What read_probe measured, held to the budgets on reading.
//
// Use it in the gates that stage a desktop. It is pure, so that a machine that
// stalls, one that keeps no account and a probe that breaks off are tested
// without any of them.
//
// Example:
//
//   const Reading reading = ReadLines(staged.out);
//   report.checks = JudgeReading("ax_read/snapshot", budgets, "gtk3", reading);
#ifndef TACTUS_GATE_READING_H_
#define TACTUS_GATE_READING_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "gate/budgets.h"
#include "gate/verdict.h"
#include "ledger/row/row.h"

namespace tactus::gate {

struct Measured {
  ledger::Unit unit = ledger::Unit::kMicroseconds;
  std::vector<double> samples;
  int64_t failures = 0;
  std::string failure;
};

struct Excuse {
  double took_ms = 0;
  double waited_ms = 0;
};

struct Reading {
  std::map<std::string, Measured> series;
  std::string end;  // why it took no more samples: "sure", "too busy", …
  std::vector<Excuse> excused;
  std::string no_proof;  // why nothing could be excused
  // Of each sample, how many microseconds the scheduler provably held it up.
  std::vector<double> waited;
  std::vector<std::string> recorded;
  std::string repaired;
  bool optimized = false;
  // Lines that no probe can have printed.
  int64_t broken = 0;
};

Reading ReadLines(absl::string_view lines);

// A check for each budget of `series` and the application. Tries that failed,
// lines that are broken and a series that is not there are breaches: the probe
// ran. A machine that was too busy to say is not measurable, unless what could
// be measured is a breach already; and so is a breach that would be none
// without what the scheduler provably did to this process, sample by sample.
// That is never a pass.
std::vector<Check> JudgeReading(absl::string_view series,
                                const Budgets& budgets,
                                absl::string_view application,
                                const Reading& reading);

// What to tell beside the checks.
std::vector<std::string> Details(const Reading& reading);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_READING_H_
