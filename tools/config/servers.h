// The MCP servers that other devices may be let start here: what each is called
// and how it is run.
//
//   $XDG_CONFIG_HOME/tactus/servers.json, or else ~/.config/tactus/servers.json
//
//   {"servers": {
//     "notes": {"command": ["/usr/bin/my-server", "--stdio"]},
//     "focused-text": {"command": ["/usr/bin/tactus"], "focused_text": true}}}
//
// `tactus expose` writes it. To be in it grants nothing: who may start a server
// is kept with the peer's key (ServerGrant), so that it ends with the pairing
// and never passes to another device of the same name.
//
// Example:
//
//   absl::StatusOr<ExposedServers> servers = LoadServers(ServersPath());
//   (*servers)["notes"] = {.command = {"/usr/bin/my-server"}};
//   absl::Status saved = SaveServers(ServersPath(), *servers);
#ifndef TACTUS_TOOLS_CONFIG_SERVERS_H_
#define TACTUS_TOOLS_CONFIG_SERVERS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::config {

struct ExposedServer {
  // The program, an absolute path, and what it is given.
  std::vector<std::string> command;
  // It is `tactus` itself, to be run as `mcp serve`.
  bool focused_text = false;

  friend bool operator==(const ExposedServer&, const ExposedServer&) = default;
};
using ExposedServers = std::map<std::string, ExposedServer>;

// As many as a peer's permissions can name (PinnedPeer::granted).
inline constexpr size_t kMostServers = 32;
inline constexpr size_t kMostWords = 256;     // of a command
inline constexpr size_t kLongestWord = 4096;  // in bytes

// InvalidArgument, with what is wrong, for what ParseServers would refuse.
absl::Status CheckServer(const std::string& name, const ExposedServer& server);

// Empty where neither XDG_CONFIG_HOME nor HOME is set.
std::string ServersPath();

// None where there is no file. FailedPrecondition, with the remedy, for one
// that cannot be used.
absl::StatusOr<ExposedServers> LoadServers(const std::string& path);
absl::StatusOr<ExposedServers> ParseServers(absl::string_view text,
                                            const std::string& path);

absl::Status SaveServers(const std::string& path,
                         const ExposedServers& servers);

// What one peer may do with one server.
struct ServerGrant {
  bool ask = true;     // a person is asked
  bool write = false;  // of the focused text: edit it, and not only read

  friend bool operator==(const ServerGrant&, const ServerGrant&) = default;
};

// Among the names of what a peer may do (PinnedPeer::granted) those of a
// server.
std::optional<ServerGrant> GrantIn(const std::set<std::string>& granted,
                                   absl::string_view server);
// The names that stand for it.
std::vector<std::string> NamesOfGrant(const ServerGrant& grant,
                                      absl::string_view server);
// Every name that could stand for a grant of that server.
std::vector<std::string> AllNamesOfGrants(absl::string_view server);

}  // namespace tactus::config

#endif  // TACTUS_TOOLS_CONFIG_SERVERS_H_
