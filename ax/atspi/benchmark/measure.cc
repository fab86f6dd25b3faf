// Measures, on the desktop that it is run on, what the benchmark compares, and
// prints the samples. snapshot_benchmark.py starts it and judges.
//
//   measure --text TEXT [--groups find,held,...] [--rounds N] [--budget S]
//
// TEXT is what the focused field holds; a sample is only taken of a try that
// read it. Groups:
//
//   find     find the focus and read it, nothing known beforehand
//   held     read an element that is held
//   batch    the reads of a snapshot in two flights, and one by one
//   cached   the focus known from events
//   cold     a process that starts, takes one snapshot and ends
//   stopped  with an application that was stopped
//
// Exit codes: 0 measured, whatever came out; 1 cannot measure; 2 usage.
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "ax/atspi/benchmark/libatspi_client.h"
#include "ax/atspi/benchmark/measure_harness.h"
#include "ax/atspi/benchmark/plain_calls.h"
#include "ax/atspi/benchmark/record_options.h"
#include "ax/atspi/benchmark/report.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/focus/focus_cache.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "ledger/record/recorder.h"
#include "ledger/record/sampler.h"
#include "ledger/record/series.h"

extern char** environ;

namespace tactus::ax::atspi::bench {
namespace {

using ledger::Sampler;
using ledger::Series;

// Long enough for the slowest thing that is measured: a snapshot that needs
// more has failed.
constexpr absl::Duration kPatience = absl::Seconds(5);
// What a snapshot of a stopped application is given.
constexpr absl::Duration kShortDeadline = absl::Milliseconds(100);
// For an application to be ready, on a machine that is busy.
constexpr absl::Duration kSettlePatience = absl::Seconds(20);
// After a process is stopped or goes on, before anything is timed.
constexpr absl::Duration kSettle = absl::Milliseconds(2);

struct Options {
  std::string text;
  std::vector<std::string> groups = {"find", "held", "batch", "cached", "cold"};
  int rounds = 300;
  double budget_s = 8;
  std::string cold;  // the programs of the group "cold"
  std::string cold_libatspi;
  RecordOptions record;

  Sampler::Limits limits() const {
    return {.rounds = rounds, .budget = absl::Seconds(budget_s)};
  }
};

absl::Time Deadline() { return Clock::Real().Now() + kPatience; }

using ServerPtr = std::unique_ptr<AtspiServer>;

class Bench {
 public:
  Bench(Options options, ServerPtr server,
        std::unique_ptr<LibatspiClient> libatspi, Report* report)
      : options_(std::move(options)),
        server_(std::move(server)),
        libatspi_(std::move(libatspi)),
        report_(*report) {}

  // Waits until the field can be read, since an application that has just
  // started, or a large page, tells accessibility late. When it never can, that
  // is for the groups to find.
  void Settle() {
    const absl::Time until = Clock::Real().Now() + kSettlePatience;
    while (!Check(Take(*server_)).ok() && Clock::Real().Now() < until) {
      absl::SleepFor(absl::Milliseconds(100));
    }
  }

  absl::Status Run(absl::string_view group) {
    if (group == "find") return Find();
    if (group == "held") return Held();
    if (group == "batch") return Batch();
    if (group == "cold") return Cold();
    if (group == "cached") return Cached();
    if (group == "stopped") return Stopped();
    return absl::InvalidArgumentError(absl::StrCat("no group '", group, "'"));
  }

 private:
  // What a try must have read to count. The text itself is never told, but from
  // what it came.
  absl::Status Check(const absl::StatusOr<std::string>& text,
                     absl::string_view source = "") const {
    if (!text.ok()) return text.status();
    if (text->find(options_.text) == std::string::npos) {
      return absl::DataLossError(
          absl::StrCat("read another text than the field holds, of ",
                       text->size(), " bytes ", source));
    }
    return absl::OkStatus();
  }

  absl::Status Check(const absl::StatusOr<Snapshot>& snapshot) const {
    if (!snapshot.ok()) return snapshot.status();
    const std::string role =
        snapshot->role.ok() ? snapshot->role->native : "nothing known";
    return Check(snapshot->value,
                 absl::StrCat("from ", role, " ", snapshot->element.path,
                              ", states ", absl::Hex(snapshot->states)));
  }

