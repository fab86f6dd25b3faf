#include "tools/tactus/bench.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "ledger/record/recorder.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"
#include "transfer/cost/units.h"

namespace tactus::cli {
namespace {

using transfer::cost::ByteCount;

// A path of 10 ms and then 8 Mbit/s, whose echo takes 2 ms; `sender` sees a
// millisecond more than `both ends`.
class FakePeer : public BenchPeer {
 public:
  absl::StatusOr<absl::Duration> Echo() override {
    ++echoes;
    if (!echo.ok()) return echo;
    // The first ones, which connect, take longer.
    return echoes <= 3 ? absl::Seconds(1) : absl::Milliseconds(2);
  }
  absl::StatusOr<Sent> Send(ByteCount size) override {
    sizes.push_back(size.bytes());
    if (!answers.empty()) {
      const absl::Status answer = answers.front();
      answers.pop_front();
      if (!answer.ok()) return answer;
    }
    const absl::Duration both =
        absl::Milliseconds(10) + absl::Microseconds(size.bytes());
    return Sent{.sender = both + absl::Milliseconds(1), .both_ends = both};
  }

  int echoes = 0;
  absl::Status echo;
  std::vector<int64_t> sizes;
  std::deque<absl::Status> answers;  // of the sends that come first
};

constexpr int64_t kMiB = int64_t{1} << 20;

const BenchSeries* Find(const BenchReport& report, const std::string& name,
                        const std::map<std::string, std::string>& with = {}) {
  for (const BenchSeries& one : report.series) {
    if (one.series.name == name && one.configuration == with) return &one;
  }
  return nullptr;
}

TEST(Bench, EachPartHasItsSamplesAndTheFirstOnesCountForNothing) {
  FakePeer peer;
  const absl::StatusOr<BenchReport> report = Measure(
      peer, {.sizes = {1, 4}, .rounds = 3, .trips = 7, .first_bytes = 2});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(peer.echoes, 3 + 7);
  // One that opens the session, two first bytes, the sizes in turn.
  EXPECT_EQ(peer.sizes, (std::vector<int64_t>{1, 1, 1, kMiB, 4 * kMiB, kMiB,
                                              4 * kMiB, kMiB, 4 * kMiB}));
  EXPECT_EQ(Find(*report, "round_trip")->series.samples,
            std::vector<double>(7, 2000));
  EXPECT_EQ(Find(*report, "first_byte")->series.samples,
            std::vector<double>(2, 11001));
  const double both = 0.010 + 4.194304;
  const auto* seconds = Find(*report, "seconds",
                             {{"size", "4 MiB"}, {"instrument", "both ends"}});
  ASSERT_NE(seconds, nullptr);
  EXPECT_EQ(seconds->series.samples.size(), 3u);
  EXPECT_NEAR(seconds->series.samples[0], both, 1e-9);
  EXPECT_NEAR(
      Find(*report, "seconds", {{"size", "4 MiB"}, {"instrument", "sender"}})
          ->series.samples[2],
      both + 0.001, 1e-9);
  const auto* rate =
      Find(*report, "rate", {{"size", "4 MiB"}, {"instrument", "both ends"}});
  EXPECT_EQ(rate->series.direction, ledger::Direction::kMoreIsBetter);
  EXPECT_NEAR(rate->series.samples[0], 4.194304 * 8 / both, 1e-9);
}

TEST(Bench, FixedCostAndRateAreThoseOfThePath) {
  FakePeer peer;
  const absl::StatusOr<BenchReport> report =
      Measure(peer, {.sizes = {1, 4, 16}, .rounds = 2, .trips = 1});
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->fits.size(), 2u);
  EXPECT_EQ(report->fits[0].instrument, "sender");
  ASSERT_TRUE(report->fits[1].fit.ok());
  EXPECT_NEAR(
      Find(*report, "fixed", {{"instrument", "both ends"}})->series.samples[0],
      0.010, 1e-6);
  EXPECT_NEAR(
      Find(*report, "fixed", {{"instrument", "sender"}})->series.samples[0],
      0.011, 1e-6);
  EXPECT_NEAR(Find(*report, "steady_rate", {{"instrument", "sender"}})
                  ->series.samples[0],
              8, 1e-6);
}

TEST(Bench, OneSizeSaysNothingOfAFixedCost) {
  FakePeer peer;
  const absl::StatusOr<BenchReport> report =
      Measure(peer, {.sizes = {1}, .trips = 1});
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(report->fits[0].fit.status()));
  EXPECT_EQ(Find(*report, "fixed", {{"instrument", "sender"}}), nullptr);
  EXPECT_TRUE(absl::StrContains(BenchForPeople(*report),
                                "\nsender       no fixed cost and rate: "));
}

