// Holds docs/ledger.md to the code: its examples, its keys and its limits.

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ledger/import/draft.h"
#include "ledger/row/exact_json.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

namespace json = boost::json;

std::string Page() {
  std::ifstream in("docs/ledger.md");
  return {std::istreambuf_iterator<char>(in), {}};
}

// What stands between ```json and ```, of each.
std::vector<std::string> Examples() {
  const std::string page = Page();
  const std::string begin = "```json\n";
  std::vector<std::string> examples;
  for (size_t at = page.find(begin); at != std::string::npos;
       at = page.find(begin, at)) {
    at += begin.size();
    const size_t end = page.find("```", at);
    examples.push_back(page.substr(at, end - at));
    at = end;
  }
  return examples;
}

// "device.cores" and the like. The configuration's keys are anybody's.
void CollectKeys(const json::object& object, const std::string& before,
                 std::vector<std::string>& keys) {
  for (const json::key_value_pair& pair : object) {
    const std::string key = absl::StrCat(
        before, absl::string_view(pair.key().data(), pair.key().size()));
    keys.push_back(key);
    if (pair.value().is_object() && key != "configuration") {
      CollectKeys(pair.value().get_object(), key + ".", keys);
    }
  }
}

TEST(LedgerPage, ExampleIsARowAndIsSpelledAsRowsAre) {
  ASSERT_FALSE(Examples().empty());
  const std::string line = Examples().front();
  const absl::StatusOr<Row> row = ParseRow(line);
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(*FormatRow(*row), line);
}

TEST(LedgerPage, OtherExamplesAreDraftsThatAppendTakes) {
  const std::vector<std::string> examples = Examples();
  ASSERT_EQ(examples.size(), 3u);
  const absl::StatusOr<Row> row = ParseRow(examples[0]);
  ASSERT_TRUE(row.ok()) << row.status();
  const absl::StatusOr<std::vector<Row>> drafts = CompleteDrafts(
      examples[1] + examples[2],
      {.run = row->run, .device = row->device, .origin = "append"});
  ASSERT_TRUE(drafts.ok()) << drafts.status();
  EXPECT_EQ(drafts->size(), 2u);
  EXPECT_EQ(drafts->back().label, Label::kVerified);
}

TEST(LedgerPage, NamesEveryKeyThatARowCanHave) {
  absl::StatusOr<Row> row = ParseRow(Examples().front());
  ASSERT_TRUE(row.ok()) << row.status();
  row->origin = "x";
  std::vector<Row> rows(3, *row);
  rows[1].label = Label::kVerified;
  rows[1].citation = "x";
  rows[2].label = Label::kSuspected;
  rows[2].hypothesis = rows[2].plan = "x";
  std::vector<std::string> keys;
  for (const Row& one : rows) {
    const absl::StatusOr<std::string> line = FormatRow(one);
    ASSERT_TRUE(line.ok()) << line.status();
    const absl::StatusOr<json::value> value = ParseExactJson(*line);
    ASSERT_TRUE(value.ok());
    CollectKeys(value->get_object(), "", keys);
  }
  // At the top, of instrument, device, summary and conditions; and what the
  // labels alone bring.
  EXPECT_EQ(keys.size(), 3u * (18 + 3 + 6 + 7 + 4) + 3);
  const std::string page = Page();
  for (const std::string& key : keys) {
    EXPECT_TRUE(absl::StrContains(page, absl::StrCat("`", key, "`"))) << key;
  }
}

TEST(LedgerPage, NamesEveryUnitDirectionAndLabelAndEachLimit) {
  const std::string page = Page();
  std::vector<std::string> words;
  for (const Unit unit : AllUnits()) words.emplace_back(UnitName(unit));
  for (const Direction direction :
       {Direction::kLessIsBetter, Direction::kMoreIsBetter}) {
    words.emplace_back(DirectionName(direction));
  }
  for (const Label label :
       {Label::kMeasured, Label::kVerified, Label::kSuspected}) {
    words.emplace_back(LabelName(label));
  }
  for (const std::string& word : words) {
    EXPECT_TRUE(absl::StrContains(page, absl::StrCat("`", word, "`"))) << word;
  }
  for (const std::string& limit :
       {absl::StrCat("at most ", kMaxSamples),
        absl::StrCat("at most ", kMaxConfiguration, " keys"),
        absl::StrCat("at most ", kMaxText, " bytes"),
        absl::StrCat("at most ", kMaxLine, " bytes"),
        absl::StrCat("this form, ", kSchema, ";")}) {
    EXPECT_TRUE(absl::StrContains(page, limit)) << limit;
  }
}

}  // namespace
}  // namespace tactus::ledger
