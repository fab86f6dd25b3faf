#include "gate/histories.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "gate/ledger_for_test.h"
#include "gtest/gtest.h"
#include "ledger/row/row.h"

namespace tactus::gate {
namespace {

class HistoriesTest : public ::testing::Test {
 protected:
  std::string folder_ = MakeLedger("histories");
};

TEST_F(HistoriesTest, RowsOfOneKeyAreAHistoryByDate) {
  AddRow(folder_, {.value = 2, .day = 2});
  AddRow(folder_, {.value = 1, .day = 1});
  AddRow(folder_, {.value = 3, .day = 3});
  AddRow(folder_, {.series = "other", .value = 9});
  const absl::StatusOr<Histories> read =
      ReadHistories(folder_, {.device = TestDevice(), .series = "edit/gtk3"});
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->histories.size(), 1U);
  EXPECT_EQ(read->histories[0].key, "edit/gtk3 application=gtk3");
  EXPECT_EQ(read->histories[0].values(), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(read->rows, 4);
  EXPECT_EQ(WhyNone(*read, {}), "");
}

TEST_F(HistoriesTest, EmptyLedgerUnknownDeviceAndMissingSeriesAreEachSaid) {
  HistoryFilter filter = {.device = TestDevice(), .series = "edit/gtk3"};
  absl::StatusOr<Histories> read = ReadHistories(folder_, filter);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(WhyNone(*read, filter), "the ledger is empty");

  AddRow(folder_, {.value = 1});
  filter.device = "0000000000000000";
  read = ReadHistories(folder_, filter);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(WhyNone(*read, filter).find("no row is of this device"), 0U);

  filter = {.device = TestDevice(), .series = "edit/qt6"};
  read = ReadHistories(folder_, filter);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(WhyNone(*read, filter), "no row of edit/qt6 on this device");

  EXPECT_TRUE(
      absl::IsNotFound(ReadHistories(folder_ + "/none", filter).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(
      ReadHistories(folder_, {.statistic = "p42"}).status()));
}

TEST_F(HistoriesTest, LinesThatAreNoRowsAreToldAndLeftOut) {
  AddRow(folder_, {.value = 1});
  std::ofstream(folder_ + "/bad.jsonl") << "{\"samples\":[NaN]}\nx\n";
  const absl::StatusOr<Histories> read =
      ReadHistories(folder_, {.device = "any"});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->histories.size(), 1U);
  EXPECT_EQ(read->rejected, 2);
  ASSERT_EQ(ReadDetails(*read).size(), 3U);
  EXPECT_NE(ReadDetails(*read)[1].find("bad.jsonl:1:"), std::string::npos);
}

TEST_F(HistoriesTest, RowsInTwoUnitsAreMarkedAsNotToBeCompared) {
  AddRow(folder_, {.value = 1, .day = 1});
  AddRow(folder_,
         {.value = 1000, .day = 2, .unit = ledger::Unit::kNanoseconds});
  const absl::StatusOr<Histories> read =
      ReadHistories(folder_, {.device = "any"});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(read->histories[0].mixed);
}

TEST_F(HistoriesTest, DeviceIsPartOfAHistory) {
  AddRow(folder_, {.value = 1});
  AddRow(folder_, {.value = 2, .processor = "Another 1"});
  const absl::StatusOr<Histories> read =
      ReadHistories(folder_, {.device = "any"});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->histories.size(), 2U);
  EXPECT_EQ(read->devices.size(), 2U);
}

TEST(MatchesSeries, StarStandsForWhateverFollows) {
  EXPECT_TRUE(MatchesSeries("", "edit/gtk3"));
  EXPECT_TRUE(MatchesSeries("edit/gtk3", "edit/gtk3"));
  EXPECT_TRUE(MatchesSeries("edit/*", "edit/gtk3"));
  EXPECT_FALSE(MatchesSeries("edit", "edit/gtk3"));
  EXPECT_FALSE(MatchesSeries("find/*", "edit/gtk3"));
}

}  // namespace
}  // namespace tactus::gate
