#include "tools/config/servers.h"

#include <boost/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tools/config/config.h"
#include "tools/config/trusted_file.h"
#include "transfer/identity/name.h"

namespace tactus::config {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr size_t kMostBytes = size_t{1} << 20;

// Names of permissions; see PinnedPeer::granted.
constexpr char kAsk[] = "mcp.ask:";
constexpr char kAllow[] = "mcp.allow:";
constexpr char kWrite[] = "mcp.write:";

absl::Status Bad(const std::string& path, absl::string_view what) {
  return absl::FailedPreconditionError(absl::StrCat(path, ": ", what));
}

std::string Text(const value& text) {
  return {text.get_string().data(), text.get_string().size()};
}

absl::StatusOr<ExposedServer> ReadServer(const value& given) {
  const absl::Status wrong = absl::InvalidArgumentError(
      "it must be an object with \"command\", a list of words, as in "
      "{\"command\": [\"/usr/bin/my-server\", \"--stdio\"]}");
  if (!given.is_object()) return wrong;
  ExposedServer server;
  for (const auto& member : given.get_object()) {
    if (member.key() == "command" && member.value().is_array()) {
      for (const value& word : member.value().get_array()) {
        if (!word.is_string()) return wrong;
        server.command.push_back(Text(word));
      }
    } else if (member.key() == "focused_text" && member.value().is_bool()) {
      server.focused_text = member.value().get_bool();
    } else {
      return wrong;
    }
  }
  return server;
}

}  // namespace

absl::Status CheckServer(const std::string& name, const ExposedServer& server) {
  if (!transfer::IsName(name)) {
    return absl::InvalidArgumentError(
        "the name of a server is one to 64 letters, digits, dots, dashes and "
        "underscores, and begins with no dash");
  }
  if (server.command.empty() || server.command.size() > kMostWords) {
    return absl::InvalidArgumentError(
        absl::StrCat("a command has 1 to ", kMostWords, " words"));
  }
  if (!absl::StartsWith(server.command[0], "/")) {
    return absl::InvalidArgumentError(
        "the program of a command must be an absolute path");
  }
  if (server.focused_text && server.command.size() != 1) {
    return absl::InvalidArgumentError(
        "the command of the focused text is the path of `tactus` alone");
  }
  for (const std::string& word : server.command) {
    if (word.size() > kLongestWord || absl::StrContains(word, '\0')) {
      return absl::InvalidArgumentError(
          absl::StrCat("a word of a command has at most ", kLongestWord,
                       " bytes, and no "
                       "NUL"));
    }
  }
  return absl::OkStatus();
}

std::string ServersPath() {
  const std::string config = ConfigPath();
  const size_t slash = config.rfind('/');
  if (slash == std::string::npos) return "";
  return absl::StrCat(config.substr(0, slash), "/servers.json");
}

absl::StatusOr<ExposedServers> ParseServers(absl::string_view text,
                                            const std::string& path) {
  boost::json::error_code error;
  const value parsed = boost::json::parse({text.data(), text.size()}, error);
  if (error) {
    return Bad(path, absl::StrCat("it is no JSON: ", error.message()));
  }
  const object* top = parsed.if_object();
  const value* held = top == nullptr ? nullptr : top->if_contains("servers");
  if (held == nullptr || !held->is_object() || top->size() != 1) {
    return Bad(path, "it must be {\"servers\": {NAME: {\"command\": [...]}}}");
  }
  ExposedServers servers;
  for (const auto& member : held->get_object()) {
    const std::string name(member.key().data(), member.key().size());
    absl::StatusOr<ExposedServer> server = ReadServer(member.value());
    const absl::Status good =
        server.ok() ? CheckServer(name, *server) : server.status();
    if (!good.ok()) {
      return Bad(path, absl::StrCat("the server ",
                                    boost::json::serialize(value(member.key())),
                                    ": ", good.message()));
    }
    servers[name] = *std::move(server);
  }
  if (servers.size() > kMostServers) {
    return Bad(path,
               absl::StrCat("it has more than ", kMostServers, " servers"));
  }
  return servers;
}

absl::StatusOr<ExposedServers> LoadServers(const std::string& path) {
  if (path.empty()) return ExposedServers();
  const absl::StatusOr<std::optional<std::string>> text =
      ReadTrustedFile(path, kMostBytes);
  if (!text.ok()) return text.status();
  if (!text->has_value()) return ExposedServers();
  return ParseServers(**text, path);
}

absl::Status SaveServers(const std::string& path,
                         const ExposedServers& servers) {
  if (path.empty()) {
    return absl::FailedPreconditionError(
        "neither XDG_CONFIG_HOME nor HOME is set: there is no place for the "
        "configuration");
  }
  if (servers.size() > kMostServers) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "more than ", kMostServers, " servers: `tactus unexpose` one first"));
  }
  object all;
  for (const auto& [name, server] : servers) {
    object one{{"command", boost::json::value_from(server.command)}};
    if (server.focused_text) one["focused_text"] = true;
    all[name] = std::move(one);
  }
  return ReplaceTrustedFile(
      path,
      absl::StrCat(boost::json::serialize(object{{"servers", std::move(all)}}),
                   "\n"));
}

std::optional<ServerGrant> GrantIn(const std::set<std::string>& granted,
                                   absl::string_view server) {
  const auto has = [&](const char* what) {
    return granted.count(absl::StrCat(what, server)) > 0;
  };
  const bool ask = has(kAsk);
  // Where both stand, who asks is on the safe side.
  if (!ask && !has(kAllow)) return std::nullopt;
  return ServerGrant{.ask = ask, .write = has(kWrite)};
}

std::vector<std::string> NamesOfGrant(const ServerGrant& grant,
                                      absl::string_view server) {
  std::vector<std::string> names{
      absl::StrCat(grant.ask ? kAsk : kAllow, server)};
  if (grant.write) names.push_back(absl::StrCat(kWrite, server));
  return names;
}

std::vector<std::string> AllNamesOfGrants(absl::string_view server) {
  return {absl::StrCat(kAsk, server), absl::StrCat(kAllow, server),
          absl::StrCat(kWrite, server)};
}

}  // namespace tactus::config
