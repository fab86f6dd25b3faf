#include "tools/config/denying_server.h"

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"

namespace tactus::config {
namespace {

using ax::mock::MockServer;

class DenyingServerTest : public testing::Test {
 protected:
  DenyingServerTest() : world_(ax::mock::EditorDesktop("secret")) {}

  // The editor runs "ed" where `program` is that.
  void Deny(std::vector<std::string> names, std::string program = "ed") {
    auto mock = std::make_unique<MockServer>(&world_, &clock_);
    mock_ = mock.get();
    server_ = std::make_unique<DenyingServer>(std::move(mock), std::move(names),
                                              [this, program](pid_t pid) {
                                                ++looks_;
                                                EXPECT_EQ(pid, 100);
                                                return program;
                                              });
  }
  absl::Status Read() {
    const absl::StatusOr<ax::Snapshot> snapshot = ax::SnapshotFocused(
        *server_, {.deadline = clock_.Now() + absl::Seconds(1)});
    return snapshot.status();
  }

  ax::SimulatedClock clock_;
  ax::mock::World world_;
  MockServer* mock_ = nullptr;
  std::unique_ptr<DenyingServer> server_;
  int looks_ = 0;
  const ax::Element field_{"app:100", "/text"};
};

TEST_F(DenyingServerTest, WhoIsNotDeniedIsPassedOnUnchanged) {
  Deny({"other"});
  EXPECT_TRUE(Read().ok());
  EXPECT_TRUE(Read().ok());
  EXPECT_EQ(looks_, 1);
}

TEST_F(DenyingServerTest, NameAndProgramDenyInEitherCase) {
  for (const char* name : {"editor", "EDITOR", "ed", "Ed"}) {
    Deny({"other", name});
    const absl::Status status = Read();
    EXPECT_EQ(status,
              absl::PermissionDeniedError("editor is denied by the "
                                          "configuration: it is neither read "
                                          "nor edited"))
        << name;
    // Who has the keyboard was asked, and nothing of the application itself.
    ASSERT_EQ(mock_->log().size(), 1u);
  }
}

TEST_F(DenyingServerTest, PartOfANameDeniesNothing) {
  Deny({"edit", "e", ""}, "");
  EXPECT_TRUE(Read().ok());
}

TEST_F(DenyingServerTest, ApplicationThatTakesADeniedNameIsDeniedFromThenOn) {
  Deny({"vault"});
  EXPECT_TRUE(Read().ok());
  ASSERT_TRUE(world_.Rename("app:100", "vault").ok());
  EXPECT_TRUE(absl::IsPermissionDenied(Read()));
}

TEST_F(DenyingServerTest, ElementsOfADeniedApplicationAreNeverReachedByName) {
  Deny({"editor"});
  ASSERT_TRUE(absl::IsPermissionDenied(Read()));
  const size_t before = mock_->log().size();
  const absl::Time deadline = clock_.Now() + absl::Seconds(1);
  EXPECT_TRUE(absl::IsPermissionDenied(
      server_->Read({field_, ax::Attribute::kText, {0, 9}}, deadline)
          .status()));
  const ax::WriteResult written =
      server_->Write({.element = field_,
                      .kind = ax::WriteRequest::Kind::kSetValue,
                      .text = "a"},
                     deadline);
  EXPECT_FALSE(written.sent);
  EXPECT_TRUE(absl::IsPermissionDenied(written.status));
  EXPECT_TRUE(absl::IsPermissionDenied(
      server_
          ->TextFields({.id = "app:100", .name = "editor", .pid = 100}, {},
                       deadline)
          .status()));
  EXPECT_TRUE(absl::IsPermissionDenied(server_->Focus(field_, deadline)));
  EXPECT_EQ(mock_->log().size(), before);
  EXPECT_EQ(world_.Find(field_)->text, U"secret");
}

TEST_F(DenyingServerTest, BatchKeepsTheOrderOfWhatIsAllowed) {
  ASSERT_TRUE(world_
                  .Start(ax::mock::MakeProgram(
                             "other", 200, {ax::mock::TextArea("/a", "abc")}),
                         "")
                  .ok());
  Deny({"editor"}, "");
  ASSERT_TRUE(absl::IsPermissionDenied(
      server_
          ->FocusedElements({.id = "app:100", .name = "editor", .pid = 100},
                            clock_.Now() + absl::Seconds(1))
          .status()));
  const ax::Element other{"app:200", "/a"};
  const ax::ReadRequest requests[] = {{field_, ax::Attribute::kCharacterCount},
                                      {other, ax::Attribute::kCharacterCount},
                                      {field_, ax::Attribute::kRole},
                                      {other, ax::Attribute::kText, {0, 9}}};
  const absl::StatusOr<std::vector<ax::Reading>> readings =
      server_->ReadMany(requests, clock_.Now() + absl::Seconds(1));
  ASSERT_TRUE(readings.ok());
  ASSERT_EQ(readings->size(), 4u);
  EXPECT_TRUE(absl::IsPermissionDenied((*readings)[0].status()));
  EXPECT_EQ(*ax::Get<int64_t>((*readings)[1]), 3);
  EXPECT_TRUE(absl::IsPermissionDenied((*readings)[2].status()));
  EXPECT_EQ(*ax::Get<std::string>((*readings)[3]), "abc");
}

TEST(ProgramOfTest, IsTheFileNameOfThisTest) {
  EXPECT_EQ(ProgramOf(getpid()), "denying_server_test");
  EXPECT_EQ(ProgramOf(0), "");
}

}  // namespace
}  // namespace tactus::config
