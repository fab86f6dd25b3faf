#include "tools/config/config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tactus::config {
namespace {

using boost::json::object;
using boost::json::value;

// A list of applications takes a thousandth of it.
constexpr size_t kMostBytes = size_t{1} << 20;
constexpr size_t kMostDenied = 1000;

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

}  // namespace

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
  const auto unknown = [&](boost::json::string_view key, int depth,
                           absl::string_view known) {
    return Bad(
        path, LineOfKey(text, absl::string_view(key.data(), key.size()), depth),
        absl::StrCat("the key ", Escaped(key),
                     " is not known: take it out, or write ", known));
  };
  if (!parsed.is_object()) return Bad(path, 1, "it must be a JSON object");
  Config config;
  config.path = path;
  for (const auto& top : parsed.get_object()) {
    if (top.key() != "applications") {
      return unknown(top.key(), 1, "\"applications\"");
    }
    const int line = LineOfKey(text, "applications", 1);
    if (!top.value().is_object()) {
      return Bad(path, line,
                 "\"applications\" must be an object, as in "
                 "{\"deny\": [\"KeePassXC\"]}");
    }
    for (const auto& member : top.value().get_object()) {
      if (member.key() != "deny") return unknown(member.key(), 2, "\"deny\"");
      const int deny = LineOfKey(text, "deny", 2);
      const absl::Status wrong =
          Bad(path, deny,
              "\"deny\" must be a list of names of applications, as `tactus "
              "apps` tells them");
      if (!member.value().is_array()) return wrong;
      for (const value& name : member.value().get_array()) {
        if (!name.is_string() || name.get_string().empty()) return wrong;
        config.denied.emplace_back(name.get_string().data(),
                                   name.get_string().size());
      }
      if (config.denied.size() > kMostDenied) {
        return Bad(
            path, deny,
            absl::StrCat("\"deny\" has more than ", kMostDenied, " names"));
      }
    }
  }
  return config;
}

absl::StatusOr<Config> LoadConfig(const std::string& path) {
  if (path.empty()) return Config();
  const auto failed = [&path](absl::string_view what) {
    return Bad(path, 0,
               absl::StrCat("it cannot be ", what, ": ", strerror(errno)));
  };
  // A pipe in its place is not waited for.
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) return Config();
  if (fd < 0) return failed("opened");
  const auto closed = absl::MakeCleanup([fd] { close(fd); });
  struct stat found;
  if (fstat(fd, &found) != 0) return failed("looked at");
  if (!S_ISREG(found.st_mode)) return Bad(path, 0, "it is no file");
  if ((found.st_uid != geteuid() && found.st_uid != 0) ||
      (found.st_mode & 022) != 0) {
    return Bad(path, 0,
               "others can write to it, and so could take a denial out: chmod "
               "it to 600, and own it");
  }
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t n = read(fd, part, sizeof(part));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("read");
    if (n == 0) break;
    text.append(part, static_cast<size_t>(n));
    if (text.size() > kMostBytes) {
      return Bad(path, 0,
                 absl::StrCat("it is longer than ", kMostBytes, " bytes"));
    }
  }
  return ParseConfig(text, path);
}

}  // namespace tactus::config
