#include "tools/tactus/bench.h"

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"
#include "ledger/stats/summary.h"
#include "tools/tactus/answer.h"
#include "tools/tactus/json_line.h"
#include "transfer/cost/fit.h"
#include "transfer/cost/units.h"
#include "xxhash.h"

namespace tactus::cli {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using ledger::Direction;
using ledger::Series;
using ledger::Unit;
using transfer::cost::ByteCount;
using transfer::cost::Mebibytes;
using transfer::cost::TransferSample;

constexpr char kSender[] = "sender";
constexpr char kBothEnds[] = "both ends";
// Before those that count: they connect, and fill what is to be warm.
constexpr int kWarmUp = 3;
// Of one size: then its path is broken, and not slow.
constexpr int kMostFailures = 3;

// Whether nothing that is tried after it can be good.
bool Ends(const absl::Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsCancelled(status);
}

// The samples of one size by both instruments.
struct Size {
  int64_t mebibytes = 0;
  std::vector<absl::Duration> sender;
  std::vector<absl::Duration> both_ends;
  absl::Duration total;
  int64_t failures = 0;
  std::string failure;
  bool dropped = false;
};

absl::Status Take(BenchPeer& peer, Size& size) {
  const absl::StatusOr<BenchPeer::Sent> sent =
      peer.Send(Mebibytes(size.mebibytes));
  if (sent.ok()) {
    size.sender.push_back(sent->sender);
    size.both_ends.push_back(sent->both_ends);
    size.total += sent->sender;
    return absl::OkStatus();
  }
  if (Ends(sent.status())) return sent.status();
  size.failure = std::string(sent.status().message());
  size.dropped = ++size.failures >= kMostFailures;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Size>> TakeSizes(BenchPeer& peer,
                                            const BenchOptions& options) {
  std::vector<Size> sizes;
  for (const int64_t mebibytes : options.sizes) {
    sizes.push_back({.mebibytes = mebibytes});
  }
  for (int round = 0; round < options.rounds; ++round) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      Size& size = sizes[i];
      if (size.dropped) continue;
      if (options.told) {
        options.told(absl::StrCat(size.mebibytes, " MiB, ", round + 1, " of ",
                                  options.rounds));
      }
      if (absl::Status taken = Take(peer, size); !taken.ok()) return taken;
      if (size.total <= options.budget) continue;
      size.dropped = true;
      for (size_t larger = i + 1; round == 0 && larger < sizes.size();
           ++larger) {
        sizes[larger].dropped = true;
      }
    }
  }
  return sizes;
}

void Add(BenchReport& report, const Size& size, const char* instrument,
         const std::vector<absl::Duration>& samples) {
  Series seconds{.name = "seconds",
                 .unit = Unit::kSeconds,
                 .failures = size.failures,
                 .failure = size.failure};
  Series rate = seconds;
  rate.name = "rate";
  rate.unit = Unit::kMegabitsPerSecond;
  rate.direction = Direction::kMoreIsBetter;
  for (const absl::Duration sample : samples) {
    seconds.samples.push_back(absl::ToDoubleSeconds(sample));
    rate.samples.push_back(
        (Mebibytes(size.mebibytes) / sample).megabits_per_second());
  }
  for (Series* series : {&seconds, &rate}) {
    report.series.push_back({std::move(*series),
                             {{"size", absl::StrCat(size.mebibytes, " MiB")},
                              {"instrument", instrument}}});
  }
}

void Fit(BenchReport& report, const char* instrument,
         const std::vector<TransferSample>& samples) {
  report.fits.push_back({instrument, transfer::cost::FitTransfers(samples)});
  const BenchFit& made = report.fits.back();
  if (!made.fit.ok()) return;
  const std::map<std::string, std::string> configuration = {
      {"instrument", instrument}};
  report.series.push_back(
      {{.name = "fixed",
        .unit = Unit::kSeconds,
        .samples = {absl::ToDoubleSeconds(made.fit->model.fixed)}},
       configuration});
  report.series.push_back(
      {{.name = "steady_rate",
        .unit = Unit::kMegabitsPerSecond,
        .direction = Direction::kMoreIsBetter,
        .samples = {made.fit->model.rate.megabits_per_second()}},
       configuration});
  report.series.push_back({{.name = "residual",
                            .unit = Unit::kRatio,
                            .samples = {made.fit->median_residual}},
                           configuration});
}

std::string Milliseconds(double number, Unit unit) {
  const double ms = unit == Unit::kSeconds ? number * 1000 : number / 1000;
  return absl::StrFormat("%.2f ms", ms);
}

// "median 0.21 ms, p95 0.40 ms, 200 samples", and the failures where there are.
std::string TimesForPeople(const Series& series) {
  std::string text;
  const absl::StatusOr<ledger::Summary> summary =
      ledger::Summarize(series.samples);
  if (summary.ok()) {
    text = absl::StrCat("median ", Milliseconds(summary->p50, series.unit),
                        ", p95 ", Milliseconds(summary->p95, series.unit), ", ",
                        summary->n, " samples");
  } else {
    text = "no sample";
  }
  if (series.failures > 0) {
    absl::StrAppend(&text, ", ", series.failures, " failed: ", series.failure);
  }
  return text;
}

