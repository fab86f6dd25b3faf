#include "site/book/book.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "site/testing/rows.h"

namespace tactus::site {
namespace {

std::vector<double> Medians(const Book& book, const Timeline& timeline) {
  std::vector<double> medians;
  for (const size_t row : timeline.rows) {
    medians.push_back(book.entries()[row].summary.p50);
  }
  return medians;
}

TEST(Book, RowsOfATimelineAreInTheOrderOfTheirDates) {
  Book book;
  book.Add(MakeRow({.samples = {3}, .day = 3}), {});
  book.Add(MakeRow({.samples = {1}, .day = 1}), {});
  book.Add(MakeRow({.samples = {2}, .day = 2}), {});
  book.Close();
  ASSERT_EQ(book.timelines().size(), 1u);
  EXPECT_EQ(Medians(book, book.timelines()[0]), (std::vector<double>{1, 2, 3}));
}

TEST(Book, RowsOfOneDateKeepTheOrderInWhichTheyWereAdded) {
  Book book;
  for (const double sample : {5, 4, 6}) {
    book.Add(MakeRow({.samples = {sample}}), {});
  }
  book.Close();
  EXPECT_EQ(Medians(book, book.timelines()[0]), (std::vector<double>{5, 4, 6}));
}

TEST(Book, OtherConfigurationUnitOrDeviceIsAnotherTimeline) {
  Book book;
  book.Add(MakeRow({}), {});
  book.Add(MakeRow({.configuration = {{"application", "gtk3"}}}), {});
  book.Add(MakeRow({.unit = ledger::Unit::kMilliseconds}), {});
  book.Add(MakeRow({.device = 1}), {});
  book.Add(MakeRow({.series = "made/up-too"}), {});
  book.Add(MakeRow({.day = 9, .run = 4}), {});
  book.Close();
  EXPECT_EQ(book.timelines().size(), 5u);
  EXPECT_EQ(book.OfSeries("made/up").size(), 4u);
  EXPECT_EQ(book.OfSeries("made/up-too").size(), 1u);
  EXPECT_TRUE(book.OfSeries("made").empty());
  EXPECT_EQ(book.devices().size(), 2u);
}

TEST(Book, EntryKnowsItsTimelineAndItsPlace) {
  Book book;
  book.Add(MakeRow({.series = "z"}), {.line = 7, .page = 2});
  book.Add(MakeRow({.series = "a"}), {.line = 8, .page = 3});
  book.Close();
  EXPECT_EQ(book.timelines()[0].series, "a");
  EXPECT_EQ(book.TimelineOf(book.entries()[0]).series, "z");
  EXPECT_EQ(book.entries()[0].place.line, 7);
  EXPECT_EQ(book.entries()[0].place.page, 2);
}

TEST(Book, RowsOfOneRunShareItsName) {
  Book book;
  book.Add(MakeRow({.series = "a", .run = 1}), {});
  book.Add(MakeRow({.series = "b", .run = 1}), {});
  book.Add(MakeRow({.series = "b", .run = 2}), {});
  book.Close();
  EXPECT_EQ(book.entries()[0].run, book.entries()[1].run);
  EXPECT_NE(book.entries()[1].run, book.entries()[2].run);
}

TEST(Slug, FollowsFromWhatMakesATimelineAndNothingElse) {
  Book book;
  const ledger::Row row = MakeRow({.series = "edit/word", .day = 1});
  book.Add(row, {});
  book.Add(MakeRow({.series = "edit/word", .device = 1}), {});
  book.Close();
  EXPECT_EQ(Book::Slug(row).substr(0, 10), "edit.word-");
  EXPECT_EQ(Book::Slug(row).size(), 22u);
  EXPECT_EQ(Book::Slug(row), Book::Slug(book.TimelineOf(book.entries()[0])));
  EXPECT_EQ(Book::Slug(row),
            Book::Slug(MakeRow({.series = "edit/word", .day = 5, .run = 7})));
  EXPECT_NE(Book::Slug(row), Book::Slug(book.TimelineOf(book.entries()[1])));
}

TEST(Slug, OfALongNameStillFitsAFileSystem) {
  EXPECT_EQ(Book::Slug(MakeRow({.series = std::string(900, 'a')})).size(), 93u);
}

}  // namespace
}  // namespace tactus::site