  absl::Status Check(
      const absl::StatusOr<LibatspiClient::Contents>& contents) const {
    if (!contents.ok()) return contents.status();
    return Check(absl::StatusOr<std::string>(contents->text));
  }

  // Ours and theirs with what is between two tries: a client of libatspi lets
  // the library take in what has arrived.
  void AddLibatspi(Sampler& sampler, std::string name,
                   std::function<absl::Status()> take) {
    sampler.Add(std::move(name), std::move(take), [this] {
      libatspi_->Pump();
      return absl::OkStatus();
    });
  }

  absl::StatusOr<Snapshot> Take(Server& server, FocusHints* hints = nullptr) {
    return SnapshotFocused(server, {.deadline = Deadline()}, hints);
  }

  // One snapshot, of which the calls and flights are told under `name`.
  absl::StatusOr<Snapshot> TakeAndTell(absl::string_view name, Server& server,
                                       FocusHints* hints = nullptr) {
    absl::StatusOr<Snapshot> snapshot = Take(server, hints);
    if (snapshot.ok()) Tell(name, *snapshot);
    return snapshot;
  }

  void Tell(absl::string_view name, const Snapshot& snapshot) {
    report_.Count(absl::StrCat(name, ".flights"), snapshot.traffic.flights);
    report_.Count(absl::StrCat(name, ".calls"), snapshot.traffic.calls);
  }

  void Print(const Sampler& sampler) {
    for (const Series& series : sampler.series()) report_.Add(series);
  }

  absl::Status LibatspiFindAndRead() {
    if (absl::Status s = libatspi_->Find(); !s.ok()) return s;
    return Check(libatspi_->Read(LibatspiClient::From::kWire));
  }

  absl::Status Find() {
    // A search each time, as libatspi does; and beside it what is shipped,
    // which first asks what it found last.
    absl::StatusOr<ServerPtr> anew =
        AtspiServer::Connect({.remember = false}, Deadline());
    if (!anew.ok()) return anew.status();
    Sampler sampler(ledger::MonotonicNow, options_.limits());
    sampler.Add("find.tactus", [&] { return Check(Take(**anew)); });
    sampler.Add("find.tactus_again", [this] { return Check(Take(*server_)); });
    AddLibatspi(sampler, "find.libatspi",
                [this] { return LibatspiFindAndRead(); });
    AddLibatspi(sampler, "find.libatspi_collection", [this] {
      if (absl::Status s = libatspi_->FindByCollection(); !s.ok()) return s;
      return Check(libatspi_->Read(LibatspiClient::From::kWire));
    });
    sampler.Run();
    Print(sampler);
    absl::StatusOr<Snapshot> last = TakeAndTell("find.tactus", **anew);
    absl::StatusOr<Snapshot> again = Take(*server_);
    if (again.ok()) Tell("find.tactus_again", *again);
    if (last.ok()) report_.Fact("find.route", RouteName(last->route));
    return absl::OkStatus();
  }

  // The focused element as a target of its own: found once, then held.
  absl::StatusOr<Target> Hold() {
    absl::StatusOr<Snapshot> snapshot = Take(*server_);
    if (absl::Status s = Check(snapshot); !s.ok()) return s;
    Target target;
    target.application = snapshot->application;
    target.candidates = {snapshot->element};
    return target;
  }

  static absl::StatusOr<Snapshot> TakeHeld(Server& server,
                                           const Target& target) {
    return SnapshotTarget(server, target, {.deadline = Deadline()});
  }

