#include "ledger/import/draft.h"

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
#include "gtest/gtest.h"
#include "ledger/import/sample_context.h"
#include "ledger/row/row.h"

namespace tactus::ledger {
namespace {

constexpr absl::string_view kDraft =
    R"({"instrument": "load_test", "series": "login/cold", "unit": "ms",
        "direction": "less", "samples": [212.5, 198, 204]})";

constexpr absl::string_view kDevice =
    R"("device": {"processor": "Other {1}", "cores": 8, "memory": "8-16 GiB",
        "kernel": "6.2", "virtualization": "none"})";

DraftDefaults Defaults() {
  return {.run = "00112233445566aa",
          .date = absl::FromUnixSeconds(1'780'000'000),
          .commit = std::string(40, 'c'),
          .dirty = true,
          .device = SampleContext().device,
          .origin = "append"};
}

absl::StatusOr<std::vector<Row>> Complete(absl::string_view text) {
  return CompleteDrafts(text, Defaults());
}

// kDraft with more keys.
std::string With(absl::string_view more) {
  return absl::StrReplaceAll(kDraft, {{"{", absl::StrCat("{", more, ", ")}});
}

TEST(Draft, WhatIsNotSaidComesFromTheDefaults) {
  const absl::StatusOr<std::vector<Row>> rows = Complete(kDraft);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 1u);
  const Row& row = rows->front();
  EXPECT_EQ(row.instrument.name, "load_test");
  EXPECT_EQ(row.series, "login/cold");
  EXPECT_EQ(row.unit, Unit::kMilliseconds);
  EXPECT_EQ(row.summary.p50, 204);
  EXPECT_EQ(row.label, Label::kMeasured);
  EXPECT_EQ(row.origin, "append");
  EXPECT_EQ(row.commit, Defaults().commit);
  EXPECT_TRUE(row.dirty);
  EXPECT_EQ(row.run, Defaults().run);
  EXPECT_EQ(row.date, Defaults().date);
  EXPECT_EQ(row.device.id, Defaults().device.id);
  EXPECT_TRUE(FormatRow(row).ok());
}

TEST(Draft, WhatIsSaidIsKept) {
  const absl::StatusOr<std::vector<Row>> rows = Complete(absl::StrReplaceAll(
      With(absl::StrCat(
          R"("schema": 1, "run": "ffffffffffffffff",
             "date": "2026-01-31T12:00:00+01:00", "commit": ")",
          std::string(40, 'd'), R"(", "failures": 2,
             "configuration": {"users": "40"},
             "conditions": {"load_after": 1.5}, )",
          kDevice)),
      {{R"("load_test")",
        R"({"name": "x", "binary": "xxh3:0011223344556677"})"}}));
  ASSERT_TRUE(rows.ok()) << rows.status();
  const Row& row = rows->front();
  EXPECT_EQ(row.run, "ffffffffffffffff");
  EXPECT_EQ(absl::FormatTime(row.date, absl::UTCTimeZone()),
            "2026-01-31T11:00:00+00:00");
  EXPECT_EQ(row.commit, std::string(40, 'd'));
  EXPECT_FALSE(row.dirty);
  EXPECT_EQ(row.failures, 2);
  EXPECT_EQ(SeriesKey(row), "login/cold users=40");
  EXPECT_EQ(row.conditions.load_after, 1.5);
  EXPECT_EQ(row.device.processor, "Other {1}");
  EXPECT_EQ(row.instrument.binary, "xxh3:0011223344556677");
}

TEST(Draft, SeveralStandOneAfterTheOther) {
  const absl::StatusOr<std::vector<Row>> rows =
      Complete(absl::StrCat("\n", kDraft, kDraft, "\n\n", kDraft, "\n"));
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->size(), 3u);
}

TEST(Draft, VerifiedRowHasASourceADeviceAndNoCommitOfOurs) {
  const std::string cited =
      R"("label": "verified", "citation": "RFC 9293, section 3.8")";
  EXPECT_EQ(Complete(With(cited)).status().message(),
            "row 1: device: is missing: a verified row says what its source "
            "measured on");
  const absl::StatusOr<std::vector<Row>> rows =
      Complete(With(absl::StrCat(cited, ", ", kDevice)));
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->front().label, Label::kVerified);
  EXPECT_EQ(rows->front().commit, "");
  EXPECT_FALSE(rows->front().dirty);
}

TEST(Draft, SuspectedRowHasAHypothesisAndAPlan) {
  const absl::StatusOr<std::vector<Row>> rows =
      Complete(With(R"("label": "suspected", "hypothesis": "the cache is cold",
              "plan": "measure it twice")"));
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->front().hypothesis, "the cache is cold");
  EXPECT_EQ(rows->front().commit, "");
  EXPECT_FALSE(Complete(With(R"("label": "suspected")")).ok());
}

TEST(Draft, EachThingThatIsWrongIsNamed) {
  const std::vector<std::pair<std::string, absl::string_view>> cases = {
      {"", "there is no row in the input"},
      {" \n", "there is no row in the input"},
      {"[]",
       "row 1: is not a JSON object; several stand one after the other, "
       "without a list around them"},
      {"{", "row 1: the input ends within the object"},
      {"{\"a\": \"}", "row 1: the input ends within the object"},
      {absl::StrCat(kDraft, ","),
       "row 2: is not a JSON object; several stand one after the other, "
       "without a list around them"},
      {With(R"("id": "x")"), "row 1: id: is computed: leave it out"},
      {With(R"("summary": {})"), "row 1: summary: is computed: leave it out"},
      {With(R"("origin": "")"),
       "row 1: origin: says who wrote the row: leave it out"},
      {With(R"("schema": 2)"), "row 1: schema: is not 1"},
      {With(R"("label": "sure")"),
       "row 1: label: no label 'sure': one of measured, verified, suspected"},
      {With(R"("date": "yesterday")"),
       "row 1: date: 'yesterday' is not of the form 2026-01-31T12:00:00Z"},
      {With(R"("configuration": {"a": 1})"),
       "row 1: configuration.a: is not a text"},
      {With(R"("device": {"cores": 1})"),
       "row 1: device.processor: is missing"},
      {With(R"("citation": "me")"),
       "row 1: citation: is for verified rows alone"},
      {absl::StrReplaceAll(kDraft, {{"212.5", "-1"}}),
       "row 1: samples: one is below zero"},
      {absl::StrReplaceAll(kDraft, {{"login/cold", "Login"}}),
       "row 1: series: 'Login' is not words of a-z, 0-9, '_', '-', '.' joined "
       "by '/'"},
      {absl::StrReplaceAll(kDraft, {{"\"series\"", "\"serie\""}}),
       "row 1: serie: is no key of a row; these are: schema, run, date, "
       "instrument, commit, dirty, device, series, configuration, unit, "
       "direction, samples, failures, conditions, label, citation, "
       "hypothesis, plan"},
  };
  for (const auto& [text, message] : cases) {
    const absl::Status status = Complete(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), message) << text;
  }
  EXPECT_TRUE(absl::StartsWith(
      Complete(absl::StrReplaceAll(kDraft, {{"212.5", "1e999"}}))
          .status()
          .message(),
      "row 1: not JSON: exponent overflow at byte "));
  // All or none.
  EXPECT_TRUE(absl::StartsWith(
      Complete(absl::StrCat(kDraft, "{}")).status().message(), "row 2: "));
}

}  // namespace
}  // namespace tactus::ledger
