#include "tools/tactus/mcp_commands.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ax/clock/clock.h"
#include "tools/audit/audit.h"
#include "tools/config/state_folder.h"
#include "tools/control/client.h"
#include "tools/control/json_rpc.h"
#include "tools/tactus/answer.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/json_line.h"
#include "tools/tactus/output.h"

namespace tactus::cli {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using control::Answer;
using control::Client;

// Of what the daemon does at once, but for a disk that is busy.

absl::Time Now() { return ax::Clock::Real().Now(); }

// This program, wherever it was started from.
absl::StatusOr<std::string> OwnPath() {
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (n <= 0) {
    return absl::ErrnoToStatus(errno, "cannot find out where tactus is");
  }
  return std::string(path, static_cast<size_t>(n));
}

bool IsProgram(const std::string& path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

// Null, and the exit code, where it was not answered with a result.
absl::StatusOr<Answer> Ask(const char* method, const object& params) {
  absl::StatusOr<std::unique_ptr<Client>> daemon = NeedDaemon();
  if (!daemon.ok()) return daemon.status();
  return (*daemon)->Call(method, boost::json::serialize(params), Now() + kSoon);
}

ExitCode Done(const absl::StatusOr<Answer>& answer) {
  if (!answer.ok()) return Complain(answer.status());
  if (answer->error.has_value()) return Refused(*answer->error);
  return ExitCode::kDone;
}

std::string WordsOf(const object* server) {
  std::vector<std::string> words;
  if (const array* command = ArrayOf(server, "command")) {
    for (const value& word : *command) {
      if (!word.is_string()) continue;
      words.emplace_back(word.get_string().data(), word.get_string().size());
    }
  }
  return absl::StrJoin(words, " ");
}

std::string ExposedForPeople(const object& result) {
  std::string text;
  const array* servers = ArrayOf(&result, "servers");
  if (servers == nullptr) return text;
  for (const value& one : *servers) {
    const object* server = one.if_object();
    if (server == nullptr) continue;
    const bool focused = FlagOf(server, "focused_text");
    text += Row("server",
                absl::StrCat(TextOf(server, "name"), ", ",
                             focused ? "the focused text" : WordsOf(server)));
    const array* peers = ArrayOf(server, "peers");
    if (peers == nullptr || peers->empty()) {
      text += Row("  nobody", "may start it");
      continue;
    }
    for (const value& who : *peers) {
      const object* peer = who.if_object();
      if (peer == nullptr) continue;
      text += Row("  for",
                  absl::StrCat(TextOf(peer, "name"),
                               !focused                ? ""
                               : FlagOf(peer, "write") ? ", to read and edit"
                                                       : ", to read",
                               FlagOf(peer, "ask") ? ", when asked for" : ""));
    }
  }
  return text;
}

// Longer than a person is given to answer: the daemon tells that time is up.
constexpr absl::Duration kAnswer = absl::Seconds(90);

// One direction of --relay: until its end, or nobody takes it.
void Shovel(int from, int to) {
  std::vector<char> buffer(size_t{64} << 10);
  for (;;) {
    const ssize_t n = read(from, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    for (ssize_t at = 0; at < n;) {
      const ssize_t written =
          write(to, buffer.data() + at, static_cast<size_t>(n - at));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return;
      at += written;
    }
  }
}

// The standard streams carried by this process, instead of being handed over.
class Relay {
 public:
  absl::Status Open() {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in_) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out_) != 0) {
      return absl::ErrnoToStatus(errno, "cannot make sockets");
    }
    // std::thread throws where the system gives none. Each ends with its pipe,
    // or with the process.
    try {
      back_ = std::thread([this] { Shovel(out_[0], STDOUT_FILENO); });
      std::thread([in = in_[0]] {
        Shovel(STDIN_FILENO, in);
        shutdown(in, SHUT_WR);
      }).detach();
    } catch (const std::system_error&) {
      Finish();
      return absl::UnavailableError("the system gives no thread");
    }
    return absl::OkStatus();
  }
  // What the daemon is to have.
  int input() const { return in_[1]; }
  int output() const { return out_[1]; }
  // After the daemon has ended: what it said last goes on.
  void Finish() {
    close(in_[1]);
    close(out_[1]);
    if (back_.joinable()) back_.join();
  }

 private:
  int in_[2] = {-1, -1};
  int out_[2] = {-1, -1};
  std::thread back_;
};

}  // namespace

absl::StatusOr<std::string> ProgramPath(const std::string& typed,
                                        const std::string& folder,
                                        const std::string& path) {
  std::vector<std::string> tried;
  if (absl::StartsWith(typed, "/")) {
    tried.push_back(typed);
  } else if (absl::StrContains(typed, '/')) {
    tried.push_back(absl::StrCat(folder, "/", typed));
  } else if (!typed.empty()) {
    for (absl::string_view one : absl::StrSplit(path, ':')) {
      // A part that is empty is the folder, which nobody means.
      if (absl::StartsWith(one, "/")) {
        tried.push_back(absl::StrCat(one, "/", typed));
      }
    }
  }
  for (const std::string& one : tried) {
    if (IsProgram(one)) return one;
  }
  return absl::NotFoundError(
      absl::StrCat("'", typed, "' is no program that can be run"));
}

