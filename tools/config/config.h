// The configuration file of Tactus: one for the command and the daemon.
//
//   $XDG_CONFIG_HOME/tactus/config.json, or else ~/.config/tactus/config.json
//
//   {"applications": {"deny": ["KeePassXC", "seahorse"]}}
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

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tactus::config {

struct Config {
  // Applications that are never read and never edited; see DenyingServer.
  std::vector<std::string> denied;
  // Where it was read; empty where there is no file, and these are defaults.
  std::string path;
};

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