  absl::Status Held() {
    absl::StatusOr<Target> target = Hold();
    if (!target.ok()) return target.status();
    absl::Status found = libatspi_->Find();
    report_.Fact("held.route",
                 server_->HasSocket(target->application) ? "socket" : "bus");
    report_.Fact("held.libatspi_route",
                 libatspi_->OnSocket() ? "socket" : "bus");
    if (found.ok() && libatspi_->path() != target->candidates.front().path) {
      report_.Fact("held.libatspi_element", "another");
    }
    Sampler sampler(ledger::MonotonicNow, options_.limits());
    sampler.Add("held.tactus",
                [&] { return Check(TakeHeld(*server_, *target)); });
    AddLibatspi(sampler, "held.libatspi", [&] {
      if (!found.ok()) return found;
      return Check(libatspi_->Read(LibatspiClient::From::kWire));
    });
    sampler.Run();
    Print(sampler);
    absl::StatusOr<Snapshot> last = TakeHeld(*server_, *target);
    if (last.ok()) Tell("held.tactus", *last);
    return absl::OkStatus();
  }

  // The same reads on one kind of connection: "batched", the two flights of a
  // snapshot; "one_flight", all of them at once; "in_turn", one by one with
  // nothing else; "unbatched", our own way where a server rejects batches.
  absl::Status BatchOn(absl::string_view where, bool sockets,
                       const Target& target, PlainCalls& plain,
                       PlainCalls& plain_bus) {
    absl::StatusOr<ServerPtr> batched =
        AtspiServer::Connect({.sockets = sockets}, Deadline());
    absl::StatusOr<ServerPtr> unbatched = AtspiServer::Connect(
        {.sockets = sockets, .no_batches = true}, Deadline());
    if (!batched.ok()) return batched.status();
    if (!unbatched.ok()) return unbatched.status();
    const std::string prefix = absl::StrCat("batch.", where, ".");
    Sampler sampler(ledger::MonotonicNow, options_.limits());
    sampler.Add(absl::StrCat(prefix, "batched"),
                [&] { return Check(TakeHeld(**batched, target)); });
    sampler.Add(absl::StrCat(prefix, "one_flight"),
                [&] { return OneFlight(**batched, target); });
    sampler.Add(absl::StrCat(prefix, "in_turn"),
                [&] { return Check(plain.ReadInTurn()); });
    sampler.Add(absl::StrCat(prefix, "unbatched"),
                [&] { return Check(TakeHeld(**unbatched, target)); });
    // To compare the best route with the bus in turn, in the same rounds.
    if (sockets) {
      sampler.Add(absl::StrCat(prefix, "bus_in_turn"),
                  [&] { return Check(plain_bus.ReadInTurn()); });
    }
    sampler.Run();
    Print(sampler);
    report_.Fact(absl::StrCat(prefix, "route"),
                 (*batched)->HasSocket(target.application) ? "socket" : "bus");
    for (const auto& [name, server] :
         {std::pair("batched", batched->get()),
          std::pair("unbatched", unbatched->get())}) {
      absl::StatusOr<Snapshot> last = TakeHeld(*server, target);
      if (last.ok()) Tell(absl::StrCat(prefix, name), *last);
    }
    return absl::OkStatus();
  }

  // All reads of a snapshot in a single flight, which a snapshot itself may not
  // do: it asks for text only when it knows that the field is not secure.
  absl::Status OneFlight(Server& server, const Target& target) {
    const Element& element = target.candidates.front();
    const ReadRequest requests[] = {
        {element, Attribute::kRole},
        {element, Attribute::kStates},
        {element, Attribute::kText, {0, SnapshotOptions().max_text}},
        {element, Attribute::kCharacterCount},
        {element, Attribute::kCaret},
        {element, Attribute::kSelection}};
    absl::StatusOr<std::vector<Reading>> readings =
        server.ReadMany(requests, Deadline());
    if (!readings.ok()) return readings.status();
    return Check(Get<std::string>((*readings)[2]));
  }

  absl::Status Batch() {
    absl::StatusOr<Target> target = Hold();
    if (!target.ok()) return target.status();
    const Element& element = target->candidates.front();
    absl::StatusOr<std::unique_ptr<PlainCalls>> bus =
        PlainCalls::OnBus(server_->bus_address(), element);
    if (!bus.ok()) return bus.status();
    if (absl::Status s =
            BatchOn("bus", /*sockets=*/false, *target, **bus, **bus);
        !s.ok()) {
      return s;
    }
    // Whether there is a socket is the application's to say and not ours: one
    // that we fail to use must show.
    absl::StatusOr<std::unique_ptr<PlainCalls>> socket =
        PlainCalls::OnSocket(server_->bus_address(), element);
    if (absl::IsNotFound(socket.status())) {
      report_.Fact("batch.socket", "none");
      return absl::OkStatus();
    }
    if (!socket.ok()) return socket.status();
    return BatchOn("socket", /*sockets=*/true, *target, **socket, **bus);
  }

