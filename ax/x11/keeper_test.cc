#include "ax/x11/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

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
#include "ax/input/input.h"
#include "ax/x11/clipboard.h"
#include "ax/x11/testing/client.h"
#include "ax/x11/testing/xvfb.h"
#include "gtest/gtest.h"

extern char** environ;

namespace tactus::ax::x11 {
namespace {

constexpr char kKeeperProgram[] = "ax/x11/keeper_main";

absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(20); }

std::string InRunfiles(const std::string& program) {
  // Absolute, since a keeper starts in the root folder.
  std::unique_ptr<char, decltype(&free)> path(
      realpath(program.c_str(), nullptr), free);
  EXPECT_NE(path, nullptr) << program;
  return path == nullptr ? "" : path.get();
}

const Value kHtml = {"text/html", 8, "<b>old</b>"};

class KeeperTest : public ::testing::Test {
 protected:
  // A keeper that left its parent becomes ours, so that its end can be seen.
  static void SetUpTestSuite() { prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

  void TearDown() override {
    clipboard_.reset();
    server_.Kill();
    // With the display ends whatever kept something.
    while (KeeperEnds().has_value()) {
    }
  }

  void Open(std::vector<std::string> keeper,
            absl::Duration farewell = absl::Seconds(20)) {
    absl::StatusOr<std::unique_ptr<Clipboard>> clipboard =
        Clipboard::Open({.display = server_.display(),
                         .keeper = std::move(keeper),
                         .farewell = farewell},
                        Soon());
    ASSERT_TRUE(clipboard.ok()) << clipboard.status();
    clipboard_ = *std::move(clipboard);
  }
  void Open() { Open({InRunfiles(kKeeperProgram)}); }

  // The clipboard of an application that then ends, put back after a loan.
  void PutBack(const Value& text = Utf8("old"), size_t piece = 0) {
    TestOwner owner(server_.display(),
                    {.values = {{"UTF8_STRING", text}, {"text/html", kHtml}},
                     .piece = piece});
    absl::StatusOr<std::unique_ptr<ClipboardLoan>> loan = clipboard_->Lend(
        "text", {.deadline = Soon(), .patience = absl::Seconds(20)});
    ASSERT_TRUE(loan.ok()) << loan.status();
    ASSERT_EQ((*loan)->GiveBack(Soon()), absl::OkStatus());
  }

  // How the next keeper ends, once it does; nothing when there is none.
  static std::optional<int> KeeperEnds() {
    int status = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, 0)) < 0 && errno == EINTR) {
    }
    if (pid < 0) return std::nullopt;
    return status;
  }

  Xvfb server_;
  std::unique_ptr<Clipboard> clipboard_;
};

TEST_F(KeeperTest, ContentIsServedAfterItsOwnerHasEnded) {
  Open();
  PutBack();
  TestRequestor other(server_.display());
  const xcb_window_t ours = other.client().Owner();
  EXPECT_EQ(clipboard_->HandOver(Soon()), absl::OkStatus());
  const xcb_window_t keeper = other.client().Owner();
  EXPECT_NE(keeper, ours);
  clipboard_.reset();
  EXPECT_EQ(other.client().Owner(), keeper);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("old"));
    EXPECT_EQ(other.Fetch("text/html"), kHtml);
  }
  EXPECT_EQ(other.Targets(),
            (std::vector<std::string>{"TARGETS", "MULTIPLE", "TIMESTAMP",
                                      "UTF8_STRING", "text/html"}));
}

TEST_F(KeeperTest, KeeperEndsWhenSomebodyTakesTheClipboard) {
  Open();
  PutBack();
  ASSERT_EQ(clipboard_->HandOver(Soon()), absl::OkStatus());
  TestOwner next(server_.display(), {.values = {{"UTF8_STRING", Utf8("new")}}});
  // The server is a child too, but it does not end.
  EXPECT_EQ(KeeperEnds(), 0);
  EXPECT_FALSE(next.lost());
}

TEST_F(KeeperTest, KeeperEndsWithTheDisplay) {
  Open();
  PutBack();
  ASSERT_EQ(clipboard_->HandOver(Soon()), absl::OkStatus());
  server_.Kill();
  EXPECT_EQ(KeeperEnds(), 0);
  EXPECT_EQ(KeeperEnds(), std::nullopt);
}

TEST_F(KeeperTest, DestructorHandsOver) {
  Open();
  PutBack();
  clipboard_.reset();
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("old"));
}

