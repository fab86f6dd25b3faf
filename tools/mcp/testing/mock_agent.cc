#include "tools/mcp/testing/mock_agent.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/world.h"
#include "tools/tactus/apps.h"
#include "tools/tactus/json.h"
#include "tools/tactus/undo_store.h"

namespace tactus::mcp {

MockAgent::MockAgent(ax::mock::Desktop desktop, const std::string& undo_folder,
                     std::vector<std::string> denied)
    : world_(std::move(desktop)),
      source_(&world_, &clock_, std::move(denied)),
      backend_(
          {.source = &source_,
           .clock = &clock_,
           .store = cli::UndoStore(undo_folder),
           .log = [this](const std::string& line) { logged_.push_back(line); },
           .applications =
               [this](absl::Duration patience) -> absl::StatusOr<std::string> {
             const auto desk = source_.Get(clock_.Now() + patience);
             if (!desk.ok()) return desk.status();
             const absl::StatusOr<cli::Apps> apps = cli::ListApps(
                 (*desk)->reader(),
                 [](const ax::Application&, absl::Time) { return true; },
                 "/nowhere", patience);
             if (!apps.ok()) return apps.status();
             return cli::AppsJson(*apps);
           }}),
      server_({.backend = &backend_,
               .version = "1.2.3",
               .send = [this](const std::string& line) {
                 told_.push_back(line);
               }}) {}

std::vector<std::string> MockAgent::Ask(absl::string_view line) {
  server_.Line(line);
  RunAll();
  return Told();
}

void MockAgent::RunAll() {
  while (server_.RunOne()) {
  }
}

}  // namespace tactus::mcp
