// What reading and editing the focused text takes where every call is a trip to
// another process: the shape of the figures that a macOS client of the AX C API
// published, on a mock server.
//
//   bazel run -c opt //ax/bench:two_process -- --record
//
// Behind the seam is the mock server in a process of its own, asked over a Unix
// socket (remote_server.h), and not ax/macos over its fake: the fake's objects
// live in this process, so relaying them would measure our marshalling of
// CoreFoundation. What is compared is what the code above the seam does with
// its trips. So a trip is dearer or cheaper than on another system, and it is
// the ratios that carry over.
//
//   resolve.*   the focused application by either route; the element; both
//   read.*      one attribute; the five of the text in one trip; in five
//   probe       whether the value can be set
//   write       the value of 44 characters
//   snapshot.*  attribute by attribute; batched; batched but for the probes,
//               which the AX C API has no batched form for; with the focus
//               known from events
//   cold.*      the first contacts with a process that has just started;
//               one is started anew for each sample
//   share.*     what a batched snapshot takes of one in turn, of each round
//
// The goal is of the last: batching is to save at least the share that it saves
// in the system whose figures are to be reproduced.
//
// Exit codes: 0 the goal was met, or there are too few samples to judge; 1 it
// was missed, or something cannot be measured; 2 usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "ax/bench/remote_server.h"
#include "ax/bench/two_process_harness.h"
#include "ax/clock/clock.h"
#include "ax/focus/focus_cache.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "ledger/record/recorder.h"
#include "ledger/record/sampler.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"

namespace tactus::ax::bench {
namespace {

using ledger::Series;

constexpr char kText[] = "The quick brown fox jumps over the lazy dog.";

struct Options {
  std::string mock;
  std::string ledger;
  bool record = false;
  int rounds = 300;
  double budget_s = 20;
};

absl::Status Wrong(const char* what) {
  return absl::InternalError(absl::StrCat("the answer is wrong: ", what));
}

absl::Time Deadline() { return Clock::Real().Now() + absl::Seconds(5); }

absl::Status TakeSnapshot(Server& server, FocusHints* hints) {
  const absl::StatusOr<Snapshot> snapshot =
      SnapshotFocused(server, {.deadline = Deadline()}, hints);
  if (!snapshot.ok()) return snapshot.status();
  if (!snapshot->value.ok() || *snapshot->value != kText) return Wrong("text");
  if (hints != nullptr && snapshot->route != Route::kCache) {
    return Wrong("the cache knew nothing");
  }
  return absl::OkStatus();
}

class Benchmark {
 public:
  explicit Benchmark(const Options& options)
      : options_(options),
        sampler_(ledger::MonotonicNow,
                 {.rounds = options.rounds,
                  .budget = absl::Seconds(options.budget_s)}) {}

  absl::Status Prepare() {
    absl::StatusOr<std::unique_ptr<MockProcess>> process =
        MockProcess::Start(options_.mock, 4);
    if (!process.ok()) return process.status();
    process_ = *std::move(process);
    batched_ = Server(0, {});
    in_turn_ = Server(1, {.in_turn = true});
    probes_alone_ = Server(2, {.probes_alone = true});
    absl::StatusOr<std::unique_ptr<FocusCache>> cache =
        FocusCache::Create(Server(3, {}), Deadline());
    if (!cache.ok()) return cache.status();
    cache_ = *std::move(cache);
    const absl::StatusOr<Target> target = Resolve(*batched_, Deadline());
    if (!target.ok()) return target.status();
    application_ = target->application;
    element_ = target->candidates.front();
    return absl::OkStatus();
  }

