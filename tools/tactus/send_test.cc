#include "tools/tactus/send.h"

#include <boost/json.hpp>

#include "gtest/gtest.h"
#include "tools/tactus/exit_code.h"

namespace tactus::cli {
namespace {

using boost::json::array;
using boost::json::object;

TEST(Send, ProgressIsWhatIsKnownAndNoMore) {
  EXPECT_EQ(ProgressForPeople({{"percent", 37},
                               {"bytes", 12'345'678},
                               {"total_bytes", 33'100'000},
                               {"bytes_per_second", 4'100'000},
                               {"left_ms", 5'001}}),
            "37 %  12.35 MB of 33.1 MB  4.10 MB/s  0:06 left");
  EXPECT_EQ(ProgressForPeople({{"percent", nullptr},
                               {"bytes", 999},
                               {"total_bytes", nullptr},
                               {"bytes_per_second", nullptr},
                               {"left_ms", nullptr}}),
            "999 B");
  EXPECT_EQ(ProgressForPeople({{"bytes", 1000}, {"left_ms", 3'661'000}}),
            "1.00 kB  1:01:01 left");
  // The largest numbers still fit on a line.
  EXPECT_LT(ProgressForPeople({{"percent", 100},
                               {"bytes", INT64_MAX},
                               {"total_bytes", INT64_MAX},
                               {"bytes_per_second", 999'499'999'999},
                               {"left_ms", 359'999'000}})
                .size(),
            79u);
}

TEST(Send, WhatWasSentIsTold) {
  EXPECT_EQ(SentForPeople({{"files", 2},
                           {"bytes", 70},
                           {"peer", "laptop"},
                           {"elapsed_ms", 120},
                           {"kept", 0},
                           {"replaced", 0},
                           {"left_out", 0}}),
            "2 files, 70 B to laptop in 0.12 s");
  EXPECT_EQ(SentForPeople({{"files", 2},
                           {"bytes", 70},
                           {"peer", "laptop"},
                           {"elapsed_ms", 120},
                           {"kept", 30},
                           {"replaced", 1},
                           {"left_out", 3}}),
            "2 files, 70 B to laptop in 0.12 s, 30 B was there, 1 replaced, 3 "
            "left out");
}

TEST(Send, TheExitCodeSaysWhetherTryingAgainIsSafe) {
  const auto code = [](const char* outcome, int left_out) {
    return ExitCodeOfSent({{"outcome", outcome}, {"left_out", left_out}});
  };
  EXPECT_EQ(code("done", 0), ExitCode::kDone);
  EXPECT_EQ(code("done", 1), ExitCode::kDiverged);
  EXPECT_EQ(code("refused", 0), ExitCode::kFailed);
  EXPECT_EQ(code("failed", 0), ExitCode::kFailed);
  EXPECT_EQ(code("cancelled", 0), ExitCode::kFailed);
  EXPECT_EQ(code("unknown", 0), ExitCode::kUnknown);
}

TEST(Send, WhatMovesIsARowEach) {
  EXPECT_EQ(MovingForPeople({{"moving", array{}}}), "");
  EXPECT_EQ(MovingForPeople({{"moving", array{object{{"id", 3},
                                                     {"peer", "lap\x1btop"},
                                                     {"direction", "receive"},
                                                     {"bytes", 5},
                                                     {"percent", 50}}}}}),
            "moving       number 3, from lap\\x1btop, 50 %  5 B\n");
}

TEST(Send, WhoWaitsForAFileIsARowEach) {
  EXPECT_EQ(MovingForPeople(
                {{"receiving",
                  array{object{{"peer", "lap\x1btop"}, {"left_ms", nullptr}},
                        object{{"peer", "phone"}, {"left_ms", 12'900}}}},
                 {"moving", array{}}}),
            "receive      waits for the next file of lap\\x1btop\n"
            "receive      waits for the next file of phone, for 12 s more\n");
}

}  // namespace
}  // namespace tactus::cli
