// Measures edits on a private desktop whose focused field holds a known text,
// and prints the samples as JSON lines. edit_benchmark.py stages the desktop.
#include <spawn.h>
#include <sys/wait.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "ax/atspi/benchmark/edit_measure_harness.h"
#include "ax/atspi/benchmark/record_options.h"
#include "ax/atspi/benchmark/report.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/edit/stream.h"
#include "ax/focus/focus_cache.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "ax/x11/input.h"
#include "ledger/record/recorder.h"
#include "ledger/record/sampler.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"

extern char** environ;

namespace tactus::ax::atspi::bench {
namespace {

using ledger::Sampler;
using ledger::Series;

// For anything that is measured: what needs more has failed.
constexpr absl::Duration kPatience = absl::Seconds(10);
constexpr absl::Duration kSettlePatience = absl::Seconds(20);
// Two frames of a display at 60 Hz, rounded up.
constexpr absl::Duration kDrawn = absl::Milliseconds(35);

// 100 characters that every keyboard layout of a test has keys for.
constexpr char kHundred[] =
    "the five boxing wizards jump quickly while a lazy brown dog sleeps "
    "under the old oak tree by the wat";
static_assert(sizeof(kHundred) == 100 + 1);

constexpr char kWords[] =
    "when in the course of human events it becomes necessary for one people to "
    "dissolve the political bands which have connected them with another and "
    "to assume among the powers of the earth the separate and equal station to "
    "which";

struct Options {
  std::string text;
  int rounds = 100;
  double budget_s = 10;
  bool xdotool = true;
  RecordOptions record;
};

absl::Time Deadline() { return Clock::Real().Now() + kPatience; }

// What a recognizer would hear of 40 words: sixty partials, in which a word
// comes up wrong every second time and is put right with the next.
std::vector<std::string> Dictation(std::string* final_text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(kWords) + " ") {
    if (c != ' ') {
      word += c;
    } else {
      words.push_back(std::exchange(word, ""));
    }
  }
  words.resize(40);
  std::vector<std::string> partials;
  for (size_t n = 1; n <= words.size(); ++n) {
    std::vector<std::string> heard(words.begin(),
                                   words.begin() + static_cast<ptrdiff_t>(n));
    if (n % 2 == 0) {
      std::vector<std::string> wrong = heard;
      wrong.back() = wrong.back().substr(0, 1) + "xx";
      partials.push_back(absl::StrJoin(wrong, " "));
    }
    partials.push_back(absl::StrJoin(heard, " "));
  }
  *final_text = partials.back();
  return partials;
}

class Bench {
 public:
  Bench(Options options, std::unique_ptr<AtspiServer> server,
        std::unique_ptr<FocusCache> cache, std::unique_ptr<x11::X11Input> input,
        Report* report)
      : options_(std::move(options)),
        server_(std::move(server)),
        cache_(std::move(cache)),
        input_(std::move(input)),
        editor_(server_.get(), input_.get()),
        report_(*report) {
    cache_->Start();
  }

  // An application that has just started tells accessibility late.
  absl::Status Settle() {
    const absl::Time until = Clock::Real().Now() + kSettlePatience;
    for (;;) {
      const absl::StatusOr<Snapshot> snapshot =
          SnapshotFocused(*server_, {.deadline = Deadline()});
      if (snapshot.ok() && snapshot->value.ok() &&
          absl::StrContains(*snapshot->value, options_.text)) {
        return absl::OkStatus();
      }
      if (Clock::Real().Now() >= until) {
        return absl::DeadlineExceededError("the field cannot be read");
      }
      Clock::Real().SleepUntil(Clock::Real().Now() + absl::Milliseconds(100));
    }
  }

  absl::Status Run() {
    if (absl::Status s = Replace(); !s.ok()) return s;
    if (absl::Status s = Dictate(); !s.ok()) return s;
    return Hundred();
  }

 private:
  Sampler::Limits limits() const {
    return {.rounds = options_.rounds,
            .budget = absl::Seconds(options_.budget_s)};
  }

  EditOptions Editing(bool cached) {
    EditOptions options = {.deadline = Deadline()};
    if (cached) options.hints = cache_.get();
    return options;
  }

  static absl::Status Verified(const EditResult& result) {
    if (result.outcome == Outcome::kVerified) return absl::OkStatus();
    return absl::UnknownError(absl::StrCat(OutcomeName(result.outcome), ", ",
                                           ReasonName(result.reason), ": ",
                                           result.message));
  }