TEST_F(KeeperTest, LoanThatIsStillOutIsGivenBackFirst) {
  Open();
  TestOwner owner(server_.display(), {.values = {{"text/html", kHtml}}});
  absl::StatusOr<std::unique_ptr<ClipboardLoan>> loan =
      clipboard_->Lend("text", {.deadline = Soon()});
  ASSERT_TRUE(loan.ok()) << loan.status();
  clipboard_.reset();
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("text/html"), kHtml);
  EXPECT_EQ(other.Fetch("UTF8_STRING"), std::nullopt);
}

TEST_F(KeeperTest, ContentSurvivesTheEndOfAProcessAndItsOutputEnds) {
  auto owner = std::make_unique<TestOwner>(
      server_.display(), OwnerScript{.values = {{"text/html", kHtml}}});
  int out[2];
  ASSERT_EQ(pipe(out), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, out[0]);
  posix_spawn_file_actions_addclose(&actions, out[1]);
  std::string program = InRunfiles("ax/x11/keeper_exit_main");
  std::string display = server_.display();
  std::string keeper = InRunfiles(kKeeperProgram);
  char* argv[] = {program.data(), display.data(), keeper.data(), nullptr};
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, argv[0], &actions, nullptr, argv, environ), 0);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  // A keeper that held the output open would hold up whoever reads it.
  std::string said;
  char buffer[64];
  ssize_t n;
  while ((n = read(out[0], buffer, sizeof(buffer))) > 0) {
    said.append(buffer, static_cast<size_t>(n));
  }
  close(out[0]);
  EXPECT_EQ(said, "given back\n");
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  owner.reset();
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("text/html"), kHtml);
  // The process that kept it is another one, and goes on.
  EXPECT_EQ(waitpid(-1, &status, WNOHANG), 0);
}

TEST_F(KeeperTest, KeptContentIsSavedAndKeptAgain) {
  Open();
  PutBack();
  clipboard_.reset();
  TestRequestor other(server_.display());
  Open();
  absl::StatusOr<std::unique_ptr<ClipboardLoan>> loan = clipboard_->Lend(
      "text", {.deadline = Soon(), .patience = absl::Seconds(20)});
  ASSERT_TRUE(loan.ok()) << loan.status();
  // It has nothing to keep any more.
  EXPECT_EQ(KeeperEnds(), 0);
  clipboard_.reset();
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("old"));
  EXPECT_EQ(other.Fetch("text/html"), kHtml);
}

TEST_F(KeeperTest, LargeContentIsKeptExactlyAndAHandOutInProgressIsFinished) {
  Open();
  std::string text(3 << 20, '\0');
  uint32_t x = 7;
  for (char& c : text) {
    x = x * 1664525 + 1013904223;
    c = static_cast<char>('a' + (x >> 24) % 26);
  }
  PutBack(Utf8(text), 1 << 20);
  TestRequestor slow(server_.display());
  ASSERT_EQ(slow.Begin("UTF8_STRING").value_or(Value()).type, "INCR");
  std::string fetched = slow.NextPiece().value_or(Value()).bytes;
  ASSERT_EQ(fetched.size(), 256u << 10);
  absl::Status handed;
  std::thread handing([&] {
    handed = clipboard_->HandOver(Soon());
    // As if the process ended then and there.
    clipboard_.reset();
  });
  // Only once the keeper has it is the rest fetched, of the one before it.
  TestRequestor other(server_.display());
  const xcb_window_t ours = other.client().Owner();
  while (other.client().Owner() == ours) {
  }
  for (;;) {
    const std::optional<Value> piece = slow.NextPiece();
    if (!piece.has_value() || piece->bytes.empty()) break;
    fetched += piece->bytes;
  }
  handing.join();
  EXPECT_EQ(handed, absl::OkStatus());
  EXPECT_TRUE(fetched == text);
  EXPECT_TRUE(other.Fetch("UTF8_STRING") == Utf8(text));
}

TEST_F(KeeperTest, NothingIsStartedWhenThereIsNothingToKeep) {
  Open();
  EXPECT_EQ(clipboard_->HandOver(Soon()), absl::OkStatus());
  absl::StatusOr<std::unique_ptr<ClipboardLoan>> loan =
      clipboard_->Lend("text", {.deadline = Soon()});
  ASSERT_TRUE(loan.ok()) << loan.status();
  EXPECT_EQ(clipboard_->HandOver(Soon()), absl::OkStatus());
  EXPECT_EQ(TestClient(server_.display()).Owner(), 0u);
  server_.Kill();
  EXPECT_EQ(KeeperEnds(), std::nullopt);
}

