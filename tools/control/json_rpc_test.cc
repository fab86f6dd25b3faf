#include "tools/control/json_rpc.h"

#include <boost/json.hpp>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

// What a request that is wrong is answered is in
// tools/tactusd/dispatcher_test.cc, line by line.

namespace tactus::control {
namespace {

TEST(JsonRpcTest, RequestIsRead) {
  const auto read = ReadRequest(
      R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"n":1}})");
  const auto* request = std::get_if<Request>(&read);
  ASSERT_NE(request, nullptr);
  EXPECT_EQ(request->id, "\"a\"");
  EXPECT_EQ(request->method, "m");
  EXPECT_EQ(boost::json::serialize(*request->params), R"({"n":1})");
}

TEST(JsonRpcTest, NestingIsAllowedToItsBoundAndNoFurther) {
  const auto nested = [](int depth) {
    return absl::StrCat(
        R"({"jsonrpc":"2.0","id":1,"method":"m","params":{"a":)",
        std::string(depth, '['), std::string(depth, ']'), "}}");
  };
  const int most = static_cast<int>(kMostDepth) - 2;
  EXPECT_TRUE(std::holds_alternative<Request>(ReadRequest(nested(most))));
  const auto read = ReadRequest(nested(most + 1));
  const auto* fault = std::get_if<Fault>(&read);
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->error.code, Code::kParse);
}

TEST(JsonRpcTest, IdIsAllowedToItsBoundAndNoFurther) {
  const auto with = [](size_t bytes) {
    return absl::StrCat(R"({"jsonrpc":"2.0","method":"m","id":")",
                        std::string(bytes, 'a'), "\"}");
  };
  EXPECT_TRUE(std::holds_alternative<Request>(ReadRequest(with(kMostId - 2))));
  EXPECT_TRUE(std::holds_alternative<Fault>(ReadRequest(with(kMostId - 1))));
}

TEST(JsonRpcTest, TextThatIsNoUtf8IsNoJson) {
  for (const char* text : {"\"\xff\"", "\"\\ud800\"", "\"\xed\xa0\x80\""}) {
    const auto read = ReadRequest(
        absl::StrCat(R"({"jsonrpc":"2.0","id":1,"method":)", text, "}"));
    EXPECT_TRUE(std::holds_alternative<Fault>(read)) << text;
  }
}

TEST(JsonRpcTest, QuotedIsSafeToPrintAndReadsBack) {
  const std::string text = "a\"\\\n\x1b\x7f\u202e\u00e9\U0001f642";
  const std::string quoted = Quoted(text);
  EXPECT_EQ(quoted,
            "\"a\\\"\\\\\\u000a\\u001b\\u007f\\u202e\u00e9\U0001f642\"");
  EXPECT_EQ(boost::json::parse(quoted), boost::json::value(text));
  EXPECT_EQ(Quoted("\xff"), "\"\uFFFD\"");
}

TEST(JsonRpcTest, WhatTheDaemonSendsIsReadBack) {
  absl::StatusOr<Answer> answer = ReadAnswer(ResultLine("7", R"({"a":1})"));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->id, "7");
  EXPECT_FALSE(answer->error.has_value());
  EXPECT_EQ(boost::json::serialize(*answer->result), R"({"a":1})");

  answer = ReadAnswer(ErrorLine(
      "\"b\"", {Code::kNotRead, "why", absl::NotFoundError("nothing")}));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->id, "\"b\"");
  ASSERT_TRUE(answer->error.has_value());
  EXPECT_EQ(answer->error->code, Code::kNotRead);
  EXPECT_EQ(answer->error->message, "why");
  EXPECT_EQ(answer->error->status, absl::NotFoundError("nothing"));
  EXPECT_EQ(answer->result, nullptr);

  answer = ReadAnswer(NotificationLine("text.changed", R"({"watch":1})"));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->method, "text.changed");
  EXPECT_EQ(boost::json::serialize(*answer->params), R"({"watch":1})");
}

TEST(JsonRpcTest, EveryStatusIsReadBack) {
  for (int i = 1; i <= 16; ++i) {
    const absl::Status status(static_cast<absl::StatusCode>(i), "m");
    const absl::StatusOr<Answer> answer =
        ReadAnswer(ErrorLine("1", {Code::kNotConnected, "m", status}));
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(answer->error->status, status);
  }
}

TEST(JsonRpcTest, WhatIsNoAnswerIsDataLoss) {
  for (const char* line :
       {"", "7", "[]", "{}", R"({"id":1,"error":7})", R"({"id":[],"result":1})",
        R"({"id":1,"error":{"code":"a","message":"b"}})", R"({"method":"m"})",
        R"({"method":"m","params":[]})"}) {
    EXPECT_TRUE(absl::IsDataLoss(ReadAnswer(line).status())) << line;
  }
}

}  // namespace
}  // namespace tactus::control
