#include "tools/control/json_rpc.h"

#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "ax/text/escape.h"
#include "ax/text/utf.h"

namespace tactus::control {
namespace {

using boost::json::object;
using boost::json::value;

std::string_view View(absl::string_view text) {
  return {text.data(), text.size()};
}
std::string Text(const boost::json::string& text) {
  return {text.data(), text.size()};
}

// The id as it goes back; absent where it is none that may be used.
std::optional<std::string> IdOf(const value& id) {
  std::string text;
  if (id.is_int64()) {
    text = absl::StrCat(id.get_int64());
  } else if (id.is_string()) {
    text = Quoted({id.get_string().data(), id.get_string().size()});
  }
  if (text.empty() || text.size() > kMostId) return std::nullopt;
  return text;
}

Fault Invalid(std::string id, std::string message) {
  return {std::move(id), {Code::kInvalidRequest, std::move(message)}};
}

value Parsed(absl::string_view line, boost::json::error_code& error) {
  boost::json::parse_options options;
  options.max_depth = kMostDepth;
  return boost::json::parse(View(line), error, boost::json::storage_ptr(),
                            options);
}

}  // namespace

std::variant<Request, Fault> ReadRequest(absl::string_view line) {
  boost::json::error_code error;
  const value parsed = Parsed(line, error);
  if (error) {
    return Fault{
        "null",
        {Code::kParse, absl::StrCat("the line is no JSON: ", error.message())}};
  }
  if (parsed.is_array()) {
    return Invalid("null",
                   "batches are not taken: send each request as a line");
  }
  if (!parsed.is_object()) return Invalid("null", "a request is an object");
  const object& members = parsed.get_object();
  Request request;
  std::string id = "null";
  if (const value* given = members.if_contains("id")) {
    request.id = IdOf(*given);
    if (!request.id.has_value()) {
      return Invalid("null",
                     absl::StrCat("\"id\" is an integer, or a string of at "
                                  "most ",
                                  kMostId - 2, " bytes"));
    }
    id = *request.id;
  }
  const value* version = members.if_contains("jsonrpc");
  if (version == nullptr || *version != value("2.0")) {
    return Invalid(id, "\"jsonrpc\" must be \"2.0\"");
  }
  const value* method = members.if_contains("method");
  if (method == nullptr || !method->is_string()) {
    return Invalid(id, "\"method\" must be a string");
  }
  request.method = Text(method->get_string());
  auto params = std::make_shared<object>();
  if (const value* given = members.if_contains("params")) {
    if (!given->is_object()) {
      return Fault{id,
                   {Code::kBadParams,
                    "\"params\" must be an object: parameters have names"}};
    }
    *params = given->get_object();
  }
  request.params = std::move(params);
  for (const auto& member : members) {
    const std::string_view key(member.key().data(), member.key().size());
    if (key != "jsonrpc" && key != "method" && key != "params" && key != "id") {
      return Invalid(id, absl::StrCat("a request has no member ",
                                      Quoted({key.data(), key.size()})));
    }
  }
  return request;
}

std::string Quoted(absl::string_view text) {
  const std::string valid = ax::Sanitize(View(text));
  std::string json = "\"";
  std::string_view rest = valid;
  while (!rest.empty()) {
    const ax::DecodedCodePoint decoded = ax::DecodeOne(rest);
    const std::string_view one = rest.substr(0, decoded.size);
    if (one == "\"" || one == "\\") {
      absl::StrAppend(&json, "\\", absl::string_view(one.data(), one.size()));
    } else if (ax::ForTerminal(one) == one) {
      json.append(one);
    } else {
      // Nothing that is escaped lies beyond U+FFFF.
      absl::StrAppendFormat(&json, "\\u%04x",
                            static_cast<uint32_t>(decoded.code_point));
    }
    rest.remove_prefix(decoded.size);
  }
  json.push_back('"');
  return json;
}

std::string StatusJson(const absl::Status& status) {
  if (status.ok()) return "null";
  return absl::StrCat(
      "{\"code\":", Quoted(absl::StatusCodeToString(status.code())),
      ",\"message\":", Quoted(status.message()), "}");
}

std::string ResultLine(absl::string_view id, absl::string_view result) {
  return absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", id,
                      ",\"result\":", result, "}\n");
}

std::string ErrorLine(absl::string_view id, const Error& error) {
  return absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", id,
                      ",\"error\":{\"code\":", static_cast<int>(error.code),
                      ",\"message\":", Quoted(error.message),
                      error.status.ok()
                          ? ""
                          : absl::StrCat(",\"data\":{\"status\":",
                                         StatusJson(error.status), "}"),
                      "}}\n");
}

std::string NotificationLine(absl::string_view method,
                             absl::string_view params) {
  return absl::StrCat("{\"jsonrpc\":\"2.0\",\"method\":", Quoted(method),
                      ",\"params\":", params, "}\n");
}

namespace {

// The status that StatusJson wrote.
absl::Status ReadStatus(const value* held) {
  const object* status = held == nullptr ? nullptr : held->if_object();
  if (status == nullptr) return absl::OkStatus();
  const value* code = status->if_contains("code");
  const value* message = status->if_contains("message");
  if (code == nullptr || !code->is_string()) return absl::OkStatus();
  const std::string name = Text(code->get_string());
  const std::string text = message != nullptr && message->is_string()
                               ? Text(message->get_string())
                               : "";
  for (int i = 1; i <= static_cast<int>(absl::StatusCode::kUnauthenticated);
       ++i) {
    const auto known = static_cast<absl::StatusCode>(i);
    if (absl::StatusCodeToString(known) == name) return {known, text};
  }
  return absl::UnknownError(text);
}

}  // namespace

absl::StatusOr<Answer> ReadAnswer(absl::string_view line) {
  const auto bad = [] {
    return absl::DataLossError(
        "what answers on the control socket is no "
        "daemon of Tactus");
  };
  boost::json::error_code failed;
  const value parsed = Parsed(line, failed);
  const object* members = failed ? nullptr : parsed.if_object();
  if (members == nullptr) return bad();
  Answer answer;
  if (const value* id = members->if_contains("id"); id && !id->is_null()) {
    std::optional<std::string> text = IdOf(*id);
    if (!text.has_value()) return bad();
    answer.id = *std::move(text);
  }
  if (const value* method = members->if_contains("method")) {
    const value* params = members->if_contains("params");
    if (!method->is_string() || !params || !params->is_object()) return bad();
    answer.method = Text(method->get_string());
    answer.params = std::make_shared<object>(params->get_object());
    return answer;
  }
  if (const value* result = members->if_contains("result")) {
    answer.result = std::make_shared<value>(*result);
    return answer;
  }
  const value* held = members->if_contains("error");
  const object* error = held == nullptr ? nullptr : held->if_object();
  if (error == nullptr) return bad();
  const value* code = error->if_contains("code");
  const value* message = error->if_contains("message");
  if (!code || !code->is_int64() || !message || !message->is_string()) {
    return bad();
  }
  Error told;
  told.code = static_cast<Code>(code->get_int64());
  told.message = Text(message->get_string());
  if (const value* data = error->if_contains("data");
      data && data->is_object()) {
    told.status = ReadStatus(data->get_object().if_contains("status"));
  }
  answer.error = std::move(told);
  return answer;
}

}  // namespace tactus::control
