// The accessibility of this desktop, less what the configuration denies.
//
// The command and the daemon connect by this and by nothing else, so that a
// denial holds in both.
//
// Example:
//
//   absl::StatusOr<AllowedServer> opened = ConnectAllowed(*config, deadline);
//   if (!opened.ok()) return opened.status();
//   SnapshotFocused(*opened->server, options);
#ifndef TACTUS_TOOLS_CONFIG_ALLOWED_SERVER_H_
#define TACTUS_TOOLS_CONFIG_ALLOWED_SERVER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/atspi/server.h"
#include "ax/server/server.h"
#include "tools/config/config.h"

namespace tactus::config {

struct AllowedServer {
  std::unique_ptr<ax::Server> server;
  // What is behind it: for what is told of the connection, not to read by.
  ax::atspi::AtspiServer* atspi = nullptr;
};

// Errors: those of AtspiServer::Connect.
absl::StatusOr<AllowedServer> ConnectAllowed(const Config& config,
                                             absl::Time deadline);

}  // namespace tactus::config

#endif  // TACTUS_TOOLS_CONFIG_ALLOWED_SERVER_H_
