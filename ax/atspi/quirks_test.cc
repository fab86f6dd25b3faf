#include "ax/atspi/quirks.h"

#include "gtest/gtest.h"

namespace tactus::ax::atspi {
namespace {

TEST(QuirksTest, GtkThreeAndFourAreToldApartByCaseAndVersion) {
  EXPECT_EQ(QuirksFor("gtk", "3.24.38", "any").search, Search::kMatches);
  EXPECT_EQ(QuirksFor("GTK", "4.8.3", "any").search, Search::kCacheItems);
}

TEST(QuirksTest, LibreOfficeIsNotTakenForTheGtkItNames) {
  EXPECT_EQ(QuirksFor("gtk", "3.24.38", "soffice").offsets, OffsetUnit::kUtf16);
  EXPECT_EQ(QuirksFor("gtk", "3.24.38", "mousepad").offsets,
            OffsetUnit::kCodePoint);
}

TEST(QuirksTest, QtCountsInUtf16AndIsWalked) {
  EXPECT_EQ(QuirksFor("Qt", "5.15.8", "any").offsets, OffsetUnit::kUtf16);
  EXPECT_EQ(QuirksFor("Qt", "6.4.2", "any").search, Search::kTree);
}

TEST(QuirksTest, WritesToGeckoAndChromiumAreNotBelieved) {
  EXPECT_FALSE(QuirksFor("Gecko", "153.8", "any").writes_land);
  EXPECT_FALSE(QuirksFor("Chromium", "156", "any").writes_land);
}

TEST(QuirksTest, UnknownToolkitGetsTheCarefulRow) {
  for (const char* toolkit : {"", "qt", "Java", "gt"}) {
    const Quirks& row = QuirksFor(toolkit, "1", "any");
    EXPECT_EQ(row.toolkit, "") << toolkit;
    EXPECT_EQ(row.search, Search::kTree);
    EXPECT_FALSE(row.peer_to_peer);
    EXPECT_FALSE(row.writes_land);
    EXPECT_EQ(row.whole_text, WholeText::kMinusOne);
  }
  // A GTK of a version nobody measured.
  EXPECT_EQ(QuirksFor("GTK", "5.0", "any").toolkit, "");
}

}  // namespace
}  // namespace tactus::ax::atspi
