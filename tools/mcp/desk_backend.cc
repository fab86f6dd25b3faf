#include "tools/mcp/desk_backend.h"

#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/control/calls.h"
#include "tools/control/json_rpc.h"

namespace tactus::mcp {

using control::Answer;
using control::Request;

DeskBackend::DeskBackend(DeskBackendOptions options)
    : options_(std::move(options)),
      service_(options_.source, options_.store, options_.clock, options_.log) {}

absl::StatusOr<Answer> DeskBackend::Call(absl::string_view method,
                                         absl::string_view params,
                                         absl::Duration patience) {
  const absl::Time received = options_.clock->Now();
  const auto error = [](control::Error why) {
    Answer answer;
    answer.error = std::move(why);
    return answer;
  };
  // Through the line that a client would send, so that nothing which the daemon
  // would refuse is done here.
  const std::variant<Request, control::Fault> read =
      control::ReadRequest(absl::StrCat(
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":", control::Quoted(method),
          ",\"params\":", params, "}"));
  if (const auto* fault = std::get_if<control::Fault>(&read)) {
    return error(fault->error);
  }
  const std::variant<control::Call, control::Error> call =
      control::ReadCall(std::get<Request>(read));
  if (const auto* wrong = std::get_if<control::Error>(&call)) {
    return error(*wrong);
  }
  const auto& wanted = std::get<control::Call>(call);
  std::string line;
  if (const auto* snapshot = std::get_if<control::SnapshotCall>(&wanted)) {
    line = service_.Snapshot("1", *snapshot, received);
  } else if (const auto* edit = std::get_if<control::EditCall>(&wanted)) {
    line = service_.Edit("1", *edit, received);
  } else if (const auto* fields = std::get_if<control::FieldsCall>(&wanted)) {
    line = service_.Fields("1", *fields, received);
  } else if (const auto* focus = std::get_if<control::FocusCall>(&wanted)) {
    line = service_.Focus("1", *focus, received);
  } else {
    return error({control::Code::kNoMethod, "no tool asks for that"});
  }
  return control::ReadAnswer(
      absl::string_view(line).substr(0, line.size() - 1));
}

absl::StatusOr<std::string> DeskBackend::Applications(absl::Duration patience) {
  return options_.applications(patience);
}

}  // namespace tactus::mcp
