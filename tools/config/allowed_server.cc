#include "tools/config/allowed_server.h"

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/atspi/server.h"
#include "tools/config/config.h"
#include "tools/config/denying_server.h"

namespace tactus::config {

absl::StatusOr<AllowedServer> ConnectAllowed(const Config& config,
                                             absl::Time deadline) {
  absl::StatusOr<std::unique_ptr<ax::atspi::AtspiServer>> atspi =
      ax::atspi::AtspiServer::Connect({}, deadline);
  if (!atspi.ok()) return atspi.status();
  AllowedServer opened;
  opened.atspi = atspi->get();
  if (config.denied.empty()) {
    opened.server = *std::move(atspi);
  } else {
    opened.server = std::make_unique<DenyingServer>(*std::move(atspi),
                                                    config.denied, ProgramOf);
  }
  return opened;
}

}  // namespace tactus::config
