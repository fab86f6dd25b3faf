// The configuration file of Tactus: one for the command and the daemon.
//
//   $XDG_CONFIG_HOME/tactus/config.json, or else ~/.config/tactus/config.json
//
//   {"applications": {"deny": ["KeePassXC", "seahorse"]},
//    "listen": ["192.168.1.7:7411"],
//    "peers": {"laptop": {"files": "accept", "folder": "/srv/inbox"}}}
//
// It is read strictly: what is not known is an error that names the key and its
// line, since a denial that is spelled wrong would deny nothing. docs/tactus.md
// tells its keys.
//
// Example:
//
//   absl::StatusOr<Config> config = LoadConfig(ConfigPath());
//   if (!config.ok()) return config.status();   // names the file and the line
#ifndef TACTUS_TOOLS_CONFIG_CONFIG_H_
#define TACTUS_TOOLS_CONFIG_CONFIG_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::config {

// What one peer may do here.
struct PeerPolicy {
  // Files that it sends: a person is asked, they are taken, they are refused.
  enum class Files { kAsk, kAccept, kRefuse };
  Files files = Files::kAsk;
  // Where they go, an absolute path. Always there for kAccept; empty: the
  // default of whoever receives.
  std::string folder;

  friend bool operator==(const PeerPolicy&, const PeerPolicy&) = default;
};

struct Config {
  // Applications that are never read and never edited; see DenyingServer.
  std::vector<std::string> denied;
  // "HOST:PORT" each; absent: the daemon's default; empty: nowhere.
  std::optional<std::vector<std::string>> listen;
  // By the name of the peer.
  std::map<std::string, PeerPolicy> peers;
  // Where it was read; empty where there is no file, and these are defaults.
  std::string path;
};

// That of the peer of this name; the default, which asks, where there is none.
PeerPolicy PolicyOf(const Config& config, const std::string& peer);

// Empty where neither XDG_CONFIG_HOME nor HOME is set.
std::string ConfigPath();

// The defaults where there is no file at `path`. FailedPrecondition, with the
// line and the remedy, for one that cannot be used: it is not JSON, holds what
// is not known, is too long, or others can write to it.
absl::StatusOr<Config> LoadConfig(const std::string& path);

// The same of its text; `path` is for messages.
absl::StatusOr<Config> ParseConfig(absl::string_view text,
                                   const std::string& path);

}  // namespace tactus::config

#endif  // TACTUS_TOOLS_CONFIG_CONFIG_H_
