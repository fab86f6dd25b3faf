// Runs a probe on a private desktop with an application in focus, and tells a
// machine that cannot from a probe that failed.
//
// Example:
//
//   const Staged staged = RunOnDesktop({.application = "gtk3", .text = kText,
//                                       .probe = "ax/atspi/probe/read_probe",
//                                       .arguments = {"--samples", "200"}});
//   if (staged.refusal.has_value()) return *staged.refusal;   // a Check
//   Read(staged.out);
//
// Not measurable are: no Xvfb or what else a desktop is made of, an application
// that is not installed or does not start. Everything after the probe has
// started is the measurement's own, so a probe that fails, hangs or dies is a
// breach: reads that do not come back are not within any budget.
#ifndef TACTUS_GATE_DESKTOP_H_
#define TACTUS_GATE_DESKTOP_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gate/verdict.h"

namespace tactus::gate {

// What the fields hold: 43 characters that somebody might type.
inline constexpr char kDesktopText[] =
    "The quick brown fox jumps over the lazy dog";

struct Staging {
  std::string application;
  std::string text = kDesktopText;
  std::string probe;  // a runfile
  std::vector<std::string> arguments;
  // Of the probe. What takes longer hangs.
  absl::Duration patience = absl::Minutes(4);
  // The runner; a test has its own.
  std::string runner;
};

struct Staged {
  // Named after the application; absent where the probe ran to its end.
  std::optional<Check> refusal;
  std::string out;
};

Staged RunOnDesktop(const Staging& staging);

// The same without a desktop.
Staged RunProbe(const Staging& staging);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_DESKTOP_H_
