// What is kept, granted and refused; agents and processes are in mcp_test.py.
#include "tools/tactusd/mcp_methods.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "ax/mock/world.h"
#include "gtest/gtest.h"
#include "tools/config/servers.h"
#include "tools/tactusd/approvals.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/peers.h"
#include "tools/tactusd/testing/mock_daemon.h"
#include "transfer/clock/clock.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/stream/header.h"
#include "transfer/stream/stream.h"

namespace tactus::daemon {
namespace {

using Lines = std::vector<std::string>;
using transfer::KeyDigest;

constexpr char kDone[] = R"({"jsonrpc":"2.0","id":1,"result":{}})"
                         "\n";
constexpr char kAllowed[] =
    R"({"jsonrpc":"2.0","id":1,"result":{"asks":false}})"
    "\n";
constexpr char kAsks[] = R"({"jsonrpc":"2.0","id":1,"result":{"asks":true}})"
                         "\n";

class McpMethodsTest : public testing::Test {
 protected:
  McpMethodsTest()
      : folder_(absl::StrCat(
            testing::TempDir(), "/",
            testing::UnitTest::GetInstance()->current_test_info()->name())),
        peers_(*Peers::Open({.folder = absl::StrCat(folder_, ".state"),
                             .listen = {"127.0.0.1:0"},
                             .log = [](const std::string&) {}})),
        approvals_(&ax::Clock::Real(), absl::Seconds(2)),
        mcp_(peers_.get(), &approvals_,
             {.servers = absl::StrCat(folder_, ".config/servers.json"),
              .paused = [this] { return paused_; },
              .locked = [this] { return locked_; },
              .log = [](const std::string&) {}}) {
    mcp_.Register(methods_);
    daemon_ = std::make_unique<MockDaemon>(ax::mock::EditorDesktop(""), "",
                                           Lines{}, &methods_);
    daemon_->Open(1);
    Pair("laptop", 1);
    Pair("phone", 2);
  }

  void Pair(const std::string& name, uint8_t key) {
    std::array<uint8_t, 32> digest = {};
    digest[0] = key;
    ASSERT_TRUE(
        peers_->pinned().Add({.name = name, .key = KeyDigest(digest)}).ok());
  }
  std::string Ask(const std::string& method, const std::string& params) {
    daemon_->Line(1, absl::StrCat(R"({"jsonrpc":"2.0","id":1,"method":")",
                                  method, R"(","params":)", params, "}"));
    const Lines told = daemon_->Told(1);
    EXPECT_EQ(told.size(), 1u);
    return told.empty() ? "" : told.front();
  }
  std::string Expose(const std::string& params) {
    return Ask("mcp.expose", params);
  }
  std::string Permit(const std::string& more, const char* peer = "laptop") {
    return Ask("mcp.permit",
               absl::StrCat(R"({"peer":")", peer,
                            R"(","server":"text","tool":"read_focused_text",)",
                            more, "}"));
  }
  // As its owner can, with an editor.
  void TakeOutOfTheFile() {
    EXPECT_TRUE(
        config::SaveServers(absl::StrCat(folder_, ".config/servers.json"), {})
            .ok());
  }
  Lines GrantsOf(const char* peer) {
    const auto granted = peers_->pinned().Find(peer)->granted;
    return {granted.begin(), granted.end()};
  }
  void ExposeText(const std::string& more) {
    EXPECT_EQ(Expose(absl::StrCat(
                  R"({"server":"text","command":["/bin/tactus"],)",
                  R"("focused_text":true,"peer":"laptop")", more, "}")),
              kDone);
  }

  const std::string folder_;
  bool paused_ = false;
  absl::StatusOr<bool> locked_ = false;
  bool lock_meanwhile_ = false;
  Methods methods_;
  std::unique_ptr<Peers> peers_;
  Approvals approvals_;
  McpMethods mcp_;
  std::unique_ptr<MockDaemon> daemon_;
};

