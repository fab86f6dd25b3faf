#include "tools/mcp/text_tools.h"

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/mock/code_points.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"
#include "tools/control/json_rpc.h"
#include "tools/mcp/backend.h"
#include "tools/mcp/definitions.h"
#include "tools/mcp/testing/mock_agent.h"

namespace tactus::mcp {
namespace {

using boost::json::object;
using boost::json::value;

// Answers what it is told to, and keeps what it was asked.
class FakeBackend : public Backend {
 public:
  absl::StatusOr<control::Answer> Call(absl::string_view method,
                                       absl::string_view params,
                                       absl::Duration patience) override {
    asked_.push_back(absl::StrCat(method, " ", params));
    patience_ = patience;
    return answer_;
  }
  absl::StatusOr<std::string> Applications(absl::Duration patience) override {
    return absl::UnavailableError("the registry has gone");
  }

  void Fail(control::Code code, const std::string& message) {
    control::Answer answer;
    answer.error = control::Error{code, message};
    answer_ = std::move(answer);
  }
  void Lose(absl::Status why) { answer_ = std::move(why); }

  const std::vector<std::string>& asked() const { return asked_; }
  absl::Duration patience() const { return patience_; }

 private:
  std::vector<std::string> asked_;
  absl::Duration patience_;
  absl::StatusOr<control::Answer> answer_ = control::Answer();
};

const object& Data(const object& result) {
  return result.at("structuredContent").as_object();
}
std::string Word(const object& data, const char* name) {
  return data.at(name).is_null() ? "null"
                                 : std::string(data.at(name).as_string());
}
// "refused paused ask_user".
std::string Short(const object& result) {
  const object& data = Data(result);
  return absl::StrCat(Word(data, "outcome"), " ", Word(data, "reason"), " ",
                      Word(data, "next_step"));
}

TEST(TextTools, WhatTheBackendRefusedIsARefusedEdit) {
  FakeBackend backend;
  const std::pair<control::Code, const char*> cases[] = {
      {control::Code::kNotConnected, "refused not-connected ask_user"},
      {control::Code::kPaused, "refused paused ask_user"},
      {control::Code::kBusy, "refused busy retry"},
      {control::Code::kTooLate, "refused no-time retry"},
      {control::Code::kStopping, "refused stopping retry"},
      {control::Code::kBadParams, "refused bad-request change_request"},
      {control::Code::kInternal, "refused bad-request change_request"},
  };
  for (const auto& [code, wanted] : cases) {
    backend.Fail(code, "why");
    const object result = CallTool(kInsertTool, {{"text", "a"}}, backend);
    EXPECT_EQ(Short(result), wanted);
    EXPECT_EQ(Word(Data(result), "message"), "Nothing was done: why");
    EXPECT_EQ(Data(result).at("safe_to_retry"), value(true));
    EXPECT_EQ(Data(result).at("field_changed"), value(false));
    EXPECT_EQ(result.at("isError"), value(true));
  }
}

TEST(TextTools, EditWhoseAnswerIsLostIsUnknownAndNeverRepeated) {
  FakeBackend backend;
  backend.Lose(absl::UnavailableError("the daemon has gone"));
  for (const auto& [tool, arguments] :
       {std::pair<const char*, object>{kInsertTool, {{"text", "a"}}},
        {kUndoTool, {}},
        {kReplaceTool, {{"old_text", "a"}, {"new_text", "b"}}}}) {
    const object result = CallTool(tool, arguments, backend);
    EXPECT_EQ(Short(result), "unknown no-reply read_and_compare");
    EXPECT_EQ(Data(result).at("safe_to_retry"), value(false));
    EXPECT_TRUE(Data(result).at("field_changed").is_null());
  }
  EXPECT_EQ(backend.asked().size(), 3u);
}

TEST(TextTools, ReadingThatIsLostBeforeAnEditOfARangeIsRefused) {
  FakeBackend backend;
  backend.Lose(absl::UnavailableError("the daemon has gone"));
  const object result = CallTool(kReplaceTool,
                                 {{"old_text", "a"},
                                  {"new_text", "b"},
                                  {"range", {{"begin", 0}, {"end", 1}}}},
                                 backend);
  EXPECT_EQ(Short(result), "refused no-focus ask_user");
  EXPECT_EQ(backend.asked().size(), 1u);
}

TEST(TextTools, AnswerThatIsNotUnderstoodIsUnknownOfAnEdit) {
  FakeBackend backend;
  EXPECT_EQ(Short(CallTool(kInsertTool, {{"text", "a"}}, backend)),
            "unknown no-reply read_and_compare");
  EXPECT_EQ(CallTool(kReadTool, {}, backend).at("isError"), value(true));
  EXPECT_EQ(CallTool(kApplicationsTool, {}, backend).at("isError"),
            value(true));
}

TEST(TextTools, WhatIsAskedForSaysItsBounds) {
  FakeBackend backend;
  CallTool(kInsertTool,
           {{"text", "\"\n"}, {"allow_paste", false}, {"deadline_ms", 7}},
           backend);
  ASSERT_EQ(backend.asked().size(), 1u);
  EXPECT_EQ(backend.asked()[0],
            R"(text.insert {"text":"\"\n","newlines":false,"paste":false,)"
            R"("max_text":65536,"deadline_ms":7})");
  EXPECT_EQ(backend.patience(), absl::Milliseconds(7));
}

TEST(TextTools, EditThatIsTooLongForTheDaemonIsNeverSent) {
  FakeBackend backend;
  const object result =
      CallTool(kInsertTool, {{"text", std::string(control::kMostRequest, 'a')}},
               backend);
  EXPECT_EQ(Short(result), "refused too-long change_request");
  EXPECT_EQ(backend.asked().size(), 0u);
}

// Of a field as long as can be asked for whose text is longest as JSON.
TEST(TextTools, LongestAnswerIsWithinWhatClientsTake) {
  MockAgent agent(ax::mock::EditorDesktop(std::string(kMostText + 10, '\x1b')));
  ASSERT_TRUE(
      agent.world().Select({"app:100", "/text"}, {0, kMostText + 10}).ok());
  const object result =
      CallTool(kReadTool, {{"max_text", kMostText}, {"context", kMostContext}},
               agent.backend());
  EXPECT_EQ(Data(result).at("window").at("end").as_int64() -
                Data(result).at("window").at("begin").as_int64(),
            kMostText);
  EXPECT_LT(boost::json::serialize(result).size(), size_t{6} << 20);
}

TEST(TextTools, SnapshotOfAWindowIsGoodForAnEdit) {
  std::string text;
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&text, i, " ");
  MockAgent agent(ax::mock::EditorDesktop(text),
                  absl::StrCat(testing::TempDir(), "/undo.window"));
  const object read = CallTool(kReadTool, {{"max_text", 100}}, agent.backend());
  EXPECT_EQ(Data(read).at("whole"), value(false));
  const value token = Data(read).at("snapshot").at("token");
  EXPECT_EQ(
      Short(CallTool(
          kReplaceTool,
          {{"old_text", "999"}, {"new_text", "nine"}, {"snapshot", token}},
          agent.backend())),
      "verified none continue");
  // The token's life ends where the text changes.
  EXPECT_EQ(
      Short(CallTool(
          kReplaceTool,
          {{"old_text", "998"}, {"new_text", "eight"}, {"snapshot", token}},
          agent.backend())),
      "refused text-changed read_again");
}

