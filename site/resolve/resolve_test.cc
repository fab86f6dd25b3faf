#include "site/resolve/resolve.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "ledger/row/row.h"
#include "site/book/book.h"
#include "site/reference/reference.h"
#include "site/testing/rows.h"

namespace tactus::site {
namespace {

using Configuration = std::map<std::string, std::string>;

const Configuration kGtk3 = {{"application", "gtk3"}};
const Configuration kQt5 = {{"application", "qt5"}};

std::unique_ptr<Book> BookOf(const std::vector<MadeUp>& rows) {
  auto book = std::make_unique<Book>();
  for (const MadeUp& row : rows) book->Add(MakeRow(row), {});
  book->Close();
  return book;
}

double P50(const absl::StatusOr<Choice>& choice) {
  return choice.ok() && choice->entry != nullptr ? choice->entry->summary.p50
                                                 : -1;
}

TEST(Choose, TakesTheNewestRow) {
  const auto book = BookOf({{.samples = {1}, .day = 1},
                            {.samples = {3}, .day = 3},
                            {.samples = {2}, .day = 2}});
  EXPECT_EQ(P50(Choose(*book, {}, {.series = "made/up"})), 3);
}

TEST(Choose, PrefersARowOfACleanTreeToANewerOneOfADirtyTree) {
  const auto book = BookOf(
      {{.samples = {1}, .day = 1}, {.samples = {2}, .day = 2, .dirty = true}});
  EXPECT_EQ(P50(Choose(*book, {}, {.series = "made/up"})), 1);
}

TEST(Choose, TakesWhatIsNotCleanOrNotMeasuredWhereThereIsNothingElse) {
  const auto dirty = BookOf({{.samples = {2}, .dirty = true}});
  const absl::StatusOr<Choice> choice =
      Choose(*dirty, {}, {.series = "made/up"});
  EXPECT_EQ(P50(choice), 2);
  EXPECT_TRUE(choice->entry->dirty);
  const auto suspected =
      BookOf({{.samples = {2}, .label = ledger::Label::kSuspected}});
  EXPECT_EQ(Choose(*suspected, {}, {.series = "made/up"})->entry->label,
            ledger::Label::kSuspected);
}

TEST(Choose, PrefersWhatWasMeasuredToWhatIsSuspected) {
  const auto book =
      BookOf({{.samples = {1}, .day = 1, .dirty = true},
              {.samples = {2}, .day = 2, .label = ledger::Label::kSuspected}});
  EXPECT_EQ(P50(Choose(*book, {}, {.series = "made/up"})), 1);
}

TEST(Choose, StaysOnTheDeviceOfTheNewestRowUnlessOneIsNamed) {
  const auto book = BookOf({{.samples = {1}, .day = 1, .device = 0},
                            {.samples = {2}, .day = 2, .device = 1}});
  EXPECT_EQ(P50(Choose(*book, {}, {.series = "made/up"})), 2);
  const std::string first = MakeRow({.device = 0}).device.id;
  EXPECT_EQ(P50(Choose(*book, {}, {.series = "made/up", .device = first})), 1);
}

TEST(Choose, FitsRowsThatHaveMoreConfigurationThanIsNamed) {
  const auto book =
      BookOf({{.configuration = {{"application", "gtk3"}, {"text", "43"}},
               .samples = {1}},
              {.configuration = {{"application", "qt5"}, {"text", "43"}},
               .samples = {2}}});
  EXPECT_EQ(
      P50(Choose(*book, {}, {.series = "made/up", .configuration = kQt5})), 2);
}

TEST(Choose, SeveralConfigurationsThatFitAreAnErrorThatListsThem) {
  const auto book = BookOf({{.configuration = kGtk3}, {.configuration = kQt5}});
  const absl::Status status = Choose(*book, {}, {.series = "made/up"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status.message(),
            "'made/up' fits rows of 2 configurations; add what tells them "
            "apart: application=gtk3; application=qt5");
}

TEST(Choose, UnknownSeriesIsAnErrorThatNamesTheRemedy) {
  const auto book = BookOf({});
  const absl::Status status =
      Choose(*book, {}, {.series = "not/there"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(),
            "the ledger has no row of the series 'not/there': record one, "
            "correct the name, or declare it in declared.txt");
}

TEST(Choose, DeclaredSeriesWithoutARowHasNoEntry) {
  const auto book = BookOf({});
  const absl::StatusOr<Choice> choice =
      Choose(*book, {{"not/there", {.title = "t", .about = "a"}}},
             {.series = "not/there"});
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->entry, nullptr);
}

// Once a series has rows its declaration excuses nothing.
TEST(Choose, DeclaredSeriesWithRowsOfAnotherConfigurationIsAnError) {
  const auto book = BookOf({{.configuration = kGtk3}});
  const absl::Status status =
      Choose(*book, {{"made/up", {.title = "t", .about = "a"}}},
             {.series = "made/up", .configuration = kQt5})
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StrContains(status.message(), "application=gtk3"));
}

TEST(ChoosePair, TakesTheNewestRunThatHasBoth) {
  const auto book =
      BookOf({{.series = "a", .samples = {1}, .day = 1, .run = 1},
              {.series = "b", .samples = {2}, .day = 1, .run = 1},
              {.series = "a", .samples = {3}, .day = 2, .run = 2},
              {.series = "b", .samples = {4}, .day = 2, .run = 2},
              {.series = "a", .samples = {5}, .day = 3, .run = 3}});
  const absl::StatusOr<Pair> pair =
      ChoosePair(*book, {}, {.series = "a"}, {.series = "b"});
  ASSERT_TRUE(pair.ok()) << pair.status();
  EXPECT_EQ(pair->first.entry->summary.p50, 3);
  EXPECT_EQ(pair->second.entry->summary.p50, 4);
}

TEST(ChoosePair, RowsOfTwoRunsMakeNoRatio) {
  const auto book =
      BookOf({{.series = "a", .run = 1}, {.series = "b", .run = 2}});
  EXPECT_EQ(ChoosePair(*book, {}, {.series = "a"}, {.series = "b"})
                .status()
                .message(),
            "no run measured both 'a' and 'b', and a ratio of two runs says "
            "nothing: record both in one");
}

TEST(ChoosePair, UnitsThatDifferMakeNoRatio) {
  const auto book = BookOf(
      {{.series = "a"}, {.series = "b", .unit = ledger::Unit::kMilliseconds}});
  EXPECT_EQ(
      ChoosePair(*book, {}, {.series = "a"}, {.series = "b"}).status().code(),
      absl::StatusCode::kFailedPrecondition);
}

TEST(ChooseLines, HasALineForEachValueAndAGapWhereThereIsNoRow) {
  const auto book = BookOf(
      {{.series = "a", .configuration = kGtk3, .samples = {1}, .run = 1},
       {.series = "b", .configuration = kGtk3, .samples = {2}, .run = 1},
       {.series = "a", .configuration = kQt5, .samples = {3}, .run = 1}});
  const auto lines =
      ChooseLines(*book, {}, "application", {{.series = "a"}, {.series = "b"}});
  ASSERT_TRUE(lines.ok()) << lines.status();
  ASSERT_EQ(lines->size(), 2u);
  EXPECT_EQ((*lines)[0].value, "gtk3");
  EXPECT_TRUE((*lines)[0].same_run);
  EXPECT_EQ((*lines)[0].choices[1].entry->summary.p50, 2);
  EXPECT_EQ((*lines)[1].value, "qt5");
  EXPECT_EQ((*lines)[1].choices[0].entry->summary.p50, 3);
  EXPECT_EQ((*lines)[1].choices[1].entry, nullptr);
}

TEST(ChooseLines, SaysWhenNoRunHasTheWholeLine) {
  const auto book = BookOf({{.series = "a", .configuration = kGtk3, .run = 1},
                            {.series = "b", .configuration = kGtk3, .run = 2}});
  const auto lines =
      ChooseLines(*book, {}, "application", {{.series = "a"}, {.series = "b"}});
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_FALSE((*lines)[0].same_run);
  EXPECT_NE((*lines)[0].choices[1].entry, nullptr);
}

TEST(ChooseLines, OfDeclaredSeriesAloneThereAreNone) {
  const auto book = BookOf({});
  const auto lines = ChooseLines(*book, {{"a", {.title = "t", .about = "a"}}},
                                 "application", {{.series = "a"}});
  ASSERT_TRUE(lines.ok()) << lines.status();
  EXPECT_TRUE(lines->empty());
}

TEST(ChooseLines, KeyThatNoRowHasIsAnError) {
  const auto book = BookOf({{.series = "a"}});
  EXPECT_EQ(
      ChooseLines(*book, {}, "application", {{.series = "a"}}).status().code(),
      absl::StatusCode::kNotFound);
}

TEST(Value, FailuresAndTriesAreCountsInEveryUnit) {
  const auto book = BookOf({{.samples = {1, 2}, .failures = 3}});
  const Entry& entry = book->entries()[0];
  EXPECT_EQ(ValueOf(entry, Statistic::kN), 2);
  EXPECT_EQ(ValueOf(entry, Statistic::kFailures), 3);
  EXPECT_EQ(ValueOf(entry, Statistic::kMax), 2);
  EXPECT_EQ(UnitOf(book->timelines()[0], Statistic::kFailures),
            ledger::Unit::kCount);
  EXPECT_EQ(UnitOf(book->timelines()[0], Statistic::kMax),
            ledger::Unit::kMicroseconds);
}

TEST(Declarations, AreALineEach) {
  const auto declared =
      ParseDeclarations("# what is to come\n\nsend/file | Sending | A file.\n");
  ASSERT_TRUE(declared.ok()) << declared.status();
  ASSERT_EQ(declared->size(), 1u);
  EXPECT_EQ(declared->at("send/file").title, "Sending");
  EXPECT_EQ(declared->at("send/file").about, "A file.");
}

TEST(Declarations, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(ParseDeclarations("\na | b\n").status().message(),
            "2: a declared series is NAME | TITLE | ABOUT");
  EXPECT_EQ(ParseDeclarations("A | b | c\n").status().message(),
            "1: 'A' is not the name of a series");
  EXPECT_EQ(ParseDeclarations("a | b | c\na | b | c\n").status().message(),
            "2: a is declared twice");
  EXPECT_EQ(ParseDeclarations("a | b |\n").status().message(),
            "1: a has no title, or nothing about it");
}

}  // namespace
}  // namespace tactus::site
