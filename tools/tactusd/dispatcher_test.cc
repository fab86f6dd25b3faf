#include "tools/tactusd/dispatcher.h"

#include <stdlib.h>

#include <boost/json.hpp>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/mock/code_points.h"
#include "ax/mock/world.h"
#include "ax/types/types.h"
#include "gtest/gtest.h"
#include "tools/tactus/undo_store.h"
#include "tools/tactusd/lane.h"
#include "tools/tactusd/methods.h"
#include "tools/tactusd/testing/mock_daemon.h"

namespace tactus::daemon {
namespace {

using Lines = std::vector<std::string>;

std::string Request(int id, const std::string& method,
                    const std::string& params = "{}") {
  return absl::StrCat(R"({"jsonrpc":"2.0","id":)", id, R"(,"method":")", method,
                      R"(","params":)", params, "}");
}

// "1 verified none", "2 error -32003": of each line, what it is and says.
std::string Short(const std::string& line) {
  const auto after = [&line](const std::string& key) -> std::string {
    const size_t at = line.find(key);
    if (at == std::string::npos) return "";
    const size_t begin = at + key.size();
    return line.substr(begin, line.find_first_of(",}\"", begin) - begin);
  };
  const std::string id = after(R"("id":)");
  if (const std::string code = after(R"("error":{"code":)"); !code.empty()) {
    return absl::StrCat(id, " error ", code);
  }
  if (const std::string outcome = after(R"("outcome":")"); !outcome.empty()) {
    return absl::StrCat(id, " ", outcome, " ", after(R"("reason":")"));
  }
  return line.substr(0, line.size() - 1);
}

Lines Shorts(const Lines& lines) {
  Lines all;
  for (const std::string& line : lines) all.push_back(Short(line));
  return all;
}

class DispatcherTest : public testing::Test {
 protected:
  DispatcherTest()
      : folder_(absl::StrCat(
            testing::TempDir(), "/undo.",
            testing::UnitTest::GetInstance()->current_test_info()->name())),
        daemon_(ax::mock::EditorDesktop("hello"), folder_) {
    daemon_.Open(1);
  }

  // What one request is answered, when all is done.
  Lines Ask(const std::string& line, int client = 1) {
    daemon_.Line(client, line);
    daemon_.RunAll();
    return daemon_.Told(client);
  }
  std::string Held() {
    return ax::mock::EncodeUtf8(daemon_.world().Find(field_)->text);
  }

  const std::string folder_;
  MockDaemon daemon_;
  const ax::Element field_{"app:100", "/text"};
};

TEST_F(DispatcherTest, SnapshotIsAnsweredExactly) {
  const Lines told = Ask(Request(1, "text.snapshot"));
  ASSERT_EQ(told.size(), 1u);
  // The token is a digest of the rest.
  const size_t token = told[0].find(R"("token":")");
  ASSERT_NE(token, std::string::npos);
  const size_t notes = told[0].find(R"(,"notes")");
  EXPECT_EQ(
      told[0].substr(0, token),
      R"({"jsonrpc":"2.0","id":1,"result":{"snapshot":{)"
      R"("schema":"tactus.snapshot/1","value":"hello","value_status":null,)"
      R"("value_exact":true,"window":{"begin":0,"end":5},"whole":true,)"
      R"("character_count":5,"caret":5,"selection":{"begin":5,"end":5},)"
      R"("selected_text":"","context_before":"hello","context_after":"",)"
      R"("role":{"kind":"text-area","native":"text"},"secure":false,)"
      R"("strategy":"range-edit","ambiguous":false,"secure_beside":false,)"
      R"("value_settable":true,)"
      R"("selection_settable":true,"states":["focused","showing",)"
      R"("visible","editable","enabled","multi_line","supports_text",)"
      R"("supports_editing"],"application":{"id":"app:100","name":"editor",)"
      R"("pid":100,"toolkit":"mock","toolkit_version":"1"},)"
      R"("element":{"application":"app:100","path":"/text"},)"
      R"("route":"system-wide","system_wide_status":null,)");
  EXPECT_EQ(told[0].substr(notes),
            R"(,"notes":[],"errors":{},"connect_us":0,"elapsed_us":0,)"
            R"("traffic":{"flights":4,"calls":11,"bytes":1133,)"
            R"("connections":2}}}})"
            "\n");
}

TEST_F(DispatcherTest, FormForPeopleComesOnlyWhenAskedFor) {
  EXPECT_FALSE(
      absl::StrContains(Ask(Request(1, "text.snapshot"))[0], "\"people\""));
  EXPECT_TRUE(absl::StrContains(
      Ask(Request(2, "text.snapshot", R"({"people":true})"))[0],
      R"("people":"application  editor, process 100)"));
}

TEST_F(DispatcherTest, EditIsCarriedOutAndProved) {
  EXPECT_EQ(
      Shorts(Ask(Request(1, "text.replace",
                         R"({"text":"EL","range":{"begin":1,"end":3}})"))),
      Lines{"1 verified none"});
  EXPECT_EQ(Held(), "hELlo");
  EXPECT_EQ(Shorts(Ask(Request(2, "text.insert", R"({"text":"!"})"))),
            Lines{"2 verified none"});
  EXPECT_EQ(Held(), "hEL!lo");
  EXPECT_EQ(Shorts(Ask(Request(3, "text.set", R"({"text":"new"})"))),
            Lines{"3 verified none"});
  EXPECT_EQ(Held(), "new");
  EXPECT_EQ(
      Shorts(Ask(Request(4, "text.replace", R"({"text":"o","old":"e"})"))),
      Lines{"4 verified none"});
  EXPECT_EQ(Held(), "now");
}

TEST_F(DispatcherTest, UndoTakesTheLastEditBackOnce) {
  Ask(Request(1, "text.set", R"({"text":"other"})"));
  EXPECT_EQ(Shorts(Ask(Request(2, "text.undo"))), Lines{"2 verified none"});
  EXPECT_EQ(Held(), "hello");
  EXPECT_EQ(Shorts(Ask(Request(3, "text.undo"))),
            Lines{"3 refused nothing-to-undo"});
}

TEST_F(DispatcherTest, TextThatChangedSinceIsRefused) {
  EXPECT_EQ(Shorts(Ask(Request(1, "text.set",
                               R"({"text":"new","expect":"another"})"))),
            Lines{"1 refused text-changed"});
  EXPECT_EQ(Held(), "hello");
}

TEST_F(DispatcherTest, EachLineThatIsWrongIsAnsweredByWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "null error -32700"},
      {"nonsense", "null error -32700"},
      {"[]", "null error -32600"},
      {"[" + Request(1, "status") + "]", "null error -32600"},
      {"7", "null error -32600"},
      {R"({"id":1,"method":"status"})", "1 error -32600"},
      {R"({"jsonrpc":"1.0","id":1,"method":"status"})", "1 error -32600"},
      {R"({"jsonrpc":"2.0","id":1})", "1 error -32600"},
      {R"({"jsonrpc":"2.0","id":1,"method":7})", "1 error -32600"},
      {R"({"jsonrpc":"2.0","id":null,"method":"status"})", "null error -32600"},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"status"})", "null error -32600"},
      {R"({"jsonrpc":"2.0","id":[1],"method":"status"})", "null error -32600"},
      {R"({"jsonrpc":"2.0","id":1,"method":"status","more":1})",
       "1 error -32600"},
      {R"({"jsonrpc":"2.0","id":1,"method":"status","params":[]})",
       "1 error -32602"},
      {Request(1, "status", R"({"a":1})"), "1 error -32602"},
      {Request(1, "nothing"), "1 error -32601"},
      {Request(1, "peers.list"), "1 error -32601"},
      {Request(1, "files.send"), "1 error -32601"},
      {Request(1, "approve"), "1 error -32601"},
      {Request(1, "text.snapshot", R"({"deadline_ms":0})"), "1 error -32602"},
      {Request(1, "text.snapshot", R"({"deadline_ms":60001})"),
       "1 error -32602"},
      {Request(1, "text.snapshot", R"({"max_text":"9"})"), "1 error -32602"},
      {Request(1, "text.insert"), "1 error -32602"},
      {Request(1, "text.insert", R"({"text":7})"), "1 error -32602"},
      {Request(1, "text.insert", R"({"text":"a","range":{}})"),
       "1 error -32602"},
      {Request(1, "text.replace",
               R"({"text":"a","range":{"begin":2,"end":1}})"),
       "1 error -32602"},
      {Request(1, "text.replace",
               R"({"text":"a","old":"b","range":{"begin":1,"end":2}})"),
       "1 error -32602"},
      {Request(1, "text.set", R"({"text":"a","snapshot":"t1.x"})"),
       "1 error -32602"},
      {Request(1, "text.stream"), "1 error -32602"},
      {Request(1, "text.stream", R"({"partial":"a","final":"b"})"),
       "1 error -32602"},
      {Request(1, "text.stream", R"({"cancel":false})"), "1 error -32602"},
      {Request(1, "text.unwatch", R"({"watch":1})"), "1 error -32602"},
      {Request(1, "$/cancel", R"({"id":1})"), "1 error -32600"},
      {std::string(20, '[') + std::string(20, ']'), "null error -32700"},
  };
  for (const auto& [line, answer] : cases) {
    EXPECT_EQ(Shorts(Ask(line)), Lines{answer}) << line;
  }
  EXPECT_EQ(Held(), "hello");
  EXPECT_EQ(daemon_.dispatcher().Pending(1), 0u);
}

