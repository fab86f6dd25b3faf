#include "gate/desktop.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gate/process.h"
#include "gate/verdict.h"

namespace tactus::gate {
namespace {

// The runner's own codes.
constexpr int kNotAvailable = 3;
constexpr int kTimedOut = 124;
// For the desktop and the application to start, on a busy machine.
constexpr absl::Duration kStarting = absl::Minutes(3);

Staged Refuse(const Staging& staging, Outcome outcome, std::string reason) {
  return {.refusal = Check{.name = staging.application,
                           .outcome = outcome,
                           .reason = std::move(reason)}};
}

Staged Broken(const Staging& staging, std::string reason) {
  return Refuse(staging, Outcome::kBreach, std::move(reason));
}

Staged Conclude(const Staging& staging, absl::StatusOr<Ran> ran) {
  if (!ran.ok()) return Broken(staging, std::string(ran.status().message()));
  const std::string said = LastLine(ran->err);
  if (ran->timed_out || ran->code == kTimedOut) {
    return Broken(staging, absl::StrCat("the probe did not end in time",
                                        said.empty() ? "" : ": ", said));
  }
  if (ran->code != 0) {
    return Broken(staging, absl::StrCat("the probe failed with ", ran->code,
                                        said.empty() ? "" : ": ", said));
  }
  return {.out = std::move(ran->out)};
}

}  // namespace

Staged RunOnDesktop(const Staging& staging) {
  const std::string runner =
      staging.runner.empty() ? Runfile("tools/desktop/run") : staging.runner;
  const std::string probe = Runfile(staging.probe);
  if (runner.empty() || probe.empty()) {
    return Broken(staging, absl::StrCat(runner.empty() ? "tools/desktop/run"
                                                       : staging.probe,
                                        " is not among the runfiles: start it "
                                        "with bazel run"));
  }
  std::vector<std::string> command = {
      runner,
      "--app",
      staging.application,
      "--text",
      staging.text,
      "--timeout",
      absl::StrCat(absl::ToInt64Seconds(staging.patience)),
      "--",
      probe};
  command.insert(command.end(), staging.arguments.begin(),
                 staging.arguments.end());
  absl::StatusOr<Ran> ran =
      RunProgram(command, {.patience = staging.patience + kStarting});
  // A probe never ends with this code, so it is the desktop that could not.
  if (ran.ok() && !ran->timed_out && ran->code == kNotAvailable &&
      ran->out.empty()) {
    std::string said = LastLine(ran->err);
    if (said.empty()) said = "the desktop cannot be had, and does not say why";
    return Refuse(staging, Outcome::kNotMeasurable, std::move(said));
  }
  return Conclude(staging, std::move(ran));
}

Staged RunProbe(const Staging& staging) {
  const std::string probe = Runfile(staging.probe);
  if (probe.empty()) {
    return Broken(staging, absl::StrCat(staging.probe,
                                        " is not among the runfiles: start it "
                                        "with bazel run"));
  }
  std::vector<std::string> command = {probe};
  command.insert(command.end(), staging.arguments.begin(),
                 staging.arguments.end());
  return Conclude(staging, RunProgram(command, {.patience = staging.patience}));
}

}  // namespace tactus::gate
