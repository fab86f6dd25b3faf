#include "tools/tactusd/atspi_desk.h"

#include <stdlib.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/edit/editor.h"
#include "ax/focus/focus_cache.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "tools/config/allowed_server.h"
#include "tools/config/config.h"
#include "tools/tactus/hands.h"
#include "tools/tactusd/desk.h"
#include "tools/tactusd/link.h"
#include "tools/tactusd/text_service.h"

namespace tactus::daemon {
namespace {

using config::AllowedServer;

class AtspiDesk : public Desk {
 public:
  AtspiDesk(AllowedServer reader, AllowedServer writer,
            std::unique_ptr<ax::FocusCache> cache, Log log)
      : reader_(std::move(reader)),
        writer_(std::move(writer)),
        cache_(std::move(cache)),
        log_(std::move(log)),
        editor_(writer_.server.get(), hands_.input()),
        bus_(reader_.atspi->bus_address()) {
    const char* display = getenv("DISPLAY");
    if (display != nullptr && reader_.atspi->display_status().ok()) {
      display_ = display;
    }
  }
  ~AtspiDesk() override {
    // The clipboard is the user's, whatever becomes of the daemon.
    if (absl::Status handed = hands_.HandOver(); !handed.ok()) {
      log_(std::string(handed.message()));
    }
  }

  ax::Server& reader() override { return *reader_.server; }
  ax::Server& writer() override { return *writer_.server; }
  ax::Editor& editor() override { return editor_; }
  ax::FocusHints* hints() override { return cache_.get(); }
  std::string bus() const override { return bus_; }
  std::string display() const override { return display_; }

 private:
  const AllowedServer reader_;
  const AllowedServer writer_;
  const std::unique_ptr<ax::FocusCache> cache_;
  const Log log_;
  cli::Hands hands_;
  ax::Editor editor_;
  const std::string bus_;
  std::string display_;
};

absl::StatusOr<std::shared_ptr<Desk>> Open(const config::Config& config,
                                           const Log& log, absl::Time deadline,
                                           std::function<void()> lost) {
  absl::StatusOr<AllowedServer> reader =
      config::ConnectAllowed(config, deadline);
  if (!reader.ok()) return reader.status();
  absl::StatusOr<AllowedServer> writer =
      config::ConnectAllowed(config, deadline);
  if (!writer.ok()) return writer.status();
  absl::StatusOr<AllowedServer> watcher =
      config::ConnectAllowed(config, deadline);
  if (!watcher.ok()) return watcher.status();
  absl::StatusOr<std::unique_ptr<ax::FocusCache>> cache =
      ax::FocusCache::Create(std::move(watcher->server), deadline);
  if (!cache.ok()) return cache.status();
  (*cache)->Start(std::move(lost));
  return std::make_shared<AtspiDesk>(*std::move(reader), *std::move(writer),
                                     *std::move(cache), log);
}

}  // namespace

LinkOptions AtspiLink(const config::Config& config, const Log& log) {
  return {
      .open =
          [config, log](absl::Time deadline, std::function<void()> lost) {
            return Open(config, log, deadline, std::move(lost));
          },
      .open_watch = [config](
                        const ax::ObserveOptions& options,
                        absl::Time deadline) -> absl::StatusOr<WatchedServer> {
        absl::StatusOr<AllowedServer> opened =
            config::ConnectAllowed(config, deadline);
        if (!opened.ok()) return opened.status();
        absl::StatusOr<std::unique_ptr<ax::EventSource>> events =
            opened->server->Observe(options, deadline);
        if (!events.ok()) return events.status();
        return WatchedServer{std::move(opened->server), *std::move(events)};
      },
      .is_lost =
          [](ax::Server& server, absl::Time deadline) {
            // The registry answers this, and no application can delay it.
            return absl::IsUnavailable(server.Applications(deadline).status());
          },
      .changed =
          [log](const LinkState& state) {
            switch (state.kind) {
              case LinkState::Kind::kConnected:
                log("connected to accessibility");
                break;
              case LinkState::Kind::kDisconnected:
                // Once, and not for each attempt.
                if (state.attempts <= 1) {
                  log(absl::StrCat("not connected to accessibility: ",
                                   state.why));
                }
                break;
              case LinkState::Kind::kConnecting:
              case LinkState::Kind::kPaused:
                break;
            }
          },
  };
}

}  // namespace tactus::daemon