TEST_F(DispatcherTest, ParameterThatIsNotKnownIsNamed) {
  EXPECT_EQ(Ask(Request(1, "text.undo", R"({"pastee":true})")),
            Lines{R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,)"
                  R"("message":"there is no parameter \"pastee\" here"}})"
                  "\n"});
}

TEST_F(DispatcherTest, IdIsGivenBackAsItCame) {
  EXPECT_EQ(
      Ask(R"({"jsonrpc":"2.0","id":"a\u001b\"","method":"nothing"})")[0].substr(
          0, 34),
      R"({"jsonrpc":"2.0","id":"a\u001b\"",)");
}

TEST_F(DispatcherTest, NotificationDoesNothingAndIsNotAnswered) {
  EXPECT_EQ(Ask(R"({"jsonrpc":"2.0","method":"text.set",)"
                R"("params":{"text":"new"}})"),
            Lines());
  EXPECT_EQ(Held(), "hello");
}

TEST_F(DispatcherTest, SameIdTwiceAtOnceIsRefused) {
  daemon_.Line(1, Request(1, "text.snapshot"));
  daemon_.Line(1, Request(1, "text.snapshot"));
  EXPECT_EQ(Shorts(daemon_.Told(1)), Lines{"1 error -32600"});
  daemon_.RunAll();
  EXPECT_EQ(daemon_.Told(1).size(), 1u);
}

