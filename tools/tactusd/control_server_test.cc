// The daemon's socket with real clients, against a handler of the test's own.
#include "tools/tactusd/control_server.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ax/sync/mutex.h"
#include "gtest/gtest.h"
#include "tools/control/address.h"
#include "tools/control/json_rpc.h"
#include "tools/tactusd/handler.h"
#include "tools/tactusd/sink.h"
#include "transfer/files/unique_fd.h"

namespace tactus::daemon {
namespace {

constexpr int kPatienceMs = 30'000;

// Numbers, one a line, until there is no more.
class Counted : public Feed {
 public:
  explicit Counted(int lines) : left_(lines) {}
  std::optional<std::string> Take() override {
    ax::MutexLock lock(&mutex_);
    if (left_ == 0) return std::nullopt;
    return absl::StrCat(left_--, "\n");
  }

 private:
  ax::Mutex mutex_;
  int left_ ABSL_GUARDED_BY(mutex_);
};

// Answers each line with itself; "big N" with N bytes, "feed N" by a feed,
// "hold" never.
class Echo : public Handler {
 public:
  void set_sink(Sink* sink) { sink_ = sink; }

  void Open(int64_t client) override { Note(absl::StrCat("open ", client)); }
  void Line(int64_t client, absl::string_view line) override {
    if (absl::StartsWith(line, "big ")) {
      const size_t size = strtoul(line.data() + 4, nullptr, 10);
      sink_->Send(client, std::string(size, 'x') + "\n");
    } else if (absl::StartsWith(line, "feed ")) {
      sink_->Ready(client, std::make_shared<Counted>(static_cast<int>(
                               strtoul(line.data() + 5, nullptr, 10))));
    } else if (line == "descriptors") {
      // The inode of each tells whose file it is.
      std::string told;
      for (const transfer::files::UniqueFd& one : descriptors_) {
        struct stat found = {};
        fstat(one.get(), &found);
        absl::StrAppend(&told, found.st_ino, " ");
      }
      descriptors_.clear();
      sink_->Send(client, absl::StrCat(told, "\n"));
    } else if (line == "hold") {
      ++held_[client];
    } else {
      sink_->Send(client, absl::StrCat(line, "\n"));
    }
  }
  void Descriptors(
      int64_t client,
      std::vector<transfer::files::UniqueFd> descriptors) override {
    descriptors_ = std::move(descriptors);
  }
  void LongLine(int64_t client) override { sink_->Send(client, "long\n"); }
  void End(int64_t client) override { Note(absl::StrCat("end ", client)); }
  void Close(int64_t client) override { Note(absl::StrCat("close ", client)); }
  size_t Pending(int64_t client) override { return held_[client]; }
  void Stop() override { Note("stop"); }
  bool Done() override { return true; }

  bool Noted(const std::string& what) {
    ax::MutexLock lock(&mutex_);
    for (const std::string& note : notes_) {
      if (note == what) return true;
    }
    return false;
  }

 private:
  void Note(std::string what) {
    ax::MutexLock lock(&mutex_);
    notes_.push_back(std::move(what));
  }

  Sink* sink_ = nullptr;
  std::vector<transfer::files::UniqueFd> descriptors_;
  std::map<int64_t, size_t> held_;
  ax::Mutex mutex_;
  std::vector<std::string> notes_ ABSL_GUARDED_BY(mutex_);
};

class ControlServerTest : public testing::Test {
 protected:
  ControlServerTest() {
    char name[] = "/tmp/tactus_control.XXXXXX";
    folder_ = mkdtemp(name);
    const absl::StatusOr<int> fd = control::Listen(folder_);
    EXPECT_TRUE(fd.ok()) << fd.status();
    server_.emplace(fd.value_or(-1), [](const std::string&) {});
    echo_.set_sink(&*server_);
    thread_ = std::thread([this] { status_ = server_->Run(echo_); });
  }
  ~ControlServerTest() override {
    Stop();
    for (const int fd : fds_) close(fd);
    unlink(control::SocketPath(folder_).c_str());
    rmdir(folder_.c_str());
  }

  void Stop() {
    if (!thread_.joinable()) return;
    server_->RequestStop();
    thread_.join();
    EXPECT_TRUE(status_.ok()) << status_;
  }

