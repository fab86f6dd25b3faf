#include "transfer/mcp/id_scanner.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace tactus::transfer {
namespace {

// Each line as "request 7", "response 7", "notification", "too long" or "-".
std::vector<std::string> Scan(absl::string_view bytes, size_t chunk) {
  std::vector<std::string> lines;
  const auto keep = [&lines](const ScannedLine& line) {
    if (line.id_too_long) {
      lines.push_back("too long");
    } else if (line.is_request()) {
      lines.push_back(absl::StrCat("request ", line.id));
    } else if (line.is_response()) {
      lines.push_back(absl::StrCat("response ", line.id));
    } else {
      lines.push_back(line.has_method ? "notification" : "-");
    }
  };
  IdScanner scanner;
  for (size_t at = 0; at < bytes.size(); at += chunk) {
    scanner.Feed(bytes.substr(at, chunk), keep);
  }
  scanner.End(keep);
  return lines;
}

// Of one line, the same however it is cut.
std::string Short(absl::string_view line) {
  const std::vector<std::string> whole = Scan(line, line.size());
  for (size_t chunk = 1; chunk < 8; ++chunk) {
    EXPECT_EQ(Scan(line, chunk), whole) << line;
  }
  EXPECT_EQ(whole.size(), 1u) << line;
  return whole[0];
}

TEST(IdScanner, TellsRequestsNotificationsAndResponsesApart) {
  EXPECT_EQ(Short(R"({"jsonrpc":"2.0","id":7,"method":"a"})"), "request 7");
  EXPECT_EQ(Short(R"({"method":"a","params":{},"id":"x","jsonrpc":"2.0"})"),
            R"(request "x")");
  EXPECT_EQ(Short(R"({"jsonrpc":"2.0","method":"a"})"), "notification");
  EXPECT_EQ(Short(R"({"jsonrpc":"2.0","id":0,"result":{}})"), "response 0");
  EXPECT_EQ(Short(R"({"id":0,"error":{"code":1,"message":"method"}})"),
            "response 0");
}

TEST(IdScanner, OnlyMembersOfTheObjectItselfCount) {
  EXPECT_EQ(Short(R"({"params":{"id":1,"method":"a"},"result":[{"id":2}]})"),
            "-");
  EXPECT_EQ(Short(R"({"params":"\"id\":1,}{","id":3,"method":"a"})"),
            "request 3");
  EXPECT_EQ(Short(R"({"a":"\\","id":3,"b":"\\\"","method":"m"})"), "request 3");
}

TEST(IdScanner, NamesMayBeEscaped) {
  EXPECT_EQ(
      Short(R"({"\u0069\u0064":1,"\u006d\u0065\u0074\u0068\u006f\u0064":"a"})"),
      "request 1");
  EXPECT_EQ(Short(R"({"\u0069dd":1,"method":"a"})"), "notification");
}

TEST(IdScanner, OfANameThatIsThereTwiceTheLastCounts) {
  EXPECT_EQ(Short(R"({"id":1,"id":2,"method":"a"})"), "request 2");
  EXPECT_EQ(Short(R"({"id":1,"id":null,"method":"a"})"), "notification");
  EXPECT_EQ(Short(R"({"id":1,"method":"a","method":7})"), "response 1");
}

// The id that a line takes back, the same however it is cut.
std::string Cancelled(absl::string_view line) {
  std::string whole;
  for (size_t chunk = line.size(); chunk > 0;
       chunk = chunk > 8 ? 8 : chunk - 1) {
    std::string cancelled;
    const auto keep = [&cancelled](const ScannedLine& one) {
      cancelled = one.cancelled;
    };
    IdScanner scanner;
    for (size_t at = 0; at < line.size(); at += chunk) {
      scanner.Feed(line.substr(at, chunk), keep);
    }
    scanner.End(keep);
    if (chunk == line.size()) whole = cancelled;
    EXPECT_EQ(cancelled, whole) << line << " by " << chunk;
  }
  return whole;
}