  // One word for another of the same length, back and forth.
  absl::Status Swap(bool cached, Series* gaps) {
    const std::string now = swapped_ ? "green" : "brown";
    const std::string next = swapped_ ? "brown" : "green";
    const EditResult result = editor_.Apply(
        {.kind = Edit::Kind::kReplaceText, .text = next, .old_text = now},
        Editing(cached));
    if (absl::Status s = Verified(result); !s.ok()) return s;
    swapped_ = !swapped_;
    if (gaps != nullptr) {
      gaps->samples.push_back(absl::ToDoubleMicroseconds(result.gap));
    }
    rung_ = result.rung;
    flights_ = result.traffic;
    return absl::OkStatus();
  }

  absl::Status Replace() {
    Series gaps;
    gaps.name = "replace.gap";
    Sampler sampler(ledger::MonotonicNow, limits());
    sampler.Add("replace.tactus", [&] { return Swap(true, &gaps); });
    sampler.Add("replace.searching", [&] { return Swap(false, nullptr); });
    sampler.Run();
    for (const Series& series : sampler.series()) report_.Add(series);
    // As a person edits: the application has drawn the last edit and gone to
    // sleep, and so has the processor.
    Sampler rested(ledger::MonotonicNow, limits());
    rested.Add(
        "replace.rested", [&] { return Swap(true, nullptr); },
        [] {
          Clock::Real().SleepUntil(Clock::Real().Now() + kDrawn);
          return absl::OkStatus();
        });
    rested.Run();
    for (const Series& series : rested.series()) report_.Add(series);
    report_.Add(gaps);
    report_.Fact("replace.rung", RungName(rung_));
    if (absl::Status s = Swap(true, nullptr); !s.ok()) return s;
    report_.Count("replace.tactus.flights", flights_.flights);
    report_.Count("replace.tactus.calls", flights_.calls);
    return absl::OkStatus();
  }

  // All partials one after the other, as fast as they are taken.
  absl::Status Dictate() {
    std::string final_text;
    const std::vector<std::string> partials = Dictation(&final_text);
    report_.Fact("dictation.partials", static_cast<int64_t>(partials.size()));
    Series each;
    each.name = "dictation.partial";
    Series total;
    total.name = "dictation.total";
    Series rewritten;
    rewritten.name = "dictation.rewritten";
    rewritten.unit = ledger::Unit::kCount;
    Series final_length = rewritten;
    final_length.name = "dictation.final";
    constexpr int kTimes = 5;
    for (int i = 0; i < kTimes; ++i) {
      Stream stream(&editor_, {});
      const absl::Time begun = Clock::Real().Now();
      absl::Status status;
      for (const std::string& partial : partials) {
        const absl::Time before = Clock::Real().Now();
        status = Verified(stream.Partial(partial, Editing(true)));
        if (!status.ok()) break;
        each.samples.push_back(
            absl::ToDoubleMicroseconds(Clock::Real().Now() - before));
      }
      if (status.ok())
        status = Verified(stream.Final(final_text, Editing(true)));
      if (!status.ok()) {
        total.failures += 1;
        total.failure = std::string(status.message());
        break;
      }
      total.samples.push_back(
          absl::ToDoubleMicroseconds(Clock::Real().Now() - begun));
      rewritten.samples.push_back(static_cast<double>(
          stream.rewritten().inserted + stream.rewritten().deleted));
      final_length.samples.push_back(static_cast<double>(final_text.size()));
      if (absl::Status s = Verified(editor_.UndoLast(Editing(true))); !s.ok()) {
        return s;
      }
    }
    report_.Add(each);
    report_.Add(total);
    report_.Add(rewritten);
    report_.Add(final_length);
    return absl::OkStatus();
  }

  // What the field held before a hundred characters came.
  absl::Status Clear() {
    const absl::StatusOr<Snapshot> now =
        SnapshotFocused(*server_, {.deadline = Deadline()});
    if (!now.ok()) return now.status();
    if (!now->value.ok()) return now->value.status();
    if (*now->value == before_) return absl::OkStatus();
    return Verified(editor_.Apply(
        {.kind = Edit::Kind::kSetValue, .text = before_}, Editing(true)));
  }