  void AddAll() {
    ax::Server& server = *batched_;
    sampler_.Add("resolve.system_wide", [&server] {
      return server.FocusedApplication(Deadline()).status();
    });
    sampler_.Add("resolve.window_list", [this, &server] {
      const absl::StatusOr<std::vector<Window>> windows =
          server.WindowList(Deadline());
      if (!windows.ok()) return windows.status();
      if (windows->empty()) return Wrong("windows");
      const absl::StatusOr<Application> found =
          server.ApplicationOfProcess(windows->front().pid, Deadline());
      if (!found.ok()) return found.status();
      return found->id == application_.id ? absl::OkStatus() : Wrong("window");
    });
    sampler_.Add("resolve.element", [this, &server] {
      return server.FocusedElements(application_, Deadline()).status();
    });
    sampler_.Add("resolve.both",
                 [&server] { return Resolve(server, Deadline()).status(); });
    sampler_.Add("read.one", [this, &server] {
      return server.Read(Of(Attribute::kRole), Deadline()).status();
    });
    sampler_.Add("read.five.batched", [this, &server] {
      return server.ReadMany(TextAttributes(), Deadline()).status();
    });
    sampler_.Add("read.five.in_turn", [this, &server] {
      for (const ReadRequest& request : TextAttributes()) {
        const Reading reading = server.Read(request, Deadline());
        // Nothing is selected, and that is an answer.
        if (!reading.ok() && !absl::IsNotFound(reading.status())) {
          return reading.status();
        }
      }
      return absl::OkStatus();
    });
    sampler_.Add("probe", [this, &server] {
      return server.Read(Of(Attribute::kValueSettable), Deadline()).status();
    });
    sampler_.Add("write", [this, &server] {
      const WriteResult written =
          server.Write({.element = element_,
                        .kind = WriteRequest::Kind::kSetValue,
                        .text = kText},
                       Deadline());
      return written.sent ? written.status : Wrong("nothing was sent");
    });
    sampler_.Add("snapshot.in_turn",
                 [this] { return TakeSnapshot(*in_turn_, nullptr); });
    sampler_.Add("snapshot.batched",
                 [this] { return TakeSnapshot(*batched_, nullptr); });
    sampler_.Add("snapshot.probes_alone",
                 [this] { return TakeSnapshot(*probes_alone_, nullptr); });
    sampler_.Add("snapshot.cached",
                 [this] { return TakeSnapshot(*batched_, cache_.get()); });
  }

  // A process for each sample, since the first contact is there only once.
  void MeasureCold() {
    const int samples = std::max(3, options_.rounds / 10);
    for (const char* name :
         {"cold.application", "cold.element", "cold.snapshot"}) {
      cold_.push_back({.name = name});
    }
    for (int i = 0; i < samples; ++i) {
      const absl::Status status = OneCold();
      if (status.ok()) continue;
      for (Series& series : cold_) {
        ++series.failures;
        series.failure = std::string(status.message());
      }
    }
  }

  // How many trips a snapshot makes, which no machine changes.
  void PrintTrips() {
    for (const auto& [name, server] :
         {std::pair<const char*, RemoteServer*>{"in turn", in_turn_.get()},
          {"batched", batched_.get()},
          {"batched, probes alone", probes_alone_.get()}}) {
      const int64_t before = server->traffic().flights;
      TakeSnapshot(*server, nullptr).IgnoreError();
      std::printf("%-24s %3lld trips\n", name,
                  static_cast<long long>(server->traffic().flights - before));
    }
  }

  std::vector<Series> Run() {
    AddAll();
    sampler_.Run();
    MeasureCold();
    std::vector<Series> all = sampler_.series();
    const Series batched = Share("share.batched", all, "snapshot.batched");
    const Series alone =
        Share("share.probes_alone", all, "snapshot.probes_alone");
    all.insert(all.end(), cold_.begin(), cold_.end());
    all.push_back(batched);
    all.push_back(alone);
    return all;
  }

 private:
  std::unique_ptr<RemoteServer> Server(int connection,
                                       RemoteServer::Options how) {
    return std::make_unique<RemoteServer>(process_->connection(connection),
                                          how);
  }

  ReadRequest Of(Attribute attribute) const {
    return {element_, attribute, {0, 65536}};
  }
  std::vector<ReadRequest> TextAttributes() const {
    return {Of(Attribute::kText), Of(Attribute::kSelectedText),
            Of(Attribute::kSelection), Of(Attribute::kCharacterCount),
            Of(Attribute::kCaret)};
  }

  absl::Status OneCold() {
    absl::StatusOr<std::unique_ptr<MockProcess>> process =
        MockProcess::Start(options_.mock, 2);
    if (!process.ok()) return process.status();
    RemoteServer other((*process)->connection(1), {});
    // It has started when it answers anything.
    if (absl::Status up = other.Observe({}, Deadline()).status(); !up.ok()) {
      return up;
    }
    RemoteServer server((*process)->connection(0), {});
    double took[3] = {};
    absl::Duration since = ledger::MonotonicNow();
    const auto lap = [&since] {
      const absl::Duration now = ledger::MonotonicNow();
      return absl::ToDoubleMicroseconds(now - std::exchange(since, now));
    };
    const absl::StatusOr<Application> application =
        server.FocusedApplication(Deadline());
    took[0] = lap();
    if (!application.ok()) return application.status();
    const absl::StatusOr<std::vector<Element>> found =
        server.FocusedElements(*application, Deadline());
    took[1] = lap();
    if (!found.ok()) return found.status();
    if (absl::Status taken = TakeSnapshot(server, nullptr); !taken.ok()) {
      return taken;
    }
    took[2] = lap();
    for (size_t i = 0; i < cold_.size(); ++i) {
      cold_[i].samples.push_back(took[i]);
    }
    return absl::OkStatus();
  }

