// What is missing for Tactus to work here, and what mends it.
//
// Each check is found by doing what Tactus does, ends in one state, and brings
// its remedy where it is not well. The last is a real read of the focused
// field, whose text is never told.
//
// Example:
//
//   const std::vector<Check> checks = Examine({.deadline = ...});
//   return Verdict(checks);
#ifndef TACTUS_TOOLS_TACTUS_DOCTOR_H_
#define TACTUS_TOOLS_TACTUS_DOCTOR_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/snapshot/snapshot.h"
#include "tools/config/config.h"
#include "tools/tactus/chromium.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/window_manager.h"

namespace tactus::cli {

struct Check {
  enum class State {
    kOk,
    kNote,     // not there, and not needed here
    kMissing,  // needed, and not there
    kFailed,   // everything may be there; this time it did not work
  };
  std::string name;
  State state = State::kOk;
  std::string found;   // what is so; may hold words of applications
  std::string remedy;  // a command, or what to do; empty where it is kOk
};

// "ok", "missing".
absl::string_view StateName(Check::State state);

struct DoctorOptions {
  absl::Duration deadline = absl::Milliseconds(500);  // of each check
  // Called before the real read, so that the user can click elsewhere.
  std::function<void()> before_read;
};

// All checks. One that builds on another which is not well is left out, since
// its remedy would be the other's.
std::vector<Check> Examine(const DoctorOptions& options);

// kCannotRun where something is missing, kFailed where something failed.
ExitCode Verdict(absl::Span<const Check> checks);

// The checks one by one, made of what was found.

// `session` is how connecting to the session bus ended; `needed` is false where
// the accessibility bus was found without it.
Check CheckSessionBus(const absl::Status& session, bool needed);
// `asked` is how reading IsEnabled ended.
Check CheckService(const absl::Status& asked, bool needed);
Check CheckSwitch(bool enabled);
Check CheckAccessibilityBus(const absl::StatusOr<std::string>& address);
// `x11` is whether the X display could be opened.
Check CheckDisplay(const absl::Status& x11, bool wayland);
Check CheckWindowManager(const absl::StatusOr<WindowManager>& manager,
                         bool wayland);
Check CheckBrowsers(absl::Span<const Browser> browsers);
Check CheckRead(const absl::StatusOr<ax::Snapshot>& snapshot);
Check CheckConfiguration(const absl::StatusOr<config::Config>& config);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_DOCTOR_H_
