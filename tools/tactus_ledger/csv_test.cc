#include "tools/tactus_ledger/csv.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ledger/file/sample_row.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

TEST(Csv, FieldIsQuotedWhereItMustBe) {
  EXPECT_EQ(CsvField("plain"), "plain");
  EXPECT_EQ(CsvField(""), "");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(CsvField("a\nb"), "\"a\nb\"");
  EXPECT_EQ(CsvField("a b;c"), "a b;c");
}

TEST(Csv, TextThatASpreadsheetWouldComputeHasAnApostropheBeforeIt) {
  EXPECT_EQ(CsvField("=1+1"), "'=1+1");
  EXPECT_EQ(CsvField("+1"), "'+1");
  EXPECT_EQ(CsvField("-1"), "'-1");
  EXPECT_EQ(CsvField("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(CsvField("\t=1"), "'\t=1");
  EXPECT_EQ(CsvField("\r=1"), "\"'\r=1\"");
  EXPECT_EQ(CsvField("=A(\"x\")"), "\"'=A(\"\"x\"\")\"");
  EXPECT_EQ(CsvField("a=1"), "a=1");
}

TEST(Csv, LineHasAsManyFieldsAsTheHeader) {
  const auto commas = [](absl::string_view line) {
    return std::count(line.begin(), line.end(), ',');
  };
  const Row row = SampleRow(7);
  for (const bool samples : {false, true}) {
    const CsvOptions options = {.samples = samples};
    EXPECT_EQ(commas(CsvLine(row, options)), commas(CsvHeader(options)));
    EXPECT_TRUE(absl::EndsWith(CsvLine(row, options), "\r\n"));
    EXPECT_TRUE(absl::EndsWith(CsvHeader(options), "\r\n"));
  }
  EXPECT_TRUE(absl::EndsWith(CsvLine(row, {.samples = true}),
                             ",412 398.5 405.25 7\r\n"));
}

}  // namespace
}  // namespace tactus::ledger