std::string FitForPeople(const BenchFit& one) {
  if (!one.fit.ok()) {
    return absl::StrCat("no fixed cost and rate: ", one.fit.status().message());
  }
  return absl::StrFormat(
      "fixed %.2f ms, then %.0f Mbit/s; samples are %.1f %% from that "
      "(median), %+.1f to %+.1f %%",
      absl::ToDoubleMilliseconds(one.fit->model.fixed),
      one.fit->model.rate.megabits_per_second(), one.fit->median_residual * 100,
      one.fit->most_negative_residual * 100, one.fit->largest_residual * 100);
}

}  // namespace

absl::StatusOr<BenchReport> Measure(BenchPeer& peer,
                                    const BenchOptions& options) {
  const auto told = [&options](absl::string_view what) {
    if (options.told) options.told(what);
  };
  BenchReport report;
  told("round trips");
  Series trips{.name = "round_trip", .unit = Unit::kMicroseconds};
  for (int i = 0; i < kWarmUp + options.trips; ++i) {
    const absl::StatusOr<absl::Duration> trip = peer.Echo();
    if (!trip.ok()) return trip.status();
    if (i < kWarmUp) continue;
    trips.samples.push_back(absl::ToDoubleMicroseconds(*trip));
  }
  report.series.push_back({std::move(trips), {}});

  told("first bytes");
  // The first file opens the session, and somebody may have to agree to it.
  const absl::StatusOr<BenchPeer::Sent> first =
      peer.Send(transfer::cost::Bytes(1));
  if (!first.ok()) return first.status();
  Series bytes{.name = "first_byte", .unit = Unit::kMicroseconds};
  while (bytes.samples.size() < static_cast<size_t>(options.first_bytes) &&
         bytes.failures < kMostFailures) {
    const absl::StatusOr<BenchPeer::Sent> sent =
        peer.Send(transfer::cost::Bytes(1));
    if (sent.ok()) {
      bytes.samples.push_back(absl::ToDoubleMicroseconds(sent->sender));
      continue;
    }
    if (Ends(sent.status())) return sent.status();
    ++bytes.failures;
    bytes.failure = std::string(sent.status().message());
  }
  report.series.push_back({std::move(bytes), {}});

  const absl::StatusOr<std::vector<Size>> sizes = TakeSizes(peer, options);
  if (!sizes.ok()) return sizes.status();
  std::vector<TransferSample> sender;
  std::vector<TransferSample> both_ends;
  for (const Size& size : *sizes) {
    // Left out: there was no time for it.
    if (size.sender.empty() && size.failures == 0) continue;
    Add(report, size, kSender, size.sender);
    Add(report, size, kBothEnds, size.both_ends);
    for (size_t i = 0; i < size.sender.size(); ++i) {
      sender.push_back({Mebibytes(size.mebibytes), size.sender[i]});
      both_ends.push_back({Mebibytes(size.mebibytes), size.both_ends[i]});
    }
  }
  Fit(report, kSender, sender);
  Fit(report, kBothEnds, both_ends);
  return report;
}

std::string BenchForPeople(const BenchReport& report) {
  std::string text;
  for (const BenchSeries& one : report.series) {
    const Series& series = one.series;
    if (series.name == "round_trip") {
      text += Row("round trip", TimesForPeople(series));
    } else if (series.name == "first_byte") {
      text += Row("first byte", TimesForPeople(series));
    } else if (series.name == "seconds") {
      const std::string& size = one.configuration.at("size");
      text += Row(size.c_str(), absl::StrCat(one.configuration.at("instrument"),
                                             ", ", TimesForPeople(series)));
    }
  }
  for (const BenchFit& one : report.fits) {
    text += Row(one.instrument.c_str(), FitForPeople(one));
  }
  return text;
}

std::string BenchJson(const BenchReport& report, const std::string& peer,
                      int64_t recorded) {
  array all;
  for (const BenchSeries& one : report.series) {
    object configuration;
    for (const auto& [key, text] : one.configuration) {
      configuration[key] = Json(text);
    }
    object row{
        {"series", Json(absl::StrCat("bench/", one.series.name))},
        {"unit", Json(ledger::UnitName(one.series.unit))},
        {"direction",
         one.series.direction == Direction::kMoreIsBetter ? "more" : "less"},
        {"configuration", std::move(configuration)},
        {"n", one.series.samples.size()},
        {"failures", one.series.failures}};
    const absl::StatusOr<ledger::Summary> summary =
        ledger::Summarize(one.series.samples);
    row["p50"] = summary.ok() ? value(summary->p50) : value(nullptr);
    row["p95"] = summary.ok() ? value(summary->p95) : value(nullptr);
    row["samples"] =
        array(one.series.samples.begin(), one.series.samples.end());
    all.push_back(std::move(row));
  }
  return JsonLine({{"schema", "tactus.bench/1"},
                   {"peer", Json(peer)},
                   {"series", std::move(all)},
                   {"recorded", recorded}});
}

std::string PairName(absl::string_view near_id, absl::string_view far_id) {
  const std::string both = absl::StrCat(near_id, "|", far_id);
  return absl::StrFormat("%016x", XXH3_64bits(both.data(), both.size()));
}

}  // namespace tactus::cli