  // Of each round by itself: both were taken right after each other, so that
  // what else the machine did concerns both.
  static Series Share(const char* name, const std::vector<Series>& all,
                      const std::string& batched) {
    Series share{.name = name, .unit = ledger::Unit::kRatio};
    const auto find = [&all](const std::string& of) -> const Series* {
      for (const Series& series : all) {
        if (series.name == of) return &series;
      }
      return nullptr;
    };
    const Series* const slow = find("snapshot.in_turn");
    const Series* const fast = find(batched);
    if (slow == nullptr || fast == nullptr || slow->failures > 0 ||
        fast->failures > 0) {
      share.failure = "there are no rounds to compare";
      return share;
    }
    for (size_t i = 0; i < slow->samples.size(); ++i) {
      share.samples.push_back(fast->samples[i] / slow->samples[i]);
    }
    return share;
  }

  const Options options_;
  ledger::Sampler sampler_;
  std::unique_ptr<MockProcess> process_;
  std::unique_ptr<RemoteServer> batched_;
  std::unique_ptr<RemoteServer> in_turn_;
  std::unique_ptr<RemoteServer> probes_alone_;
  std::unique_ptr<FocusCache> cache_;
  Application application_;
  Element element_;
  std::vector<Series> cold_;
};

double Median(std::vector<double> samples) {
  if (samples.empty()) return 0;
  const auto middle =
      samples.begin() + static_cast<ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

// Of the reference figures: 28 % of a warm call.
constexpr double kLeastSaved = 0.28;
constexpr size_t kLeastSamples = 100;

// Beside the goal; false where it is missed.
bool Judge(const Series& share) {
  const double saved = 1 - Median(share.samples);
  const bool enough = share.samples.size() >= kLeastSamples;
  const bool met = saved >= kLeastSaved;
  std::printf("batching saves >= %.0f %%: %.1f %%  %s\n", kLeastSaved * 100,
              saved * 100,
              !enough ? "NOT MEASURED: too few samples"
              : met   ? "met"
                      : "MISSED");
  return met || !enough;
}

int Fail(const absl::Status& status) {
  std::fprintf(stderr, "two_process: %s\n",
               std::string(status.message()).c_str());
  return 1;
}

int Main(const Options& options) {
  const absl::StatusOr<std::string> ledger =
      ledger::LedgerDirectory(options.record, options.ledger);
  if (!ledger.ok()) return Fail(ledger.status());
  const absl::StatusOr<std::unique_ptr<ledger::Recorder>> recorder =
      ledger::Recorder::Start({.instrument = "//ax/bench:two_process",
                               .harness = ledger::kHarnessDigest,
                               .ledger = *ledger,
                               .prefix = "two_process/"});
  if (!recorder.ok()) return Fail(recorder.status());
  Benchmark benchmark(options);
  if (absl::Status ready = benchmark.Prepare(); !ready.ok()) {
    return Fail(ready);
  }
  benchmark.PrintTrips();
  int code = 0;
  for (const Series& series : benchmark.Run()) {
    const bool ratio = series.unit == ledger::Unit::kRatio;
    std::printf("%-24s %10.*f %s  (median of %zu)\n", series.name.c_str(),
                ratio ? 3 : 1, Median(series.samples),
                std::string(ledger::UnitName(series.unit)).c_str(),
                series.samples.size());
    if (series.samples.empty() || series.failures > 0) {
      std::fprintf(stderr, "two_process: %s: %s\n", series.name.c_str(),
                   series.failure.c_str());
      code = 1;
      continue;
    }
    if (absl::Status recorded = (*recorder)->Record(series); !recorded.ok()) {
      return Fail(recorded);
    }
    if (series.name == "share.batched" && !Judge(series)) code = 1;
  }
  return code;
}

}  // namespace
}  // namespace tactus::ax::bench

int main(int argc, char** argv) {
  tactus::ax::bench::Options options;
  CLI::App app(
      "Measures reading and editing where every call is a trip to another "
      "process.");
  app.add_option("--mock", options.mock, "the program mock_process")
      ->required();
  app.add_option("--rounds", options.rounds, "samples of each, at most")
      ->check(CLI::PositiveNumber);
  app.add_option("--budget", options.budget_s, "seconds for all, about")
      ->check(CLI::PositiveNumber);
  app.add_flag("--record", options.record,
               "append rows to the ledger of the workspace");
  app.add_option("--ledger", options.ledger, "append rows to the ledger here");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return tactus::ax::bench::Main(options);
}
