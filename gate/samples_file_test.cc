#include "gate/samples_file.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace tactus::gate {
namespace {

TEST(SamplesFile, EachFormGivesTheSameNumbers) {
  const std::vector<double> expected = {1, 2.5, -3};
  for (const char* text :
       {"1 2.5\n-3\n", "1,2.5,-3", "[1, 2.5, -3]", R"({"series":[1,2.5,-3]})",
        R"({"samples":[1,2.5,-3],"other":"x"})", R"({"values":[1,2.5,-3]})"}) {
    EXPECT_EQ(ParseSamples(text).value_or(std::vector<double>()), expected)
        << text;
  }
}

TEST(SamplesFile, WhatCannotBeReadIsNoSeriesWithoutChanges) {
  for (const char* text : {"", " \n", "[]", "{}", "[1,\"2\"]", "1 x 2", "nan",
                           "1e999", "[1", R"({"series":3})", "[1e999]"}) {
    EXPECT_FALSE(ParseSamples(text).ok()) << text;
  }
  EXPECT_TRUE(absl::IsNotFound(ReadSamples("no/such/file").status()));
}

}  // namespace
}  // namespace tactus::gate