TEST(Bench, WhatAPeerRefusesIsAskedNoMore) {
  FakePeer peer;
  peer.answers = {absl::PermissionDeniedError("refused: not by me")};
  EXPECT_EQ(Measure(peer, {.trips = 1}).status(),
            absl::PermissionDeniedError("refused: not by me"));
  EXPECT_EQ(peer.sizes.size(), 1u);
  // Amid the sizes as well.
  peer.answers = {absl::OkStatus(), absl::OkStatus(),
                  absl::PermissionDeniedError("refused: no longer")};
  EXPECT_EQ(Measure(peer, {.trips = 1, .first_bytes = 1}).status(),
            absl::PermissionDeniedError("refused: no longer"));
  EXPECT_EQ(peer.sizes.size(), 1u + 3u);
  peer.echo = absl::UnavailableError("gone");
  EXPECT_EQ(Measure(peer, {}).status(), peer.echo);
}

TEST(Bench, AFailureIsNoSampleAndAfterThreeASizeIsGivenUp) {
  FakePeer peer;
  const absl::Status cut = absl::UnavailableError("failed: cut");
  // The session, the first byte, then one of 1 MiB and all of 4 MiB.
  peer.answers = {{}, {}, cut, cut, {}, cut, {}, cut};
  const absl::StatusOr<BenchReport> report = Measure(
      peer, {.sizes = {1, 4}, .rounds = 4, .trips = 1, .first_bytes = 1});
  ASSERT_TRUE(report.ok());
  const auto* small =
      Find(*report, "seconds", {{"size", "1 MiB"}, {"instrument", "sender"}});
  EXPECT_EQ(small->series.samples.size(), 3u);
  EXPECT_EQ(small->series.failures, 1);
  const auto* large =
      Find(*report, "seconds", {{"size", "4 MiB"}, {"instrument", "sender"}});
  EXPECT_EQ(large->series.samples.size(), 0u);
  EXPECT_EQ(large->series.failures, 3);
  EXPECT_EQ(large->series.failure, "failed: cut");
  EXPECT_TRUE(absl::StrContains(
      BenchForPeople(*report),
      "4 MiB        sender, no sample, 3 failed: failed: cut\n"));
}

TEST(Bench, ASlowPathGetsFewerSamplesAndNoLargerSizes) {
  FakePeer peer;
  // 4 MiB take 4.2 s: one round is over the budget, and 16 MiB are not begun.
  const absl::StatusOr<BenchReport> report =
      Measure(peer, {.sizes = {1, 4, 16},
                     .rounds = 9,
                     .trips = 1,
                     .first_bytes = 1,
                     .budget = absl::Seconds(4)});
  ASSERT_TRUE(report.ok());
  const auto count = [&](const char* size) {
    const auto* one =
        Find(*report, "seconds", {{"size", size}, {"instrument", "sender"}});
    return one == nullptr ? size_t{0} : one->series.samples.size();
  };
  EXPECT_EQ(count("1 MiB"), 4u);  // the fourth is over
  EXPECT_EQ(count("4 MiB"), 1u);
  EXPECT_EQ(count("16 MiB"), 0u);
}

