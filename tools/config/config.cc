#include "tools/config/config.h"

#include <stdlib.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tools/config/trusted_file.h"
#include "transfer/identity/name.h"

namespace tactus::config {
namespace {

using boost::json::object;
using boost::json::value;

// A list of applications takes a thousandth of it.
constexpr size_t kMostBytes = size_t{1} << 20;
constexpr size_t kMostDenied = 1000;
// The addresses of a machine, and to spare.
constexpr size_t kMostListen = 16;

absl::Status Bad(const std::string& path, int line, absl::string_view what) {
  return absl::FailedPreconditionError(
      absl::StrCat(path, line > 0 ? absl::StrCat(":", line) : "", ": ", what));
}

int LineAt(absl::string_view text, size_t at) {
  return 1 + static_cast<int>(std::count(
                 text.begin(), text.begin() + std::min(at, text.size()), '\n'));
}

// The line of the key `key` that stands in `depth` objects, of a text that is
// known to be JSON; 0 where it is spelled with escapes.
int LineOfKey(absl::string_view text, absl::string_view key, int depth) {
  int open = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '{' || c == '[') ++open;
    if (c == '}' || c == ']') --open;
    if (c != '"') continue;
    const size_t begin = ++i;
    while (text[i] != '"') i += text[i] == '\\' ? 2 : 1;
    const absl::string_view word = text.substr(begin, i - begin);
    const size_t next = text.find_first_not_of(" \t\r\n", i + 1);
    if (next != absl::string_view::npos && text[next] == ':' && open == depth &&
        word == key) {
      return LineAt(text, begin);
    }
  }
  return 0;
}

std::string Escaped(boost::json::string_view key) {
  return boost::json::serialize(value(key));
}

std::string Text(const value& text) {
  return {text.get_string().data(), text.get_string().size()};
}

// The members of the file, each into its place.
class Reader {
 public:
  Reader(absl::string_view text, const std::string& path)
      : text_(text), path_(path) {}

  absl::Status Unknown(boost::json::string_view key, int depth,
                       absl::string_view known) const {
    return Wrong({key.data(), key.size()}, depth,
                 absl::StrCat("the key ", Escaped(key),
                              " is not known: take it out, or write ", known));
  }