  // Starts `program` with the text and waits for its end. Adds to `cpu` what it
  // used of the processor, which other work on the machine changes less.
  absl::Status RunCold(const std::string& program, Series& cpu) {
    std::string name = program;
    std::string text = options_.text;
    char* const arguments[] = {name.data(), text.data(), nullptr};
    pid_t pid = 0;
    if (const int r = posix_spawn(&pid, name.c_str(), nullptr, nullptr,
                                  arguments, environ);
        r != 0) {
      return absl::InternalError(
          absl::StrCat("cannot start ", program, ": ", strerror(r)));
    }
    int status = 0;
    rusage usage = {};
    if (wait4(pid, &status, 0, &usage) != pid) {
      return absl::InternalError("cannot wait for it");
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      return absl::InternalError(
          absl::StrCat(program, " ended with status ", status));
    }
    cpu.samples.push_back(
        absl::ToDoubleMicroseconds(absl::DurationFromTimeval(usage.ru_utime) +
                                   absl::DurationFromTimeval(usage.ru_stime)));
    return absl::OkStatus();
  }

  absl::Status Cold() {
    Sampler::Limits limits = options_.limits();
    // A process is dear; a third of the rounds tells enough.
    limits.rounds = std::max(limits.rounds / 3, limits.at_least);
    Sampler sampler(ledger::MonotonicNow, limits);
    Series cpu{.name = "cold.tactus_cpu"};
    Series libatspi_cpu{.name = "cold.libatspi_cpu"};
    sampler.Add("cold.tactus", [&] { return RunCold(options_.cold, cpu); });
    sampler.Add("cold.libatspi",
                [&] { return RunCold(options_.cold_libatspi, libatspi_cpu); });
    sampler.Run();
    Print(sampler);
    report_.Add(cpu);
    report_.Add(libatspi_cpu);
    return absl::OkStatus();
  }

  // Changes how libatspi works for the rest of the process, so it comes after
  // what has it search.
  absl::Status Cached() {
    absl::StatusOr<Target> target = Hold();
    if (!target.ok()) return target.status();
    absl::StatusOr<ServerPtr> own = AtspiServer::Connect({}, Deadline());
    if (!own.ok()) return own.status();
    absl::StatusOr<std::unique_ptr<FocusCache>> cache =
        FocusCache::Create(*std::move(own), Deadline());
    if (!cache.ok()) return cache.status();
    (*cache)->Start();

    absl::Status listening = libatspi_->Find();
    if (listening.ok()) listening = libatspi_->Listen(/*all=*/false);
    const auto ours = [&]() -> absl::Status {
      absl::StatusOr<Snapshot> snapshot = Take(*server_, cache->get());
      if (absl::Status s = Check(snapshot); !s.ok()) return s;
      if (snapshot->route == Route::kCache) return absl::OkStatus();
      return absl::InternalError("the cache did not know the focus");
    };
    const auto theirs = [&](LibatspiClient::From from) -> absl::Status {
      if (!listening.ok()) return listening;
      if (absl::Status s = libatspi_->HoldLast(); !s.ok()) return s;
      return Check(libatspi_->Read(from));
    };

    Sampler sampler(ledger::MonotonicNow, options_.limits());
    sampler.Add("cached.tactus", ours);
    AddLibatspi(sampler, "cached.libatspi",
                [&] { return theirs(LibatspiClient::From::kWire); });
    absl::StatusOr<std::unique_ptr<PlainCalls>> socket = PlainCalls::OnSocket(
        server_->bus_address(), target->candidates.front());
    if (socket.ok()) {
      sampler.Add("cached.five_calls", [&] { return (*socket)->FiveInTurn(); });
    }
    sampler.Run();
    Print(sampler);
    TakeAndTell("cached.tactus", *server_, cache->get()).IgnoreError();

    // Once more with the library's own cache: inside its event loop.
    if (listening.ok()) listening = libatspi_->Listen(/*all=*/true);
    Sampler loop(ledger::MonotonicNow, options_.limits());
    loop.Add("looped.tactus", ours);
    loop.Add("looped.libatspi",
             [&] { return theirs(LibatspiClient::From::kCache); });
    loop.Add("looped.libatspi_find", [&]() -> absl::Status {
      if (absl::Status s = libatspi_->Find(); !s.ok()) return s;
      return Check(libatspi_->Read(LibatspiClient::From::kCache));
    });
    libatspi_->RunLoop([&] { return loop.Round(); });
    Print(loop);
    return absl::OkStatus();
  }

