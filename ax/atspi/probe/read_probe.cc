// Takes the samples that `//gate:ax_read` and `//gate:ax_ratio` judge, of the
// field that has the focus on this desktop, and prints them as JSON lines.
//
//   read_probe --text TEXT --application gtk3            snapshots, one by one
//   read_probe --text TEXT --application gtk3 --ratio    batched and in turn
//
// TEXT is what the field holds: a snapshot that read another is a failed try.
//
//   {"series":"ax_read/snapshot","unit":"us","samples":[512.1],"failures":0}
//   {"fact":"end","value":"sure"}
//
// With --ledger DIR the samples are appended there as a row of the gate's name.
// A try that was left out since the scheduler held it up counts among the row's
// failures: it gave no sample.
//
// Exit codes: 0 measured, whatever came out; 1 cannot measure; 2 usage.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/atspi/probe/probe_harness.h"
#include "ax/atspi/probe/slow_server.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "boost/json.hpp"
#include "ledger/record/recorder.h"
#include "ledger/record/sampler.h"
#include "ledger/record/series.h"
#include "ledger/record/stall_sampler.h"
#include "ledger/row/row.h"

namespace tactus::ax::atspi {
namespace {

namespace json = boost::json;

// For one snapshot: what needs more has failed.
constexpr absl::Duration kPatience = absl::Seconds(5);
// For an application to be ready, on a machine that is busy.
constexpr absl::Duration kSettlePatience = absl::Seconds(20);

struct Options {
  std::string text;
  std::string application;
  std::string ledger;
  bool ratio = false;
  int samples = 200;
  int cap = 1000;
  double p99_ms = 50;
  double p50_ms = 2;
  double confidence = 0.95;
  double slow_ms = 0;
};

using ServerPtr = std::unique_ptr<AtspiServer>;

absl::Time Deadline() { return Clock::Real().Now() + kPatience; }

void Print(const json::object& line) {
  printf("%s\n", json::serialize(line).c_str());
  fflush(stdout);
}

void PrintValue(const char* name, json::value value) {
  Print({{"fact", name}, {"value", std::move(value)}});
}

void PrintFact(const char* name, absl::string_view value) {
  PrintValue(name, json::value(json::string_view(value.data(), value.size())));
}

void PrintSeries(const std::string& name, const ledger::Series& series) {
  json::object line = {{"series", name},
                       {"unit", std::string(ledger::UnitName(series.unit))},
                       {"samples", json::value_from(series.samples)},
                       {"failures", series.failures}};
  if (!series.failure.empty()) line["failure"] = series.failure;
  Print(line);
}

class Probe {
 public:
  explicit Probe(const Options& options) : options_(options) {}

  absl::Status Run() {
    absl::StatusOr<ServerPtr> server = AtspiServer::Connect({}, Deadline());
    if (!server.ok()) return server.status();
    if (absl::Status s = Settle(**server); !s.ok()) return s;
    PrintValue("optimized", ledger::kOptimized);
    return options_.ratio ? Ratio(**server) : Read(**server);
  }

 private:
  absl::Status Check(const absl::StatusOr<Snapshot>& snapshot) const {
    if (!snapshot.ok()) return snapshot.status();
    if (!snapshot->value.ok()) return snapshot->value.status();
    if (!absl::StrContains(*snapshot->value, options_.text)) {
      // The text itself is never told.
      return absl::DataLossError(
          absl::StrCat("read another text than the field holds, of ",
                       snapshot->value->size(), " bytes"));
    }
    return absl::OkStatus();
  }

  absl::Status Settle(Server& server) const {
    const absl::Time until = Clock::Real().Now() + kSettlePatience;
    for (;;) {
      const absl::Status status =
          Check(SnapshotFocused(server, {.deadline = Deadline()}));
      if (status.ok() || Clock::Real().Now() >= until) return status;
      Clock::Real().SleepUntil(Clock::Real().Now() + absl::Milliseconds(100));
    }
  }

  absl::StatusOr<std::unique_ptr<ledger::Recorder>> StartRecorder(
      const char* instrument) const {
    return ledger::Recorder::Start(
        {.instrument = instrument,
         .harness = ledger::kHarnessDigest,
         .ledger = options_.ledger,
         .configuration = {{"application", options_.application}}});
  }

  absl::Status Read(Server& server) const {
    absl::StatusOr<std::unique_ptr<ledger::Recorder>> recorder =
        StartRecorder("//gate:ax_read");
    if (!recorder.ok()) return recorder.status();
    SlowServer slow(&server, absl::Milliseconds(options_.slow_ms));
    const std::unique_ptr<ledger::StallClock> clock =
        ledger::ThreadStallClock();
    ledger::StallSamples taken = ledger::TakeStallSamples(
        "ax_read/snapshot",
        {.samples = options_.samples,
         .cap = options_.cap,
         .claims = {{0.99, absl::Milliseconds(options_.p99_ms)},
                    {0.5, absl::Milliseconds(options_.p50_ms)}},
         .confidence = options_.confidence,
         .excused = std::max(1, options_.samples / 20)},
        *clock,
        [&] { return Check(SnapshotFocused(slow, {.deadline = Deadline()})); });
    PrintSeries(taken.series.name, taken.series);
    PrintFact("end", ledger::EndName(taken.end));
    json::array excused;
    for (const ledger::Excused& one : taken.excused) {
      excused.push_back(
          {{"took_ms", absl::ToDoubleMilliseconds(one.took)},
           {"waited_ms", absl::ToDoubleMilliseconds(one.waited)}});
    }
    PrintValue("excused", std::move(excused));
    PrintFact("no_proof", taken.no_proof);
    PrintValue("waited_us", json::value_from(taken.waited));
    if (!(*recorder)->records()) return absl::OkStatus();
    ledger::Series row = taken.series;
    row.failures += static_cast<int64_t>(taken.excused.size());
    return Recorded(**recorder, {row});
  }

