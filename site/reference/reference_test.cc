#include "site/reference/reference.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace tactus::site {
namespace {

std::string Error(absl::string_view text) {
  const absl::StatusOr<Reference> reference = ParseReference(text);
  return reference.ok() ? "" : std::string(reference.status().message());
}

TEST(Reference, FigureOfASeriesAloneIsItsMedian) {
  const absl::StatusOr<Reference> reference =
      ParseReference("figure edit/word");
  ASSERT_TRUE(reference.ok()) << reference.status();
  EXPECT_EQ(*reference, (Reference{.verb = Verb::kFigure,
                                   .selectors = {{.series = "edit/word"}}}));
}

TEST(Reference, FigureTakesConfigurationDeviceAndStatistic) {
  const absl::StatusOr<Reference> reference = ParseReference(
      " figure  edit/word application=gtk3\nnote=\"two words\" "
      "device=0123456789abcdef p95 ");
  ASSERT_TRUE(reference.ok()) << reference.status();
  EXPECT_EQ(*reference,
            (Reference{.verb = Verb::kFigure,
                       .selectors = {{.series = "edit/word",
                                      .configuration = {{"application", "gtk3"},
                                                        {"note", "two words"}},
                                      .device = "0123456789abcdef"}},
                       .statistic = Statistic::kP95}));
  EXPECT_EQ(FormatReference(*reference),
            "figure edit/word application=gtk3 note=\"two words\" "
            "device=0123456789abcdef p95");
}

TEST(Reference, RatioHasTheFirstByTheSecond) {
  const absl::StatusOr<Reference> reference =
      ParseReference("ratio a/b x=1 / c/d x=2 mean");
  ASSERT_TRUE(reference.ok()) << reference.status();
  ASSERT_EQ(reference->selectors.size(), 2u);
  EXPECT_EQ(reference->selectors[0].series, "a/b");
  EXPECT_EQ(reference->selectors[1].series, "c/d");
  EXPECT_EQ(reference->statistic, Statistic::kMean);
}

TEST(Reference, ComparisonNamesTheKeyOfItsLines) {
  const absl::StatusOr<Reference> reference =
      ParseReference("compare by=application a / b route=bus / c min");
  ASSERT_TRUE(reference.ok()) << reference.status();
  EXPECT_EQ(reference->by, "application");
  EXPECT_EQ(reference->selectors.size(), 3u);
  EXPECT_EQ(FormatReference(*reference),
            "compare by=application a / b route=bus / c min");
}

TEST(Reference, OverviewNamesNothing) {
  const absl::StatusOr<Reference> reference = ParseReference("overview");
  ASSERT_TRUE(reference.ok()) << reference.status();
  EXPECT_EQ(*reference, Reference{.verb = Verb::kOverview});
  EXPECT_EQ(FormatReference(*reference), "overview");
  EXPECT_EQ(Error("overview a"), "'a' is more than overview takes");
}

TEST(Reference, WhatIsWrongIsNamed) {
  EXPECT_EQ(Error(""), "an empty reference");
  EXPECT_EQ(Error("figur a"),
            "no reference 'figur': one of figure, ratio, plot, strip, compare, "
            "overview");
  EXPECT_EQ(Error("figure"), "a series is missing");
  EXPECT_EQ(Error("figure Edit"),
            "'Edit' is not the name of a series: words of a-z, 0-9, '_', '-', "
            "'.' joined by '/'");
  EXPECT_EQ(Error("figure a p42"),
            "no statistic 'p42': one of n, min, p50, p95, p99, max, mean, "
            "failures");
  EXPECT_EQ(Error("figure a p50 p95"), "'p95' is more than figure takes");
  EXPECT_EQ(Error("plot a p50"), "'p50' is more than plot takes");
  EXPECT_EQ(Error("figure a / b"), "figure is of one series");
  EXPECT_EQ(Error("ratio a"),
            "a ratio is of two series, with ' / ' between them");
  EXPECT_EQ(Error("ratio a /"), "a series is missing");
  EXPECT_EQ(Error("figure a x=\"1"), "a quote that is not closed");
  EXPECT_EQ(Error("figure a x="), "'x=' is not KEY=VALUE");
  EXPECT_EQ(Error("figure a x=1 x=2"), "'x' is there twice");
  EXPECT_EQ(Error("figure a device=laptop"),
            "'laptop' is not the id of a device");
  EXPECT_EQ(Error("compare a / b"),
            "compare needs by=KEY first, the key of the configuration that "
            "tells its lines apart");
  EXPECT_EQ(Error("compare by=x a x=1"),
            "the lines of the comparison differ by x, so it cannot be chosen");
  EXPECT_EQ(Error("compare by=x a / b / c / d / e"),
            "compare takes at most 4 series");
}

TEST(Reference, OverlongOneIsRefusedBeforeItIsRead) {
  EXPECT_EQ(Error(absl::StrCat("figure ", std::string(2000, 'a'))),
            "a reference of 2007 bytes, of at most 1024");
}

TEST(Page, TextAndReferencesAlternateWithTheirLines) {
  const absl::StatusOr<std::vector<Piece>> pieces =
      ParsePage("<p>one\n{{figure a}} two\n\n{{plot\nb}}{{strip c}}\n");
  ASSERT_TRUE(pieces.ok()) << pieces.status();
  ASSERT_EQ(pieces->size(), 6u);
  EXPECT_EQ((*pieces)[0].text, "<p>one\n");
  EXPECT_EQ((*pieces)[1].reference.selectors[0].series, "a");
  EXPECT_EQ((*pieces)[1].line, 2);
  EXPECT_EQ((*pieces)[2].text, " two\n\n");
  EXPECT_EQ((*pieces)[3].line, 4);
  EXPECT_EQ((*pieces)[4].reference.verb, Verb::kStrip);
  EXPECT_EQ((*pieces)[4].line, 5);
  EXPECT_EQ((*pieces)[5].text, "\n");
}

TEST(Page, ErrorBeginsWithItsLine) {
  EXPECT_EQ(ParsePage("a\nb {{figure }} c").status().message(),
            "2: a series is missing");
  EXPECT_EQ(ParsePage("a\n\n{{figure a}\n").status().message(),
            "3: '{{' without its '}}'");
}

// What the template language itself would understand is no way around.
TEST(Page, VariablesSectionsAndIncludesAreNoReferences) {
  for (const absl::string_view text :
       {"{{NAME}}", "{{#NAME}}", "{{>FILE}}", "{{%AUTOESCAPE}}", "{{!note}}"}) {
    EXPECT_EQ(ParsePage(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(Page, ValueThatEndsWithABraceIsReadAgainAsItIs) {
  const auto pieces = ParsePage("{{figure a of=x} }}");
  ASSERT_TRUE(pieces.ok()) << pieces.status();
  ASSERT_EQ(pieces->size(), 1u);
  const std::string written = FormatReference((*pieces)[0].reference);
  EXPECT_EQ(written, "figure a of=\"x}\"");
  const auto again = ParsePage("{{" + written + "}}");
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_EQ(again->size(), 1u);
  EXPECT_EQ((*again)[0].reference, (*pieces)[0].reference);
}

TEST(Page, EmptyOneHasNoPieces) {
  const absl::StatusOr<std::vector<Piece>> pieces = ParsePage("");
  ASSERT_TRUE(pieces.ok());
  EXPECT_TRUE(pieces->empty());
}

}  // namespace
}  // namespace tactus::site