TEST(Bench, PeopleReadRowsAndProgramsAnObject) {
  FakePeer peer;
  const absl::StatusOr<BenchReport> report = Measure(
      peer, {.sizes = {1, 4}, .rounds = 2, .trips = 2, .first_bytes = 1});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(
      BenchForPeople(*report),
      "round trip   median 2.00 ms, p95 2.00 ms, 2 samples\n"
      "first byte   median 11.00 ms, p95 11.00 ms, 1 samples\n"
      "1 MiB        sender, median 1059.58 ms, p95 1059.58 ms, 2 samples\n"
      "1 MiB        both ends, median 1058.58 ms, p95 1058.58 ms, 2 samples\n"
      "4 MiB        sender, median 4205.30 ms, p95 4205.30 ms, 2 samples\n"
      "4 MiB        both ends, median 4204.30 ms, p95 4204.30 ms, 2 samples\n"
      "sender       fixed 11.00 ms, then 8 Mbit/s; samples are 0.0 % from that "
      "(median), +0.0 to +0.0 %\n"
      "both ends    fixed 10.00 ms, then 8 Mbit/s; samples are 0.0 % from that "
      "(median), +0.0 to +0.0 %\n");
  const std::string json = BenchJson(*report, "lap\x1btop", 3);
  EXPECT_TRUE(absl::StrContains(
      json, R"("schema":"tactus.bench/1","peer":"lap\u001btop")"))
      << json;
  EXPECT_TRUE(absl::StrContains(
      json, R"({"series":"bench/round_trip","unit":"us","direction":"less",)"
            R"("configuration":{},"n":2,"failures":0,)"))
      << json;
  EXPECT_TRUE(absl::StrContains(json, "\"recorded\":3}\n")) << json;
}

TEST(Bench, EachSeriesIsARowOfALedger) {
  FakePeer peer;
  const absl::StatusOr<BenchReport> report = Measure(
      peer, {.sizes = {1, 4}, .rounds = 2, .trips = 2, .first_bytes = 1});
  ASSERT_TRUE(report.ok());
  const std::string folder = testing::TempDir() + "/ledger";
  std::filesystem::create_directories(folder);
  const auto recorder =
      ledger::Recorder::Start({.instrument = "//tools/tactus:bench",
                               .harness = "sha256:8899aabbccddeeff",
                               .ledger = folder,
                               .prefix = "bench/",
                               .configuration = {{"pair", PairName("A", "B")}},
                               .optimized = true});
  ASSERT_TRUE(recorder.ok()) << recorder.status();
  for (const BenchSeries& one : report->series) {
    const absl::Status recorded =
        (*recorder)->Record(one.series, one.configuration);
    EXPECT_TRUE(recorded.ok()) << recorded;
  }
  std::ifstream file(folder + "/tools.tactus.bench.jsonl");
  std::vector<std::string> rows;
  for (std::string line; std::getline(file, line);) rows.push_back(line);
  ASSERT_EQ(rows.size(), report->series.size());
  EXPECT_TRUE(absl::StrContains(rows[0], R"("series":"bench/round_trip")"));
  EXPECT_TRUE(absl::StrContains(
      rows[2],
      absl::StrCat(R"("configuration":{"instrument":"sender","pair":")",
                   PairName("A", "B"), R"(","size":"1 MiB"})")))
      << rows[2];
}

TEST(Bench, APairIsNamedByBothIdsAndTheirOrder) {
  EXPECT_EQ(PairName("A", "B").size(), 16u);
  EXPECT_NE(PairName("A", "B"), PairName("B", "A"));
  EXPECT_NE(PairName("A", "B"), PairName("A", "C"));
  EXPECT_EQ(PairName("A", "B"), PairName("A", "B"));
}

}  // namespace
}  // namespace tactus::cli
