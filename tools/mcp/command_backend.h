// The tools' work as `tactus` does it: by the daemon where one runs, else in
// this process.
//
// A daemon is looked for at each call, so that one which is started or ended
// meanwhile changes nothing but the time that is taken: a connection that was
// kept could be found dead only when an edit had been sent on it. The
// connection of this process to accessibility is made at the first call that
// needs it, and kept.
//
// Example:
//
//   CommandBackend backend({.daemon = arguments.daemon}, Log);
#ifndef TACTUS_TOOLS_MCP_COMMAND_BACKEND_H_
#define TACTUS_TOOLS_MCP_COMMAND_BACKEND_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/control/json_rpc.h"
#include "tools/mcp/backend.h"
#include "tools/tactusd/text_service.h"

namespace tactus::mcp {

struct CommandBackendOptions {
  bool daemon = true;  // use one that runs
};

class CommandBackend : public Backend {
 public:
  CommandBackend(CommandBackendOptions options, daemon::Log log);
  ~CommandBackend() override;

  absl::StatusOr<control::Answer> Call(absl::string_view method,
                                       absl::string_view params,
                                       absl::Duration patience) override;
  // In this process always, as `tactus apps` does; refused while a daemon is
  // paused.
  absl::StatusOr<std::string> Applications(absl::Duration patience) override;
  void Settle() override;

 private:
  class Own;

  // FailedPrecondition for a configuration that cannot be used.
  absl::StatusOr<Own*> Here();

  const CommandBackendOptions options_;
  const daemon::Log log_;
  std::unique_ptr<Own> own_;
};

}  // namespace tactus::mcp

#endif  // TACTUS_TOOLS_MCP_COMMAND_BACKEND_H_
