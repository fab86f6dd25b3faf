#include "tools/tactusd/testing/mock_daemon.h"

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "tools/config/denying_server.h"
#include "tools/tactus/undo_store.h"
#include "tools/tactusd/desk.h"
#include "tools/tactusd/dispatcher.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/sink.h"

namespace tactus::daemon {
namespace {

using ax::mock::MockServer;

class MockDesk : public Desk {
 public:
  MockDesk(std::unique_ptr<ax::Server> reader,
           std::unique_ptr<ax::Server> writer)
      : reader_(std::move(reader)),
        writer_(std::move(writer)),
        editor_(writer_.get(), nullptr) {}

  ax::Server& reader() override { return *reader_; }
  ax::Server& writer() override { return *writer_; }
  ax::Editor& editor() override { return editor_; }
  ax::FocusHints* hints() override { return nullptr; }
  std::string bus() const override { return "mock:"; }
  std::string display() const override { return ""; }

 private:
  const std::unique_ptr<ax::Server> reader_;
  const std::unique_ptr<ax::Server> writer_;
  ax::Editor editor_;
};

}  // namespace

MockSource::MockSource(ax::mock::World* world, ax::SimulatedClock* clock,
                       std::vector<std::string> denied)
    : world_(world), clock_(clock), denied_(std::move(denied)) {}

std::unique_ptr<ax::Server> MockSource::Allowed(
    std::unique_ptr<ax::Server> server) {
  return std::make_unique<config::DenyingServer>(
      std::move(server), denied_, [](pid_t) { return std::string(); });
}

void MockSource::Lose(absl::Status why) {
  desk_ = nullptr;
  lost_ = std::move(why);
}

void MockSource::Find() { lost_ = absl::OkStatus(); }

absl::StatusOr<std::shared_ptr<Desk>> MockSource::Get(absl::Time deadline) {
  if (paused_) return absl::CancelledError("paused");
  if (!lost_.ok()) return lost_;
  if (desk_ == nullptr) {
    auto reader = std::make_unique<MockServer>(world_, clock_);
    auto writer = std::make_unique<MockServer>(world_, clock_);
    reader_ = reader.get();
    writer_ = writer.get();
    desk_ = std::make_shared<MockDesk>(Allowed(std::move(reader)),
                                       Allowed(std::move(writer)));
  }
  return desk_;
}

absl::StatusOr<WatchedServer> MockSource::OpenWatch(
    const ax::ObserveOptions& options, absl::Time deadline) {
  if (paused_) return absl::CancelledError("paused");
  if (!lost_.ok()) return lost_;
  WatchedServer watched;
  watched.server = Allowed(std::make_unique<MockServer>(world_, clock_));
  absl::StatusOr<std::unique_ptr<ax::EventSource>> events =
      watched.server->Observe(options, deadline);
  if (!events.ok()) return events.status();
  watched.events = *std::move(events);
  return watched;
}

void MockSource::Doubt(const std::shared_ptr<Desk>& desk, ax::Server& server) {
  ++doubts_;
}

void MockSource::Pause() {
  paused_ = true;
  desk_ = nullptr;
}

LinkState MockSource::state() {
  LinkState state;
  if (paused_) {
    state.kind = LinkState::Kind::kPaused;
  } else if (!lost_.ok()) {
    state.kind = LinkState::Kind::kDisconnected;
    state.why = std::string(lost_.message());
  } else {
    state.kind = LinkState::Kind::kConnected;
    state.bus = "mock:";
  }
  return state;
}

MockDaemon::MockDaemon(ax::mock::Desktop desktop,
                       const std::string& undo_folder,
                       std::vector<std::string> denied, const Methods* methods)
    : world_(std::move(desktop)),
      source_(&world_, &clock_, denied),
      dispatcher_(
          {.source = &source_,
           .clock = &clock_,
           .sink = this,
           .store = cli::UndoStore(undo_folder),
           // At once: a watch ends by its time here.
           .spawn =
               [](const std::function<void()>& run) {
                 run();
                 return std::thread();
               },
           .log = [this](const std::string& line) { logged_.push_back(line); },
           .about = {.version = "1.2.3",
                     .pid = 7,
                     .config = denied.empty() ? "" : "/config.json",
                     .denied = denied},
           .methods = methods}) {}

void MockDaemon::RunAll() {
  while (dispatcher_.reads().RunOne() || dispatcher_.edits().RunOne()) {
  }
}

void MockDaemon::Drain(int64_t client, Feed& feed) {
  while (std::optional<std::string> line = feed.Take()) {
    told_[client].push_back(*std::move(line));
  }
}

std::vector<std::string> MockDaemon::Told(int64_t client) {
  for (const std::shared_ptr<Feed>& feed : waiting_[client]) {
    Drain(client, *feed);
  }
  waiting_[client].clear();
  return std::exchange(told_[client], {});
}

void MockDaemon::Send(int64_t client, std::string line) {
  told_[client].push_back(std::move(line));
}

void MockDaemon::Ready(int64_t client, std::shared_ptr<Feed> feed) {
  if (!slow_) return Drain(client, *feed);
  std::vector<std::shared_ptr<Feed>>& feeds = waiting_[client];
  if (std::find(feeds.begin(), feeds.end(), feed) == feeds.end()) {
    feeds.push_back(std::move(feed));
  }
}

}  // namespace tactus::daemon