  int Connect() {
    const absl::StatusOr<int> fd = control::Connect(folder_);
    EXPECT_TRUE(fd.ok()) << fd.status();
    fds_.push_back(fd.value_or(-1));
    return fds_.back();
  }
  static void Say(int fd, absl::string_view text) {
    while (!text.empty()) {
      const ssize_t n = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
      if (n > 0) {
        text.remove_prefix(static_cast<size_t>(n));
        continue;
      }
      pollfd ready = {fd, POLLOUT, 0};
      ASSERT_EQ(poll(&ready, 1, kPatienceMs), 1);
    }
  }
  // `count` times the same descriptor with the text.
  static void Hand(int fd, absl::string_view text, int descriptor,
                   size_t count) {
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 8)] = {};
    iovec from = {const_cast<char*>(text.data()), text.size()};
    msghdr message = {};
    message.msg_iov = &from;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    cmsghdr* const one = CMSG_FIRSTHDR(&message);
    one->cmsg_level = SOL_SOCKET;
    one->cmsg_type = SCM_RIGHTS;
    one->cmsg_len = CMSG_LEN(sizeof(int) * count);
    for (size_t i = 0; i < count; ++i) {
      memcpy(CMSG_DATA(one) + i * sizeof(int), &descriptor, sizeof(int));
    }
    ASSERT_EQ(sendmsg(fd, &message, MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  // A line; "end" when there is none any more.
  std::string Hear(int fd) {
    std::string& heard = heard_[fd];
    for (size_t searched = 0;;) {
      const size_t end = heard.find('\n', searched);
      if (end != std::string::npos) {
        std::string line = heard.substr(0, end);
        heard.erase(0, end + 1);
        return line;
      }
      searched = heard.size();
      char part[65536];
      const ssize_t n = recv(fd, part, sizeof(part), 0);
      if (n > 0) {
        heard.append(part, static_cast<size_t>(n));
        continue;
      }
      if (n == 0) return "end";
      pollfd ready = {fd, POLLIN, 0};
      if (poll(&ready, 1, kPatienceMs) != 1) return "nothing";
    }
  }
  bool Noted(const std::string& what) {
    for (int i = 0; i < kPatienceMs / 10; ++i) {
      if (echo_.Noted(what)) return true;
      usleep(10'000);
    }
    return false;
  }

  std::string folder_;
  Echo echo_;
  std::optional<ControlServer> server_;
  std::thread thread_;
  absl::Status status_;
  std::vector<int> fds_;
  std::map<int, std::string> heard_;
};

TEST_F(ControlServerTest, LinesAreAnsweredHoweverTheyArrive) {
  const int fd = Connect();
  Say(fd, "one\ntwo\nthr");
  EXPECT_EQ(Hear(fd), "one");
  EXPECT_EQ(Hear(fd), "two");
  Say(fd, "ee\n\n");
  EXPECT_EQ(Hear(fd), "three");
  EXPECT_EQ(Hear(fd), "");
}

TEST_F(ControlServerTest, LineThatIsTooLongIsToldAndTheNextOneIsRead) {
  const int fd = Connect();
  Say(fd, std::string(control::kMostRequest + 1, 'a'));
  Say(fd, std::string(100'000, 'a') + "\nnext\n");
  EXPECT_EQ(Hear(fd), "long");
  EXPECT_EQ(Hear(fd), "next");
  Say(fd, std::string(control::kMostRequest, 'b') + "\n");
  EXPECT_EQ(Hear(fd).size(), control::kMostRequest);
}

TEST_F(ControlServerTest, ClientThatDoesNotReadHoldsNobodyUp) {
  const int stalled = Connect();
  const int other = Connect();
  Say(stalled, "big 8000000\n");
  Say(stalled, "half a line");
  for (int i = 0; i < 100; ++i) {
    Say(other, "hello\n");
    EXPECT_EQ(Hear(other), "hello");
  }
  EXPECT_EQ(Hear(stalled).size(), 8'000'000u);
}

TEST_F(ControlServerTest, ClientWithTooMuchUnreadIsClosed) {
  const int fd = Connect();
  const std::string lines = "big 60000000\nbig 60000000\n";
  Say(fd, lines);
  EXPECT_TRUE(Noted("close 1"));
}

TEST_F(ControlServerTest, ClientThatSendsNoMoreIsAnsweredAndThenClosed) {
  const int fd = Connect();
  Say(fd, "last\nno end");
  ASSERT_EQ(shutdown(fd, SHUT_WR), 0);
  EXPECT_EQ(Hear(fd), "last");
  EXPECT_EQ(Hear(fd), "end");
  EXPECT_TRUE(echo_.Noted("end 1"));
  EXPECT_TRUE(Noted("close 1"));
}

TEST_F(ControlServerTest, ClientThatGoesIsTold) {
  Say(Connect(), "hold\n");
  close(fds_.back());
  fds_.pop_back();
  EXPECT_TRUE(Noted("close 1"));
}

TEST_F(ControlServerTest, FeedIsTakenAsTheClientReads) {
  const int fd = Connect();
  Say(fd, "feed 3\n");
  EXPECT_EQ(Hear(fd), "3");
  EXPECT_EQ(Hear(fd), "2");
  EXPECT_EQ(Hear(fd), "1");
}

TEST_F(ControlServerTest, FeedIsTakenAfterAnAnswerThatGoesBeforeIt) {
  const int fd = Connect();
  Say(fd, "first\nfeed 2\n");
  EXPECT_EQ(Hear(fd), "first");
  EXPECT_EQ(Hear(fd), "2");
  EXPECT_EQ(Hear(fd), "1");
}

TEST_F(ControlServerTest, ClientBeyondTheBoundIsTurnedAwayAndTold) {
  for (size_t i = 0; i < ControlServer::kMostClients; ++i) {
    const int fd = Connect();
    Say(fd, "here\n");
    ASSERT_EQ(Hear(fd), "here");
  }
  const int fd = Connect();
  EXPECT_EQ(Hear(fd),
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32004,"
            "\"message\":\"192 clients are connected already\"}}");
  EXPECT_EQ(Hear(fd), "end");
}

TEST_F(ControlServerTest, WithoutADescriptorLeftWhoConnectsIsTold) {
  Say(Connect(), "here\n");
  ASSERT_EQ(Hear(fds_.back()), "here");
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few = {256, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const std::string path = control::SocketPath(folder_);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path.data(), path.size());
  // Of the clients first, since both ends are of this process.
  int clients[3];
  for (int& one : clients) {
    one = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    ASSERT_GE(one, 0);
  }
  std::vector<int> rest;
  for (int fd = dup(fds_.front()); fd >= 0; fd = dup(fds_.front())) {
    rest.push_back(fd);
  }
  ASSERT_EQ(errno, EMFILE);
  // Each time: it is kept for the next one.
  for (const int fd : {clients[0], clients[1]}) {
    EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&address),
                      sizeof(address)),
              0);
    EXPECT_EQ(Hear(fd),
              "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32004,"
              "\"message\":\"the daemon has no descriptors left\"}}");
    EXPECT_EQ(Hear(fd), "end");
  }
  // Others are served meanwhile, and when there are some again all are.
  Say(fds_.front(), "still\n");
  EXPECT_EQ(Hear(fds_.front()), "still");
  for (const int fd : rest) close(fd);
  EXPECT_EQ(connect(clients[2], reinterpret_cast<const sockaddr*>(&address),
                    sizeof(address)),
            0);
  Say(clients[2], "again\n");
  EXPECT_EQ(Hear(clients[2]), "again");
  for (const int fd : clients) close(fd);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

// How often the file of the read end is open in this process.
size_t Holders(int pipe_end) {
  struct stat mine = {};
  fstat(pipe_end, &mine);
  size_t count = 0;
  for (int fd = 0; fd < 1024; ++fd) {
    struct stat other = {};
    if (fstat(fd, &other) == 0 && other.st_ino == mine.st_ino &&
        other.st_dev == mine.st_dev) {
      ++count;
    }
  }
  return count;
}

TEST_F(ControlServerTest, DescriptorsComeWithTheirLineAndAreThreeAtMost) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  struct stat found = {};
  fstat(ends[0], &found);
  const std::string inode = absl::StrCat(found.st_ino, " ");
  const size_t own = Holders(ends[0]);
  const int fd = Connect();
  Hand(fd, "descriptors\n", ends[0], 2);
  EXPECT_EQ(Hear(fd), absl::StrCat(inode, inode));
  // They are this line's, and no later one's.
  Say(fd, "descriptors\n");
  EXPECT_EQ(Hear(fd), "");
  // With a part of the line.
  Hand(fd, "descr", ends[0], 1);
  Say(fd, "iptors\n");
  EXPECT_EQ(Hear(fd), inode);
  // More are closed, whether they come at once or one after the other.
  Hand(fd, "descriptors\n", ends[0], 8);
  EXPECT_EQ(Hear(fd), absl::StrCat(inode, inode, inode));
  Hand(fd, "de", ends[0], 2);
  Hand(fd, "scriptors\n", ends[0], 2);
  EXPECT_EQ(Hear(fd), absl::StrCat(inode, inode, inode));
  EXPECT_EQ(Holders(ends[0]), own);
  // Who goes takes what it handed over with it.
  Hand(fd, "half", ends[0], 1);
  ASSERT_EQ(shutdown(fd, SHUT_WR), 0);
  EXPECT_EQ(Hear(fd), "end");
  EXPECT_TRUE(Noted("close 1"));
  EXPECT_EQ(Holders(ends[0]), own);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(ControlServerTest, StopEndsItAndClosesClients) {
  const int fd = Connect();
  Say(fd, "here\n");
  EXPECT_EQ(Hear(fd), "here");
  Stop();
  EXPECT_EQ(Hear(fd), "end");
  EXPECT_TRUE(echo_.Noted("stop"));
  EXPECT_TRUE(echo_.Noted("close 1"));
  EXPECT_TRUE(absl::IsNotFound(control::Connect(folder_).status()));
}

}  // namespace
}  // namespace tactus::daemon