  // The third field of /proc/PID/stat; '?' when there is no such process.
  static char StateOf(pid_t pid) {
    std::ifstream file(absl::StrCat("/proc/", pid, "/stat"));
    std::string line;
    std::getline(file, line);
    // The name before it is in parentheses and may hold anything.
    const size_t name_end = line.rfind(')');
    if (name_end == std::string::npos || name_end + 2 >= line.size()) {
      return '?';
    }
    return line[name_end + 2];
  }

  static absl::Status Signal(pid_t pid, int number) {
    const bool stop = number == SIGSTOP;
    if (kill(pid, number) != 0) {
      return absl::NotFoundError(absl::StrCat("no process ", pid));
    }
    const absl::Time until = Clock::Real().Now() + kPatience;
    while ((StateOf(pid) == 'T') != stop) {
      if (Clock::Real().Now() > until) {
        return absl::DeadlineExceededError("the process does not obey");
      }
      absl::SleepFor(absl::Microseconds(100));
    }
    absl::SleepFor(kSettle);
    return absl::OkStatus();
  }

  absl::Status Stopped() {
    absl::StatusOr<Snapshot> focused = Take(*server_);
    if (absl::Status s = Check(focused); !s.ok()) return s;
    const pid_t own = focused->application.pid;
    absl::StatusOr<std::vector<Application>> applications =
        server_->Applications(Deadline());
    if (!applications.ok()) return applications.status();
    pid_t other = 0;
    for (const Application& application : *applications) {
      // The registry calls itself an application and has no toolkit.
      if (application.pid == own || application.toolkit.empty()) continue;
      other = application.pid;
      report_.Fact("stopped.application", application.name);
    }
    if (other == 0) {
      return absl::FailedPreconditionError(
          "no second application is on this desktop: start it with --also");
    }
    const absl::Cleanup go_on = [=] {
      kill(other, SIGCONT);
      kill(own, SIGCONT);
    };
    // As on Wayland, where each application is asked whether it is active.
    absl::StatusOr<ServerPtr> no_display =
        AtspiServer::Connect({.no_display = true}, Deadline());
    if (!no_display.ok()) return no_display.status();

    // Another application's, with and without: the same number of signals and
    // pauses before both.
    const auto quiet = [=] { return Signal(other, SIGCONT); };
    const auto stop = [=] { return Signal(other, SIGSTOP); };
    Sampler::Limits limits = options_.limits();
    limits.rounds = std::max(limits.rounds, 200);
    limits.at_least = limits.rounds;
    Sampler sampler(ledger::MonotonicNow, limits);
    sampler.Add(
        "stopped.quiet", [this] { return Check(Take(*server_)); }, quiet);
    sampler.Add(
        "stopped.beside", [this] { return Check(Take(*server_)); }, stop);
    sampler.Add(
        "stopped.quiet_no_display", [&] { return Check(Take(**no_display)); },
        quiet);
    sampler.Add(
        "stopped.beside_no_display", [&] { return Check(Take(**no_display)); },
        stop);
    sampler.Run();
    Print(sampler);

    // Its own. A process that met it before and one that did not.
    if (absl::Status s = Signal(other, SIGCONT); !s.ok()) return s;
    Sampler::Limits few = options_.limits();
    few.rounds = 20;
    few.at_least = few.rounds;
    few.warm_up = 0;
    const auto late = [](Server& server) -> absl::Status {
      absl::StatusOr<Snapshot> snapshot = SnapshotFocused(
          server, {.deadline = Clock::Real().Now() + kShortDeadline});
      if (absl::IsDeadlineExceeded(snapshot.status())) return absl::OkStatus();
      return snapshot.ok() ? absl::InternalError(
                                 "a stopped application "
                                 "answered")
                           : snapshot.status();
    };
    Sampler own_sampler(ledger::MonotonicNow, few);
    const auto stop_own = [=] { return Signal(own, SIGSTOP); };
    own_sampler.Add("stopped.own", [&] { return late(*server_); }, stop_own);
    ServerPtr fresh;
    own_sampler.Add(
        "stopped.own_first_contact", [&] { return late(*fresh); },
        [&]() -> absl::Status {
          absl::StatusOr<ServerPtr> server =
              AtspiServer::Connect({}, Deadline());
          if (!server.ok()) return server.status();
          fresh = *std::move(server);
          return stop_own();
        });
    own_sampler.Run();
    Print(own_sampler);
    report_.Fact("stopped.deadline_us",
                 absl::ToInt64Microseconds(kShortDeadline));

    // libatspi waits for the stopped one on its way to the other, 0.8 s each.
    if (absl::Status s = Signal(own, SIGCONT); !s.ok()) return s;
    few.rounds = 5;
    few.at_least = 3;
    few.warm_up = 1;
    Sampler theirs(ledger::MonotonicNow, few);
    theirs.Add(
        "stopped.libatspi_quiet", [this] { return LibatspiFindAndRead(); },
        [&] {
          libatspi_->Pump();
          return quiet();
        });
    theirs.Add(
        "stopped.libatspi_beside", [this] { return LibatspiFindAndRead(); },
        [&] {
          libatspi_->Pump();
          return stop();
        });
    theirs.Run();
    Print(theirs);
    return absl::OkStatus();
  }