TEST(TextTools, DivergedEditTellsItsTextsAsUntrusted) {
  MockAgent agent(ax::mock::EditorDesktop("hello"),
                  absl::StrCat(testing::TempDir(), "/undo.diverged"));
  // The user types in the moment of the write.
  const ax::Element field{"app:100", "/text"};
  agent.world().AddListener([&, typed = false](const ax::Event& event) mutable {
    if (event.kind != ax::Event::Kind::kTextChanged || typed) return;
    typed = true;
    agent.world().Mutable(field)->text.append(U"?");
  });
  const object result =
      CallTool(kInsertTool, {{"text", " there"}}, agent.backend());
  EXPECT_EQ(Short(result), "diverged other ask_user");
  EXPECT_EQ(Data(result).at("field_changed"), value(true));
  EXPECT_EQ(Data(result).at("safe_to_retry"), value(false));
  const object& untrusted = Data(result).at("untrusted").as_object();
  EXPECT_EQ(Word(untrusted, "before"), "hello");
  EXPECT_EQ(Word(untrusted, "expected"), "hello there");
  EXPECT_EQ(Word(untrusted, "after"), "hello there?");
}

TEST(TextTools, EveryOutcomeHasANextStep) {
  EXPECT_EQ(NextStep("verified", "none"), "continue");
  EXPECT_EQ(NextStep("failed", "rejected"), "retry");
  EXPECT_EQ(NextStep("diverged", "typed-over"), "ask_user");
  EXPECT_EQ(NextStep("unknown", "not-landed"), "read_and_compare");
  EXPECT_EQ(NextStep("refused", "stale"), "read_again");
  EXPECT_EQ(NextStep("refused", "newline"), "change_request");
  EXPECT_EQ(NextStep("refused", "clipboard"), "retry");
}

}  // namespace
}  // namespace tactus::mcp
