// The tools' work done in this process, by the very code that the daemon runs.
//
// Example:
//
//   DeskBackend backend({.source = &link, .clock = &ax::Clock::Real(),
//                        .store = cli::UndoStore(folder), .log = Log,
//                        .applications = List});
#ifndef TACTUS_TOOLS_MCP_DESK_BACKEND_H_
#define TACTUS_TOOLS_MCP_DESK_BACKEND_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "tools/control/json_rpc.h"
#include "tools/mcp/backend.h"
#include "tools/tactus/undo_store.h"
#include "tools/tactusd/desk.h"
#include "tools/tactusd/text_service.h"

namespace tactus::mcp {

struct DeskBackendOptions {
  daemon::DeskSource* source = nullptr;
  ax::Clock* clock = nullptr;  // that of its servers
  cli::UndoStore store{""};
  daemon::Log log;
  // Backend::Applications.
  std::function<absl::StatusOr<std::string>(absl::Duration patience)>
      applications;
};

class DeskBackend : public Backend {
 public:
  explicit DeskBackend(DeskBackendOptions options);

  absl::StatusOr<control::Answer> Call(absl::string_view method,
                                       absl::string_view params,
                                       absl::Duration patience) override;
  absl::StatusOr<std::string> Applications(absl::Duration patience) override;
  void Settle() override { service_.Settle(); }

 private:
  const DeskBackendOptions options_;
  daemon::TextService service_;
};

}  // namespace tactus::mcp

#endif  // TACTUS_TOOLS_MCP_DESK_BACKEND_H_