  // Of an element that is held, so that the search, which both do alike, is not
  // in it.
  absl::Status Ratio(Server& server) const {
    absl::StatusOr<std::unique_ptr<ledger::Recorder>> recorder =
        StartRecorder("//gate:ax_ratio");
    if (!recorder.ok()) return recorder.status();
    absl::StatusOr<Target> target = Resolve(server, Deadline());
    if (!target.ok()) return target.status();
    absl::StatusOr<ServerPtr> batched = AtspiServer::Connect({}, Deadline());
    if (!batched.ok()) return batched.status();
    absl::StatusOr<ServerPtr> in_turn =
        AtspiServer::Connect({.no_batches = true}, Deadline());
    if (!in_turn.ok()) return in_turn.status();
    const auto take = [&](Server& from) {
      return Check(SnapshotTarget(from, *target, {.deadline = Deadline()}));
    };
    SlowServer slow(batched->get(), absl::Milliseconds(options_.slow_ms));
    ledger::Sampler sampler(ledger::MonotonicNow,
                            {.rounds = options_.samples,
                             .budget = absl::Minutes(1),
                             .at_least = options_.samples});
    sampler.Add("ax_ratio/batched", [&] { return take(slow); });
    sampler.Add("ax_ratio/in_turn", [&] { return take(**in_turn); });
    sampler.Run();
    const std::vector<ledger::Series>& times = sampler.series();
    for (const ledger::Series& series : times) {
      PrintSeries(series.name, series);
    }
    ledger::Series ratio{.name = "ax_ratio/batched_over_in_turn",
                         .unit = ledger::Unit::kRatio};
    // A round is one sample of each; where a try failed the n-th of one is not
    // of the round of the n-th of the other.
    if (times[0].failures == 0 && times[1].failures == 0) {
      for (size_t i = 0; i < times[0].samples.size(); ++i) {
        ratio.samples.push_back(times[0].samples[i] / times[1].samples[i]);
      }
    } else {
      ratio.failures = times[0].failures + times[1].failures;
      ratio.failure = times[times[0].failures == 0 ? 1 : 0].failure;
    }
    PrintSeries(ratio.name, ratio);
    if (!(*recorder)->records()) return absl::OkStatus();
    return Recorded(**recorder, {ratio, times[0], times[1]});
  }

  static absl::Status Recorded(ledger::Recorder& recorder,
                               const std::vector<ledger::Series>& rows) {
    for (const ledger::Series& row : rows) {
      if (row.samples.empty()) continue;  // the gate tells why
      if (absl::Status s = recorder.Record(row); !s.ok()) return s;
      PrintFact("recorded", row.name);
    }
    if (!recorder.repaired().empty()) {
      PrintFact("repaired", recorder.repaired());
    }
    return absl::OkStatus();
  }

  const Options options_;
};

}  // namespace
}  // namespace tactus::ax::atspi

int main(int argc, char** argv) {
  tactus::ax::atspi::Options options;
  CLI::App app("Takes the samples of the gates on reading, on this desktop.");
  app.add_option("--text", options.text, "what the focused field holds")
      ->required();
  app.add_option("--application", options.application,
                 "which application that is, for the row")
      ->required();
  app.add_flag("--ratio", options.ratio, "batched over in turn");
  app.add_option("--samples", options.samples, "at first")
      ->check(CLI::PositiveNumber);
  app.add_option("--cap", options.cap, "at most")->check(CLI::PositiveNumber);
  app.add_option("--p99-ms", options.p99_ms, "the bound of that percentile")
      ->check(CLI::PositiveNumber);
  app.add_option("--p50-ms", options.p50_ms, "the bound of the median")
      ->check(CLI::PositiveNumber);
  app.add_option("--confidence", options.confidence, "in both")
      ->check(CLI::Range(0.5, 0.9999));
  app.add_option("--slow-ms", options.slow_ms, "what each read takes longer");
  app.add_option("--ledger", options.ledger, "where a row is appended");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.slow_ms > 0 && !options.ledger.empty()) {
    fprintf(stderr,
            "read_probe: what was slowed on purpose is no measurement, "
            "and is not recorded\n");
    return 2;
  }
  const absl::Status status = tactus::ax::atspi::Probe(options).Run();
  if (status.ok()) return 0;
  fprintf(stderr, "read_probe: %s\n", status.ToString().c_str());
  return 1;
}
