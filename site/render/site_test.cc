#include "site/render/site.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ledger/row/row.h"
#include "site/testing/rows.h"

namespace tactus::site {
namespace {

namespace fs = std::filesystem;

// A ledger and pages of a test's own, and the site that they make.
class SiteTest : public testing::Test {
 protected:
  void SetUp() override {
    const testing::TestInfo* info =
        testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) / info->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "ledger");
    fs::create_directories(folder_ / "pages");
    WritePage("site.txt",
              "name | Test | A test.\n"
              "page | index.html | Today | Today | All of it.\n");
  }

  void WritePage(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / "pages" / name, std::ios::binary) << text;
  }
  void WriteLedger(const std::string& name, const std::vector<MadeUp>& rows) {
    std::ofstream out(folder_ / "ledger" / name, std::ios::binary);
    for (const MadeUp& row : rows) out << MakeLine(row);
  }
  absl::StatusOr<SiteReport> Build() {
    return BuildSite({.ledger = (folder_ / "ledger").string(),
                      .out = (folder_ / "site").string(),
                      .pages = (folder_ / "pages").string()});
  }
  std::string Read(const std::string& name) {
    std::ifstream file(folder_ / "site" / name, std::ios::binary);
    EXPECT_TRUE(file) << name;
    return std::string{std::istreambuf_iterator<char>(file), {}};
  }
  std::map<std::string, std::string> All() {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_ / "site")) {
      const std::string name = entry.path().filename().string();
      all[name] = Read(name);
    }
    return all;
  }
  // The error without the folder in front of it.
  std::string Error() {
    std::string message(Build().status().message());
    const std::string folder = absl::StrCat(folder_.string(), "/");
    if (absl::StartsWith(message, folder)) message.erase(0, folder.size());
    return message;
  }

  fs::path folder_;
};

TEST_F(SiteTest, FigureShowsItsValueAndLeadsToItsRow) {
  WriteLedger("a.jsonl", {{.series = "edit/word", .samples = {412, 412, 500}}});
  WritePage("index.html", "<h1>T</h1><p>It takes {{figure edit/word}}.</p>");
  const absl::StatusOr<SiteReport> report = Build();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->rows, 1);
  const std::string page = Read("index.html");
  EXPECT_TRUE(absl::StrContains(page, ">412\u00a0µs</button>"));
  const std::string id =
      MakeRow({.series = "edit/word", .samples = {412, 412, 500}}).id;
  EXPECT_TRUE(
      absl::StrContains(page, absl::StrCat("href=\"rows-a-1.html#r-", id)));
  EXPECT_TRUE(absl::StrContains(Read("rows-a-1.html"),
                                absl::StrCat("id=\"r-", id, "\"")));
}

TEST_F(SiteTest, CardSaysAllThatAReaderNeedsToDoubtIt) {
  WriteLedger("a.jsonl", {{.series = "edit/word", .samples = {412}, .day = 2}});
  WritePage("index.html", "<h1>T</h1>{{figure edit/word p95}}");
  ASSERT_TRUE(Build().ok());
  const std::string page = Read("index.html");
  for (const absl::string_view part :
       {"p95 of 1,", "made-up</bdi>, 3 Jan 2026", "made-up processor 0",
        "2 cores", "<code>0000000000</code>", ", measured"}) {
    EXPECT_TRUE(absl::StrContains(page, part)) << part;
  }
}

TEST_F(SiteTest, UnresolvedReferenceFailsWithItsPlaceAndTheRemedy) {
  WriteLedger("a.jsonl", {{.series = "edit/word"}});
  WritePage("index.html", "<h1>T</h1>\n<p>{{figure edit/words}}</p>");
  EXPECT_EQ(Error(),
            "pages/index.html:2: the ledger has no row of the series "
            "'edit/words': record one, correct the name, or declare it in "
            "declared.txt");
}

TEST_F(SiteTest, ReferenceThatCannotBeReadFailsWithItsPlace) {
  WritePage("index.html", "<h1>T</h1>\n\n{{figure edit/word p42}}");
  EXPECT_EQ(Error().substr(0, 46),
            "pages/index.html:3: no statistic 'p42': one of");
}