  absl::Status Xdotool(const char* delay) {
    const char* const arguments[] = {"xdotool", "type",   "--delay",
                                     delay,     kHundred, nullptr};
    pid_t pid = 0;
    if (const int r =
            posix_spawnp(&pid, "xdotool", nullptr, nullptr,
                         const_cast<char* const*>(arguments), environ);
        r != 0) {
      return absl::NotFoundError(absl::StrCat("xdotool: ", strerror(r)));
    }
    int status = 0;
    if (waitpid(pid, &status, 0) != pid || status != 0) {
      return absl::InternalError("xdotool failed");
    }
    // It knows nothing of the field: that all of it has come is looked up here,
    // as Tactus looks it up within its own time.
    for (int i = 0; i < 200; ++i) {
      const absl::StatusOr<Snapshot> now =
          SnapshotFocused(*server_, {.deadline = Deadline()}, cache_.get());
      if (now.ok() && now->value.ok() &&
          absl::StrContains(*now->value, kHundred)) {
        return absl::OkStatus();
      }
      Clock::Real().SleepUntil(Clock::Real().Now() + absl::Milliseconds(2));
    }
    return absl::DataLossError("not all that xdotool typed has arrived");
  }

  absl::Status Hundred() {
    const absl::StatusOr<Snapshot> now =
        SnapshotFocused(*server_, {.deadline = Deadline()});
    if (!now.ok()) return now.status();
    if (!now->value.ok()) return now->value.status();
    before_ = *now->value;
    Sampler::Limits few = limits();
    few.rounds = std::min(few.rounds, 20);
    few.warm_up = 1;
    Sampler sampler(ledger::MonotonicNow, few);
    const auto clear = [this] { return Clear(); };
    sampler.Add(
        "hundred.tactus",
        [this] {
          return Verified(editor_.Apply(
              {.kind = Edit::Kind::kReplaceSelection, .text = kHundred},
              Editing(true)));
        },
        clear);
    if (options_.xdotool) {
      sampler.Add("hundred.xdotool", [this] { return Xdotool("12"); }, clear);
      sampler.Add(
          "hundred.xdotool_at_once", [this] { return Xdotool("0"); }, clear);
    }
    sampler.Run();
    for (const Series& series : sampler.series()) report_.Add(series);
    return Clear();
  }

  const Options options_;
  std::unique_ptr<AtspiServer> server_;
  std::unique_ptr<FocusCache> cache_;
  std::unique_ptr<x11::X11Input> input_;
  Editor editor_;
  bool swapped_ = false;
  Rung rung_ = Rung::kNone;
  Traffic flights_;
  std::string before_;
  Report& report_;
};

int Fail(const absl::Status& status) {
  fprintf(stderr, "edit_measure: %s\n", status.ToString().c_str());
  return 1;
}

int Main(const Options& options) {
  absl::StatusOr<std::unique_ptr<AtspiServer>> server =
      AtspiServer::Connect({}, Deadline());
  if (!server.ok()) return Fail(server.status());
  absl::StatusOr<std::unique_ptr<AtspiServer>> watcher =
      AtspiServer::Connect({}, Deadline());
  if (!watcher.ok()) return Fail(watcher.status());
  absl::StatusOr<std::unique_ptr<FocusCache>> cache =
      FocusCache::Create(*std::move(watcher), Deadline());
  if (!cache.ok()) return Fail(cache.status());
  absl::StatusOr<std::unique_ptr<x11::X11Input>> input =
      x11::OpenX11Input({}, Deadline());
  if (!input.ok()) return Fail(input.status());
  absl::StatusOr<std::unique_ptr<ledger::Recorder>> recorder = StartRecorder(
      options.record, "//ax/atspi:edit_benchmark", ledger::kHarnessDigest);
  if (!recorder.ok()) return Fail(recorder.status());
  Report report(recorder->get());
  Bench bench(options, *std::move(server), *std::move(cache), *std::move(input),
              &report);
  if (absl::Status s = bench.Settle(); !s.ok()) return Fail(s);
  if (absl::Status s = bench.Run(); !s.ok()) return Fail(s);
  if (!report.status().ok()) return Fail(report.status());
  return 0;
}

}  // namespace
}  // namespace tactus::ax::atspi::bench

int main(int argc, char** argv) {
  tactus::ax::atspi::bench::Options options;
  CLI::App app("Measures edits on this desktop, and prints the samples.");
  app.add_option("--text", options.text, "what the focused field holds")
      ->required();
  app.add_option("--rounds", options.rounds, "samples of each, at most")
      ->check(CLI::PositiveNumber);
  app.add_option("--budget", options.budget_s, "seconds for a group, about");
  app.add_flag("!--no-xdotool", options.xdotool, "without the peer");
  tactus::ax::atspi::bench::AddRecordOptions(app, &options.record);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return tactus::ax::atspi::bench::Main(options);
}
