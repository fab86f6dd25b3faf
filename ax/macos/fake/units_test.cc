#include "ax/macos/fake/units.h"

#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"

namespace tactus::ax::macos::fake {
namespace {

TEST(UnitsTest, CharactersAboveTheBasicPlaneAreTwoUnits) {
  EXPECT_EQ(ToUnits(U"a\U0001F600b"),
            u"a\xD83D\xDE00"
            u"b");
  EXPECT_EQ(ToPoints(u"a\xD83D\xDE00"
                     u"b"),
            U"a\U0001F600b");
}

TEST(UnitsTest, LoneSurrogatesStayAlone) {
  EXPECT_EQ(ToPoints(ToUnits(U"\xDC69"
                             U"x\xD83D")),
            U"\xDC69"
            U"x\xD83D");
}

TEST(UnitsTest, PositionsPastTheEndAndBeforeTheStartStayWhereTheyAre) {
  const std::u32string text = U"\U0001F600b";
  EXPECT_EQ(UnitsBefore(text, 1), 2);
  EXPECT_EQ(UnitsBefore(text, 5), 6);
  EXPECT_EQ(UnitsBefore(text, -3), -3);
  EXPECT_EQ(PointsBefore(text, 1), 0);
  EXPECT_EQ(PointsBefore(text, 2), 1);
  EXPECT_EQ(PointsBefore(text, 6), 5);
  EXPECT_EQ(PointsBefore(text, -3), -3);
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(UnitsBefore(text, most), most);
}

}  // namespace
}  // namespace tactus::ax::macos::fake
