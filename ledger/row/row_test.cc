#include "ledger/row/row.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/stats/summary.h"

namespace tactus::ledger {
namespace {

Row AnyRow() {
  Row row;
  row.run = "00112233445566aa";
  row.date = absl::FromUnixSeconds(1'780'000'000);
  row.instrument = {.name = "//ax/atspi:edit_benchmark",
                    .binary = "xxh3:00112233445566778899aabbccddeeff",
                    .harness = "sha256:0011223344556677"};
  row.commit = "0123456789abcdef0123456789abcdef01234567";
  row.device = {.processor = "Made-up 9000",
                .cores = 2,
                .memory = "16-32 GiB",
                .kernel = "6.1.0",
                .virtualization = "none"};
  row.device.id = DeviceId(row.device);
  row.series = "edit/gtk3";
  row.configuration = {{"application", "gtk3"}, {"text", "43"}};
  row.unit = Unit::kMicroseconds;
  row.samples = {3, 1, 2.5};
  row.summary = *Summarize(row.samples);
  row.conditions = {.load_before = 0.25, .load_after = 1};
  return row;
}

std::string AnyLine() { return *FormatRow(AnyRow()); }

TEST(Row, IsOneLineInOneOrder) {
  EXPECT_EQ(
      AnyLine(),
      absl::StrCat(
          R"({"schema":1,"id":")", RowId(AnyRow()),
          R"(","run":"00112233445566aa","date":"2026-05-28T20:26:40Z",)"
          R"("instrument":{"name":"//ax/atspi:edit_benchmark",)"
          R"("binary":"xxh3:00112233445566778899aabbccddeeff",)"
          R"("harness":"sha256:0011223344556677"},)"
          R"("commit":"0123456789abcdef0123456789abcdef01234567",)"
          R"("dirty":false,"device":{"id":")",
          AnyRow().device.id,
          R"(","processor":"Made-up 9000","cores":2,"memory":"16-32 GiB",)"
          R"("kernel":"6.1.0","virtualization":"none"},)"
          R"("series":"edit/gtk3",)"
          R"("configuration":{"application":"gtk3","text":"43"},)"
          R"("unit":"us","direction":"less","samples":[3,1,2.5],)"
          R"("summary":{"n":3,"min":1,"p50":2.5,"p95":3,"p99":3,"max":3,)"
          R"("mean":2.1666666666666665},"failures":0,)"
          R"("conditions":{"load_before":0.25,"load_after":1},)"
          R"("label":"measured"})",
          "\n"));
}

TEST(Row, ReadsBackAsItWasWritten) {
  const absl::StatusOr<Row> row = ParseRow(AnyLine());
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(*FormatRow(*row), AnyLine());
  EXPECT_EQ(row->id, RowId(AnyRow()));
  EXPECT_EQ(row->samples, AnyRow().samples);
  EXPECT_EQ(row->conditions.load_after, 1);
  EXPECT_EQ(row->conditions.mhz_after, std::nullopt);
}

TEST(Row, WithEveryFieldReadsBack) {
  Row row = AnyRow();
  row.instrument.binary.clear();
  row.commit.clear();
  row.dirty = true;
  row.label = Label::kSuspected;
  row.hypothesis = "caching \"both\" saves a flight: é\\";
  row.plan = "measure it";
  row.origin = "hyperfine";
  row.failures = 7;
  row.conditions.mhz_before = 2096.5;
  row.direction = Direction::kMoreIsBetter;
  const absl::StatusOr<std::string> line = FormatRow(row);
  ASSERT_TRUE(line.ok()) << line.status();
  const absl::StatusOr<Row> read = ParseRow(*line);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->hypothesis, row.hypothesis);
  EXPECT_EQ(read->plan, row.plan);
  EXPECT_EQ(read->origin, "hyperfine");
  EXPECT_EQ(read->failures, 7);
  EXPECT_EQ(read->direction, Direction::kMoreIsBetter);
  EXPECT_TRUE(read->dirty);
  EXPECT_EQ(*FormatRow(*read), *line);
}

