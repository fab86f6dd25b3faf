#include "tools/mcp/permitted_backend.h"

#include <boost/json.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/control/json_rpc.h"
#include "tools/control/members.h"
#include "tools/mcp/definitions.h"

namespace tactus::mcp {
namespace {

using boost::json::object;
using boost::json::value;
using control::Answer;
using control::Code;
using control::ObjectOf;
using control::ResultOf;
using control::TextOf;

// To read what an edit is tied to.
constexpr absl::Duration kTie = absl::Seconds(1);

// The tool behind a method of the daemon's.
const char* ToolOf(absl::string_view method) {
  if (method == "text.snapshot") return kReadTool;
  if (method == "text.insert") return kInsertTool;
  if (method == "text.undo") return kUndoTool;
  if (method == "text.fields") return kFieldsTool;
  if (method == "text.focus") return kFocusTool;
  return kReplaceTool;
}

bool Writes(absl::string_view method) {
  return method != "text.snapshot" && method != "text.fields";
}

Answer Refused(control::Error why) {
  Answer answer;
  answer.error = std::move(why);
  return answer;
}

// A word for the line that is kept.
std::string OutcomeOf(const absl::StatusOr<Answer>& answer, bool writes) {
  if (!answer.ok()) return writes ? "unknown" : "failed";
  if (answer->error.has_value()) return "refused";
  if (!writes) return "read";
  // Of an edit, or of the focus.
  const object* result = ResultOf(*answer);
  const object* edit = ObjectOf(result, "edit");
  const std::string outcome =
      TextOf(edit != nullptr ? edit : result, "outcome");
  return outcome.empty() ? "unknown" : outcome;
}

}  // namespace

std::optional<control::Error> PermittedBackend::AskDaemon(const char* tool,
                                                          bool writes,
                                                          bool by_person,
                                                          bool* asks) {
  const absl::StatusOr<Answer> answer =
      options_.permit(boost::json::serialize(object{{"peer", options_.peer},
                                                    {"server", options_.server},
                                                    {"tool", tool},
                                                    {"writes", writes},
                                                    {"again", may_read_},
                                                    {"ask", by_person}}));
  if (!answer.ok()) {
    return control::Error{Code::kNotDone,
                          absl::StrCat("the daemon there was not asked: ",
                                       answer.status().message()),
                          answer.status()};
  }
  if (answer->error.has_value()) return answer->error;
  const object* result = ResultOf(*answer);
  const value* held = result == nullptr ? nullptr : result->if_contains("asks");
  if (held == nullptr || !held->is_bool()) {
    return control::Error{Code::kNotDone,
                          "the answer of the daemon there is not understood",
                          absl::DataLossError("no answer")};
  }
  *asks = held->get_bool();
  return std::nullopt;
}

std::optional<control::Error> PermittedBackend::Permit(
    const char* tool, bool writes,
    const std::function<std::optional<control::Error>()>& before_asking) {
  bool asks = true;
  std::optional<control::Error> why = AskDaemon(tool, writes, false, &asks);
  if (!why.has_value() && asks) {
    why = before_asking();
    if (!why.has_value()) why = AskDaemon(tool, writes, true, &asks);
    if (!why.has_value() && !writes) may_read_ = true;
  }
  if (why.has_value()) {
    Keep(tool, /*edit=*/false, "refused");
    return why;
  }
  // An edit is kept before it is done: this process may be killed in it.
  return writes ? Keep(tool, /*edit=*/true, "begun") : std::nullopt;
}

std::optional<control::Error> PermittedBackend::Keep(
    const char* tool, bool edit, const std::string& outcome) {
  const absl::Status kept = options_.audit->Append({.time = options_.now(),
                                                    .peer = options_.peer,
                                                    .server = options_.server,
                                                    .tool = tool,
                                                    .outcome = outcome,
                                                    .edit = edit});
  if (kept.ok()) return std::nullopt;
  return control::Error{Code::kNotDone,
                        "it cannot be kept there that this was done", kept};
}

std::optional<control::Error> PermittedBackend::Tie(absl::string_view method,
                                                    std::string* params) {
  // Tied already: to the edit that it takes back, or to a field of the window
  // that has the keyboard when it is done.
  if (method == "text.undo" || method == "text.focus") return std::nullopt;
  boost::json::error_code error;
  value parsed = boost::json::parse(*params, error);
  object* given = error ? nullptr : parsed.if_object();
  if (given == nullptr || given->if_contains("snapshot") != nullptr) {
    return std::nullopt;
  }
  object read{{"deadline_ms", absl::ToInt64Milliseconds(kTie)}};
  // As much as the edit reads, so that it is the same window.
  if (const value* max_text = given->if_contains("max_text")) {
    read["max_text"] = *max_text;
  }
  const absl::StatusOr<Answer> answer =
      backend_.Call("text.snapshot", boost::json::serialize(read), kTie);
  if (!answer.ok()) {
    return control::Error{Code::kNotRead,
                          std::string(answer.status().message()),
                          answer.status()};
  }
  if (answer->error.has_value()) return answer->error;
  const std::string token =
      TextOf(ObjectOf(ResultOf(*answer), "snapshot"), "token");
  if (token.empty()) {
    const absl::Status none = absl::FailedPreconditionError(
        "nothing that can be edited has the keyboard there");
    return control::Error{Code::kNotRead, std::string(none.message()), none};
  }
  (*given)["snapshot"] = token;
  *params = boost::json::serialize(parsed);
  return std::nullopt;
}

absl::StatusOr<Answer> PermittedBackend::Call(absl::string_view method,
                                              absl::string_view params,
                                              absl::Duration patience) {
  const char* const tool = ToolOf(method);
  const bool writes = Writes(method);
  std::string tied(params);
  std::optional<control::Error> why = Permit(
      tool, writes, [&] { return writes ? Tie(method, &tied) : std::nullopt; });
  if (why.has_value()) return Refused(*std::move(why));
  absl::StatusOr<Answer> answer = backend_.Call(method, tied, patience);
  why = Keep(tool, writes, OutcomeOf(answer, writes));
  // What was read is not told where that cannot be kept; how an edit ended is.
  if (why.has_value() && !writes) return Refused(*std::move(why));
  return answer;
}

absl::StatusOr<std::string> PermittedBackend::Applications(
    absl::Duration patience) {
  std::optional<control::Error> why =
      Permit(kApplicationsTool, /*writes=*/false, [] { return std::nullopt; });
  if (why.has_value()) return absl::PermissionDeniedError(why->message);
  absl::StatusOr<std::string> listed = backend_.Applications(patience);
  why =
      Keep(kApplicationsTool, /*edit=*/false, listed.ok() ? "read" : "failed");
  if (why.has_value()) return absl::FailedPreconditionError(why->message);
  return listed;
}

}  // namespace tactus::mcp
