#include "transfer/mcp/pending.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "transfer/mcp/id_scanner.h"

namespace tactus::transfer {
namespace {

using Sent = PendingRequests::Sent;

std::vector<std::string> Ids(PendingRequests& pending) {
  std::vector<std::string> ids;
  for (const auto& request : pending.TakeAll()) ids.push_back(request.id);
  return ids;
}

TEST(PendingRequests, WhatIsNotAnsweredIsLeftInItsOrder) {
  PendingRequests pending;
  for (const char* id : {"2", "\"a\"", "1", "3"}) {
    pending.Add(id, Sent::kMaybe);
  }
  pending.Answered("1");
  EXPECT_EQ(Ids(pending), (std::vector<std::string>{"2", "\"a\"", "3"}));
  EXPECT_EQ(pending.size(), 0u);
  EXPECT_EQ(Ids(pending), std::vector<std::string>());
}

TEST(PendingRequests, AnswerMayWriteTheIdInAnotherWay) {
  PendingRequests pending;
  pending.Add("1.0", Sent::kMaybe);
  pending.Add("\"\\u0061\"", Sent::kMaybe);
  pending.Answered("1");
  pending.Answered("\"a\"");
  EXPECT_EQ(pending.size(), 0u);
}

TEST(PendingRequests, IdThatIsUsedTwiceIsPendingTwice) {
  PendingRequests pending;
  pending.Add("1", Sent::kMaybe);
  pending.Add("1", Sent::kNo);
  pending.Answered("1");
  const auto left = pending.TakeAll();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].sent, Sent::kNo);
}

TEST(PendingRequests, AnswerToNothingIsIgnored) {
  PendingRequests pending;
  pending.Answered("1");
  pending.Add("2", Sent::kMaybe);
  pending.Answered("1");
  EXPECT_EQ(pending.size(), 1u);
}

TEST(PendingRequests, BeyondTheBoundTheOldestIsForgotten) {
  PendingRequests pending;
  for (size_t i = 0; i < PendingRequests::kMost + 2; ++i) {
    pending.Add(absl::StrCat(i), Sent::kMaybe);
  }
  EXPECT_EQ(pending.size(), PendingRequests::kMost);
  EXPECT_EQ(pending.forgotten(), 2);
  EXPECT_EQ(Ids(pending).front(), "2");
}

TEST(PendingRequests, LongIdsAreBoundByTheirBytes) {
  PendingRequests pending;
  const std::string digits(kLongestId - 8, '7');
  for (int i = 0; i < 6000; ++i) {
    pending.Add(absl::StrCat("\"", i, digits, "\""), Sent::kMaybe);
  }
  EXPECT_LT(pending.size(), 4200u);
  EXPECT_EQ(pending.size() + static_cast<size_t>(pending.forgotten()), 6000u);
}

TEST(EndedLine, SaysWhatHappenedAndWhetherItWasSent) {
  EXPECT_EQ(EndedLine({"1.0", Sent::kMaybe}, "the server \"x\" was killed"),
            "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"error\":{\"code\":-32000,"
            "\"message\":\"the server \\\"x\\\" was killed: the request may "
            "have been carried out, and is not sent again\",\"data\":{\"sent\":"
            "\"maybe\"}}}\n");
  EXPECT_EQ(EndedLine({"\"a\"", Sent::kNo}, "lost\n"),
            "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32000,"
            "\"message\":\"lost\\u000a: the request was not sent\",\"data\":"
            "{\"sent\":\"no\"}}}\n");
}

}  // namespace
}  // namespace tactus::transfer