TEST_F(DispatcherTest, RequestThatWaitsCanBeCancelledAndIsNotBegun) {
  daemon_.Line(1, Request(1, "text.set", R"({"text":"one"})"));
  daemon_.Line(1, Request(2, "text.set", R"({"text":"two"})"));
  daemon_.Line(1, R"({"jsonrpc":"2.0","method":"$/cancel","params":{"id":2}})");
  EXPECT_EQ(Shorts(daemon_.Told(1)), Lines{"2 error -32005"});
  daemon_.RunAll();
  EXPECT_EQ(Shorts(daemon_.Told(1)), Lines{"1 verified none"});
  EXPECT_EQ(Held(), "one");
}

TEST_F(DispatcherTest, RequestOfAnotherClientCannotBeCancelled) {
  daemon_.Open(2);
  daemon_.Line(1, Request(1, "text.set", R"({"text":"one"})"));
  daemon_.Line(2, R"({"jsonrpc":"2.0","method":"$/cancel","params":{"id":1}})");
  daemon_.RunAll();
  EXPECT_EQ(Shorts(daemon_.Told(1)), Lines{"1 verified none"});
}

TEST_F(DispatcherTest, WhatWaitsOfAClientThatGoesIsNotBegun) {
  daemon_.Line(1, Request(1, "text.set", R"({"text":"one"})"));
  daemon_.Close(1);
  daemon_.RunAll();
  EXPECT_EQ(Held(), "hello");
  EXPECT_EQ(daemon_.Told(1), Lines());
}

