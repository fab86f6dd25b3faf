#include "tools/tactus/size_text.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace tactus::cli {
namespace {

TEST(SizeTextTest, HasThreeOrFourDigitsThatCount) {
  EXPECT_EQ(SizeText(0), "0 B");
  EXPECT_EQ(SizeText(999), "999 B");
  EXPECT_EQ(SizeText(1000), "1.00 kB");
  EXPECT_EQ(SizeText(33100000), "33.1 MB");
  EXPECT_EQ(SizeText(12345678), "12.35 MB");
  EXPECT_EQ(SizeText(5000000000000), "5.00 TB");
  EXPECT_EQ(SizeText(UINT64_MAX), "1.845e+07 TB");
}

TEST(SizeTextTest, WhatRoundsToAThousandIsOneOfTheNextUnit) {
  EXPECT_EQ(SizeText(999499), "999.5 kB");
  EXPECT_EQ(SizeText(999500), "1.00 MB");
  EXPECT_EQ(SizeText(999700000), "1.00 GB");
}

}  // namespace
}  // namespace tactus::cli