  absl::Status Applications(const value& given, Config* config) const {
    if (!given.is_object()) {
      return Wrong("applications", 1,
                   "\"applications\" must be an object, as in "
                   "{\"deny\": [\"KeePassXC\"]}");
    }
    for (const auto& member : given.get_object()) {
      if (member.key() != "deny") return Unknown(member.key(), 2, "\"deny\"");
      const absl::Status wrong =
          Wrong("deny", 2,
                "\"deny\" must be a list of names of applications, as `tactus "
                "apps` tells them");
      if (!member.value().is_array()) return wrong;
      for (const value& name : member.value().get_array()) {
        if (!name.is_string() || name.get_string().empty()) return wrong;
        config->denied.push_back(Text(name));
      }
      if (config->denied.size() > kMostDenied) {
        return Wrong(
            "deny", 2,
            absl::StrCat("\"deny\" has more than ", kMostDenied, " names"));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Listen(const value& given, Config* config) const {
    const absl::Status wrong = Wrong(
        "listen", 1,
        absl::StrCat("\"listen\" must be a list of at most ", kMostListen,
                     " addresses with ports, as in [\"192.168.1.7:7411\", "
                     "\"[::1]:7411\"]; [] listens nowhere"));
    if (!given.is_array() || given.get_array().size() > kMostListen) {
      return wrong;
    }
    config->listen.emplace();
    for (const value& address : given.get_array()) {
      // What is no address of this machine is told when it is listened on.
      if (!address.is_string()) return wrong;
      const std::string text = Text(address);
      const size_t colon = text.rfind(':');
      int port = -1;
      if (colon == std::string::npos || colon == 0 ||
          !absl::SimpleAtoi(text.substr(colon + 1), &port) || port < 0 ||
          port > 65535) {
        return wrong;
      }
      config->listen->push_back(text);
    }
    return absl::OkStatus();
  }

  absl::Status Peers(const value& given, Config* config) const {
    if (!given.is_object()) {
      return Wrong("peers", 1,
                   "\"peers\" must be an object, as in {\"laptop\": "
                   "{\"files\": \"ask\"}}");
    }
    for (const auto& peer : given.get_object()) {
      const std::string name(peer.key().data(), peer.key().size());
      if (!transfer::IsName(name)) {
        return Wrong(name, 2,
                     absl::StrCat(Escaped(peer.key()),
                                  " is no name of a peer: `tactus status` "
                                  "tells those there are"));
      }
      if (!peer.value().is_object()) {
        return Wrong(name, 2,
                     absl::StrCat(Escaped(peer.key()),
                                  " must be an object, as in {\"files\": "
                                  "\"accept\", \"folder\": \"/srv/inbox\"}"));
      }
      absl::Status read =
          Peer(peer.value().get_object(), name, &config->peers[name]);
      if (!read.ok()) return read;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Peer(const object& given, const std::string& name,
                    PeerPolicy* policy) const {
    // The line of the peer: several have the same keys.
    for (const auto& member : given) {
      if (member.key() == "files") {
        const value& files = member.value();
        if (files == value("ask")) {
          policy->files = PeerPolicy::Files::kAsk;
        } else if (files == value("accept")) {
          policy->files = PeerPolicy::Files::kAccept;
        } else if (files == value("refuse")) {
          policy->files = PeerPolicy::Files::kRefuse;
        } else {
          return Wrong(name, 2,
                       "\"files\" must be \"ask\", \"accept\" or "
                       "\"refuse\"");
        }
      } else if (member.key() == "folder") {
        if (!member.value().is_string() ||
            !absl::StartsWith(Text(member.value()), "/") ||
            Text(member.value()).find('\0') != std::string::npos) {
          return Wrong(name, 2,
                       "\"folder\" must be an absolute path, as in "
                       "\"/srv/inbox\"");
        }
        policy->folder = Text(member.value());
      } else {
        return Wrong(name, 2,
                     absl::StrCat("the key ", Escaped(member.key()),
                                  " is not known: take it out, or write "
                                  "\"files\" or \"folder\""));
      }
    }
    if (policy->files == PeerPolicy::Files::kAccept && policy->folder.empty()) {
      return Wrong(name, 2,
                   "\"files\": \"accept\" needs a \"folder\" for them, as in "
                   "\"/srv/inbox\"");
    }
    return absl::OkStatus();
  }

  absl::Status Wrong(absl::string_view key, int depth,
                     absl::string_view what) const {
    return Bad(path_, LineOfKey(text_, key, depth), what);
  }

  const absl::string_view text_;
  const std::string& path_;
};

}  // namespace

PeerPolicy PolicyOf(const Config& config, const std::string& peer) {
  const auto found = config.peers.find(peer);
  return found == config.peers.end() ? PeerPolicy() : found->second;
}

std::string ConfigPath() {
  const char* home = getenv("XDG_CONFIG_HOME");
  if (home != nullptr && home[0] == '/') {
    return absl::StrCat(home, "/tactus/config.json");
  }
  home = getenv("HOME");
  if (home == nullptr || home[0] != '/') return "";
  return absl::StrCat(home, "/.config/tactus/config.json");
}

absl::StatusOr<Config> ParseConfig(absl::string_view text,
                                   const std::string& path) {
  boost::json::stream_parser parser;
  boost::json::error_code error;
  const size_t read = parser.write_some(text.data(), text.size(), error);
  if (error) {
    return Bad(path, LineAt(text, read),
               absl::StrCat("it is no JSON: ", error.message()));
  }
  if (!parser.done()) return Bad(path, 0, "it is no JSON: its end is missing");
  if (text.find_first_not_of(" \t\r\n", read) != absl::string_view::npos) {
    return Bad(path, LineAt(text, read), "there is more after its end");
  }
  const value parsed = parser.release();
  if (!parsed.is_object()) return Bad(path, 1, "it must be a JSON object");
  Config config;
  config.path = path;
  Reader reader(text, path);
  for (const auto& top : parsed.get_object()) {
    absl::Status taken = absl::OkStatus();
    if (top.key() == "applications") {
      taken = reader.Applications(top.value(), &config);
    } else if (top.key() == "listen") {
      taken = reader.Listen(top.value(), &config);
    } else if (top.key() == "peers") {
      taken = reader.Peers(top.value(), &config);
    } else {
      taken = reader.Unknown(top.key(), 1,
                             "\"applications\", \"listen\" or \"peers\"");
    }
    if (!taken.ok()) return taken;
  }
  return config;
}

absl::StatusOr<Config> LoadConfig(const std::string& path) {
  if (path.empty()) return Config();
  const absl::StatusOr<std::optional<std::string>> text =
      ReadTrustedFile(path, kMostBytes);
  if (!text.ok()) return text.status();
  if (!text->has_value()) return Config();
  return ParseConfig(**text, path);
}

}  // namespace tactus::config
