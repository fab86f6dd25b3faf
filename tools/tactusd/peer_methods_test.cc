#include "tools/tactusd/peer_methods.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/world.h"
#include "gtest/gtest.h"
#include "tools/config/config.h"
#include "tools/tactusd/approvals.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/nearby.h"
#include "tools/tactusd/peers.h"
#include "tools/tactusd/testing/mock_daemon.h"
#include "transfer/identity/device_id.h"

namespace tactus::daemon {
namespace {

using Lines = std::vector<std::string>;
using transfer::KeyDigest;

// Finds nobody, and notes what it was asked.
class FakeNearby : public Nearby {
 public:
  absl::StatusOr<std::unique_ptr<Announcement>> Announce(
      const transfer::DeviceId&, uint16_t) override {
    ++announced;
    return absl::UnavailableError("no");
  }
  absl::StatusOr<NearbyDevice> Find(const transfer::DeviceId& id, absl::Time,
                                    const std::function<bool()>&) override {
    own = id.text();
    return absl::NotFoundError("nobody");
  }

  int announced = 0;
  std::string own;
};

class PeerMethodsTest : public testing::Test {
 protected:
  PeerMethodsTest()
      : peers_(*Peers::Open(
            {.folder = absl::StrCat(
                 testing::TempDir(), "/state.",
                 testing::UnitTest::GetInstance()->current_test_info()->name()),
             .listen = {"127.0.0.1:0"},
             .log = [](const std::string&) {}})),
        approvals_(&ax::Clock::Real()),
        pairing_(peers_.get(), &approvals_,
                 {.device = "desk",
                  .config = &config_,
                  .log = [](const std::string&) {}}) {
    pairing_.Register(methods_);
    daemon_ = std::make_unique<MockDaemon>(ax::mock::EditorDesktop(""), "",
                                           Lines{}, &methods_);
    daemon_->Open(1);
  }

