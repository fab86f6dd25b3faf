#include "tools/tactus/apps.h"

#include <sys/types.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "ax/atspi/session.h"
#include "ax/server/server.h"
#include "ax/types/types.h"
#include "tools/tactus/chromium.h"
#include "tools/tactus/processes.h"

namespace tactus::cli {
namespace {

// For one that gave no answer in all the time that it had, to prove that it
// has one after all.
constexpr absl::Duration kSecondChance = absl::Milliseconds(50);

std::string Reading(const ax::Application& application) {
  std::string words = "text, caret and selection of its fields";
  // An application that shows its pages calls itself Chromium as well.
  if (absl::StartsWith(application.toolkit, "Chromium")) {
    words.append("; those of pages only where it was started with ");
    words.append(kAccessibilityFlag);
  }
  return words;
}

std::string Editing(const ax::Application& application) {
  const ax::atspi::ToolkitFacts facts = ax::atspi::FactsOf(application);
  if (!facts.known) {
    return "by paste: the toolkit is not known, so nothing else is relied on";
  }
  if (!facts.edits_land) {
    return "by paste: its fields take no edit through accessibility";
  }
  return "through accessibility where a field is editable, else by paste";
}

// Whether an application that said nothing of itself answers at all.
bool Answers(ax::Server& server, const ax::Application& application) {
  if (!application.name.empty() || !application.toolkit.empty()) return true;
  return application.pid != 0 &&
         server
             .ApplicationOfProcess(application.pid,
                                   server.clock().Now() + kSecondChance)
             .ok();
}

}  // namespace

absl::StatusOr<Apps> ListApps(
    ax::Server& server,
    absl::FunctionRef<bool(const ax::Application&, absl::Time)> open_socket,
    const std::string& proc, absl::Duration patience) {
  const auto deadline = [&] { return server.clock().Now() + patience; };
  absl::StatusOr<std::vector<ax::Application>> applications =
      server.Applications(deadline());
  if (!applications.ok()) return applications.status();

  Apps result;
  for (ax::Application& application : *applications) {
    App app;
    app.process = ProcessName(proc, application.pid);
    app.answers = Answers(server, application);
    if (app.answers) {
      app.own_socket = open_socket(application, deadline());
      app.reading = Reading(application);
      app.editing = Editing(application);
    }
    app.application = std::move(application);
    result.apps.push_back(std::move(app));
  }
  std::sort(result.apps.begin(), result.apps.end(),
            [](const App& a, const App& b) {
              return std::pair(a.application.name, a.application.pid) <
                     std::pair(b.application.name, b.application.pid);
            });

  absl::flat_hash_map<pid_t, std::vector<App*>> by_pid;
  for (App& app : result.apps) {
    // 0 stands for "not told", on either side.
    if (app.application.pid == 0) continue;
    by_pid[app.application.pid].push_back(&app);
  }

  // The list of windows knows who has the keyboard even where that one hangs.
  bool focus_known = false;
  absl::StatusOr<std::vector<ax::Window>> windows =
      server.WindowList(deadline());
  result.windows = windows.status();
  if (windows.ok()) {
    for (ax::Window& window : *windows) {
      focus_known |= window.active;
      const auto known = by_pid.find(window.pid);
      if (known == by_pid.end()) {
        std::string process = ProcessName(proc, window.pid);
        result.unknown.push_back({std::move(window), std::move(process)});
      } else if (window.active) {
        for (App* app : known->second) app->focused = true;
      }
    }
  }
  if (focus_known) return result;
  const absl::StatusOr<ax::Application> focused =
      server.FocusedApplication(deadline());
  result.focus = focused.status();
  if (focused.ok()) {
    for (App& app : result.apps) {
      app.focused = app.application.id == focused->id;
    }
  }
  return result;
}

}  // namespace tactus::cli