TEST_F(SiteTest, EmptyLedgerStillMakesASiteThatSaysSo) {
  WritePage("index.html",
            "<h1>T</h1>{{figure a/b}}{{ratio a/b / a/c}}{{plot a/b}}"
            "{{strip a/b}}{{compare by=x a/b / a/c}}");
  WritePage("declared.txt", "a/b | B | What b is.\na/c | C | What c is.\n");
  const absl::StatusOr<SiteReport> report = Build();
  ASSERT_TRUE(report.ok()) << report.status();
  const std::string page = Read("index.html");
  size_t said = 0;
  for (size_t at = page.find("no row yet"); at != std::string::npos;
       at = page.find("no row yet", at + 1)) {
    ++said;
  }
  EXPECT_EQ(said, 5u);
  EXPECT_TRUE(absl::StrContains(Read("history.html"), "What b is."));
  EXPECT_TRUE(absl::StrContains(Read("rows.html"), "no row yet"));
}

TEST_F(SiteTest, DirtySuspectedAndFailedAreSaidBesideTheFigure) {
  WriteLedger("a.jsonl",
              {{.series = "a/dirty", .dirty = true},
               {.series = "a/guess", .label = ledger::Label::kSuspected},
               {.series = "a/read", .label = ledger::Label::kVerified},
               {.series = "a/failed", .failures = 2}});
  for (const auto& [series, said] :
       std::map<std::string, std::string>{{"a/dirty", "dirty tree"},
                                          {"a/guess", "suspected"},
                                          {"a/read", "verified"},
                                          {"a/failed", "2 failed"}}) {
    WritePage("index.html", absl::StrCat("<h1>T</h1>{{figure ", series, "}}"));
    ASSERT_TRUE(Build().ok());
    EXPECT_TRUE(absl::StrContains(
        Read("index.html"), absl::StrCat("tag doubt\">", said, "</span>")))
        << series;
  }
  const std::string rows = Read("rows-a-1.html");
  EXPECT_TRUE(absl::StrContains(rows, "a made-up hypothesis"));
  EXPECT_TRUE(absl::StrContains(rows, "a made-up plan"));
  EXPECT_TRUE(absl::StrContains(rows, "a made-up source"));
}

TEST_F(SiteTest, LineOfAComparisonFromTwoRunsHasNoRatio) {
  WriteLedger("a.jsonl", {{.series = "a",
                           .configuration = {{"x", "one"}},
                           .samples = {2},
                           .run = 1},
                          {.series = "b",
                           .configuration = {{"x", "one"}},
                           .samples = {6},
                           .run = 1},
                          {.series = "a",
                           .configuration = {{"x", "two"}},
                           .samples = {2},
                           .run = 1},
                          {.series = "b",
                           .configuration = {{"x", "two"}},
                           .samples = {6},
                           .run = 2}});
  WritePage("index.html", "<h1>T</h1>{{compare by=x a / b}}");
  const absl::StatusOr<SiteReport> report = Build();
  ASSERT_TRUE(report.ok()) << report.status();
  const std::string page = Read("index.html");
  EXPECT_TRUE(absl::StrContains(page, ">3.00×</button>"));
  EXPECT_TRUE(absl::StrContains(page, ">two runs</span>"));
}

TEST_F(SiteTest, LineOfAComparisonInTwoUnitsHasNoRatioEither) {
  WriteLedger("a.jsonl", {{.series = "a", .configuration = {{"x", "one"}}},
                          {.series = "b",
                           .configuration = {{"x", "one"}},
                           .unit = ledger::Unit::kMegabitsPerSecond}});
  WritePage("index.html", "<h1>T</h1>{{compare by=x a / b}}");
  const absl::StatusOr<SiteReport> report = Build();
  ASSERT_TRUE(report.ok()) << report.status();
  const std::string page = Read("index.html");
  EXPECT_FALSE(absl::StrContains(page, "×</button>"));
  EXPECT_FALSE(absl::StrContains(page, "two runs"));
  EXPECT_FALSE(absl::StrContains(page, "<rect"));
}

TEST_F(SiteTest, TextOfTheLedgerIsNeverMarkup) {
  const std::string hostile = "\"><script>alert(1)</script>";
  WriteLedger("a.jsonl", {{.series = "a", .configuration = {{"x", hostile}}}});
  WritePage("index.html",
            "<h1>T</h1>{{overview}}{{compare by=x a}}{{plot a}}{{strip a}}");
  ASSERT_TRUE(Build().ok());
  for (const auto& [name, page] : All()) {
    EXPECT_FALSE(absl::StrContains(page, "<script")) << name;
  }
}

TEST_F(SiteTest, NoPageAsksForAnythingElsewhere) {
  WriteLedger("a.jsonl", {{.series = "a"}});
  WritePage("index.html", "<h1>T</h1>{{plot a}}");
  ASSERT_TRUE(Build().ok());
  for (const auto& [name, page] : All()) {
    EXPECT_TRUE(absl::StrContains(page, "default-src 'none'")) << name;
    for (const absl::string_view part :
         {"src=", "@import", "<iframe", "<script", "href=\"http", "url("}) {
      EXPECT_FALSE(absl::StrContains(page, part)) << name << " has " << part;
    }
  }
}

