#include "tools/control/params.h"

#include <boost/json.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "tools/control/json_rpc.h"

namespace tactus::control {
namespace {

// What is wrong with `json` where `read` asks for what it knows; empty:
// nothing.
std::string Wrong(const char* json, const std::function<void(Params&)>& read) {
  const boost::json::object given = boost::json::parse(json).as_object();
  Params params(given);
  read(params);
  const std::optional<Error> error = params.End();
  if (!error.has_value()) return "";
  EXPECT_EQ(error->code, Code::kBadParams);
  return error->message;
}

TEST(Params, WhatIsGivenIsReadAndWhatIsNotIsLeft) {
  bool flag = false;
  int64_t number = 7;
  absl::Duration wait = absl::Seconds(1);
  std::string text = "default";
  std::vector<std::string> list;
  EXPECT_EQ(Wrong(R"({"flag":true,"wait":250,"list":["a",""]})",
                  [&](Params& params) {
                    params.Flag("flag", &flag);
                    params.Number("number", 1, 9, &number);
                    params.Milliseconds("wait", absl::Seconds(9), &wait);
                    params.String("text", &text);
                    params.Strings("list", 2, &list);
                    EXPECT_TRUE(params.Has("flag"));
                    EXPECT_FALSE(params.Has("number"));
                  }),
            "");
  EXPECT_TRUE(flag);
  EXPECT_EQ(number, 7);
  EXPECT_EQ(wait, absl::Milliseconds(250));
  EXPECT_EQ(text, "default");
  EXPECT_EQ(list, (std::vector<std::string>{"a", ""}));
}

TEST(Params, WhatIsWrongIsNamedWithWhatItMayBe) {
  const auto read = [](Params& params) {
    bool flag = false;
    int64_t number = 0;
    absl::Duration wait;
    std::string text;
    std::vector<std::string> list = {"kept"};
    params.Flag("flag", &flag);
    params.Number("number", 1, 9, &number);
    params.Milliseconds("wait", absl::Seconds(9), &wait);
    params.String("text", &text);
    params.Strings("list", 2, &list);
    EXPECT_EQ(list, std::vector<std::string>{"kept"});
  };
  EXPECT_EQ(Wrong(R"({"flag":1})", read), "\"flag\" must be true or false");
  for (const char* number : {"0", "10", "1.5", "\"1\""}) {
    EXPECT_EQ(
        Wrong((std::string(R"({"number":)") + number + "}").c_str(), read),
        "\"number\" must be an integer from 1 to 9");
  }
  EXPECT_EQ(Wrong(R"({"wait":9001})", read),
            "\"wait\" must be an integer from 1 to 9000");
  EXPECT_EQ(Wrong(R"({"text":null})", read), "\"text\" must be a string");
  for (const char* list : {"[]", "\"a\"", "[\"a\",1]", "[\"a\",\"b\",\"c\"]"}) {
    EXPECT_EQ(Wrong((std::string(R"({"list":)") + list + "}").c_str(), read),
              "\"list\" must be a list of 1 to 2 strings");
  }
  EXPECT_EQ(Wrong(R"({"more":1})", read),
            "there is no parameter \"more\" here");
  // The first that is wrong.
  EXPECT_EQ(Wrong(R"({"text":1,"flag":1})", read),
            "\"flag\" must be true or false");
}

}  // namespace
}  // namespace tactus::control
