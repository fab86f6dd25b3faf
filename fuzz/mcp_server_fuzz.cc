// Any lines from an agent, against the decoder and the dispatcher of `tactus
// mcp serve` on the mock.
//
// The oracles, beyond crashes: each request is answered exactly once, but for a
// call that was cancelled while it waited, which is answered at most once; what
// is no request is answered only where it is wrong, and then once; each answer
// is one line of valid JSON that is an answer; nothing an agent sends makes the
// server send text-bearing calls to a password field.
//
// The first byte chooses the desktop. Then lines, each led by a byte that says
// what is done after it; an empty line stands for one that works, so that the
// fuzzer need not find one.

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/mock/world.h"
#include "fuzz/check.h"
#include "tools/mcp/message.h"
#include "tools/mcp/testing/mock_agent.h"

namespace tactus::mcp {
namespace {

constexpr absl::string_view kWorks[] = {
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})",
    R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_focused_text"}})",
    R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"insert_text","arguments":{"text":"a"}}})",
    R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"replace_text","arguments":{"old_text":"h","new_text":"b","range":{"begin":0,"end":1}}}})",
    R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"undo_edit"}})",
    R"({"jsonrpc":"2.0","id":6,"method":"tools/list"})",
    R"({"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})",
    R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}})",
};

class Session {
 public:
  explicit Session(bool secure) : agent_(ax::mock::EditorDesktop("hello")) {
    if (secure) {
      agent_.world().SetSecure({"app:100", "/text"}, true).IgnoreError();
    }
  }

  void Say(absl::string_view line) {
    const absl::string_view whole = line;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) return;
    const std::variant<Message, Fault> read = ReadMessage(line);
    if (const auto* fault = std::get_if<Fault>(&read)) {
      ++wanted_[fault->id.value_or("")];
    } else if (const auto& message = std::get<Message>(read);
               message.kind == Message::Kind::kRequest) {
      ++wanted_[message.id];
    } else if (message.method == "notifications/cancelled") {
      const boost::json::value* id = message.params->if_contains("requestId");
      if (id != nullptr) may_lack_.insert(IdOf(*id).value_or(""));
    }
    agent_.server().Line(whole);
    Hear();
  }
  void RunOne() {
    agent_.server().RunOne();
    Hear();
  }
  void RunAll() {
    agent_.RunAll();
    Hear();
  }
  void Advance() { agent_.clock().Advance(absl::Seconds(1)); }

  void End(bool stop) {
    if (stop) agent_.server().Stop();
    RunAll();
    for (const auto& [id, count] : wanted_) {
      FUZZ_CHECK(count == 0 || (count > 0 && may_lack_.count(id) > 0));
    }
    if (agent_.source().Get(agent_.clock().Now()).ok()) {
      FUZZ_CHECK(agent_.source().reader().TextSentToToldSecure() == 0);
      FUZZ_CHECK(agent_.source().writer().TextSentToToldSecure() == 0);
    }
  }

 private:
  void Hear() {
    for (const std::string& line : agent_.Told()) {
      FUZZ_CHECK(line.find('\n') == line.size() - 1);
      boost::json::error_code failed;
      const boost::json::value answer = boost::json::parse(line, failed);
      FUZZ_CHECK(!failed && answer.is_object());
      const boost::json::object& members = answer.get_object();
      FUZZ_CHECK(members.contains("result") != members.contains("error"));
      FUZZ_CHECK(!members.contains("method"));
      const boost::json::value* id = members.if_contains("id");
      FUZZ_CHECK(id == nullptr || IdOf(*id).has_value());
      FUZZ_CHECK(wanted_[id == nullptr ? std::string() : *IdOf(*id)]-- > 0);
    }
  }

  MockAgent agent_;
  // Answers that are still to come, by id.
  std::map<std::string, int> wanted_;
  std::set<std::string> may_lack_;  // were cancelled
};

void Run(absl::string_view bytes) {
  if (bytes.empty()) return;
  const auto first = static_cast<uint8_t>(bytes[0]);
  Session session(/*secure=*/(first & 1) != 0);
  bytes.remove_prefix(1);
  while (!bytes.empty()) {
    const auto lead = static_cast<uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    absl::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.empty()) line = kWorks[(lead >> 4) & 7];
    session.Say(line);
    if ((lead & 1) != 0) session.RunAll();
    if ((lead & 2) != 0) session.RunOne();
    if ((lead & 4) != 0) session.Advance();
  }
  session.End(/*stop=*/(first & 2) != 0);
}

}  // namespace
}  // namespace tactus::mcp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Some forty lines: more says nothing new.
  if (size > 8192) return -1;
  tactus::mcp::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