TEST_F(SiteTest, SameInputGivesTheSameBytes) {
  WriteLedger("a.jsonl", {{.series = "a"}, {.series = "a", .day = 1}});
  WritePage("index.html", "<h1>T</h1>{{plot a}}");
  ASSERT_TRUE(Build().ok());
  const std::map<std::string, std::string> first = All();
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(All(), first);
}

// Pages are cited: what is appended later moves no row to another page.
TEST_F(SiteTest, RowStaysOnItsPageWhenTheLedgerGrows) {
  std::vector<MadeUp> rows;
  for (int day = 0; day < 400; ++day) rows.push_back({.day = day});
  WriteLedger("a.jsonl", rows);
  WritePage("index.html", "<h1>T</h1>");
  ASSERT_TRUE(Build().ok());
  const std::map<std::string, std::string> before = All();
  ASSERT_EQ(before.count("rows-a-2.html"), 1u);
  for (int day = 400; day < 600; ++day) rows.push_back({.day = day});
  WriteLedger("a.jsonl", rows);
  ASSERT_TRUE(Build().ok());
  EXPECT_EQ(Read("rows-a-1.html"), before.at("rows-a-1.html"));
}

TEST_F(SiteTest, RowThatIsThereTwiceIsShownOnce) {
  WriteLedger("a.jsonl", {{.series = "a"}});
  WriteLedger("b.jsonl", {{.series = "a"}});
  WritePage("index.html", "<h1>T</h1>");
  const absl::StatusOr<SiteReport> report = Build();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->rows, 1);
  EXPECT_EQ(report->duplicates, 1);
}

TEST_F(SiteTest, LineOfTheLedgerThatCannotBeReadFailsIt) {
  WriteLedger("a.jsonl", {{.series = "a"}});
  std::ofstream(folder_ / "ledger" / "b.jsonl") << "{\"schema\":1}\n";
  WritePage("index.html", "<h1>T</h1>");
  EXPECT_EQ(Error(),
            "1 line of the ledger, told above, cannot be read: mend "
            "or take them out");
}

TEST_F(SiteTest, PageThatIsTooLargeFailsIt) {
  WritePage("index.html", "<h1>T</h1>" + std::string(290'000, 'x'));
  EXPECT_TRUE(absl::StrContains(Error(), "split it into two")) << Error();
}

TEST_F(SiteTest, ManyRowsStaySmallOnEveryPage) {
  std::vector<MadeUp> rows;
  for (int row = 0; row < 3000; ++row) {
    rows.push_back({.samples = {1.0 + row % 7, 2, 3},
                    .day = row / 4,
                    .run = row,
                    .failures = row % 11 == 0 ? 99 : 0});
  }
  WriteLedger("a.jsonl", rows);
  WritePage("index.html", "<h1>T</h1>{{plot made/up}}");
  const absl::StatusOr<SiteReport> report = Build();
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_LT(report->largest_page, 300'000u);
  EXPECT_EQ(report->rows, 3000);
}

TEST_F(SiteTest, PageThatNoLineOfTheOutlineNamesFailsIt) {
  WritePage("index.html", "<h1>T</h1>");
  WritePage("lost.html", "<h1>L</h1>");
  EXPECT_EQ(Error(), "pages/lost.html: no line of site.txt names this page");
}

TEST_F(SiteTest, OutlineThatNamesAPageWhichIsNotThereFailsIt) {
  EXPECT_EQ(Error(), "pages/site.txt:2: no page 'index.html' beside this file");
}

TEST_F(SiteTest, MissingLedgerIsAnErrorAndNoEmptySite) {
  WritePage("index.html", "<h1>T</h1>");
  fs::remove_all(folder_ / "ledger");
  EXPECT_EQ(Build().status().code(), absl::StatusCode::kNotFound);
}

TEST_F(SiteTest, WithoutPagesOfItsOwnALedgerGetsThoseThatFitEvery) {
  WriteLedger("a.jsonl", {{.series = "startup"}});
  const absl::StatusOr<SiteReport> report =
      BuildSite({.ledger = (folder_ / "ledger").string(),
                 .out = (folder_ / "site").string()});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(absl::StrContains(Read("index.html"), "startup"));
  EXPECT_FALSE(absl::StrContains(Read("index.html"), "Tactus"));
}

}  // namespace
}  // namespace tactus::site
