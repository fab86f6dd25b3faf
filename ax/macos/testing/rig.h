// A MacosServer on the fake, over a world that a test stages: all on one
// simulated clock.
//
//   Rig rig(mock::EditorDesktop("hello"));
//   rig.mock().Add(*mock::MakeHostility("hung", {}));
//   absl::StatusOr<Snapshot> snapshot = SnapshotFocused(rig.server(), {...});
//   EXPECT_EQ(rig.desktop().trips().total(), 7);
#ifndef TACTUS_AX_MACOS_TESTING_RIG_H_
#define TACTUS_AX_MACOS_TESTING_RIG_H_

#include <functional>
#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/macos/bounder.h"
#include "ax/macos/fake/desktop.h"
#include "ax/macos/server.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"

namespace tactus::ax::macos {

// Gives up by the fake's word: on a simulated clock nobody waits for another
// thread.
class FakeBounder : public Bounder {
 public:
  explicit FakeBounder(fake::Desktop* desktop) : desktop_(*desktop) {}
  bool Run(std::function<void()> call, absl::Time deadline) override {
    desktop_.GiveUpAt(deadline);
    call();
    desktop_.GiveUpAt(absl::InfiniteFuture());
    return true;
  }

 private:
  fake::Desktop& desktop_;
};

class Rig {
 public:
  // The options' clock and bounder are the rig's.
  explicit Rig(mock::Desktop desktop, mock::Latency latency = {},
               MacosOptions options = {})
      : world_(std::move(desktop)),
        mock_(&world_, &clock_, latency),
        desktop_(&mock_) {
    options.clock = &clock_;
    options.make_bounder = [this](Clock&) {
      return std::make_unique<FakeBounder>(&desktop_);
    };
    server_ = MacosServer::Create(options);
  }

  SimulatedClock& clock() { return clock_; }
  mock::World& world() { return world_; }
  mock::MockServer& mock() { return mock_; }
  fake::Desktop& desktop() { return desktop_; }
  MacosServer& server() { return *server_; }

  // The server goes before the test does: what it undoes can be seen.
  void EndServer() { server_ = nullptr; }

 private:
  SimulatedClock clock_;
  mock::World world_;
  mock::MockServer mock_;
  fake::Desktop desktop_;
  std::unique_ptr<MacosServer> server_;
};

}  // namespace tactus::ax::macos

#endif  // TACTUS_AX_MACOS_TESTING_RIG_H_
