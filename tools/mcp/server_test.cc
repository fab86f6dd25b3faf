#include "tools/mcp/server.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tools/mcp/message.h"
#include "tools/mcp/testing/mock_agent.h"

namespace tactus::mcp {
namespace {

using Lines = std::vector<std::string>;

constexpr char kInitialize[] =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})";

std::string Call(const std::string& id, const std::string& tool,
                 const std::string& arguments = "{}") {
  return absl::StrCat(R"({"jsonrpc":"2.0","id":)", id,
                      R"(,"method":"tools/call","params":{"name":")", tool,
                      R"(","arguments":)", arguments, "}}");
}

// "7 verified", "7 error -32000", "7 {}": of each line, what it is.
Lines Shorts(const Lines& lines) {
  Lines all;
  for (const std::string& line : lines) {
    const auto after = [&line](const std::string& key) -> std::string {
      const size_t at = line.find(key);
      if (at == std::string::npos) return "";
      const size_t begin = at + key.size();
      return line.substr(begin, line.find_first_of(",}", begin) - begin);
    };
    const std::string id = after(R"("id":)");
    if (const std::string code = after(R"("error":{"code":)"); !code.empty()) {
      all.push_back(absl::StrCat(id, " error ", code));
    } else if (const std::string outcome = after(R"("outcome":)");
               !outcome.empty()) {
      all.push_back(absl::StrCat(id, " ", outcome));
    } else {
      all.push_back(absl::StrCat(id, " result"));
    }
  }
  return all;
}

class ServerTest : public testing::Test {
 protected:
  ServerTest()
      : agent_(ax::mock::EditorDesktop("hello"),
               absl::StrCat(testing::TempDir(), "/undo.",
                            testing::UnitTest::GetInstance()
                                ->current_test_info()
                                ->name())) {
    agent_.Ask(kInitialize);
  }

  void Say(const std::string& line) { agent_.server().Line(line); }
  Lines Told() { return Shorts(agent_.Told()); }

  MockAgent agent_;
};

TEST_F(ServerTest, CallsAreCarriedOutInTheirOrderAndPingsAtOnce) {
  Say(Call("1", "read_focused_text"));
  Say(Call("2", "insert_text", R"({"text":"!"})"));
  Say(R"({"jsonrpc":"2.0","id":3,"method":"ping"})");
  EXPECT_EQ(Told(), (Lines{"3 result"}));
  agent_.RunAll();
  EXPECT_EQ(Told(), (Lines{"1 result", "2 \"verified\""}));
}

TEST_F(ServerTest, CancelledCallIsNeitherCarriedOutNorAnswered) {
  Say(Call("1", "insert_text", R"({"text":"a"})"));
  Say(Call("\"1\"", "insert_text", R"({"text":"b"})"));
  Say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}})");
  agent_.RunAll();
  EXPECT_EQ(Told(), (Lines{"1 \"verified\""}));
  const Lines read = agent_.Ask(Call("2", "read_focused_text"));
  ASSERT_EQ(read.size(), 1u);
  EXPECT_TRUE(absl::StrContains(read[0], R"("text":"helloa")")) << read[0];
}

TEST_F(ServerTest, CancellationOfWhatIsNotThereDoesNothing) {
  Say(Call("1", "insert_text", R"({"text":"a"})"));
  for (const char* params :
       {"{}", R"({"requestId":2})", R"({"requestId":null})",
        R"({"requestId":{}})", R"({"requestId":1.5})"}) {
    Say(absl::StrCat(
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":)",
        params, "}"));
  }
  agent_.RunAll();
  EXPECT_EQ(Told(), (Lines{"1 \"verified\""}));
}

TEST_F(ServerTest, CancelledIdMayBeUsedAgain) {
  Say(Call("1", "insert_text", R"({"text":"a"})"));
  Say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  Say(Call("1", "insert_text", R"({"text":"b"})"));
  agent_.RunAll();
  EXPECT_EQ(Told(), (Lines{"1 \"verified\""}));
}

TEST_F(ServerTest, IdThatIsUnderWayIsRefusedAndTheFirstCallAnswered) {
  Say(Call("1", "insert_text", R"({"text":"a"})"));
  Say(Call("1", "insert_text", R"({"text":"b"})"));
  EXPECT_EQ(Told(), (Lines{"1 error -32600"}));
  agent_.RunAll();
  EXPECT_EQ(Told(), (Lines{"1 \"verified\""}));
}

TEST_F(ServerTest, CallsBeyondTheBoundAreRefusedAtOnce) {
  for (size_t i = 0; i < Server::kMostPending + 1; ++i) {
    Say(Call(absl::StrCat(i), "undo_edit"));
  }
  EXPECT_EQ(Told(),
            (Lines{absl::StrCat(Server::kMostPending, " error -32000")}));
  agent_.RunAll();
  EXPECT_EQ(Told().size(), Server::kMostPending);
}

TEST_F(ServerTest, StoppedItRefusesWhatWaitsAndWhatComes) {
  Say(Call("1", "insert_text", R"({"text":"a"})"));
  agent_.server().Stop();
  EXPECT_EQ(Told(), (Lines{"1 error -32000"}));
  Say(Call("2", "insert_text", R"({"text":"b"})"));
  Say(R"({"jsonrpc":"2.0","id":3,"method":"ping"})");
  agent_.RunAll();
  EXPECT_EQ(Told(), (Lines{"2 error -32000", "3 result"}));
}

TEST_F(ServerTest, AtTheEndOfInputWhatWaitsIsDone) {
  Say(Call("1", "insert_text", R"({"text":"a"})"));
  agent_.server().End();
  agent_.server().Run();
  EXPECT_EQ(Told(), (Lines{"1 \"verified\""}));
}

TEST_F(ServerTest, LongLineIsToldWithoutAnId) {
  agent_.server().LongLine();
  EXPECT_EQ(agent_.Told(),
            (Lines{absl::StrCat(
                "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":"
                "\"the line is longer than ",
                kMostLine, " bytes\"}}\n")}));
}

TEST_F(ServerTest, CarriageReturnBeforeTheEndOfALineIsNoPartOfIt) {
  Say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r");
  Say("\r");
  EXPECT_EQ(Told(), (Lines{"1 result"}));
}

TEST_F(ServerTest, NothingThatIsWrittenOrReadIsLogged) {
  agent_.Ask(Call("1", "insert_text", R"({"text":"geheim"})"));
  agent_.Ask(Call("2", "read_focused_text"));
  ASSERT_FALSE(agent_.logged().empty());
  for (const std::string& line : agent_.logged()) {
    EXPECT_FALSE(absl::StrContains(line, "geheim")) << line;
    EXPECT_FALSE(absl::StrContains(line, "hello")) << line;
  }
}

}  // namespace
}  // namespace tactus::mcp