TEST_F(McpMethodsTest, ExposedServerIsListedWithWhoMayStartIt) {
  EXPECT_EQ(Ask("mcp.exposed", "{}"),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"servers\":[]}}\n");
  EXPECT_EQ(Expose(R"({"server":"notes","command":["/bin/a","b"]})"), kDone);
  EXPECT_EQ(Expose(R"({"server":"notes","peer":"phone","ask":false})"), kDone);
  const std::string id = peers_->pinned().Find("phone")->id().text();
  EXPECT_EQ(
      Ask("mcp.exposed", "{}"),
      absl::StrCat(R"({"jsonrpc":"2.0","id":1,"result":{"servers":[{"name":)",
                   R"("notes","command":["/bin/a","b"],"focused_text":false,)",
                   R"("peers":[{"name":"phone","id":")", id,
                   R"(","ask":false,"write":false}]}]}})", "\n"));
  // The key has it, and not the name.
  EXPECT_TRUE(peers_->Forget("phone").ok());
  Pair("phone", 3);
  EXPECT_TRUE(absl::StrContains(Ask("mcp.exposed", "{}"), R"("peers":[])"));
}

TEST_F(McpMethodsTest, WhatCannotBeExposedIsToldAndNothingIsKept) {
  for (const char* wrong : {
           R"({})",
           R"({"server":"a"})",
           R"({"server":"a","peer":"laptop"})",
           R"({"server":"a b","command":["/x"]})",
           R"({"server":"-a","command":["/x"]})",
           R"({"server":"a","command":["x"]})",
           R"({"server":"a","command":[]})",
           R"({"server":"a","command":["/x"],"peer":"nobody"})",
           R"({"server":"a","command":["/x","y"],"focused_text":true})",
           R"({"server":"a","command":["/x"],"more":1})",
       }) {
    EXPECT_TRUE(absl::StrContains(Expose(wrong), "\"error\"")) << wrong;
  }
  EXPECT_EQ(Ask("mcp.exposed", "{}"),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"servers\":[]}}\n");
}

TEST_F(McpMethodsTest, NameIsNoLeaveForAnotherCommand) {
  EXPECT_EQ(Expose(R"({"server":"a","command":["/x"],"peer":"laptop"})"),
            kDone);
  EXPECT_TRUE(absl::StrContains(Expose(R"({"server":"a","command":["/y"]})"),
                                "another server is kept under this name"));
  EXPECT_EQ(Ask("mcp.unexpose", R"({"server":"a"})"), kDone);
  EXPECT_EQ(Expose(R"({"server":"a","command":["/y"]})"), kDone);
  // And what was granted of the first is not of the second.
  EXPECT_TRUE(absl::StrContains(Ask("mcp.exposed", "{}"), R"("peers":[])"));
}

TEST_F(McpMethodsTest, GrantOfWhatWasTakenOutOfTheFileIsNoneOfWhatComesNext) {
  EXPECT_EQ(Expose(R"({"server":"a","command":["/x"],"peer":"laptop"})"),
            kDone);
  EXPECT_EQ(Expose(R"({"server":"a","peer":"phone","ask":false})"), kDone);
  EXPECT_EQ(Expose(R"({"server":"b","command":["/x"],"peer":"phone"})"), kDone);
  TakeOutOfTheFile();
  EXPECT_EQ(Expose(R"({"server":"a","command":["/y"],"peer":"laptop"})"),
            kDone);
  EXPECT_EQ(GrantsOf("laptop"), Lines{"mcp.ask:a"});
  EXPECT_EQ(GrantsOf("phone"), Lines{"mcp.ask:b"});
}

TEST_F(McpMethodsTest, GrantOfWhatWasTakenOutOfTheFileCanBeTakenBack) {
  EXPECT_EQ(Expose(R"({"server":"a","command":["/x"],"peer":"laptop"})"),
            kDone);
  EXPECT_EQ(Expose(R"({"server":"a","peer":"phone","ask":false})"), kDone);
  TakeOutOfTheFile();
  EXPECT_TRUE(
      absl::StrContains(Ask("mcp.unexpose", R"({"server":"a","peer":"phone"})"),
                        "no server is kept under this name"));
  EXPECT_EQ(GrantsOf("phone"), Lines{});
  EXPECT_EQ(GrantsOf("laptop"), Lines{"mcp.ask:a"});
  EXPECT_TRUE(absl::StrContains(Ask("mcp.unexpose", R"({"server":"a"})"),
                                "no server is kept under this name"));
  EXPECT_EQ(GrantsOf("laptop"), Lines{});
}

