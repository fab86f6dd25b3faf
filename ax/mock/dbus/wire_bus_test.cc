#include "ax/mock/dbus/wire_bus.h"

#include <systemd/sd-bus.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/mock/code_points.h"
#include "ax/mock/dbus/stage.h"
#include "ax/mock/script.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::ax::mock {
namespace {

absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(30); }

class WireBusTest : public ::testing::Test {
 protected:
  void Start(WireBus::Tamper tamper = nullptr) {
    Script script;
    script.desktop = EditorDesktop("h\xC3\xA9llo");
    // A toolkit whose writes land.
    script.desktop.programs[0].application.toolkit = "gtk";
    script.desktop.programs[0].application.toolkit_version = "3.24";
    script.actions = actions_;
    absl::StatusOr<std::unique_ptr<Stage>> stage =
        Stage::Make(script, absl::Milliseconds(200));
    ASSERT_TRUE(stage.ok()) << stage.status();
    absl::StatusOr<std::unique_ptr<WireBus>> bus =
        WireBus::Start(*std::move(stage), std::move(tamper));
    ASSERT_TRUE(bus.ok()) << bus.status();
    bus_ = *std::move(bus);
    absl::StatusOr<std::unique_ptr<atspi::AtspiServer>> server =
        atspi::AtspiServer::Connect(
            {.bus_address = bus_->address(), .no_display = true}, Soon());
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  absl::StatusOr<Snapshot> Take() {
    return SnapshotFocused(*server_, {.deadline = Soon()});
  }

  std::vector<Action> actions_;
  std::unique_ptr<WireBus> bus_;
  std::unique_ptr<atspi::AtspiServer> server_;
};

TEST_F(WireBusTest, ASnapshotOverItIsWhatTheWorldHolds) {
  Start();
  const absl::StatusOr<Snapshot> snapshot = Take();
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  ASSERT_TRUE(snapshot->value.ok()) << snapshot->value.status();
  EXPECT_EQ(*snapshot->value, "h\xC3\xA9llo");
  EXPECT_EQ(*snapshot->caret, 5);
  EXPECT_EQ(snapshot->application.name, "editor");
}

TEST_F(WireBusTest, AWriteIsInTheWorldWhenItHasStopped) {
  Start();
  const absl::StatusOr<Snapshot> snapshot = Take();
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  const WriteResult written = server_->Write(
      {.element = snapshot->element, .range = {1, 2}, .text = "e"}, Soon());
  EXPECT_TRUE(written.sent);
  EXPECT_TRUE(written.status.ok()) << written.status;
  bus_->Stop();
  EXPECT_EQ(EncodeUtf8(bus_->world().Find({"app:100", "/text"})->text),
            "hello");
}

TEST_F(WireBusTest, AReplyCanBeSpoiltOnItsWay) {
  Start([](sd_bus_message* call, sd_bus_message* reply) {
    const char* member = sd_bus_message_get_member(call);
    if (member == nullptr || strcmp(member, "GetText") != 0) return reply;
    sd_bus_message* other = nullptr;
    sd_bus_message_new_method_return(call, &other);
    sd_bus_message_append(other, "i", 7);
    sd_bus_message_unref(reply);
    return other;
  });
  const absl::StatusOr<Snapshot> snapshot = Take();
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_TRUE(absl::IsDataLoss(snapshot->value.status()))
      << snapshot->value.status();
}

TEST_F(WireBusTest, WhoHasQuitIsSaidToHaveLeft) {
  actions_ = {{.kind = ActionKind::kQuit, .before = 6}};
  Start();
  const absl::StatusOr<Snapshot> snapshot = Take();
  EXPECT_FALSE(snapshot.ok());
  EXPECT_FALSE(absl::IsDeadlineExceeded(snapshot.status()))
      << snapshot.status();
}

}  // namespace
}  // namespace tactus::ax::mock
