#include "tools/mcp/message.h"

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tactus::mcp {
namespace {

// What `line` is read as: "request 7 ping", "notification a", "response", or
// "error -32700", with the id where there is one.
std::string Short(const std::string& line) {
  const std::variant<Message, Fault> read = ReadMessage(line);
  if (const auto* fault = std::get_if<Fault>(&read)) {
    return absl::StrCat("error ", fault->error.code,
                        fault->id.has_value() ? " " : "",
                        fault->id.value_or(""));
  }
  const auto& message = std::get<Message>(read);
  switch (message.kind) {
    case Message::Kind::kRequest:
      return absl::StrCat("request ", message.id, " ", message.method);
    case Message::Kind::kNotification:
      return absl::StrCat("notification ", message.method);
    case Message::Kind::kResponse:
      return "response";
  }
  return "";
}

TEST(Message, ReadsRequestsNotificationsAndResponses) {
  EXPECT_EQ(Short(R"({"jsonrpc":"2.0","id":0,"method":"ping"})"),
            "request 0 ping");
  EXPECT_EQ(Short(R"({"method":"a","id":"x","jsonrpc":"2.0","params":{}})"),
            "request \"x\" a");
  EXPECT_EQ(Short(R"({"jsonrpc":"2.0","method":"a"})"), "notification a");
  EXPECT_EQ(Short(R"({"jsonrpc":"2.0","id":1,"result":{}})"), "response");
  EXPECT_EQ(Short(R"({"jsonrpc":"2.0","id":null,"error":{}})"), "response");
}

TEST(Message, IdsGoBackAsTheSameValue) {
  for (const char* id :
       {"0", "-1", "9007199254740993", "9223372036854775807",
        "18446744073709551615", "\"\"", "\"\\u001b\"", "\"\xC3\xA9\""}) {
    EXPECT_EQ(
        Short(absl::StrCat(R"({"jsonrpc":"2.0","method":"m","id":)", id, "}")),
        absl::StrCat("request ", id, " m"));
  }
  const std::string longest(kMostId - 2, 'a');
  EXPECT_EQ(Short(absl::StrCat(R"({"jsonrpc":"2.0","method":"m","id":")",
                               longest, "\"}")),
            absl::StrCat("request \"", longest, "\" m"));
  EXPECT_EQ(Short(absl::StrCat(R"({"jsonrpc":"2.0","method":"m","id":")",
                               longest, "a\"}")),
            "error -32600");
}

TEST(Message, NestedBeyondTheBoundIsNoJson) {
  const auto nested = [](size_t depth) {
    return absl::StrCat(
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":)",
        std::string(depth - 2, '['), std::string(depth - 2, ']'), "}}");
  };
  EXPECT_EQ(Short(nested(kMostDepth)), "request 1 m");
  EXPECT_EQ(Short(nested(kMostDepth + 1)), "error -32700");
  EXPECT_EQ(Short(std::string(100000, '[')), "error -32700");
}

TEST(Message, TextThatIsNoUtf8IsNoJson) {
  EXPECT_EQ(Short("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xFF\"}"),
            "error -32700");
  EXPECT_EQ(Short(R"({"jsonrpc":"2.0","id":1,"method":"\ud800"})"),
            "error -32700");
}

TEST(Message, LinesThatAreMadeAreOneLineAndSafeToPrint) {
  EXPECT_EQ(ResultLine("7", {{"a", "x\ny\x1b[2J"}}),
            "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"a\":\"x\\ny\\u001b[2J"
            "\"}}\n");
  EXPECT_EQ(ErrorLine("\"a\"", {kNotDone, "no\nmore", "{\"b\":1}"}),
            "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32000,"
            "\"message\":\"no\\u000amore\",\"data\":{\"b\":1}}}\n");
  EXPECT_EQ(
      ErrorLine(std::nullopt, {kParseError, "no"}),
      "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no\"}"
      "}\n");
}

}  // namespace
}  // namespace tactus::mcp
