#include "site/digits/digits.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace tactus::site {
namespace {

ReviewedNames Names(absl::string_view text) {
  return *ReviewedNames::Parse(text);
}

absl::StatusOr<std::string> NoRow(absl::string_view, absl::string_view,
                                  absl::string_view) {
  return absl::NotFoundError("no such row");
}

// The first words in quotes of what was found.
std::vector<std::string> Found(const std::vector<Finding>& findings) {
  std::vector<std::string> found;
  for (const Finding& finding : findings) {
    const size_t begin = finding.what.find('\'');
    const size_t end = finding.what.find('\'', begin + 1);
    found.push_back(absl::StrCat(
        finding.line, ":", finding.what.substr(begin + 1, end - begin - 1)));
  }
  return found;
}

std::vector<std::string> Template(absl::string_view text,
                                  absl::string_view names = "") {
  ReviewedNames reviewed = Names(names);
  return Found(CheckTemplate("t.html", text, reviewed));
}

std::vector<std::string> Markdown(absl::string_view text,
                                  absl::string_view names = "") {
  ReviewedNames reviewed = Names(names);
  return Found(CheckMarkdown("d.md", text, reviewed, NoRow));
}

using Strings = std::vector<std::string>;

TEST(Template, DigitsInProseAreFound) {
  EXPECT_EQ(Template("<p>It takes\n412 of them.</p>"), Strings{"2:412"});
  EXPECT_EQ(Template("<p>0.5 3</p>"), (Strings{"1:0", "1:5", "1:3"}));
}

TEST(Template, ReferencesMarkupAndStyleAreNoProse) {
  EXPECT_EQ(Template("<h1 class=\"a1\">{{figure a p95}}</h1>\n"
                     "<style>p{margin:0}</style><!-- 7 -->"
                     "<svg viewBox=\"0 0 9 9\"><path d=\"M1 2\"/></svg>"),
            Strings{});
}

TEST(Template, AttributesThatAreReadOutAreProse) {
  EXPECT_EQ(
      Template("<a href=\"p1.html\" title=\"in 3 steps\" id=\"a2\">x</a>"),
      Strings{"1:3"});
  EXPECT_EQ(Template("<img alt=\"4 dots\"><i aria-label='5'></i>"),
            Strings{"1:4"});
}

TEST(Template, ReviewedNamesAreAllowedAndNothingLikeThem) {
  const std::string names = "* | GTK 3 | a toolkit\n* | p50 | a statistic\n";
  EXPECT_EQ(Template("<p>GTK 3 and its p50, GTK\n3.</p>", names), Strings{});
  EXPECT_EQ(Template("<p>GTK 30, p505, xp50</p>", names),
            (Strings{"1:30", "1:505", "1:50"}));
  EXPECT_EQ(Template("<p>3</p>", names), Strings{"1:3"});
}

TEST(Template, NameOfOneFileHoldsThereAlone) {
  EXPECT_EQ(Template("<p>7 days</p>", "t.html | 7 days | x"), Strings{});
  EXPECT_EQ(Template("<p>7 days</p>", "u.html | 7 days | x"), Strings{"1:7"});
}

TEST(Template, QuantitiesInWordsAreFoundAsWell) {
  EXPECT_EQ(Template("<p>It is ten times as fast, in five ways.</p>"),
            Strings{"1:ten times"});
}

TEST(Template, UnclosedTagHidesNothingThatIsShown) {
  EXPECT_EQ(Template("a < 3"), Strings{"1:3"});
}

TEST(List, FirstFieldIsANameAndTheRestIsProse) {
  ReviewedNames names = Names("");
  EXPECT_EQ(
      Found(CheckList("l.txt", "# 1 comment\na/b2 | Title 3 | Ten times it.\n",
                      names)),
      (Strings{"2:3", "2:Ten times"}));
}

TEST(Style, OnlyWhatItLetsAppearIsProse) {
  ReviewedNames names = Names("");
  EXPECT_EQ(Found(CheckStyle("s.css",
                             "a { width: 50%; content: \"\\2190\\00a0\"; }\n"
                             "b::after { content: \"412 us\" }",
                             names)),
            Strings{"2:412"});
}

TEST(Markdown, NumbersWithoutAUnitAreFacts) {
  EXPECT_EQ(Markdown("It exits with 0, 1 or 2, by RFC 3339, on Debian 12."),
            Strings{});
}

TEST(Markdown, QuantitiesAreFoundWhateverTheirUnit) {
  EXPECT_EQ(Markdown("412 us, 3ms, 1.5 s, 5-second, 30 %, 12 MiB, 368 Mbit/s,\n"
                     "2.3x, 4 times, ten seconds, 1m30s, 7\u00a0ms, 9 µs"),
            (Strings{"1:412 us", "1:3ms", "1:1.5 s", "1:5-second", "1:30 %",
                     "1:12 MiB", "1:368 Mbit/s", "2:2.3x", "2:4 times",
                     "2:ten seconds", "2:1m30s", "2:7\u00a0ms", "2:9 µs"}));
}

TEST(Markdown, QuantityOverALineEndIsOne) {
  EXPECT_EQ(Markdown("It takes 40\nms there."), Strings{"1:40 ms"});
}

TEST(Markdown, WordsThatLookLikeUnitsAreNone) {
  EXPECT_EQ(Markdown("2 stones, 3 hosts, 4 bits of code, p95, GTK3 s"),
            Strings{});
}

TEST(Markdown, CodeBlocksAreExemptAndCodeSpansAreNot) {
  EXPECT_EQ(Markdown("Text.\n\n    read in 12.4 ms\n\n```\n3 ms\n```\n"
                     "~~~\n5 ms\n~~~\nA default of `500ms`.\n"),
            Strings{"11:500ms"});
}

TEST(Markdown, IndentedLineOfAParagraphIsNoCode) {
  EXPECT_EQ(Markdown("It takes\n    40 ms there."), Strings{"2:40 ms"});
}

TEST(Markdown, WhatAProgramWritesBetweenItsMarksIsExempt) {
  EXPECT_EQ(Markdown("<!-- support: begin; bazel run //x writes it -->\n3 ms\n"
                     "<!-- support: end -->\n4 ms"),
            Strings{"4:4 ms"});
  // A block that nobody closed hides nothing.
  EXPECT_EQ(Markdown("<!-- support: begin -->\n3 ms\n"), Strings{"2:3 ms"});
}

TEST(Markdown, FileThatAProgramWritesSaysSoInItsSecondLine) {
  const std::string mark = "<!-- Generated. Do not edit: `bazel run //x` -->\n";
  EXPECT_EQ(Markdown("# Title\n" + mark + "3 ms\n"), Strings{});
  EXPECT_EQ(Markdown("# Title\n\n\n" + mark + "3 ms\n"), Strings{"5:3 ms"});
}

TEST(Markdown, LinkToARowIsHeldAgainstTheRow) {
  ReviewedNames names = Names("");
  std::string asked;
  const auto row =
      [&](absl::string_view path, absl::string_view id,
          absl::string_view statistic) -> absl::StatusOr<std::string> {
    asked = absl::StrCat(path, " ", id, " ", statistic);
    return std::string("412 us");
  };
  const std::string link =
      "](docs/perf/data/edit.jsonl \"0123456789abcdef p50\")";
  EXPECT_TRUE(CheckMarkdown("d.md", "It takes [412 us" + link + ".", names, row)
                  .empty());
  EXPECT_EQ(asked, "docs/perf/data/edit.jsonl 0123456789abcdef p50");
  const auto wrong =
      CheckMarkdown("d.md", "It takes [400 us" + link + ".", names, row);
  ASSERT_EQ(wrong.size(), 1u);
  EXPECT_EQ(DescribeFinding(wrong[0]),
            "d.md:1: '400 us' is not what its row shows: '412 us'");
  const auto missing =
      CheckMarkdown("d.md", "It takes [412 us" + link + ".", names, NoRow);
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].what, "no such row");
}

TEST(Markdown, AnyOtherLinkExcusesNothing) {
  EXPECT_EQ(Markdown("It takes [412 us](docs/x-3s.md)."), Strings{"1:412 us"});
  EXPECT_EQ(Markdown("[412 us](docs/perf/data/edit.jsonl)"),
            Strings{"1:412 us"});
}

TEST(Names, OnesThatAreNowhereAreTold) {
  ReviewedNames names = Names("# x\n* | GTK 3 | a\nd.md | 5 s | b\n");
  CheckMarkdown("d.md", "after 5 s", names, NoRow);
  const std::vector<Finding> unused = names.Unused("names.txt");
  ASSERT_EQ(unused.size(), 1u);
  EXPECT_EQ(DescribeFinding(unused[0]),
            "names.txt:2: 'GTK 3' is nowhere in what is checked any more: take "
            "it out");
}

TEST(Names, LineWithoutAReasonIsRefused) {
  EXPECT_EQ(ReviewedNames::Parse("* | GTK 3\n").status().message(),
            "1: a reviewed name is WHERE | NAME | WHY, all three there");
}

}  // namespace
}  // namespace tactus::site