TEST(IdScanner, CancellationNamesTheRequestThatItTakesBack) {
  EXPECT_EQ(Cancelled(R"({"method":"notifications/cancelled","params":)"
                      R"({"requestId":7,"reason":"\"}{"}})"),
            "7");
  EXPECT_EQ(
      Cancelled(R"({"params":{"_meta":{"requestId":1},"requestId":"a"},)"
                R"("jsonrpc":"2.0","method":"notifications\/cancelled"})"),
      R"("a")");
  EXPECT_EQ(Cancelled(R"({"method":"notifications/progress","params":)"
                      R"({"requestId":7}})"),
            "");
  // A request of that name is none, and neither is what names no request.
  EXPECT_EQ(Cancelled(R"({"id":1,"method":"notifications/cancelled","params":)"
                      R"({"requestId":7}})"),
            "");
  for (const char* params : {"{}", "[7]", "7", "{\"requestId\":null}",
                             "{\"requestId\":{\"requestId\":7}}"}) {
    EXPECT_EQ(
        Cancelled(absl::StrCat(
            R"({"method":"notifications/cancelled","params":)", params, "}")),
        "")
        << params;
  }
  EXPECT_EQ(Cancelled(absl::StrCat(
                R"({"method":"notifications/cancelled","params":{"reason":")",
                std::string(kLongestId, 'a'), R"(","requestId":7}})")),
            "");
}

TEST(IdScanner, IdsAreKeptAsTheyWereWritten) {
  for (const char* id : {"0", "-1", "9007199254740993", "1.0", "1e2", "\"\"",
                         "\"a\\\"b\"", "\"\\u00e9\"", "\"\xC3\xA9\""}) {
    EXPECT_EQ(Short(absl::StrCat("{\"id\": ", id, " \t,\"method\":\"a\"}\r")),
              absl::StrCat("request ", id));
  }
  for (const char* id : {"null", "true", "{}", "[1]", "{\"id\":1}"}) {
    EXPECT_EQ(Short(absl::StrCat("{\"id\":", id, ",\"method\":\"a\"}")),
              "notification");
  }
}

TEST(IdScanner, LongIdIsToldAndNotKept) {
  const std::string longest(kLongestId - 2, 'a');
  EXPECT_EQ(Short(absl::StrCat("{\"id\":\"", longest, "\"}")),
            absl::StrCat("response \"", longest, "\""));
  EXPECT_EQ(Short(absl::StrCat("{\"id\":\"", longest, "a\"}")), "too long");
  EXPECT_EQ(Short(absl::StrCat("{\"id\":7", std::string(5000, ' '), "}")),
            "response 7");
}

TEST(IdScanner, LinesFollowEachOther) {
  const std::string bytes =
      "{\"id\":1,\"method\":\"a\"}\r\n\n[{\"id\":2}]\nx\n{\"id\":3\n"
      "{\"id\":4,\"method\":\"\xC3\xA9\xE2\x80\xA8\"}";
  const std::vector<std::string> wanted = {"request 1", "-", "-",
                                           "-",         "-", "request 4"};
  for (size_t chunk = 1; chunk <= bytes.size(); ++chunk) {
    EXPECT_EQ(Scan(bytes, chunk), wanted);
  }
}

TEST(IdScanner, LineOf64MiBTakesNoRoom) {
  IdScanner scanner;
  int lines = 0;
  const auto count = [&lines](const ScannedLine& line) {
    ++lines;
    EXPECT_EQ(line.id, "7");
  };
  scanner.Feed("{\"params\":\"", count);
  const std::string part(size_t{1} << 20, 'a');
  for (int i = 0; i < 64; ++i) scanner.Feed(part, count);
  EXPECT_EQ(scanner.line_bytes(), (uint64_t{64} << 20) + 11);
  scanner.Feed("\",\"id\":7}\n", count);
  EXPECT_EQ(lines, 1);
  EXPECT_EQ(scanner.line_bytes(), 0u);
}

TEST(IdKey, OneValueHasOneKey) {
  for (const char* same : {"1.0", "1e0", "10e-1", "0.1E+1", "1.000"}) {
    EXPECT_EQ(IdKey(same), IdKey("1")) << same;
  }
  EXPECT_EQ(IdKey("-0"), IdKey("0.0"));
  EXPECT_EQ(IdKey("\"a\""), IdKey("\"\\u0061\""));
  EXPECT_EQ(IdKey("\"\\ud83d\\ude00\""), IdKey("\"\xF0\x9F\x98\x80\""));
  EXPECT_NE(IdKey("1"), IdKey("\"1\""));
  EXPECT_NE(IdKey("1"), IdKey("-1"));
  EXPECT_NE(IdKey("1"), IdKey("10"));
  EXPECT_NE(IdKey("9007199254740993"), IdKey("9007199254740992"));
}

}  // namespace
}  // namespace tactus::transfer