  const Options options_;
  ServerPtr server_;
  std::unique_ptr<LibatspiClient> libatspi_;
  Report& report_;
};

int Fail(const absl::Status& status) {
  fprintf(stderr, "measure: %s\n", status.ToString().c_str());
  return 1;
}

int Main(const Options& options) {
  absl::StatusOr<ServerPtr> server = AtspiServer::Connect({}, Deadline());
  if (!server.ok()) return Fail(server.status());
  absl::StatusOr<std::unique_ptr<LibatspiClient>> libatspi =
      LibatspiClient::Start();
  if (!libatspi.ok()) return Fail(libatspi.status());
  absl::StatusOr<std::unique_ptr<ledger::Recorder>> recorder = StartRecorder(
      options.record, "//ax/atspi:snapshot_benchmark", ledger::kHarnessDigest);
  if (!recorder.ok()) return Fail(recorder.status());
  Report report(recorder->get());
  Bench bench(options, *std::move(server), *std::move(libatspi), &report);
  bench.Settle();
  for (const std::string& group : options.groups) {
    if (absl::Status s = bench.Run(group); !s.ok()) return Fail(s);
  }
  if (!report.status().ok()) return Fail(report.status());
  return 0;
}

}  // namespace
}  // namespace tactus::ax::atspi::bench

int main(int argc, char** argv) {
  tactus::ax::atspi::bench::Options options;
  CLI::App app("Measures snapshots on this desktop, and prints the samples.");
  app.add_option("--text", options.text, "what the focused field holds")
      ->required();
  app.add_option("--groups", options.groups, "what to measure")->delimiter(',');
  app.add_option("--rounds", options.rounds, "samples of each, at most")
      ->check(CLI::PositiveNumber);
  app.add_option("--budget", options.budget_s, "seconds for a group, about");
  app.add_option("--cold", options.cold, "the program of the group cold");
  app.add_option("--cold-libatspi", options.cold_libatspi,
                 "the same of libatspi");
  tactus::ax::atspi::bench::AddRecordOptions(app, &options.record);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return tactus::ax::atspi::bench::Main(options);
}
