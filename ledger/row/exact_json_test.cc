#include "ledger/row/exact_json.h"

#include <gtest/gtest.h>

#include <bit>
#include <boost/json.hpp>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tactus::ledger {
namespace {

namespace json = boost::json;

TEST(ExactJson, EveryDoubleReadsBackAsItself) {
  constexpr uint64_t kSeed = 20261201;
  std::mt19937_64 random(kSeed);
  int tried = 0;
  while (tried < 20'000) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    ++tried;
    const std::string text = absl::StrFormat("[%.17g,1.5]", value);
    const absl::StatusOr<json::value> parsed = ParseExactJson(text);
    ASSERT_TRUE(parsed.ok()) << text << " " << parsed.status();
    const json::value& first = parsed->as_array().front();
    // A whole number within 64 bits may be told as one.
    const double read =
        first.is_double() ? first.as_double() : first.to_number<double>();
    ASSERT_EQ(std::bit_cast<uint64_t>(read), std::bit_cast<uint64_t>(value))
        << text << ", seed " << kSeed;
  }
}

TEST(ExactJson, EverythingElseIsAsBoostReadsIt) {
  const std::string text =
      R"({"a":[true,false,null,-3,18446744073709551615],"é\n":"\u00e9\"",)"
      R"("o":{"x":{},"y":[]}})";
  const absl::StatusOr<json::value> parsed = ParseExactJson(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, json::parse(text));
}

TEST(ExactJson, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_EQ(ParseExactJson("").status().message(),
            "not JSON: incomplete JSON at byte 0");
  EXPECT_EQ(ParseExactJson("{} {}").status().message(),
            "not JSON: extra data at byte 3");
  EXPECT_EQ(ParseExactJson("[NaN]").status().message(),
            "not JSON: syntax error at byte 1");
}

TEST(ExactJson, NumbersThatNoDoubleHoldsAreRefused) {
  for (const char* text : {"[1e999]", "[-1e400]", "[1e-999]"}) {
    EXPECT_FALSE(ParseExactJson(text).ok()) << text;
  }
}

TEST(ExactJson, TooDeepIsRefused) {
  EXPECT_TRUE(ParseExactJson("[[]]", {.max_depth = 2}).ok());
  EXPECT_FALSE(ParseExactJson("[[[]]]", {.max_depth = 2}).ok());
}

}  // namespace
}  // namespace tactus::ledger
