#include "tools/control/address.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tactus::control {
namespace {

class AddressTest : public testing::Test {
 protected:
  AddressTest() {
    char name[] = "/tmp/tactus_address.XXXXXX";
    above_ = mkdtemp(name);
    folder_ = above_ + "/tactus";
  }
  ~AddressTest() override {
    for (const char* file : {"/control.sock", "/tactusd.lock", ""}) {
      remove((folder_ + file).c_str());
    }
    chmod(above_.c_str(), 0700);
    rmdir(above_.c_str());
  }
  void Make(mode_t mode) {
    ASSERT_EQ(mkdir(folder_.c_str(), 0700), 0);
    ASSERT_EQ(chmod(folder_.c_str(), mode), 0);
  }

  std::string above_;
  std::string folder_;
};

TEST_F(AddressTest, WithoutAFolderNoDaemonRuns) {
  EXPECT_TRUE(absl::IsNotFound(Connect("").status()));
  EXPECT_TRUE(absl::IsNotFound(Connect(folder_).status()));
  Make(0700);
  EXPECT_TRUE(absl::IsNotFound(Connect(folder_).status()));
}

TEST_F(AddressTest, FolderThatOthersMayEnterIsRefusedWithTheRemedy) {
  Make(0750);
  const absl::Status status = Connect(folder_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_EQ(status.message(),
            absl::StrCat(folder_,
                         " is not a folder of yours alone; remove it, "
                         "or chmod it to 700"));
  InstanceLock lock;
  EXPECT_TRUE(absl::IsFailedPrecondition(lock.Take(folder_)));
}

TEST_F(AddressTest, FolderInAFolderThatOthersCanWriteToIsRefused) {
  Make(0700);
  ASSERT_EQ(chmod(above_.c_str(), 0777), 0);
  EXPECT_TRUE(absl::IsFailedPrecondition(Connect(folder_).status()));
  // As /tmp is: nobody can take away what is another's.
  ASSERT_EQ(chmod(above_.c_str(), 01777), 0);
  EXPECT_TRUE(absl::IsNotFound(Connect(folder_).status()));
}

TEST_F(AddressTest, LinkInPlaceOfTheFolderIsRefused) {
  ASSERT_EQ(symlink("/tmp", folder_.c_str()), 0);
  EXPECT_TRUE(absl::IsFailedPrecondition(Connect(folder_).status()));
}

TEST_F(AddressTest, SocketIsForItsOwnerAloneAndConnects) {
  InstanceLock lock;
  ASSERT_TRUE(lock.Take(folder_).ok());
  const absl::StatusOr<int> listening = Listen(folder_);
  ASSERT_TRUE(listening.ok()) << listening.status();
  struct stat found;
  ASSERT_EQ(stat(SocketPath(folder_).c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  const absl::StatusOr<int> client = Connect(folder_);
  ASSERT_TRUE(client.ok()) << client.status();
  const absl::StatusOr<Peer> peer = PeerOf(*client);
  ASSERT_TRUE(peer.ok());
  EXPECT_EQ(peer->user, geteuid());
  EXPECT_EQ(peer->process, getpid());
  close(*client);
  close(*listening);
}

TEST_F(AddressTest, SocketThatADeadDaemonLeftIsReplaced) {
  Make(0700);
  absl::StatusOr<int> listening = Listen(folder_);
  ASSERT_TRUE(listening.ok());
  close(*listening);
  EXPECT_TRUE(absl::IsNotFound(Connect(folder_).status()));
  listening = Listen(folder_);
  ASSERT_TRUE(listening.ok()) << listening.status();
  close(*listening);
}

TEST_F(AddressTest, SocketThatSomebodyListensOnIsLeftAlone) {
  Make(0700);
  const absl::StatusOr<int> listening = Listen(folder_);
  ASSERT_TRUE(listening.ok());
  const absl::Status status = Listen(folder_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_TRUE(absl::StrContains(status.message(),
                                absl::StrCat("by process ", getpid())));
  const absl::StatusOr<int> client = Connect(folder_);
  EXPECT_TRUE(client.ok());
  if (client.ok()) close(*client);
  close(*listening);
}

TEST_F(AddressTest, SecondDaemonIsRefusedWithTheProcessOfTheFirst) {
  InstanceLock lock;
  ASSERT_TRUE(lock.Take(folder_).ok());
  // The lock is a process's, so the second is another one.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    InstanceLock second;
    const absl::Status status = second.Take(folder_);
    const std::string wanted =
        absl::StrCat("a daemon runs already: process ", getppid(), ".");
    _exit(absl::IsFailedPrecondition(status) &&
                  absl::StartsWith(status.message(), wanted)
              ? 0
              : 1);
  }
  int ended = 0;
  ASSERT_EQ(waitpid(child, &ended, 0), child);
  EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
}

TEST_F(AddressTest, PathThatIsTooLongIsRefusedWithTheRemedy) {
  const absl::Status status = Listen("/tmp/" + std::string(200, 'a')).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_TRUE(absl::StrContains(status.message(), "set XDG_RUNTIME_DIR"));
}

}  // namespace
}  // namespace tactus::control