TEST_F(DispatcherTest, ClientThatGoesInMidEditKeepsItsUndoAndIsLogged) {
  // The first message of the edit is when it goes.
  ASSERT_TRUE(daemon_.source().Get(daemon_.clock().Now()).ok());
  daemon_.source().writer().BetweenMessages(
      [this](ax::mock::World&, int message) {
        if (message == 0) daemon_.Close(1);
      });
  Ask(Request(1, "text.set", R"({"text":"one"})"));
  EXPECT_EQ(Held(), "one");
  EXPECT_EQ(daemon_.Told(1), Lines());
  EXPECT_EQ(daemon_.logged(),
            (Lines{"edit: verified, none, by whole-value, 0 ms",
                   "client 1 went before its edit ended"}));
  daemon_.Open(2);
  EXPECT_EQ(Shorts(Ask(Request(1, "text.undo"), 2)), Lines{"1 verified none"});
  EXPECT_EQ(Held(), "hello");
}

TEST_F(DispatcherTest, LogHoldsNoText) {
  Ask(Request(1, "text.set", R"({"text":"geheim"})"));
  Ask(Request(2, "text.set", R"({"text":"x","expect":"sesam"})"));
  Ask(Request(3, "text.stream", R"({"final":"geheim"})"));
  ASSERT_EQ(daemon_.logged().size(), 3u);
  for (const std::string& line : daemon_.logged()) {
    for (const char* word : {"geheim", "sesam", "hello"}) {
      EXPECT_FALSE(absl::StrContains(line, word)) << line;
    }
  }
}

TEST_F(DispatcherTest, RequestWhoseDeadlineCameWhileItWaitedIsNotBegun) {
  daemon_.Line(1, Request(1, "text.snapshot", R"({"deadline_ms":100})"));
  daemon_.Line(1, Request(2, "text.set", R"({"text":"a","deadline_ms":100})"));
  daemon_.clock().Advance(absl::Milliseconds(100));
  daemon_.RunAll();
  EXPECT_EQ(Shorts(daemon_.Told(1)),
            (Lines{"1 error -32006", "2 refused no-time"}));
  EXPECT_EQ(Held(), "hello");
}

TEST_F(DispatcherTest, ClientWithTooMuchUnderWayIsTold) {
  for (size_t i = 0; i < Dispatcher::kMostPending; ++i) {
    daemon_.Line(1, Request(static_cast<int>(i), "text.snapshot"));
  }
  EXPECT_EQ(daemon_.Told(1), Lines());
  EXPECT_EQ(Shorts(Ask(Request(99, "status")))[0], "99 error -32004");
}

TEST_F(DispatcherTest, LaneThatIsFullIsTold) {
  for (int i = 0; i < 64; ++i) {
    const int client = 2 + i / 32;
    daemon_.Open(client);
    daemon_.Line(client, Request(i, "text.snapshot"));
  }
  EXPECT_EQ(Lane::kMostWaiting, 64u);
  daemon_.Line(1, Request(1, "text.snapshot"));
  EXPECT_EQ(Shorts(daemon_.Told(1)), Lines{"1 error -32004"});
}

