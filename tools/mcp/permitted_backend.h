// The tools' work for an agent of another device: nothing without leave, and a
// line kept of each reading and each edit, without what was read or written.
//
// Use it round the backend of a `tactus mcp serve` that the daemon runs for a
// peer. Leave is the daemon's to give, at each call: it knows what is granted
// now, whether it is paused and the screen locked, and asks the person where it
// is to.
//
// An edit that a person was asked for is tied to what was there before they
// were: what has changed meanwhile refuses it, as with the token of any
// reading.
//
// Example:
//
//   PermittedBackend backend(&command_backend, {.peer = "laptop",
//                                               .server = "focused-text",
//                                               .permit = AskTheDaemon,
//                                               .audit = &audit,
//                                               .now = absl::Now});
#ifndef TACTUS_TOOLS_MCP_PERMITTED_BACKEND_H_
#define TACTUS_TOOLS_MCP_PERMITTED_BACKEND_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/audit/audit.h"
#include "tools/control/json_rpc.h"
#include "tools/mcp/backend.h"

namespace tactus::mcp {

struct PermittedBackendOptions {
  std::string peer;    // its name
  std::string server;  // under which it is exposed
  // `mcp.permit` of the daemon's (docs/control.md), with these parameters;
  // waits for a person.
  std::function<absl::StatusOr<control::Answer>(const std::string& params)>
      permit;
  const audit::Audit* audit = nullptr;
  std::function<absl::Time()> now;
};

class PermittedBackend : public Backend {
 public:
  PermittedBackend(Backend* backend, PermittedBackendOptions options)
      : backend_(*backend), options_(std::move(options)) {}

  absl::StatusOr<control::Answer> Call(absl::string_view method,
                                       absl::string_view params,
                                       absl::Duration patience) override;
  absl::StatusOr<std::string> Applications(absl::Duration patience) override;
  void Settle() override { backend_.Settle(); }

 private:
  // Why it may not be done; absent where it may. `before_asking` is called
  // before a person is asked, and may refuse as well.
  std::optional<control::Error> Permit(
      const char* tool, bool writes,
      const std::function<std::optional<control::Error>()>& before_asking);
  // One question to the daemon; `*asks`: a person is to be asked, or was.
  std::optional<control::Error> AskDaemon(const char* tool, bool writes,
                                          bool by_person, bool* asks);
  // `edit`: it was begun (audit::Entry).
  std::optional<control::Error> Keep(const char* tool, bool edit,
                                     const std::string& outcome);
  // `params` with the token of what is there now, where they have none.
  std::optional<control::Error> Tie(absl::string_view method,
                                    std::string* params);

  Backend& backend_;
  const PermittedBackendOptions options_;
  bool may_read_ = false;  // a person has said so, for as long as this lives
};

}  // namespace tactus::mcp

#endif  // TACTUS_TOOLS_MCP_PERMITTED_BACKEND_H_
