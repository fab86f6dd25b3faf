#include "tools/mcp/message.h"

#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tools/control/json_rpc.h"
#include "tools/tactus/json_line.h"

namespace tactus::mcp {
namespace {

using boost::json::object;
using boost::json::value;
using control::Quoted;

Fault Invalid(std::optional<std::string> id, std::string message) {
  return {std::move(id), {kInvalidRequest, std::move(message)}};
}

}  // namespace

std::optional<std::string> IdOf(const value& id) {
  std::string text;
  if (id.is_int64()) {
    text = absl::StrCat(id.get_int64());
  } else if (id.is_uint64()) {
    text = absl::StrCat(id.get_uint64());
  } else if (id.is_string()) {
    text = Quoted({id.get_string().data(), id.get_string().size()});
  }
  if (text.empty() || text.size() > kMostId) return std::nullopt;
  return text;
}

std::variant<Message, Fault> ReadMessage(absl::string_view line) {
  boost::json::parse_options options;
  options.max_depth = kMostDepth;
  boost::json::error_code failed;
  const value parsed =
      boost::json::parse(std::string_view(line.data(), line.size()), failed,
                         boost::json::storage_ptr(), options);
  if (failed) {
    return Fault{
        std::nullopt,
        {kParseError, absl::StrCat("the line is no JSON: ", failed.message())}};
  }
  if (parsed.is_array()) {
    return Invalid(std::nullopt,
                   "batches are not taken: send each request as a line");
  }
  if (!parsed.is_object()) {
    return Invalid(std::nullopt, "a message is an object");
  }
  const object& members = parsed.get_object();
  const value* given = members.if_contains("id");
  const std::optional<std::string> id =
      given == nullptr ? std::nullopt : IdOf(*given);
  const value* method = members.if_contains("method");
  if (method == nullptr &&
      (members.contains("result") || members.contains("error"))) {
    Message response;
    response.kind = Message::Kind::kResponse;
    response.params = std::make_shared<object>();
    return response;
  }
  if (given != nullptr && !id.has_value()) {
    return Invalid(std::nullopt,
                   absl::StrCat("\"id\" is an integer, or a string of at most ",
                                kMostId - 2, " bytes"));
  }
  const value* version = members.if_contains("jsonrpc");
  if (version == nullptr || *version != value("2.0")) {
    return Invalid(id, "\"jsonrpc\" must be \"2.0\"");
  }
  if (method == nullptr || !method->is_string()) {
    return Invalid(id, "\"method\" must be a string");
  }
  Message message;
  message.kind =
      id.has_value() ? Message::Kind::kRequest : Message::Kind::kNotification;
  message.id = id.value_or("");
  message.method = {method->get_string().data(), method->get_string().size()};
  auto params = std::make_shared<object>();
  if (const value* held = members.if_contains("params")) {
    if (!held->is_object()) {
      return Fault{id, {kInvalidParams, "\"params\" must be an object"}};
    }
    *params = held->get_object();
  }
  message.params = std::move(params);
  return message;
}

std::string ResultLine(absl::string_view id, const object& result) {
  std::string json = cli::JsonLine(result);
  json.pop_back();
  return absl::StrCat("{\"jsonrpc\":\"2.0\",\"id\":", id, ",\"result\":", json,
                      "}\n");
}

std::string ErrorLine(const std::optional<std::string>& id,
                      const Error& error) {
  return absl::StrCat(
      "{\"jsonrpc\":\"2.0\",",
      id.has_value() ? absl::StrCat("\"id\":", *id, ",") : "",
      "\"error\":{\"code\":", error.code,
      ",\"message\":", Quoted(error.message),
      error.data.empty() ? "" : absl::StrCat(",\"data\":", error.data), "}}\n");
}

}  // namespace tactus::mcp