TEST_F(McpMethodsTest, PeerThatDoesNotHearWhyItIsRefusedIsCutInTheEnd) {
  const std::unique_ptr<Peers> laptop =
      *Peers::Open({.folder = absl::StrCat(folder_, ".laptop"),
                    .listen = {},
                    .log = [](const std::string&) {}});
  ASSERT_TRUE(peers_->pinned()
                  .Add({.name = "other", .key = laptop->identity().digest()})
                  .ok());
  const auto stop = absl::MakeCleanup([this] { peers_->Stop(); });
  ASSERT_TRUE(peers_->Start().ok());
  ASSERT_EQ(peers_->listening().size(), 1u);
  ASSERT_TRUE(laptop->pinned()
                  .Add({.name = "desk",
                        .key = peers_->identity().digest(),
                        .addresses = peers_->listening()})
                  .ok());
  ASSERT_TRUE(laptop->Start().ok());
  const absl::Time end = transfer::Clock::Real().Now() + absl::Seconds(30);
  std::vector<std::unique_ptr<transfer::Stream>> streams;
  int told = 0;
  absl::Status cut;
  // They stay open.
  while (cut.ok() && told < 64) {
    auto stream = laptop->transport().Open(
        peers_->identity().id(),
        {.kind = transfer::StreamKind::kMcp, .label = "notes"}, end);
    ASSERT_TRUE(stream.ok()) << stream.status();
    char first = 0;
    const absl::StatusOr<size_t> n =
        (*stream)->Read(absl::MakeSpan(&first, 1), end);
    cut = n.status();
    streams.push_back(*std::move(stream));
    if (!cut.ok()) break;
    // A frame that says why.
    EXPECT_EQ(first, 'x');
    ++told;
  }
  // The first may have waited long enough when the ninth comes.
  EXPECT_GE(told, 8);
  EXPECT_EQ(cut.code(), absl::StatusCode::kUnavailable) << cut;
}

TEST_F(McpMethodsTest, WritingIsGrantedOfTheFocusedTextAlone) {
  EXPECT_TRUE(absl::StrContains(
      Expose(R"({"server":"a","command":["/x"],"peer":"laptop","write":true})"),
      "\"error\""));
  EXPECT_EQ(GrantsOf("laptop"), Lines{});
  // Nor is it kept.
  EXPECT_EQ(Ask("mcp.exposed", "{}"),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"servers\":[]}}\n");
}

TEST_F(McpMethodsTest, PeerMayDoWhatWasGrantedToItAndNoMore) {
  EXPECT_TRUE(
      absl::StrContains(Permit(R"("writes":false)"), "PERMISSION_DENIED"));
  ExposeText(R"(,"ask":false)");
  EXPECT_EQ(Permit(R"("writes":false)"), kAllowed);
  EXPECT_TRUE(absl::StrContains(Permit(R"("writes":true)"),
                                "may read the focused text there, and not"));
  // What says nothing is taken for an edit.
  EXPECT_TRUE(absl::StrContains(Permit(R"("again":true)"), "\"error\""));
  EXPECT_TRUE(
      absl::StrContains(Permit(R"("writes":false)", "phone"), "\"error\""));
  EXPECT_TRUE(
      absl::StrContains(Permit(R"("writes":false)", "nobody"), "\"error\""));
  ExposeText(R"(,"ask":false,"write":true)");
  EXPECT_EQ(Permit(R"("writes":true)"), kAllowed);
  // Less again, at once.
  ExposeText(R"(,"ask":false)");
  EXPECT_TRUE(absl::StrContains(Permit(R"("writes":true)"), "\"error\""));
  EXPECT_EQ(Ask("mcp.unexpose", R"({"server":"text","peer":"laptop"})"), kDone);
  EXPECT_TRUE(absl::StrContains(Permit(R"("writes":false)"), "\"error\""));
}