TEST_F(DispatcherTest, StreamIsWrittenInPlace) {
  EXPECT_EQ(Shorts(Ask(Request(1, "text.stream", R"({"partial":" wor"})"))),
            Lines{"1 verified none"});
  EXPECT_EQ(Held(), "hello wor");
  EXPECT_EQ(Shorts(Ask(Request(2, "text.stream", R"({"partial":" world"})"))),
            Lines{"2 verified none"});
  EXPECT_EQ(Held(), "hello world");
  const Lines last = Ask(Request(3, "text.stream", R"({"final":" World."})"));
  EXPECT_EQ(Shorts(last), Lines{"3 verified none"});
  EXPECT_TRUE(absl::EndsWith(
      last[0], "\"answers\":\"final\"},\"holding\":false,\"ended\":false}}\n"));
  EXPECT_EQ(Held(), "hello World.");
  EXPECT_EQ(Shorts(Ask(Request(4, "text.undo"))), Lines{"4 verified none"});
  EXPECT_EQ(Held(), "hello");
}

TEST_F(DispatcherTest, PartialThatWaitsIsSupersededByALaterText) {
  daemon_.Line(1, Request(1, "text.stream", R"({"partial":"a"})"));
  daemon_.Line(1, Request(2, "text.stream", R"({"partial":"ab"})"));
  daemon_.Line(1, Request(3, "text.stream", R"({"final":"abc"})"));
  EXPECT_EQ(Shorts(daemon_.Told(1)),
            (Lines{"1 refused superseded", "2 refused superseded"}));
  daemon_.RunAll();
  EXPECT_EQ(Shorts(daemon_.Told(1)), Lines{"3 verified none"});
  EXPECT_EQ(Held(), "helloabc");
}

TEST_F(DispatcherTest, PartialThatIsCancelledIsWrittenFirst) {
  daemon_.Line(1, Request(1, "text.stream", R"({"partial":"a"})"));
  daemon_.Line(1, Request(2, "text.stream", R"({"cancel":true})"));
  daemon_.RunAll();
  EXPECT_EQ(Shorts(daemon_.Told(1)),
            (Lines{"1 verified none", "2 verified none"}));
  EXPECT_EQ(Held(), "hello");
}

TEST_F(DispatcherTest, EndMakesTheLastPartialFinalAndBeginsAnew) {
  Ask(Request(1, "text.stream", R"({"partial":" a"})"));
  const Lines end = Ask(Request(2, "text.stream", R"({"end":true})"));
  EXPECT_EQ(Shorts(end), Lines{"2 verified none"});
  EXPECT_EQ(Ask(Request(3, "text.stream", R"({"end":true})")),
            Lines{R"({"jsonrpc":"2.0","id":3,"result":{"edit":null,)"
                  R"("holding":false,"ended":true}})"
                  "\n"});
  EXPECT_EQ(Shorts(Ask(Request(4, "text.undo"))), Lines{"4 verified none"});
  EXPECT_EQ(Held(), "hello");
}

TEST_F(DispatcherTest, LastPartialOfAClientThatGoesCanBeUndone) {
  Ask(Request(1, "text.stream", R"({"partial":" a"})"));
  Ask(Request(2, "text.stream", R"({"partial":" ab"})"));
  daemon_.Close(1);
  daemon_.RunAll();
  EXPECT_EQ(Held(), "hello ab");
  daemon_.Open(2);
  EXPECT_EQ(Shorts(Ask(Request(1, "text.undo"), 2)), Lines{"1 verified none"});
  EXPECT_EQ(Held(), "hello");
}

TEST_F(DispatcherTest, StreamThatWroteNothingKeepsNothingToUndo) {
  Ask(Request(1, "text.set", R"({"text":"one"})"));
  // By another process.
  ASSERT_TRUE(cli::UndoStore(folder_).Clear().ok());
  ASSERT_TRUE(daemon_.world().SetSecure(field_, true).ok());
  EXPECT_EQ(Shorts(Ask(Request(2, "text.stream", R"({"final":"a"})"))),
            Lines{"2 refused secure"});
  ASSERT_TRUE(daemon_.world().SetSecure(field_, false).ok());
  EXPECT_EQ(Shorts(Ask(Request(3, "text.undo"))),
            Lines{"3 refused nothing-to-undo"});
}

