#include "tools/mcp/serve.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/mcp/message.h"
#include "tools/mcp/testing/mock_agent.h"

namespace tactus::mcp {
namespace {

constexpr char kPing[] = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
constexpr char kPong[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";

class ServeTest : public testing::Test {
 protected:
  ServeTest() : agent_(ax::mock::EditorDesktop("hello")) {
    signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(pipe2(in_, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(stop_, O_CLOEXEC), 0);
  }
  ~ServeTest() override {
    for (int* fd : {&in_[0], &in_[1], &out_[0], &out_[1], &stop_[0], &stop_[1]})
      Close(*fd);
  }

  void Start(bool socket = false) {
    if (socket) {
      ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out_), 0);
    } else {
      ASSERT_EQ(pipe2(out_, O_CLOEXEC), 0);
    }
    thread_ = std::thread([this] {
      status_ = Serve(agent_.backend(), "1.2.3",
                      {.in = in_[0],
                       .out = out_[1],
                       .stopped = stop_[0],
                       .stop = stop_[1]});
    });
  }
  absl::Status Join() {
    thread_.join();
    return status_;
  }

  static void Close(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }
  void Say(const std::string& bytes) {
    for (size_t at = 0; at < bytes.size();) {
      const ssize_t n = write(in_[1], bytes.data() + at, bytes.size() - at);
      if (n <= 0) return;
      at += static_cast<size_t>(n);
    }
  }
  // The next `size` bytes that are answered.
  std::string Hear(size_t size) {
    std::string heard(size, '\0');
    size_t at = 0;
    while (at < size) {
      const ssize_t n = read(out_[0], heard.data() + at, size - at);
      if (n <= 0) break;
      at += static_cast<size_t>(n);
    }
    heard.resize(at);
    return heard;
  }
  std::string HearAll() {
    std::string heard;
    char part[4096];
    for (;;) {
      const ssize_t n = read(out_[0], part, sizeof(part));
      if (n <= 0) return heard;
      heard.append(part, static_cast<size_t>(n));
    }
  }

  MockAgent agent_;
  int in_[2] = {-1, -1};
  int out_[2] = {-1, -1};
  int stop_[2] = {-1, -1};
  std::thread thread_;
  absl::Status status_;
};

TEST_F(ServeTest, LinesAreAnsweredHoweverTheyAreCut) {
  Start();
  const std::string line = absl::StrCat(kPing, "\n");
  for (const char byte : line) Say(std::string(1, byte));
  EXPECT_EQ(Hear(sizeof(kPong) - 1), kPong);
  // The last line needs no end.
  Say(absl::StrCat(kPing, "\r\n\n", kPing));
  Close(in_[1]);
  EXPECT_EQ(Hear(2 * (sizeof(kPong) - 1)), absl::StrCat(kPong, kPong));
  EXPECT_TRUE(Join().ok());
}

TEST_F(ServeTest, OutputMayBeASocket) {
  Start(/*socket=*/true);
  Say(absl::StrCat(kPing, "\n"));
  EXPECT_EQ(Hear(sizeof(kPong) - 1), kPong);
  Close(in_[1]);
  EXPECT_TRUE(Join().ok());
}

TEST_F(ServeTest, LineThatIsTooLongIsToldAndTheNextOneRead) {
  Start();
  std::thread writer([this] {
    Say(std::string(kMostLine + 1, 'a'));
    Say(absl::StrCat("\n", kPing, "\n"));
    Close(in_[1]);
  });
  const std::string wanted = absl::StrCat(
      "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"the line "
      "is longer than ",
      kMostLine, " bytes\"}}\n", kPong);
  EXPECT_EQ(Hear(wanted.size()), wanted);
  writer.join();
  EXPECT_TRUE(Join().ok());
}

TEST_F(ServeTest, EndOfInputIsAnsweredFirst) {
  Start();
  Say(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})"
      "\n"
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"insert_text","arguments":{"text":"!"}}})"
      "\n");
  Close(in_[1]);
  EXPECT_TRUE(Join().ok());
  Close(out_[1]);
  EXPECT_TRUE(absl::StrContains(HearAll(), R"("outcome":"verified")"));
}

TEST_F(ServeTest, AskedToStopItEndsWithItsInputOpen) {
  Start();
  Say(absl::StrCat(kPing, "\n"));
  EXPECT_EQ(Hear(sizeof(kPong) - 1), kPong);
  ASSERT_EQ(write(stop_[1], "", 1), 1);
  EXPECT_TRUE(Join().ok());
}

TEST_F(ServeTest, ReaderThatHasGoneEndsIt) {
  Start();
  Close(out_[0]);
  Say(absl::StrCat(kPing, "\n"));
  EXPECT_EQ(Join(),
            absl::UnavailableError("nobody reads standard output any more"));
}

TEST_F(ServeTest, AgentThatDoesNotReadCannotKeepItFromStopping) {
  Start();
  std::thread writer([this] {
    // More than the pipes hold, so that both ends wait.
    for (int i = 0; i < 10000; ++i) Say(absl::StrCat(kPing, "\n"));
  });
  // The output is full when the input is.
  fcntl(out_[0], F_SETFL, O_NONBLOCK);
  ASSERT_EQ(write(stop_[1], "", 1), 1);
  const absl::Status status = Join();
  EXPECT_TRUE(status.ok() || absl::IsUnavailable(status)) << status;
  // The writer is let go.
  Close(in_[0]);
  writer.join();
}

}  // namespace
}  // namespace tactus::mcp