ExitCode Expose(const Arguments& arguments) {
  const McpArguments& given = arguments.mcp;
  object params{{"server", Json(given.server)}, {"ask", given.ask}};
  if (!given.peer.empty()) params["peer"] = Json(given.peer);
  if (given.focused_text) {
    const absl::StatusOr<std::string> own = OwnPath();
    if (!own.ok()) return Complain(own.status());
    params["command"] = array{Json(*own)};
    params["focused_text"] = true;
    params["write"] = given.write;
  } else if (!given.command.empty()) {
    char folder[PATH_MAX];
    if (getcwd(folder, sizeof(folder)) == nullptr) folder[0] = '\0';
    const char* path = getenv("PATH");
    const absl::StatusOr<std::string> program = ProgramPath(
        given.command[0], folder, path == nullptr ? "/usr/bin:/bin" : path);
    if (!program.ok()) return Complain(program.status());
    array command{Json(*program)};
    for (size_t i = 1; i < given.command.size(); ++i) {
      command.push_back(Json(given.command[i]));
    }
    params["command"] = std::move(command);
  }
  return Done(Ask("mcp.expose", params));
}

ExitCode Unexpose(const Arguments& arguments) {
  object params{{"server", Json(arguments.mcp.server)}};
  if (!arguments.mcp.peer.empty()) params["peer"] = Json(arguments.mcp.peer);
  return Done(Ask("mcp.unexpose", params));
}

ExitCode Exposed(const Arguments& arguments) {
  const absl::StatusOr<Answer> answer = Ask("mcp.exposed", {});
  if (const ExitCode code = Done(answer); code != ExitCode::kDone) return code;
  const object* result = ResultOf(*answer);
  if (result == nullptr) return Complain(NoAnswer());
  return Finish(arguments.json ? JsonLine(*result) : ExposedForPeople(*result),
                ExitCode::kDone);
}

ExitCode ShowAudit(const Arguments& arguments) {
  (void)arguments;
  const absl::StatusOr<std::string> lines =
      audit::Audit(config::StateFolder()).Read();
  if (!lines.ok()) return Complain(lines.status());
  return Finish(*lines, ExitCode::kDone);
}

absl::StatusOr<Answer> AskToPermit(const std::string& params) {
  absl::StatusOr<std::unique_ptr<Client>> daemon = NeedDaemon();
  if (!daemon.ok()) return daemon.status();
  return (*daemon)->Call("mcp.permit", params, Now() + kAnswer);
}

ExitCode McpConfig(const Arguments& arguments) {
  const absl::StatusOr<std::string> own = OwnPath();
  if (!own.ok()) return Complain(own.status());
  const McpArguments& given = arguments.mcp;
  const std::string target = absl::StrCat(given.peer, "/", given.server);
  object server{{"command", Json(*own)},
                {"args", array{"mcp", "connect", Json(target)}}};
  // Many agents start servers with a few variables alone, and the daemon's
  // socket is found by this one.
  if (const char* runtime = getenv("XDG_RUNTIME_DIR")) {
    server["env"] = object{{"XDG_RUNTIME_DIR", Json(runtime)}};
  }
  return Finish(
      JsonLine(object{
          {"mcpServers",
           object{{absl::StrCat(given.peer, "-", given.server), server}}}}),
      ExitCode::kDone);
}

ExitCode McpConnect(const Arguments& arguments) {
  const McpArguments& given = arguments.mcp;
  absl::StatusOr<std::unique_ptr<Client>> daemon = NeedDaemon();
  if (!daemon.ok()) return Complain(daemon.status());
  Relay relay;
  std::vector<int> descriptors{STDIN_FILENO, STDOUT_FILENO};
  if (given.relay) {
    if (absl::Status opened = relay.Open(); !opened.ok()) {
      return Complain(opened);
    }
    descriptors = {relay.input(), relay.output()};
  }
  if (given.errors) descriptors.push_back(STDERR_FILENO);
  const absl::StatusOr<Answer> answer = (*daemon)->Call(
      "mcp.connect",
      boost::json::serialize(
          object{{"peer", Json(given.peer)}, {"server", Json(given.server)}}),
      absl::InfiniteFuture(), -1, [](const Answer&) {}, descriptors);
  if (given.relay) relay.Finish();
  if (const ExitCode code = Done(answer); code != ExitCode::kDone) return code;
  const object* result = ResultOf(*answer);
  if (result == nullptr) return Complain(NoAnswer());
  const std::string end = TextOf(result, "end");
  if (end != "server_ended") {
    Complain(TextOf(result, "message"));
    return end == "not_started" ? ExitCode::kCannotRun : ExitCode::kFailed;
  }
  const int64_t signal = NumberOf(result, "signal");
  const int64_t code = signal > 0 ? 128 + signal : NumberOf(result, "code");
  if (code != 0) Complain(TextOf(result, "message"));
  return static_cast<ExitCode>(code);
}

}  // namespace tactus::cli
