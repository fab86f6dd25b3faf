// Any lines from clients of the daemon, against its decoder and its dispatcher
// on the mock: bytes become what two clients send and what happens between.
//
// The oracles, beyond crashes: each request that has an id which can be read is
// answered exactly once, by a line that is JSON-RPC as a client reads it; what
// has none is never answered but for being wrong; nothing a client sends makes
// the daemon send text-bearing calls to a password field; and when a client has
// gone and all is done, nothing is pending.
//
// The first byte chooses the desktop. Then lines, each led by a byte that says
// whose it is and what is done after it; a byte of zeros stands for a request
// that works, so that the fuzzer need not find one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"
#include "fuzz/check.h"
#include "tools/control/json_rpc.h"
#include "tools/tactusd/testing/mock_daemon.h"

namespace tactus::daemon {
namespace {

using control::Answer;
using control::Request;

// A watch runs to its end at once here, so one is never for long.
constexpr absl::string_view kWorks[] = {
    R"({"jsonrpc":"2.0","id":1,"method":"text.snapshot"})",
    R"({"jsonrpc":"2.0","id":2,"method":"text.insert","params":{"text":"a"}})",
    R"({"jsonrpc":"2.0","id":3,"method":"text.undo"})",
    R"({"jsonrpc":"2.0","id":4,"method":"text.stream","params":{"partial":"b"}})",
    R"({"jsonrpc":"2.0","id":5,"method":"text.stream","params":{"end":true}})",
    R"({"jsonrpc":"2.0","id":6,"method":"pause"})",
    R"({"jsonrpc":"2.0","id":7,"method":"resume"})",
    R"({"jsonrpc":"2.0","method":"$/cancel","params":{"id":2}})",
};

class Session {
 public:
  explicit Session(bool secure) : daemon_(ax::mock::EditorDesktop("hello")) {
    if (secure) {
      daemon_.world().SetSecure({"app:100", "/text"}, true).IgnoreError();
    }
    for (int64_t client = 1; client <= 2; ++client) daemon_.Open(client);
  }

  void Say(int64_t client, absl::string_view line) {
    const std::variant<Request, control::Fault> read =
        control::ReadRequest(line);
    if (const auto* request = std::get_if<Request>(&read)) {
      // It would wait for what never happens here.
      if (request->method == "text.watch") return;
      if (request->id.has_value()) ++wanted_[client][*request->id];
    } else {
      ++wanted_[client][std::get<control::Fault>(read).id];
    }
    daemon_.Line(client, line);
    Hear(client);
  }
  void RunAll() {
    daemon_.RunAll();
    for (int64_t client = 1; client <= 2; ++client) Hear(client);
  }
  void RunOne() {
    daemon_.dispatcher().edits().RunOne();
    for (int64_t client = 1; client <= 2; ++client) Hear(client);
  }
  void Advance(absl::Duration time) { daemon_.clock().Advance(time); }

  void End() {
    RunAll();
    for (const auto& [client, ids] : wanted_) {
      for (const auto& [id, count] : ids) FUZZ_CHECK(count == 0);
    }
    for (int64_t client = 1; client <= 2; ++client) {
      FUZZ_CHECK(daemon_.dispatcher().Pending(client) == 0);
      daemon_.Close(client);
    }
    daemon_.dispatcher().Stop();
    daemon_.RunAll();
    FUZZ_CHECK(daemon_.dispatcher().Done());
    if (daemon_.source().Get(daemon_.clock().Now()).ok()) {
      FUZZ_CHECK(daemon_.source().reader().TextSentToToldSecure() == 0);
      FUZZ_CHECK(daemon_.source().writer().TextSentToToldSecure() == 0);
    }
  }

 private:
  void Hear(int64_t client) {
    for (const std::string& line : daemon_.Told(client)) {
      FUZZ_CHECK(line.find('\n') == line.size() - 1);
      const absl::StatusOr<Answer> answer =
          control::ReadAnswer(absl::string_view(line));
      FUZZ_CHECK(answer.ok());
      FUZZ_CHECK(answer->method.empty());
      FUZZ_CHECK(answer->error.has_value() != (answer->result != nullptr));
      FUZZ_CHECK(wanted_[client][answer->id]-- > 0);
    }
  }

  MockDaemon daemon_;
  // Answers that are still to come, by id.
  std::map<int64_t, std::map<std::string, int>> wanted_;
};

void Run(absl::string_view bytes) {
  if (bytes.empty()) return;
  Session session(/*secure=*/(bytes[0] & 1) != 0);
  bytes.remove_prefix(1);
  while (!bytes.empty()) {
    const auto lead = static_cast<uint8_t>(bytes[0]);
    bytes.remove_prefix(1);
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    absl::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    if (line.empty()) line = kWorks[(lead >> 4) & 7];
    session.Say(1 + (lead & 1), line);
    if ((lead & 2) != 0) session.RunAll();
    if ((lead & 4) != 0) session.RunOne();
    if ((lead & 8) != 0) session.Advance(absl::Seconds(1));
  }
  session.End();
}

}  // namespace
}  // namespace tactus::daemon

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // Some forty lines: more says nothing new.
  if (size > 4096) return -1;
  tactus::daemon::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