TEST(Row, ThatWasEditedByHandIsRefused) {
  const std::string edited =
      absl::StrReplaceAll(AnyLine(), {{"\"cores\":2", "\"cores\":4"}});
  // The device's own id comes first; with it put right the row's is wrong.
  EXPECT_TRUE(
      absl::StrContains(ParseRow(edited).status().message(), "device.id: "));
  const std::string dirty =
      absl::StrReplaceAll(AnyLine(), {{"\"dirty\":false", "\"dirty\":true"}});
  EXPECT_TRUE(absl::StrContains(ParseRow(dirty).status().message(),
                                "the line was changed after it was written"));
}

TEST(Row, SpelledOtherwiseIsRefused) {
  for (const auto& [what, by] :
       std::vector<std::pair<std::string, std::string>>{
           {"\"dirty\":false", "\"dirty\": false"},
           {"\"dirty\":false", "\"dirty\":true,\"dirty\":false"},
           {"[3,1,2.5]", "[3.0,1,2.5]"},
           {"gtk3", "gtk\\u0033"}}) {
    const std::string line = absl::StrReplaceAll(AnyLine(), {{what, by}});
    EXPECT_EQ(ParseRow(line).status().message(),
              "row: is not spelled as this program writes it")
        << by;
  }
}

TEST(Row, WithoutAKeyNamesTheKey) {
  const std::string line =
      absl::StrReplaceAll(AnyLine(), {{"\"dirty\":false,", ""}});
  EXPECT_EQ(ParseRow(line).status().message(), "dirty: is missing");
  const std::string nested =
      absl::StrReplaceAll(AnyLine(), {{"\"p50\":2.5,", ""}});
  EXPECT_EQ(ParseRow(nested).status().message(), "summary.p50: is missing");
}

TEST(Row, WithAnUnknownKeyIsRefused) {
  const std::string line = absl::StrReplaceAll(
      AnyLine(), {{"\"dirty\":", "\"extra\":1,\"dirty\":"}});
  EXPECT_EQ(ParseRow(line).status().message(),
            "row: has 1 keys that schema 1 does not know");
}

TEST(Row, OfALaterSchemaSaysSo) {
  const std::string line =
      absl::StrReplaceAll(AnyLine(), {{"\"schema\":1", "\"schema\":2"}});
  EXPECT_EQ(ParseRow(line).status().message(),
            "schema: 2 is not the one known here, 1: use a newer version");
}

TEST(Row, TornAtAnyByteIsRefused) {
  const std::string line = AnyLine();
  // The last byte is the line end, without which a row is still a row.
  for (size_t size = 0; size + 1 < line.size(); ++size) {
    EXPECT_FALSE(ParseRow(line.substr(0, size)).ok()) << size;
  }
}

