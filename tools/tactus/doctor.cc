#include "tools/tactus/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/atspi/session.h"
#include "ax/clock/clock.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "tools/config/allowed_server.h"
#include "tools/config/config.h"
#include "tools/tactus/chromium.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/processes.h"
#include "tools/tactus/window_manager.h"

namespace tactus::cli {
namespace {

using State = Check::State;

constexpr char kInstallService[] = "sudo apt-get install at-spi2-core";
constexpr char kRestartService[] =
    "systemctl --user restart at-spi-dbus-bus.service";
constexpr char kSwitchOn[] =
    "busctl --user set-property org.a11y.Bus /org/a11y/bus org.a11y.Status "
    "IsEnabled b true";

bool IsSet(const char* name) {
  const char* value = getenv(name);
  return value != nullptr && *value != '\0';
}

// Whether a program's name can stand in a command that a person will copy.
bool IsPlain(absl::string_view name) {
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) &&
        !absl::StrContains("._+-", absl::string_view(&c, 1))) {
      return false;
    }
  }
  return !name.empty();
}

std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

// Where a window manager runs, NotFound is its word that there is no window.
void KeepThoseWithAWindow(
    const absl::StatusOr<std::vector<ax::Window>>& windows,
    std::vector<Browser>& browsers) {
  if (!windows.ok() && !absl::IsNotFound(windows.status())) return;
  const auto has_window = [&](const Browser& browser) {
    return windows.ok() && std::any_of(windows->begin(), windows->end(),
                                       [&](const ax::Window& window) {
                                         return window.pid == browser.pid;
                                       });
  };
  browsers.erase(std::remove_if(browsers.begin(), browsers.end(),
                                [&](const Browser& browser) {
                                  return !has_window(browser);
                                }),
                 browsers.end());
}

}  // namespace

absl::string_view StateName(Check::State state) {
  switch (state) {
    case State::kOk:
      return "ok";
    case State::kNote:
      return "note";
    case State::kMissing:
      return "missing";
    case State::kFailed:
      return "failed";
  }
  return "unknown";
}

ExitCode Verdict(absl::Span<const Check> checks) {
  bool failed = false;
  for (const Check& check : checks) {
    if (check.state == State::kMissing) return ExitCode::kCannotRun;
    failed |= check.state == State::kFailed;
  }
  return failed ? ExitCode::kFailed : ExitCode::kDone;
}

Check CheckSessionBus(const absl::Status& session, bool needed) {
  const std::string name = "session bus";
  if (session.ok()) return {name, State::kOk, "it answers", ""};
  return {
      name, needed ? State::kMissing : State::kNote, Message(session),
      "run this from a terminal of the desktop session, or dbus-run-session "
      "-- COMMAND for a session of its own"};
}

Check CheckService(const absl::Status& asked, bool needed) {
  const std::string name = "accessibility service";
  if (asked.ok()) return {name, State::kOk, "org.a11y.Bus answers", ""};
  if (absl::IsFailedPrecondition(asked)) {
    return {name, needed ? State::kMissing : State::kNote, Message(asked),
            kInstallService};
  }
  return {name, State::kFailed, Message(asked), kRestartService};
}

Check CheckSwitch(bool enabled) {
  const std::string name = "accessibility switch";
  if (enabled) return {name, State::kOk, "IsEnabled is on", ""};
  return {name, State::kMissing,
          "IsEnabled is off: only GTK applications show themselves", kSwitchOn};
}

Check CheckAccessibilityBus(const absl::StatusOr<std::string>& address) {
  const std::string name = "accessibility bus";
  if (address.ok()) {
    return {name, State::kOk, absl::StrCat("it answers at ", *address), ""};
  }
  return {name,
          absl::IsFailedPrecondition(address.status()) ? State::kMissing
                                                       : State::kFailed,
          Message(address.status()), kRestartService};
}

Check CheckDisplay(const absl::Status& x11, bool wayland) {
  const std::string name = "display";
  if (x11.ok() && wayland) {
    return {name, State::kOk,
            "Wayland, and X11 within it: of Wayland's own windows "
            "accessibility alone says which is active",
            ""};
  }
  if (x11.ok()) return {name, State::kOk, "X11", ""};
  if (wayland) {
    return {name, State::kOk,
            "Wayland: accessibility alone says which window is active", ""};
  }
  return {name, State::kMissing, Message(x11),
          "run this from a terminal of the desktop session, or tools/desktop/"
          "run --app gtk3 -- COMMAND for a desktop of its own"};
}

Check CheckWindowManager(const absl::StatusOr<WindowManager>& manager,
                         bool wayland) {
  const std::string name = "window manager";
  const std::string remedy =
      "start one that sets _NET_ACTIVE_WINDOW, such as: openbox &";
  const State bad = wayland ? State::kNote : State::kMissing;
  if (!manager.ok()) return {name, bad, Message(manager.status()), remedy};
  const std::string who =
      manager->name.empty() ? "one without a name" : manager->name;
  if (!manager->tells_active_window) {
    return {name, bad, absl::StrCat(who, " does not set _NET_ACTIVE_WINDOW"),
            remedy};
  }
  return {name, State::kOk, absl::StrCat(who, " sets _NET_ACTIVE_WINDOW"), ""};
}