TEST_F(DispatcherTest, UserWhoEditsEndsTheStream) {
  Ask(Request(1, "text.stream", R"({"partial":" a"})"));
  ASSERT_TRUE(daemon_.world().Type(field_, "x").ok());
  const Lines told = Ask(Request(2, "text.stream", R"({"partial":" ab"})"));
  EXPECT_EQ(Shorts(told), Lines{"2 refused text-changed"});
  EXPECT_TRUE(absl::EndsWith(told[0], "\"ended\":true}}\n"));
  EXPECT_EQ(Shorts(Ask(Request(3, "text.stream", R"({"final":" ab"})"))),
            Lines{"3 refused ended"});
  EXPECT_EQ(Held(), "hello ax");
}

TEST_F(DispatcherTest, StreamEndsWithTheConnectionThatItBeganOn) {
  Ask(Request(1, "text.stream", R"({"partial":" a"})"));
  daemon_.source().Lose(absl::UnavailableError("the bus ended"));
  EXPECT_EQ(Shorts(Ask(Request(2, "text.stream", R"({"partial":" b"})"))),
            Lines{"2 error -32001"});
  daemon_.source().Find();
  EXPECT_EQ(Shorts(Ask(Request(3, "text.stream", R"({"partial":" b"})"))),
            Lines{"3 refused ended"});
  // The partial that stands there was never made final.
  EXPECT_EQ(Shorts(Ask(Request(4, "text.stream", R"({"end":true})"))),
            Lines{"4 refused ended"});
  EXPECT_EQ(Shorts(Ask(Request(5, "text.stream", R"({"final":" b"})"))),
            Lines{"5 verified none"});
  EXPECT_EQ(Held(), "hello a b");
}

TEST_F(DispatcherTest, WithoutADesktopTheReasonIsTold) {
  daemon_.source().Lose(absl::FailedPreconditionError("no bus: start one"));
  const std::string error =
      R"("error":{"code":-32001,"message":"no bus: start one",)"
      R"("data":{"status":{"code":"FAILED_PRECONDITION",)"
      R"("message":"no bus: start one"}}}})"
      "\n";
  for (const char* method : {"text.snapshot", "text.undo", "text.watch"}) {
    EXPECT_EQ(Ask(Request(1, method)),
              Lines{absl::StrCat(R"({"jsonrpc":"2.0","id":1,)", error)});
  }
}

TEST_F(DispatcherTest, NothingInFocusIsNotAFaultOfTheConnection) {
  daemon_.world().set_focused("");
  daemon_.world().mutable_panes().clear();
  const Lines told = Ask(Request(1, "text.snapshot"));
  EXPECT_EQ(Shorts(told), Lines{"1 error -32002"});
  EXPECT_TRUE(absl::StrContains(told[0], R"("code":"NOT_FOUND")"));
  EXPECT_EQ(daemon_.source().doubts(), 0);
}

TEST_F(DispatcherTest, PausedNothingIsReadOrEditedUntilResume) {
  Ask(Request(1, "text.stream", R"({"partial":" a"})"));
  EXPECT_EQ(Ask(Request(2, "pause")),
            Lines{"{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"paused\":"
                  "true}}\n"});
  const size_t messages = daemon_.source().writer().log().size();
  EXPECT_EQ(Shorts(Ask(Request(3, "text.snapshot"))), Lines{"3 error -32003"});
  EXPECT_EQ(Shorts(Ask(Request(4, "text.set", R"({"text":"b"})"))),
            Lines{"4 error -32003"});
  EXPECT_EQ(Shorts(Ask(Request(5, "text.stream", R"({"final":"b"})"))),
            Lines{"5 error -32003"});
  EXPECT_EQ(Shorts(Ask(Request(6, "text.watch"))), Lines{"6 error -32003"});
  EXPECT_TRUE(
      absl::StrContains(Ask(Request(7, "status"))[0], R"("state":"paused")"));
  EXPECT_EQ(Held(), "hello a");
  EXPECT_GT(messages, 0u);
  Ask(Request(8, "resume"));
  EXPECT_EQ(Shorts(Ask(Request(9, "text.set", R"({"text":"b"})"))),
            Lines{"9 verified none"});
}

