#include "tools/mcp/benchmark/called_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "transfer/benchmark/trips.h"
#include "transfer/clock/clock.h"

namespace tactus::mcp {
namespace {

using transfer::Clock;
using transfer::Die;
using transfer::DieOfErrno;

// For a carrier to end its server and itself.
constexpr absl::Duration kGrace = absl::Seconds(10);
constexpr size_t kRead = 256 << 10;
// Of an answer; a carrier that starts up on a busy machine takes long.
constexpr int kPatienceMs = 120'000;

}  // namespace

std::string CallLine(int64_t id, absl::string_view tool,
                     absl::string_view text) {
  return absl::StrCat(R"({"jsonrpc":"2.0","id":)", id,
                      R"(,"method":"tools/call","params":{"name":")", tool,
                      R"(","arguments":{"text":")", text, "\"}}}\n");
}

CalledServer::CalledServer(const std::vector<std::string>& command)
    : name_(command.front()) {
  int in[2];
  int out[2];
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) {
    DieOfErrno("pipes");
  }
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) DieOfErrno("fork");
  if (pid_ == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    execvp(words[0], words.data());
    _exit(127);
  }
  close(in[0]);
  close(out[1]);
  to_ = in[1];
  from_ = out[0];
}

CalledServer::~CalledServer() {
  close(to_);
  close(from_);
  const absl::Time end = Clock::Real().Now() + kGrace;
  while (waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (Clock::Real().Now() > end) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
      return;
    }
    Clock::Real().SleepUntil(Clock::Real().Now() + absl::Milliseconds(1));
  }
}

void CalledServer::Initialize() {
  const absl::string_view answer =
      Call(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{)"
           R"("protocolVersion":"2025-11-25","capabilities":{},)"
           R"("clientInfo":{"name":"benchmark","version":"1"}}})"
           "\n");
  if (!absl::StrContains(answer, "\"serverInfo\"")) {
    Die(absl::StrCat(name_, " answered no handshake: ", answer.substr(0, 200)));
  }
  constexpr absl::string_view kInitialized =
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
  transfer::WriteAll(to_, kInitialized.data(), kInitialized.size());
}

bool CalledServer::ReadLine(absl::string_view* line) {
  size_t seen = 0;
  for (;;) {
    const size_t end = held_.find('\n', seen);
    if (end != std::string::npos) {
      line_.assign(held_, 0, end);
      held_.erase(0, end + 1);
      *line = line_;
      return true;
    }
    pollfd ready = {from_, POLLIN, 0};
    if (poll(&ready, 1, kPatienceMs) != 1) {
      Die(absl::StrCat(name_, " does not answer"));
    }
    seen = held_.size();
    held_.resize(seen + kRead);
    const ssize_t n = read(from_, &held_[seen], kRead);
    held_.resize(seen + static_cast<size_t>(n > 0 ? n : 0));
    if (n <= 0) return false;
  }
}

bool CalledServer::TryCall(absl::string_view line, absl::string_view* answer) {
  while (!line.empty()) {
    const ssize_t n = write(to_, line.data(), line.size());
    if (n <= 0) return false;
    line.remove_prefix(static_cast<size_t>(n));
  }
  return ReadLine(answer);
}

absl::string_view CalledServer::Call(absl::string_view line) {
  absl::string_view answer;
  if (!TryCall(line, &answer)) Die(absl::StrCat(name_, " has gone"));
  return answer;
}

}  // namespace tactus::mcp
