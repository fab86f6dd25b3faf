#include "tools/mcp/command_backend.h"

#include <algorithm>
#include <boost/json.hpp>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/types/types.h"
#include "tools/config/allowed_server.h"
#include "tools/config/config.h"
#include "tools/control/client.h"
#include "tools/control/json_rpc.h"
#include "tools/mcp/desk_backend.h"
#include "tools/tactus/apps.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/json.h"
#include "tools/tactus/remote.h"
#include "tools/tactus/undo_store.h"
#include "tools/tactusd/atspi_desk.h"
#include "tools/tactusd/link.h"

namespace tactus::mcp {
namespace {

using control::Answer;
using control::Client;

// Beyond a request's deadline: giving back a clipboard, and a machine that is
// busy. A daemon that is silent for longer hangs.
constexpr absl::Duration kGrace = absl::Seconds(5);

absl::Time Now() { return ax::Clock::Real().Now(); }

absl::StatusOr<std::string> ListHere(const config::Config& config,
                                     absl::Duration patience) {
  const absl::StatusOr<config::AllowedServer> server =
      config::ConnectAllowed(config, Now() + patience);
  if (!server.ok()) return server.status();
  const absl::StatusOr<cli::Apps> apps = cli::ListApps(
      *server->server,
      [&server](const ax::Application& application, absl::Time deadline) {
        return server->atspi->OpenSocket(application, deadline);
      },
      "/proc", patience);
  if (!apps.ok()) return apps.status();
  return cli::AppsJson(*apps);
}

bool IsPaused(const Client& daemon) {
  const boost::json::object* status =
      daemon.greeting().result == nullptr
          ? nullptr
          : daemon.greeting().result->if_object();
  const boost::json::value* state =
      status == nullptr ? nullptr : status->if_contains("state");
  return state != nullptr && *state == boost::json::value("paused");
}

}  // namespace

// This process's own connection to accessibility.
class CommandBackend::Own {
 public:
  Own(const config::Config& config, const daemon::Log& log)
      : link_(daemon::AtspiLink(config, log)),
        desk_({.source = &link_,
               .clock = &ax::Clock::Real(),
               .store = cli::UndoStore(cli::UndoStore::DefaultFolder()),
               .log = log,
               .applications = [](absl::Duration) {
                 return absl::UnimplementedError("CommandBackend lists them");
               }}) {}

  DeskBackend& desk() { return desk_; }

 private:
  daemon::Link link_;
  DeskBackend desk_;
};

CommandBackend::CommandBackend(CommandBackendOptions options, daemon::Log log)
    : options_(options), log_(std::move(log)) {}

CommandBackend::~CommandBackend() = default;

absl::StatusOr<CommandBackend::Own*> CommandBackend::Here() {
  if (own_ == nullptr) {
    const absl::StatusOr<config::Config> config =
        config::LoadConfig(config::ConfigPath());
    if (!config.ok()) return config.status();
    own_ = std::make_unique<Own>(*config, log_);
  }
  return own_.get();
}

absl::StatusOr<Answer> CommandBackend::Call(absl::string_view method,
                                            absl::string_view params,
                                            absl::Duration patience) {
  const auto not_done = [](const absl::Status& why) {
    Answer answer;
    answer.error = control::Error{control::Code::kNotConnected,
                                  std::string(why.message()), why};
    return answer;
  };
  cli::Arguments arguments;
  arguments.daemon = options_.daemon;
  const absl::StatusOr<std::unique_ptr<Client>> daemon =
      cli::FindDaemon(arguments, Now() + patience);
  if (!daemon.ok()) return not_done(daemon.status());
  if (*daemon != nullptr) {
    return (*daemon)->Call(method, params, Now() + patience + kGrace);
  }
  const absl::StatusOr<Own*> own = Here();
  if (!own.ok()) return not_done(own.status());
  return (*own)->desk().Call(method, params, patience);
}

absl::StatusOr<std::string> CommandBackend::Applications(
    absl::Duration patience) {
  cli::Arguments arguments;
  arguments.daemon = options_.daemon;
  const absl::StatusOr<std::unique_ptr<Client>> daemon =
      cli::FindDaemon(arguments, Now() + patience);
  if (!daemon.ok()) return daemon.status();
  if (*daemon != nullptr && IsPaused(**daemon)) {
    return absl::FailedPreconditionError(
        "the daemon is paused: `tactus resume` goes on");
  }
  const absl::StatusOr<config::Config> config =
      config::LoadConfig(config::ConfigPath());
  if (!config.ok()) return config.status();
  return ListHere(*config, patience);
}

void CommandBackend::Settle() {
  if (own_ != nullptr) own_->desk().Settle();
}

}  // namespace tactus::mcp