TEST_F(DispatcherTest, StatusIsToldExactly) {
  daemon_.clock().Advance(absl::Seconds(3));
  EXPECT_EQ(
      Ask(Request(1, "status")),
      Lines{R"({"jsonrpc":"2.0","id":1,"result":{"schema":"tactus.status/1",)"
            R"("version":"1.2.3","pid":7,"state":"connected","why":null,)"
            R"("attempts":0,"accessibility_bus":"mock:","display":null,)"
            R"("uptime_ms":3000,"clients":1,"pending":0,"watches":0,)"
            R"("activated":false,"config":null,"denied":[]}})"
            "\n"});
}

TEST_F(DispatcherTest, WatchTellsTheStartEachChangeAndTheEnd) {
  ax::mock::World& world = daemon_.world();
  world.At(daemon_.clock().Now() + absl::Seconds(1),
           [this](ax::mock::World& w) { w.Type(field_, "!").IgnoreError(); });
  const Lines told =
      Ask(Request(1, "text.watch", R"({"text":true,"for_ms":5000})"));
  ASSERT_EQ(told.size(), 4u);
  EXPECT_EQ(told[0],
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"watch\":1}}\n");
  EXPECT_TRUE(absl::StartsWith(
      told[1],
      R"({"jsonrpc":"2.0","method":"text.changed","params":{"watch":1,)"
      R"("merged":0,"change":{"schema":"tactus.event/1","kind":"focus",)"))
      << told[1];
  EXPECT_TRUE(absl::StrContains(told[2], R"("kind":"text")"));
  EXPECT_TRUE(absl::StrContains(told[2], R"("value":"hello!")"));
  EXPECT_EQ(told[3],
            "{\"jsonrpc\":\"2.0\",\"method\":\"text.watch_ended\",\"params\":{"
            "\"watch\":1,\"status\":null}}\n");
}

TEST_F(DispatcherTest, SlowWatcherIsToldTheSumOfWhatItMissed) {
  daemon_.set_slow(true);
  for (int i = 1; i <= 3; ++i) {
    daemon_.world().At(
        daemon_.clock().Now() + absl::Seconds(i),
        [this](ax::mock::World& w) { w.Type(field_, "!").IgnoreError(); });
  }
  daemon_.Line(1, Request(1, "text.watch", R"({"text":true,"for_ms":9000})"));
  const Lines told = daemon_.Told(1);
  ASSERT_EQ(told.size(), 3u);
  EXPECT_TRUE(absl::StrContains(told[1], R"("merged":3)")) << told[1];
  EXPECT_TRUE(absl::StrContains(told[1], R"("kind":"focus")"));
  EXPECT_TRUE(absl::StrContains(told[1], R"("value":"hello!!!")"));
  EXPECT_TRUE(absl::StrContains(told[2], "text.watch_ended"));
}

TEST_F(DispatcherTest, StoppedItAnswersWhatWaitsAndTakesNothingMore) {
  daemon_.Line(1, Request(1, "text.set", R"({"text":"one"})"));
  daemon_.Line(1, Request(2, "text.snapshot"));
  daemon_.dispatcher().Stop();
  daemon_.Line(1, Request(3, "text.snapshot"));
  daemon_.RunAll();
  Lines told = Shorts(daemon_.Told(1));
  EXPECT_EQ(told,
            (Lines{"2 error -32007", "1 error -32007", "3 error -32007"}));
  EXPECT_EQ(Held(), "hello");
  EXPECT_TRUE(daemon_.dispatcher().Done());
}