TEST_F(McpMethodsTest,
       NothingIsPermittedWhilePausedOrLockedOrNotKnownToBeOpen) {
  ExposeText(R"(,"ask":false,"write":true)");
  paused_ = true;
  EXPECT_TRUE(absl::StrContains(Permit(R"("writes":false)"), "is paused"));
  paused_ = false;
  locked_ = true;
  for (const char* writes : {R"("writes":false)", R"("writes":true)"}) {
    EXPECT_TRUE(absl::StrContains(Permit(writes), "is locked")) << writes;
  }
  locked_ = absl::DeadlineExceededError("the lock hangs");
  EXPECT_TRUE(absl::StrContains(Permit(R"("writes":false)"), "hangs"));
  locked_ = false;
  EXPECT_EQ(Permit(R"("writes":false)"), kAllowed);
}

TEST_F(McpMethodsTest, PersonIsAskedAndSilenceRefuses) {
  ExposeText(R"(,"write":true)");
  // Whether one is to be asked is told without asking.
  EXPECT_EQ(Permit(R"("writes":true,"ask":false)"), kAsks);
  EXPECT_EQ(approvals_.Waiting().size(), 0u);
  EXPECT_TRUE(
      absl::StrContains(Permit(R"("writes":true)"), "nobody answered there"));
  // Reading goes on once it was allowed, editing is asked for each time.
  EXPECT_EQ(Permit(R"("writes":false,"again":true)"), kAllowed);
  EXPECT_EQ(Permit(R"("writes":true,"again":true,"ask":false)"), kAsks);
}

TEST_F(McpMethodsTest, AfterThePersonHasAnsweredItIsLookedOnceMore) {
  ExposeText(R"(,"write":true)");
  const auto answered = [this](bool approved) {
    std::thread person([this, approved] {
      const absl::Time end = ax::Clock::Real().Now() + absl::Seconds(30);
      while (ax::Clock::Real().Now() < end) {
        for (const WaitingQuestion& one : approvals_.Waiting()) {
          EXPECT_EQ(one.question.peer, "laptop");
          EXPECT_EQ(one.question.kind, "mcp");
          locked_ = lock_meanwhile_;
          approvals_.Answer(one.id, approved).IgnoreError();
          return;
        }
        std::this_thread::yield();
      }
    });
    std::string told = Permit(R"("writes":true)");
    person.join();
    return told;
  };
  EXPECT_EQ(answered(true), kAsks);
  lock_meanwhile_ = true;
  EXPECT_TRUE(absl::StrContains(answered(true), "is locked"));
  locked_ = lock_meanwhile_ = false;
  EXPECT_TRUE(absl::StrContains(answered(false), "refused there"));
}

TEST_F(McpMethodsTest, AgentWithoutItsTwoPipesIsNotCarried) {
  EXPECT_TRUE(
      absl::StrContains(Ask("mcp.connect", R"({"peer":"laptop"})"), "server"));
  EXPECT_TRUE(absl::StrContains(
      Ask("mcp.connect", R"({"peer":"laptop","server":"a b"})"),
      "no name of a server"));
  EXPECT_TRUE(absl::StrContains(
      Ask("mcp.connect", R"({"peer":"laptop","server":"notes"})"),
      "two descriptors"));
}

TEST_F(McpMethodsTest, UnexposingWhatIsNotThereIsTold) {
  EXPECT_TRUE(absl::StrContains(Ask("mcp.unexpose", R"({"server":"x"})"),
                                "no server is kept under this name"));
  ExposeText("");
  EXPECT_TRUE(absl::StrContains(
      Ask("mcp.unexpose", R"({"server":"text","peer":"nobody"})"), "nobody"));
}

}  // namespace
}  // namespace tactus::daemon