Check CheckBrowsers(absl::Span<const Browser> browsers) {
  const std::string name = "Chromium and Electron";
  std::vector<std::string> without;
  std::string program;
  for (const Browser& browser : browsers) {
    if (browser.has_flag) continue;
    without.push_back(
        absl::StrCat(browser.program, " (process ", browser.pid, ")"));
    if (program.empty()) {
      program = IsPlain(browser.program) ? browser.program : "PROGRAM";
    }
  }
  if (browsers.empty()) return {name, State::kOk, "none runs here", ""};
  if (without.empty()) {
    return {name, State::kOk,
            absl::StrCat(browsers.size(), " started with ", kAccessibilityFlag),
            ""};
  }
  return {name, State::kMissing,
          absl::StrCat(absl::StrJoin(without, ", "), " started without ",
                       kAccessibilityFlag, ": no text of its pages is shown"),
          absl::StrCat("end it and start: ", program, " ", kAccessibilityFlag,
                       " (for good: tactus doctor --launcher-override ",
                       program, ")")};
}

Check CheckRead(const absl::StatusOr<ax::Snapshot>& snapshot) {
  const std::string name = "a real read";
  const std::string remedy =
      "tactus doctor --in 3s, and click into a text field meanwhile";
  if (!snapshot.ok()) {
    return {name, State::kFailed, Message(snapshot.status()), remedy};
  }
  const std::string what = absl::StrCat(
      snapshot->role.ok() ? snapshot->role->native : "an element", " of ",
      snapshot->application.name, ", ",
      absl::StrFormat("%.1f ms",
                      absl::ToDoubleMilliseconds(snapshot->elapsed)));
  if (!snapshot->role.ok()) {
    return {name, State::kFailed,
            absl::StrCat("its role could not be read (",
                         snapshot->role.status().message(), "): ", what),
            remedy};
  }
  if (snapshot->secure) {
    return {name, State::kOk,
            absl::StrCat("a secure field, so its text was not read: ", what),
            ""};
  }
  if (snapshot->value.ok()) {
    const int64_t length = snapshot->window.length();
    return {name, State::kOk,
            absl::StrCat(length, length == 1 ? " character" : " characters",
                         ": ", what),
            ""};
  }
  if (absl::IsUnimplemented(snapshot->value.status())) {
    return {name, State::kOk,
            absl::StrCat("the focus is on what holds no text: ", what), ""};
  }
  return {name, State::kFailed,
          absl::StrCat(snapshot->value.status().message(), ": ", what), remedy};
}

Check CheckConfiguration(const absl::StatusOr<config::Config>& config) {
  const std::string name = "configuration";
  if (!config.ok()) {
    return {name, State::kMissing, Message(config.status()),
            "edit that file, or remove it"};
  }
  if (config->path.empty()) return {name, State::kOk, "none", ""};
  return {name, State::kOk,
          absl::StrCat(
              config->path, ", which denies ", config->denied.size(),
              config->denied.size() == 1 ? " application" : " applications"),
          ""};
}

std::vector<Check> Examine(const DoctorOptions& options) {
  ax::Clock& clock = ax::Clock::Real();
  const auto deadline = [&] { return clock.Now() + options.deadline; };
  const bool wayland = IsSet("WAYLAND_DISPLAY");

  const absl::StatusOr<config::Config> config =
      config::LoadConfig(config::ConfigPath());
  const absl::StatusOr<config::AllowedServer> server = config::ConnectAllowed(
      config.ok() ? *config : config::Config(), deadline());
  // The display may have told the bus without the session.
  const bool needed = !server.ok();
  bool session_serves = false;

  std::vector<Check> checks;
  checks.push_back(CheckConfiguration(config));
  const absl::StatusOr<std::unique_ptr<ax::atspi::Session>> session =
      ax::atspi::Session::Connect(deadline());
  checks.push_back(CheckSessionBus(session.status(), needed));
  if (session.ok()) {
    const absl::StatusOr<bool> enabled =
        (*session)->AccessibilityEnabled(deadline());
    checks.push_back(CheckService(enabled.status(), needed));
    if (enabled.ok()) checks.push_back(CheckSwitch(*enabled));
    session_serves = enabled.ok();
  }
  if (server.ok()) {
    checks.push_back(CheckAccessibilityBus(server->atspi->bus_address()));
  } else if (session_serves) {
    checks.push_back(CheckAccessibilityBus(server.status()));
  }
  absl::Status x11 = absl::FailedPreconditionError("DISPLAY is not set");
  absl::StatusOr<WindowManager> manager = absl::NotFoundError("");
  if (IsSet("DISPLAY")) {
    manager = FindWindowManager(deadline());
    x11 = absl::IsUnavailable(manager.status()) ? manager.status()
                                                : absl::OkStatus();
  }
  checks.push_back(CheckDisplay(x11, wayland));
  if (x11.ok()) checks.push_back(CheckWindowManager(manager, wayland));
  std::vector<Browser> browsers =
      RunningBrowsers(AllProcesses("/proc"), getuid());
  if (server.ok() && !wayland && manager.ok()) {
    // Another desktop of the same user is not the one examined here.
    KeepThoseWithAWindow(server->server->WindowList(deadline()), browsers);
  }
  checks.push_back(CheckBrowsers(browsers));
  // What is denied is not known without it.
  if (!server.ok() || !config.ok()) return checks;

  if (options.before_read) options.before_read();
  checks.push_back(CheckRead(ax::SnapshotFocused(
      *server->server, {.deadline = deadline(), .context = 0})));
  return checks;
}

}  // namespace tactus::cli