TEST(DispatcherDenialTest, NothingOfADeniedApplicationIsAskedFor) {
  MockDaemon daemon(ax::mock::EditorDesktop("hello"), "", {"EDITOR"});
  daemon.Open(1);
  const auto ask = [&daemon](const std::string& line) {
    daemon.Line(1, line);
    daemon.RunAll();
    return daemon.Told(1);
  };
  const Lines read = ask(Request(1, "text.snapshot"));
  EXPECT_EQ(Shorts(read), Lines{"1 error -32002"});
  EXPECT_TRUE(absl::StrContains(read[0], R"("code":"PERMISSION_DENIED")"));
  const Lines edited = ask(Request(2, "text.set", R"({"text":"a"})"));
  EXPECT_EQ(Shorts(edited), Lines{"2 refused no-focus"});
  EXPECT_TRUE(absl::StrContains(edited[0], "denied by the configuration"));
  EXPECT_TRUE(absl::StrContains(
      ask(Request(3, "text.watch", R"({"text":true,"for_ms":100})"))[1],
      R"("kind":"no-focus")"));
  // Who has the keyboard, and no more: one message each.
  EXPECT_EQ(daemon.source().reader().log().size(), 1u);
  EXPECT_EQ(daemon.source().writer().log().size(), 1u);
  EXPECT_TRUE(absl::StrContains(ask(Request(4, "status"))[0],
                                R"("denied":["EDITOR"])"));
}

TEST(DispatcherModules, MethodsThatModulesAddedAreAnsweredAsItsOwn) {
  Methods methods;
  methods.AddBrief("m.brief", [](const boost::json::object& params) -> Reply {
    return absl::StrCat("{\"given\":", params.size(), "}");
  });
  methods.AddLong("m.long",
                  [](const boost::json::object&, Session& session) -> Reply {
                    session.Tell("m.begun", "{}");
                    if (!session.status().ok()) return "{}";
                    return NotDone(absl::NotFoundError("no such thing"));
                  });
  methods.Refuse("m.", absl::FailedPreconditionError("no folder"));
  methods.AddStatus("moving", [] { return "[1]"; });
  methods.AddStatus("moving", [] { return "[2]"; });
  methods.AddStatus("other", [] { return "null"; });
  MockDaemon daemon(ax::mock::EditorDesktop("hello"), "", {}, &methods);
  daemon.Open(1);
  const auto ask = [&daemon](const std::string& line) {
    daemon.Line(1, line);
    daemon.RunAll();
    return daemon.Told(1);
  };
  EXPECT_EQ(ask(Request(1, "m.brief", R"({"a":1,"b":2})")),
            Lines{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"given\":2}}\n"});
  EXPECT_EQ(ask(Request(2, "m.long")),
            (Lines{"{\"jsonrpc\":\"2.0\",\"method\":\"m.begun\",\"params\":{}}"
                   "\n",
                   R"({"jsonrpc":"2.0","id":2,"error":{"code":-32008,)"
                   R"("message":"no such thing","data":{"status":{"code":)"
                   "\"NOT_FOUND\",\"message\":\"no such thing\"}}}}\n"}));
  EXPECT_EQ(ask(Request(3, "m.none")),
            Lines{R"({"jsonrpc":"2.0","id":3,"error":{"code":-32008,)"
                  R"("message":"no folder","data":{"status":{"code":)"
                  "\"FAILED_PRECONDITION\",\"message\":\"no folder\"}}}}\n"});
  EXPECT_TRUE(absl::StrContains(ask(Request(4, "status"))[0],
                                ",\"denied\":[],\"moving\":[2],\"other\":null}"
                                "}\n"));
  // Unlike a request, a notification does nothing.
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","method":"m.long"})"), Lines{});
}

}  // namespace
}  // namespace tactus::daemon