TEST_F(KeeperTest, WithoutAKeeperTheLossIsTold) {
  Open({});
  PutBack();
  EXPECT_EQ(clipboard_->HandOver(Soon()).code(),
            absl::StatusCode::kFailedPrecondition);
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("old"));
}

TEST_F(KeeperTest, ProgramThatIsNoKeeperIsToldAndTheClipboardStaysOurs) {
  const std::vector<std::vector<std::string>> programs = {
      {"/nonexistent/keeper"},
      {"/bin/true"},
      // It says something, but not that it keeps anything.
      {"/bin/sh", "-c", "echo no >&4"},
      {"/bin/sh", "-c", "exec cat /dev/zero >&4"}};
  for (const std::vector<std::string>& program : programs) {
    SCOPED_TRACE(program.back());
    Open(program);
    PutBack();
    EXPECT_EQ(clipboard_->HandOver(Soon()).code(),
              absl::StatusCode::kUnavailable);
    TestRequestor other(server_.display());
    EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("old"));
  }
  // One that never says anything ends with the deadline, and is ended.
  Open({"/bin/sleep", "1000"}, absl::ZeroDuration());
  PutBack();
  EXPECT_EQ(clipboard_->HandOver(Clock::Real().Now() + absl::Milliseconds(100))
                .code(),
            absl::StatusCode::kDeadlineExceeded);
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("old"));
  clipboard_.reset();
  server_.Kill();
  EXPECT_EQ(KeeperEnds(), std::nullopt);
}

TEST_F(KeeperTest, ClipboardTakenBeforeTheKeeperLooksStaysWithWhoTookIt) {
  const std::string go = ::testing::TempDir() + "/go";
  unlink(go.c_str());
  Open({"/bin/sh", "-c",
        "while [ ! -e '" + go + "' ]; do sleep 0.01; done; exec '" +
            InRunfiles(kKeeperProgram) + "'"});
  PutBack();
  absl::Status handed;
  std::thread handing([&] { handed = clipboard_->HandOver(Soon()); });
  // What is served meanwhile shows that the keeper is being waited for.
  TestRequestor other(server_.display());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("old"));
  TestOwner thief(server_.display(),
                  {.values = {{"UTF8_STRING", Utf8("new")}}});
  close(open(go.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  handing.join();
  // There is nothing left to hand over.
  EXPECT_EQ(handed, absl::OkStatus());
  clipboard_.reset();
  EXPECT_FALSE(thief.lost());
  EXPECT_EQ(other.Fetch("UTF8_STRING"), Utf8("new"));
}

// Clipboard managers.

TEST_F(KeeperTest, ClipboardManagerIsPreferredAndGivenEverything) {
  Open();
  PutBack();
  TestRequestor fetching(server_.display());
  std::optional<Value> saved;
  TestOwner manager(server_.display(),
                    {.values = {{"SAVE_TARGETS", {"NULL", 32, ""}}},
                     .on_request =
                         [&](const std::string& target) {
                           if (target == "SAVE_TARGETS") {
                             saved = fetching.Fetch("text/html");
                           }
                         }},
                    "CLIPBOARD_MANAGER");
  EXPECT_EQ(clipboard_->HandOver(Soon()), absl::OkStatus());
  EXPECT_EQ(manager.asked(), std::vector<std::string>{"SAVE_TARGETS"});
  EXPECT_EQ(saved, kHtml);
  // And no keeper was started.
  server_.Kill();
  EXPECT_EQ(KeeperEnds(), std::nullopt);
}

TEST_F(KeeperTest, ManagerThatRefusesLiesOrIsSilentLeavesItToTheKeeper) {
  const std::vector<OwnerScript> managers = {
      {}, {.values = {{"SAVE_TARGETS", {"NULL", 32, ""}}}}, {.silent = {"*"}}};
  for (const OwnerScript& script : managers) {
    Open();
    PutBack();
    TestOwner manager(server_.display(), script, "CLIPBOARD_MANAGER");
    // Half of it is the manager's.
    EXPECT_EQ(clipboard_->HandOver(Clock::Real().Now() + absl::Seconds(6)),
              absl::OkStatus());
    EXPECT_EQ(manager.asked(), std::vector<std::string>{"SAVE_TARGETS"});
    clipboard_.reset();
    TestRequestor other(server_.display());
    EXPECT_EQ(other.Fetch("text/html"), kHtml);
  }
}

}  // namespace
}  // namespace tactus::ax::x11