  Lines Ask(const std::string& method, const std::string& params = "{}") {
    daemon_->Line(1, absl::StrCat(R"({"jsonrpc":"2.0","id":1,"method":")",
                                  method, R"(","params":)", params, "}"));
    return daemon_->Told(1);
  }
  static std::string Result(const std::string& json) {
    return absl::StrCat(R"({"jsonrpc":"2.0","id":1,"result":)", json, "}\n");
  }
  static std::string NotDoneAs(const std::string& code,
                               const std::string& message) {
    return absl::StrCat(
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32008,"message":")",
        message, R"(","data":{"status":{"code":")", code, R"(","message":")",
        message, "\"}}}}\n");
  }
  static std::string BadParams(const std::string& message) {
    return absl::StrCat(
        R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":")",
        message, "\"}}\n");
  }
  std::string Own() { return peers_->identity().id().text(); }

  config::Config config_;
  Methods methods_;
  std::unique_ptr<Peers> peers_;
  Approvals approvals_;
  PeerMethods pairing_;
  std::unique_ptr<MockDaemon> daemon_;
};

TEST_F(PeerMethodsTest, ListTellsThisDeviceAndItsPeers) {
  EXPECT_EQ(Ask("peers.list"),
            Lines{Result(absl::StrCat(R"({"device":{"name":"desk","id":")",
                                      Own(), R"("},"peers":[]})"))});
  const KeyDigest key = KeyDigest::OfPublicKey({});
  ASSERT_TRUE(
      peers_->pinned()
          .Add({.name = "laptop", .key = key, .addresses = {"192.0.2.1:7411"}})
          .ok());
  config_.peers["laptop"] = {.files = config::PeerPolicy::Files::kRefuse};
  EXPECT_EQ(Ask("peers.list"),
            Lines{Result(absl::StrCat(
                R"({"device":{"name":"desk","id":")", Own(),
                R"("},"peers":[{"name":"laptop","id":")",
                transfer::DeviceId(key).text(),
                R"(","addresses":["192.0.2.1:7411"],"files":"refuse",)"
                R"("path":null,"round_trip_us":null,"warm":0,"streams":0,)"
                R"("trouble":null}]})"))});
}

TEST_F(PeerMethodsTest, OfferTellsItsCodeAndThenHowItEnded) {
  const Lines told = Ask("peers.offer", R"({"for_ms":1})");
  ASSERT_EQ(told.size(), 2u);
  EXPECT_TRUE(absl::StrContains(
      told[0],
      R"({"jsonrpc":"2.0","method":"peers.offered","params":{"code":")"));
  EXPECT_TRUE(absl::StrContains(
      told[0], absl::StrCat(R"(","at":[")", peers_->listening()[0],
                            "\"],\"for_ms\":1,\"announced\":false}}\n")));
  EXPECT_EQ(told[1],
            NotDoneAs("DEADLINE_EXCEEDED",
                      "nobody typed the code in time: it is of no more use"));
}

TEST_F(PeerMethodsTest, WhatIsWrongIsNamedAndNothingIsBegun) {
  const std::string name =
      R"(\"name\" must be 1 to 64 of A-Z a-z 0-9 . _ -, and no dash first)";
  EXPECT_EQ(Ask("peers.offer", R"({"name":"-a"})"), Lines{BadParams(name)});
  EXPECT_EQ(Ask("peers.offer", R"({"name":""})"), Lines{BadParams(name)});
  EXPECT_EQ(
      Ask("peers.offer", R"({"for_ms":900001})"),
      Lines{BadParams(R"(\"for_ms\" must be an integer from 1 to 900000)")});
  EXPECT_EQ(Ask("peers.pair"), Lines{BadParams(R"(\"code\" must be there)")});
  EXPECT_EQ(Ask("peers.pair", R"({"code":"417-maple-otter","to":"x"})"),
            Lines{BadParams(R"(there is no parameter \"to\" here)")});
  EXPECT_EQ(Ask("peers.forget"), Lines{BadParams(R"(\"peer\" must be there)")});
  EXPECT_EQ(Ask("peers.list", R"({"a":1})"),
            Lines{BadParams(R"(there is no parameter \"a\" here)")});
  EXPECT_EQ(Ask("approve"), Lines{BadParams(R"(\"id\" must be there)")});
  EXPECT_TRUE(peers_->listening().empty());
}

TEST_F(PeerMethodsTest, WithoutAnAddressPairingSaysThatItNeedsOne) {
  EXPECT_EQ(Ask("peers.pair", R"({"code":"417-maple-otter"})"),
            Lines{NotDoneAs("INVALID_ARGUMENT",
                            "say where the other device is: --at HOST:PORT, as "
                            "it shows it beside the code")});
}

TEST_F(PeerMethodsTest, WhoCannotBeFoundHasToBeNamedAndNobodyTwiceTried) {
  FakeNearby nearby;
  PeerMethods pairing(peers_.get(), &approvals_,
                      {.device = "desk",
                       .config = &config_,
                       .nearby = &nearby,
                       .log = [](const std::string&) {}});
  pairing.Register(methods_);
  const std::string pair = R"({"code":"417-maple-otter"})";
  EXPECT_EQ(Ask("peers.pair", pair),
            Lines{NotDoneAs("NOT_FOUND",
                            "nobody: say where the other device is: --at "
                            "HOST:PORT, as it shows it beside the code")});
  EXPECT_EQ(nearby.own, Own());
  // With an address nobody is looked for, and what only this device reaches is
  // told to nobody.
  nearby.own.clear();
  const Lines refused =
      Ask("peers.pair", R"({"code":"417-maple-otter","at":"127.0.0.1:1"})");
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_TRUE(absl::StrContains(refused[0], "cannot pair at 127.0.0.1:1: "));
  EXPECT_EQ(nearby.own, "");
  const Lines told = Ask("peers.offer", R"({"for_ms":1})");
  EXPECT_TRUE(absl::StrContains(told[0], R"("announced":false)"));
  EXPECT_EQ(nearby.announced, 0);
}

TEST_F(PeerMethodsTest, ForgettingSaysWhomAndThatNobodyIsThere) {
  const KeyDigest key = KeyDigest::OfPublicKey({});
  ASSERT_TRUE(peers_->pinned().Add({.name = "laptop", .key = key}).ok());
  EXPECT_EQ(Ask("peers.forget", R"({"peer":"laptop"})"),
            Lines{Result(absl::StrCat(R"({"name":"laptop","id":")",
                                      transfer::DeviceId(key).text(), "\"}"))});
  EXPECT_TRUE(absl::StrContains(Ask("peers.forget", R"({"peer":"laptop"})")[0],
                                R"("status":{"code":"NOT_FOUND")"));
}

TEST_F(PeerMethodsTest, WhatWaitsIsListedAndAnswered) {
  std::string status;
  const absl::Status answer = approvals_.Ask(
      {.peer = "laptop", .kind = "files", .text = "a\x1B[31m"}, [&] {
        if (status.empty()) {
          status = Ask("status")[0];
          EXPECT_EQ(Ask("approve", R"({"id":1,"approved":false})"),
                    Lines{Result(R"({"approved":false})")});
        }
        return false;
      });
  EXPECT_TRUE(absl::IsPermissionDenied(answer));
  EXPECT_TRUE(absl::StrContains(
      status, R"("waiting":[{"id":1,"peer":"laptop","kind":"files",)"
              R"("text":"a\u001b[31m","left_ms":)"))
      << status;
  EXPECT_TRUE(absl::StrContains(Ask("status")[0], R"("waiting":[])"));
  EXPECT_EQ(Ask("approve", R"({"id":1})"),
            Lines{NotDoneAs("NOT_FOUND",
                            "nothing waits for approval under number 1: "
                            "`tactus status` lists what does")});
}

TEST(DeviceName, IsWhatOfTheHostsNameCanBeTyped) {
  EXPECT_EQ(DeviceName("desk.local"), "desk.local");
  EXPECT_EQ(DeviceName("--m\xC3\xBCller's pc\n"), "mllerspc");
  EXPECT_EQ(DeviceName(""), "device");
  EXPECT_EQ(DeviceName("-"), "device");
  EXPECT_EQ(DeviceName(std::string(80, 'a')), std::string(64, 'a'));
}

TEST(ReachableAt, AnAddressIsItselfAndAllAreNoLoopback) {
  EXPECT_EQ(ReachableAt({"127.0.0.1:7411", "[::1]:7411"}),
            (Lines{"[::1]:7411", "127.0.0.1:7411"}));
  for (const std::string& where : ReachableAt({"0.0.0.0:7411", "[::]:7411"})) {
    EXPECT_FALSE(absl::StrContains(where, "127.")) << where;
    EXPECT_FALSE(absl::StrContains(where, "0.0.0.0")) << where;
    EXPECT_TRUE(absl::EndsWith(where, ":7411")) << where;
  }
}

}  // namespace
}  // namespace tactus::daemon
