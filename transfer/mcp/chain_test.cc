// Both ends of a carried connection, with real pipes and real processes. Each
// kind of fault that carriers of MCP are known for is a test here, or in
// bridge_test.cc where it needs no process.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "transfer/clock/clock.h"
#include "transfer/mcp/bridge.h"
#include "transfer/mcp/frame.h"
#include "transfer/mcp/host.h"
#include "transfer/mcp/pipe_end.h"
#include "transfer/mcp/server_process.h"
#include "transfer/mcp/testing/no_threads.h"
#include "transfer/mcp/testing/socket_stream.h"

namespace tactus::transfer {
namespace {

absl::Time Later() { return Clock::Real().Now() + absl::Seconds(60); }

void Close(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

// An agent, a bridge, a link, a host and its server.
class Chain {
 public:
  explicit Chain(std::vector<std::string> server) {
    signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(pipe2(in_, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(out_, O_CLOEXEC), 0);
    std::tie(near_, far_) = SocketStreams();
    host_ = std::thread([this, server = std::move(server)] {
      hosted_ = HostServer({.arguments = server}, *far_, Later());
    });
    bridge_thread_ = std::thread([this] {
      FdSource input(in_[0]);
      FdSink output(out_[1]);
      Bridge bridge({.link = near_.get(),
                     .from_agent = &input,
                     .to_agent = &output,
                     .clock = &Clock::Real(),
                     .on_errors = [this](absl::string_view text) {
                       absl::StrAppend(&errors_, text);
                     }});
      std::thread back([&bridge] { bridge.ToAgent(); });
      bridge.FromAgent();
      back.join();
      end_ = bridge.Finish();
      Close(out_[1]);
    });
  }
  ~Chain() {
    End();
    for (int* fd : {&in_[0], &in_[1], &out_[0], &out_[1]}) Close(*fd);
  }

  void Say(absl::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = write(in_[1], bytes.data(), bytes.size());
      if (n <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
  }
  void EndInput() { Close(in_[1]); }
  // What the agent hears, up to `size` bytes or to the end of a line or of all.
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
  std::string HearLine() {
    std::string line;
    for (char byte = 0; read(out_[0], &byte, 1) == 1;) {
      line.push_back(byte);
      if (byte == '\n') break;
    }
    return line;
  }
  void Cut() { near_->Cut(); }
  // Once the bridge has ended: whoever still says something is told.
  void LetGo() {
    bridge_thread_.join();
    Close(in_[0]);
  }

  // Waits until all has ended; what the bridge says of it.
  BridgeEnd End() {
    EndInput();
    if (bridge_thread_.joinable()) bridge_thread_.join();
    if (host_.joinable()) host_.join();
    return end_;
  }
  const std::string& errors() const { return errors_; }  // after End
  const absl::Status& hosted() const { return hosted_; }

 private:
  int in_[2] = {-1, -1};
  int out_[2] = {-1, -1};
  std::unique_ptr<SocketStream> near_;
  std::unique_ptr<SocketStream> far_;
  std::thread host_;
  std::thread bridge_thread_;
  absl::Status hosted_;
  BridgeEnd end_;
  std::string errors_;
};

std::vector<std::string> Shell(const std::string& script) {
  return {"sh", "-c", script};
}

bool GoesAway(pid_t pid) {
  const absl::Time end = Later();
  for (;;) {
    std::ifstream stat(absl::StrCat("/proc/", pid, "/stat"));
    std::string text;
    if (!std::getline(stat, text)) return true;
    if (text.find(") Z") != std::string::npos) return true;
    if (Clock::Real().Now() > end) return false;
    Clock::Real().SleepUntil(Clock::Real().Now() + absl::Milliseconds(5));
  }
}

// How often `part` is in `text`.
int Count(absl::string_view text, absl::string_view part) {
  int count = 0;
  for (size_t at = text.find(part); at != absl::string_view::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Chain, LinesComeBackAsTheyWereSaid) {
  Chain chain({"cat"});
  for (const std::string line :
       {"{\"id\":9007199254740993,\"x\":1.0}\n", "{ \"b\" : 1 , \"a\":2}\r\n",
        "\n", "{\"x\":\"\xE2\x80\xA8\\u0061\"}\n", "no JSON \xFF\n"}) {
    chain.Say(line);
    EXPECT_EQ(chain.Hear(line.size()), line);
  }
  chain.Say("last, without an end");
  chain.EndInput();
  EXPECT_EQ(chain.Hear(20), "last, without an end");
  const BridgeEnd end = chain.End();
  EXPECT_EQ(end.kind, BridgeEnd::Kind::kServerEnded);
  EXPECT_EQ(end.note, (EndNote{EndNote::Kind::kExited, 0}));
  EXPECT_TRUE(chain.hosted().ok()) << chain.hosted();
}

TEST(Chain, CharactersThatAreCutAnywhereArriveWhole) {
  Chain chain({"cat"});
  const std::string line = "{\"a\":\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"}\n";
  for (size_t cut = 0; cut <= line.size(); ++cut) {
    chain.Say(line.substr(0, cut));
    chain.Say(line.substr(cut));
    EXPECT_EQ(chain.Hear(line.size()), line);
  }
}

TEST(Chain, LinesOfEverySizeArriveWhole) {
  Chain chain({"cat"});
  for (const size_t size :
       {size_t{1}, size_t{4095}, size_t{4096}, size_t{65535}, size_t{65536},
        size_t{65537}, size_t{1} << 20, (size_t{64} << 20) - 1}) {
    std::string line(size, 'a');
    for (size_t i = 0; i < size; i += 997)
      line[i] = static_cast<char>('b' + i % 20);
    line.push_back('\n');
    std::thread says([&] { chain.Say(line); });
    const std::string heard = chain.Hear(line.size());
    says.join();
    // Not by EXPECT_EQ, which would print them.
    EXPECT_TRUE(heard == line) << size;
  }
}

TEST(Chain, LineThatIsTooLongEndsTheConnection) {
  Chain chain({"cat"});
  std::thread says([&] {
    const std::string part(size_t{1} << 20, 'a');
    for (int i = 0; i < 66; ++i) chain.Say(part);
  });
  while (!chain.Hear(1 << 20).empty()) {
  }
  chain.LetGo();
  says.join();
  EXPECT_EQ(chain.End().kind, BridgeEnd::Kind::kLineTooLong);
}

TEST(Chain, MegabyteOfErrorsBeforeTheReplyIsNoHindrance) {
  Chain chain(Shell(
      "read line; head -c 1048576 /dev/zero | tr '\\0' e >&2; echo reply; "
      "read line"));
  chain.Say("{\"id\":1,\"method\":\"a\"}\n");
  EXPECT_EQ(chain.HearLine(), "reply\n");
  chain.End();
  EXPECT_EQ(chain.errors().find_first_not_of("e[]0123456789 bytsarlfou\n"),
            std::string::npos);
  EXPECT_GE(chain.errors().size(), ServerProcess::kKeptErrors);
}

TEST(Chain, TwoAgentsWithTheSameIdsAreTwoServers) {
  Chain a({"cat"});
  Chain b({"cat"});
  const std::string of_a = "{\"id\":0,\"method\":\"a\"}\n";
  const std::string of_b = "{\"id\":0,\"method\":\"b\"}\n";
  for (int i = 0; i < 50; ++i) {
    a.Say(of_a);
    b.Say(of_b);
  }
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(a.HearLine(), of_a);
    EXPECT_EQ(b.HearLine(), of_b);
  }
}

TEST(Chain, RepliesAtTheEndOfInputAreNotLost) {
  // Answers only when its input has ended, slower than a carrier may wait that
  // closes both ways at once.
  Chain chain(
      Shell("cat > /dev/null; sleep 0.3; echo one; sleep 0.3; echo two"));
  chain.Say("{\"id\":1,\"method\":\"a\"}\n");
  chain.EndInput();
  EXPECT_EQ(chain.HearLine(), "one\n");
  EXPECT_EQ(chain.HearLine(), "two\n");
  EXPECT_EQ(chain.End().note, (EndNote{EndNote::Kind::kExited, 0}));
}

TEST(Chain, ServerThatDoesNotEndIsAskedAndThenKilled) {
  Chain chain(Shell(
      "trap '' TERM; echo ready; cat > /dev/null; while :; do sleep 1; done"));
  EXPECT_EQ(chain.HearLine(), "ready\n");
  const absl::Time begun = Clock::Real().Now();
  EXPECT_EQ(chain.End().note, (EndNote{EndNote::Kind::kKilled, SIGKILL}));
  EXPECT_GE(Clock::Real().Now() - begun,
            ServerProcess::kInputGrace + ServerProcess::kTermGrace);
}

TEST(Chain, ServerThatDiesEndsWhatIsPending) {
  Chain chain(
      Shell("read a; read b; echo '{\"id\":1,\"result\":{}}'; kill -9 $$"));
  chain.Say("{\"id\":1,\"method\":\"a\"}\n{\"id\":2,\"method\":\"b\"}\n");
  EXPECT_EQ(chain.HearLine(), "{\"id\":1,\"result\":{}}\n");
  const std::string rest = chain.Hear(10000);
  EXPECT_EQ(Count(rest, "\"id\":2,"), 1) << rest;
  EXPECT_EQ(Count(rest, "\n"), 1) << rest;
  EXPECT_EQ(chain.End().note, (EndNote{EndNote::Kind::kKilled, SIGKILL}));
}

TEST(Chain, ProgramThatIsNotThereEndsWhatIsPending) {
  Chain chain({"no-such-program-of-tactus"});
  chain.Say("{\"id\":1,\"method\":\"a\"}\n");
  const std::string heard = chain.Hear(10000);
  EXPECT_LE(Count(heard, "\"id\":1,"), 1);
  const BridgeEnd end = chain.End();
  EXPECT_EQ(end.message,
            "the server was not started: there is no program "
            "'no-such-program-of-tactus' in PATH");
}

TEST(Chain, WithoutAThreadNoServerIsRunAndThatIsTold) {
  auto [near, far] = SocketStreams();
  absl::Status hosted;
  std::string told(64, '\0');
  {
    const NoThreads none;
    // This one runs it.
    ASSERT_TRUE(near->CloseWrite(Later()).ok());
    hosted = HostServer({.arguments = {"cat"}}, *far, Later());
  }
  EXPECT_EQ(hosted, absl::UnavailableError("the system gives no thread"));
  const absl::StatusOr<size_t> n = near->Read(absl::MakeSpan(told), Later());
  ASSERT_TRUE(n.ok()) << n.status();
  told.resize(*n);
  EXPECT_TRUE(absl::EndsWith(told, "the system gives no thread")) << told;
}

size_t ThreadsHere() {
  const std::filesystem::directory_iterator all("/proc/self/task");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

TEST(Chain, WithoutAThreadForTheLinkNothingIsCarriedEither) {
  // Between the thread of the server's errors and its own: while the program
  // starts, which takes longer than to notice. Again where it did not.
  absl::Status hosted;
  for (int attempt = 0; attempt < 200 && hosted.ok(); ++attempt) {
    auto [near, far] = SocketStreams();
    const size_t before = ThreadsHere();
    std::thread host([&hosted, &there = *far] {
      hosted = HostServer({.arguments = {"cat"}}, there, Later());
    });
    const absl::Time end = Later();
    while (ThreadsHere() < before + 2 && Clock::Real().Now() < end) {
    }
    const NoThreads none;
    EXPECT_TRUE(near->CloseWrite(Later()).ok());
    host.join();
  }
  EXPECT_EQ(hosted, absl::UnavailableError("the system gives no thread"));
}

TEST(Chain, ServerThatNeverAnswersGoesWhenTheLinkDoes) {
  // Nor does it read, so that the host waits on it.
  Chain chain(Shell("echo $$; exec sleep 1000"));
  int pid = 0;
  ASSERT_TRUE(absl::SimpleAtoi(chain.HearLine(), &pid));
  chain.Say("{\"id\":1,\"method\":\"a\"}\n");
  chain.Cut();
  const std::string heard = chain.Hear(10000);
  EXPECT_EQ(Count(heard, "\"id\":1,"), 1) << heard;
  EXPECT_TRUE(GoesAway(pid));
  EXPECT_EQ(chain.End().kind, BridgeEnd::Kind::kLinkLost);
}

TEST(Chain, ServerThatDoesNotReadGoesWhenTheLinkDoes) {
  Chain chain(Shell("echo $$; exec sleep 1000"));
  int pid = 0;
  ASSERT_TRUE(absl::SimpleAtoi(chain.HearLine(), &pid));
  std::thread says([&] { chain.Say(std::string(4 << 20, 'a')); });
  // The pipes and buffers are full before that.
  Clock::Real().SleepUntil(Clock::Real().Now() + absl::Milliseconds(300));
  chain.Cut();
  EXPECT_TRUE(GoesAway(pid));
  chain.LetGo();
  says.join();
}

}  // namespace
}  // namespace tactus::transfer
