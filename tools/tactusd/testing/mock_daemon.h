// A daemon without sockets, threads or a desktop: the dispatcher on the mock
// server, its lanes run by hand on a simulated clock.
//
// Use it to test what each line is answered, exactly.
//
//   MockDaemon daemon(ax::mock::EditorDesktop("hello"), folder);
//   daemon.Open(1);
//   daemon.Line(1, R"({"jsonrpc":"2.0","id":1,"method":"text.snapshot"})");
//   daemon.RunAll();
//   EXPECT_EQ(daemon.Told(1), std::vector<std::string>{...});
#ifndef TACTUS_TOOLS_TACTUSD_TESTING_MOCK_DAEMON_H_
#define TACTUS_TOOLS_TACTUSD_TESTING_MOCK_DAEMON_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "tools/tactusd/desk.h"
#include "tools/tactusd/dispatcher.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/sink.h"

namespace tactus::daemon {

// A source whose desk is made of mock servers on one world.
class MockSource : public DeskSource {
 public:
  MockSource(ax::mock::World* world, ax::SimulatedClock* clock,
             std::vector<std::string> denied);

  // The next Get makes another desk, or fails.
  void Lose(absl::Status why);
  void Find();
  // Of the desk that was made last.
  ax::mock::MockServer& reader() { return *reader_; }
  ax::mock::MockServer& writer() { return *writer_; }
  int doubts() const { return doubts_; }

  absl::StatusOr<std::shared_ptr<Desk>> Get(absl::Time deadline) override;
  absl::StatusOr<WatchedServer> OpenWatch(const ax::ObserveOptions& options,
                                          absl::Time deadline) override;
  void Doubt(const std::shared_ptr<Desk>& desk, ax::Server& server) override;
  void Pause() override;
  void Resume() override { paused_ = false; }
  LinkState state() override;

 private:
  std::unique_ptr<ax::Server> Allowed(std::unique_ptr<ax::Server> server);

  ax::mock::World* const world_;
  ax::SimulatedClock* const clock_;
  const std::vector<std::string> denied_;
  std::shared_ptr<Desk> desk_;
  ax::mock::MockServer* reader_ = nullptr;
  ax::mock::MockServer* writer_ = nullptr;
  absl::Status lost_;
  bool paused_ = false;
  int doubts_ = 0;
};

class MockDaemon : public Sink {
 public:
  explicit MockDaemon(ax::mock::Desktop desktop,
                      const std::string& undo_folder = "",
                      std::vector<std::string> denied = {},
                      const Methods* methods = nullptr);

  ax::mock::World& world() { return world_; }
  ax::SimulatedClock& clock() { return clock_; }
  MockSource& source() { return source_; }
  Dispatcher& dispatcher() { return dispatcher_; }

  void Open(int64_t client) { dispatcher_.Open(client); }
  void Line(int64_t client, absl::string_view line) {
    dispatcher_.Line(client, line);
  }
  void Close(int64_t client) { dispatcher_.Close(client); }
  // Does what waits in the lanes, until nothing does.
  void RunAll();

  // What the client was told since the last call. A client that is slow takes
  // nothing from its feeds until it is asked for here.
  std::vector<std::string> Told(int64_t client);
  void set_slow(bool slow) { slow_ = slow; }
  const std::vector<std::string>& logged() const { return logged_; }

  // Sink:
  void Send(int64_t client, std::string line) override;
  void Ready(int64_t client, std::shared_ptr<Feed> feed) override;

 private:
  void Drain(int64_t client, Feed& feed);

  ax::mock::World world_;
  ax::SimulatedClock clock_;
  MockSource source_;
  std::map<int64_t, std::vector<std::string>> told_;
  std::map<int64_t, std::vector<std::shared_ptr<Feed>>> waiting_;
  bool slow_ = false;
  std::vector<std::string> logged_;
  Dispatcher dispatcher_;
};

}  // namespace tactus::daemon

#endif  // TACTUS_TOOLS_TACTUSD_TESTING_MOCK_DAEMON_H_
