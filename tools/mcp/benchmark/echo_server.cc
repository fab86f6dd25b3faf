// The least that an MCP server can be: what benchmarks call, so that they time
// the way to it and not what it does.
//
// It reads lines and answers each request at once: `initialize`; the tools
// `echo` (the text comes back), `take` (only how long the line was comes back)
// and `held` (a digest of the line that was taken last, so that it can be
// looked at outside of any time). It knows the lines of agent.cc and no others:
// it looks for what it needs instead of parsing.
#include <unistd.h>
#include <xxhash.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr size_t kBuffer = 1 << 20;

// What stands after `key`, up to `end`.
std::string_view After(std::string_view line, std::string_view key, char end) {
  const size_t at = line.find(key);
  if (at == std::string_view::npos) return "";
  line.remove_prefix(at + key.size());
  return line.substr(0, line.find(end));
}

bool Write(std::string_view data) {
  while (!data.empty()) {
    const ssize_t n = write(STDOUT_FILENO, data.data(), data.size());
    if (n <= 0) return false;
    data.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

std::string Result(std::string_view id, std::string_view result) {
  std::string line = "{\"jsonrpc\":\"2.0\",\"id\":";
  line.append(id).append(",\"result\":").append(result).append("}\n");
  return line;
}

std::string Said(std::string_view id, std::string_view text) {
  std::string result = "{\"content\":[{\"type\":\"text\",\"text\":\"";
  result.append(text).append("\"}]}");
  return Result(id, result);
}

// False when nobody hears it any more. `taken` is the line of the last `take`.
bool Answer(std::string_view line, std::string& taken) {
  // What is looked for stands in front of any text.
  const std::string_view head = line.substr(0, 256);
  const std::string_view id = After(head, "\"id\":", ',');
  if (id.empty()) return true;  // a notification
  if (After(head, "\"method\":\"", '"') == "initialize") {
    return Write(Result(
        id, R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},)"
            R"("serverInfo":{"name":"echo","version":"1"}})"));
  }
  const std::string_view tool = After(head, "\"name\":\"", '"');
  if (tool == "take") {
    const std::string size = std::to_string(line.size());
    const bool heard = Write(Said(id, size));
    taken.assign(line);
    return heard;
  }
  if (tool == "held") {
    return Write(
        Said(id, std::to_string(XXH3_64bits(taken.data(), taken.size()))));
  }
  return Write(Said(id, After(line, "\"text\":\"", '"')));
}

}  // namespace

int main() {
  std::vector<char> buffer(kBuffer);
  std::string held;  // of a line that has not ended
  std::string taken;
  for (;;) {
    const ssize_t n = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (n <= 0) return 0;
    std::string_view read(buffer.data(), static_cast<size_t>(n));
    while (!read.empty()) {
      const size_t end = read.find('\n');
      if (end == std::string_view::npos) {
        held.append(read);
        break;
      }
      bool heard = true;
      if (held.empty()) {
        heard = Answer(read.substr(0, end), taken);
      } else {
        held.append(read.substr(0, end));
        heard = Answer(held, taken);
        held.clear();
      }
      if (!heard) return 0;
      read.remove_prefix(end + 1);
    }
  }
}
