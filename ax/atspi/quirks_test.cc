#include "ax/atspi/quirks.h"

#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

TEST(QuirksTest, GtkThreeAndFourAreToldApartByCaseAndVersion) {
  EXPECT_EQ(QuirksFor("gtk", "3.24.38").search, Search::kMatches);
  EXPECT_EQ(QuirksFor("GTK", "4.8.3").search, Search::kCacheItems);
}

TEST(QuirksTest, QtCountsInUtf16AndIsWalked) {
  EXPECT_EQ(QuirksFor("Qt", "5.15.8").offsets, OffsetUnit::kUtf16);
  EXPECT_EQ(QuirksFor("Qt", "6.4.2").search, Search::kTree);
}

TEST(QuirksTest, WritesToGeckoAndChromiumAreNotBelieved) {
  EXPECT_FALSE(QuirksFor("Gecko", "153.8").writes_land);
  EXPECT_FALSE(QuirksFor("Chromium", "156").writes_land);
}

TEST(QuirksTest, UnknownToolkitGetsTheCarefulRow) {
  for (const char* toolkit : {"", "qt", "Java", "gt"}) {
    const Quirks& row = QuirksFor(toolkit, "1");
    EXPECT_EQ(row.toolkit, "") << toolkit;
    EXPECT_EQ(row.search, Search::kTree);
    EXPECT_FALSE(row.peer_to_peer);
    EXPECT_FALSE(row.writes_land);
    EXPECT_FALSE(row.clamps_end);
  }
  // A GTK of a version nobody measured.
  EXPECT_EQ(QuirksFor("GTK", "5.0").toolkit, "");
}

}  // namespace
}  // namespace tactus::ax::atspi