TEST(Row, ThatBreaksARuleIsNeitherWrittenNorRead) {
  struct Case {
    std::string field;
    std::function<void(Row&)> harm;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Case> cases = {
      {"run", [](Row& r) { r.run = "x"; }},
      {"date", [](Row& r) { r.date += absl::Milliseconds(1); }},
      {"date", [](Row& r) { r.date = absl::InfiniteFuture(); }},
      {"instrument.name", [](Row& r) { r.instrument.name.clear(); }},
      {"instrument.name", [](Row& r) { r.instrument.name = "a\x1b[2J"; }},
      {"instrument", [](Row& r) { r.instrument.binary = "9f86"; }},
      {"commit", [](Row& r) { r.commit = "HEAD"; }},
      {"device.processor", [](Row& r) { r.device.processor.clear(); }},
      {"device.cores", [](Row& r) { r.device.cores = 0; }},
      {"device.id", [](Row& r) { r.device.kernel = "another"; }},
      {"series", [](Row& r) { r.series = "Edit gtk3"; }},
      {"series", [](Row& r) { r.series = "edit//gtk3"; }},
      {"configuration", [](Row& r) { r.configuration["A"] = "b"; }},
      {"configuration",
       [](Row& r) { r.configuration["a"] = std::string(1025, 'b'); }},
      {"samples", [](Row& r) { r.samples.clear(); }},
      {"samples", [](Row& r) { r.samples[0] = std::nan(""); }},
      {"samples", [infinity](Row& r) { r.samples[0] = infinity; }},
      {"samples",
       [](Row& r) {
         r.samples[0] = -1;
         r.summary = *Summarize(r.samples);
       }},
      {"samples",
       [](Row& r) {
         r.samples.assign(kMaxSamples + 1, 1);
         r.summary = *Summarize(r.samples);
       }},
      {"summary", [](Row& r) { r.summary.p50 = 2; }},
      {"summary.n", [](Row& r) { r.summary.n = 4; }},
      {"failures", [](Row& r) { r.failures = -1; }},
      {"conditions", [](Row& r) { r.conditions.load_before = -1; }},
      {"citation", [](Row& r) { r.label = Label::kVerified; }},
      {"citation", [](Row& r) { r.citation = "a book"; }},
      {"hypothesis", [](Row& r) { r.label = Label::kSuspected; }},
      {"plan",
       [](Row& r) {
         r.label = Label::kSuspected;
         r.hypothesis = "it is";
       }},
  };
  for (const Case& one : cases) {
    Row row = AnyRow();
    one.harm(row);
    const absl::Status status = FormatRow(row).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << one.field;
    EXPECT_TRUE(
        absl::StartsWith(status.message(), absl::StrCat(one.field, ": ")))
        << one.field << " but " << status;
  }
}

TEST(Row, OfMoreSamplesThanAreKeptSumsUpAllOfThem) {
  Row row = AnyRow();
  row.samples.assign(kMaxSamples, 2);
  row.summary = *Summarize(row.samples);
  row.summary.n = 100'000;
  row.summary.max = 3;
  ASSERT_TRUE(ValidateRow(row).ok()) << ValidateRow(row);
  row.summary.max = 1;
  EXPECT_FALSE(ValidateRow(row).ok());
}

TEST(Row, HoldsTheMostSamplesThereMayBe) {
  Row row = AnyRow();
  row.samples.clear();
  for (size_t i = 0; i < kMaxSamples; ++i) {
    row.samples.push_back(1.0 / 3 * std::pow(10, static_cast<int>(i % 300)));
  }
  row.summary = *Summarize(row.samples);
  const absl::StatusOr<std::string> line = FormatRow(row);
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_TRUE(ParseRow(*line).ok()) << ParseRow(*line).status();
}

TEST(Row, NestedTooDeepIsRefused) {
  const std::string line = absl::StrReplaceAll(
      AnyLine(), {{"[3,1,2.5]", std::string(100'000, '[')}});
  EXPECT_FALSE(ParseRow(line).ok());
}

TEST(SeriesKey, HoldsTheConfigurationInOrder) {
  EXPECT_EQ(SeriesKey(AnyRow()), "edit/gtk3 application=gtk3 text=43");
}

TEST(NewRunId, IsAnotherEachTime) { EXPECT_NE(NewRunId(), NewRunId()); }

TEST(FormatNumber, IsShortAndReadsBack) {
  for (const auto& [value, text] : std::vector<std::pair<double, std::string>>{
           {0, "0"},
           {-0.0, "0"},
           {512, "512"},
           {100000, "100000"},
           {0.25, "0.25"},
           {1e-7, "1e-07"},
           {1e300, "1e+300"},
           {9007199254740991, "9007199254740991"},
           {1.0 / 3, "0.3333333333333333"}}) {
    EXPECT_EQ(FormatNumber(value), text);
  }
}

TEST(Unit, EveryOneReadsBackByItsName) {
  for (const Unit unit : AllUnits()) {
    EXPECT_EQ(*ParseUnit(UnitName(unit)), unit);
  }
  EXPECT_EQ(ParseUnit("parsec").status().message(),
            "no unit 'parsec': one of ns, us, ms, s, B, B/s, Mbit/s, 1/s, "
            "count, ratio");
}

}  // namespace
}  // namespace tactus::ledger
