// What tools/demo shows on the private desktop: each line is measured while it
// is printed. The focused application is the editor; one other application runs
// beside it, whose process id is the only argument.

#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/focus/focus_cache.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/text/escape.h"
#include "ax/types/types.h"

namespace tactus {
namespace {

using ax::Clock;
using ax::Snapshot;
using ax::atspi::AtspiServer;

constexpr int kSamples = 200;

absl::Time Soon() { return Clock::Real().Now() + absl::Seconds(2); }

[[noreturn]] void Fail(const char* what, const absl::Status& status) {
  std::fprintf(stderr, "demo: %s: %s\n", what,
               std::string(status.message()).c_str());
  std::exit(1);
}

std::unique_ptr<AtspiServer> Connect(ax::atspi::AtspiOptions options = {}) {
  absl::StatusOr<std::unique_ptr<AtspiServer>> server =
      AtspiServer::Connect(options, Soon());
  if (!server.ok()) Fail("no accessibility here", server.status());
  return *std::move(server);
}

Snapshot Take(ax::Server& server, ax::FocusHints* hints = nullptr) {
  absl::StatusOr<Snapshot> snapshot =
      SnapshotFocused(server, {.deadline = Soon()}, hints);
  if (!snapshot.ok()) Fail("no snapshot", snapshot.status());
  return *std::move(snapshot);
}

absl::Duration Time(absl::FunctionRef<void()> action) {
  const absl::Time begun = Clock::Real().Now();
  action();
  return Clock::Real().Now() - begun;
}

double Median(std::vector<absl::Duration> samples) {
  std::sort(samples.begin(), samples.end());
  return absl::ToDoubleMilliseconds(samples[samples.size() / 2]);
}

// Takes both in turn, so that what else the machine does falls on both alike.
std::pair<double, double> Interleaved(absl::FunctionRef<void()> a,
                                      absl::FunctionRef<void()> b) {
  std::vector<absl::Duration> as, bs;
  for (int i = 0; i < kSamples; ++i) {
    as.push_back(Time(a));
    bs.push_back(Time(b));
  }
  return {Median(as), Median(bs)};
}

void Tour(absl::Time begun, pid_t other) {
  std::unique_ptr<AtspiServer> server = Connect();
  const absl::Duration connected = Clock::Real().Now() - begun;
  Snapshot snapshot = Take(*server);
  const absl::Duration cold = Clock::Real().Now() - begun;

  std::printf("%s (%s %s), by the %s route: %s\n",
              ax::ForTerminal(snapshot.application.name).c_str(),
              ax::ForTerminal(snapshot.application.toolkit).c_str(),
              ax::ForTerminal(snapshot.application.toolkit_version).c_str(),
              std::string(RouteName(snapshot.route)).c_str(),
              ax::ForTerminal(snapshot.role.ok() ? snapshot.role->native : "?")
                  .c_str());
  if (!snapshot.value.ok()) Fail("no text", snapshot.value.status());
  std::printf("  \"%s\"\n", ax::ForTerminal(*snapshot.value).c_str());
  std::printf("  %lld characters, caret at %lld\n\n",
              static_cast<long long>(snapshot.character_count.value_or(-1)),
              static_cast<long long>(snapshot.caret.value_or(-1)));

  std::printf("%-52s %8.2f ms  (%.2f to connect)\n",
              "cold: this process, start to first snapshot",
              absl::ToDoubleMilliseconds(cold),
              absl::ToDoubleMilliseconds(connected));
  for (int i = 0; i < 10; ++i) Take(*server);

  std::unique_ptr<AtspiServer> in_turn =
      Connect({.sockets = false, .no_batches = true});
  Take(*in_turn);
  const auto [warm, turn] =
      Interleaved([&] { Take(*server); }, [&] { Take(*in_turn); });
  snapshot = Take(*server);
  std::printf("%-52s %8.2f ms  (%lld flights, %lld calls)\n",
              "warm: found and read, batched", warm,
              static_cast<long long>(snapshot.traffic.flights),
              static_cast<long long>(snapshot.traffic.calls));
  std::printf("%-52s %8.2f ms  (batched: %.2f of it)\n",
              "warm: attribute by attribute, over the bus", turn, warm / turn);

  absl::StatusOr<std::unique_ptr<ax::FocusCache>> cache =
      ax::FocusCache::Create(Connect(), Soon());
  if (!cache.ok()) Fail("no focus cache", cache.status());
  (*cache)->Start();
  const auto [cached, searched] = Interleaved(
      [&] { snapshot = Take(*server, cache->get()); }, [&] { Take(*server); });
  std::printf("%-52s %8.2f ms  (%lld flights; searched for: %.2f)\n",
              "warm: the focus known by a resident cache", cached,
              static_cast<long long>(snapshot.traffic.flights), searched);
  if (snapshot.route != ax::Route::kCache) {
    Fail("the cache did not serve", absl::UnknownError("it lost the focus"));
  }

  const auto [listed, system_wide] = Interleaved(
      [&] {
        absl::StatusOr<ax::Target> target =
            ResolveByWindowList(*server, Soon());
        if (!target.ok()) Fail("window-list route", target.status());
      },
      [&] {
        absl::StatusOr<ax::Target> target = Resolve(*server, Soon());
        if (!target.ok()) Fail("system-wide route", target.status());
      });
  std::printf("%-52s %8.2f ms  (system-wide: %.2f)\n",
              "finding the focus by the window-list route", listed,
              system_wide);

  // Another application is stopped, and both are asked in turn.
  absl::StatusOr<ax::Application> stopped =
      server->ApplicationOfProcess(other, Soon());
  if (!stopped.ok()) Fail("the other application", stopped.status());
  if (kill(other, SIGSTOP) != 0) {
    Fail("cannot stop the other application", absl::UnknownError("kill"));
  }
  constexpr absl::Duration kDeadline = absl::Milliseconds(50);
  std::vector<absl::Duration> asked, meanwhile, undisturbed;
  absl::Status answer;
  for (int i = 0; i < 20; ++i) {
    asked.push_back(Time([&] {
      answer = server
                   ->Read({{stopped->id, "/org/a11y/atspi/accessible/root"},
                           ax::Attribute::kRole},
                          Clock::Real().Now() + kDeadline)
                   .status();
    }));
    meanwhile.push_back(Time([&] { Take(*server); }));
  }
  kill(other, SIGCONT);
  // The same pause, since a process that has slept is slower to read at first.
  for (int i = 0; i < 20; ++i) {
    absl::SleepFor(kDeadline);
    undisturbed.push_back(Time([&] { Take(*server); }));
  }
  std::printf("%-52s %8.2f ms  (%s; its deadline was %.0f)\n",
              "a stopped application, asked", Median(asked),
              absl::StatusCodeToString(answer.code()).c_str(),
              absl::ToDoubleMilliseconds(kDeadline));
  std::printf(
      "%-52s %8.2f ms  (after as long a pause, with nothing stopped: %.2f)\n",
      "  and the editor, after each", Median(meanwhile), Median(undisturbed));
  std::printf(
      "\nMedians of %d, of 20 with an application stopped; times of two "
      "kinds on one line were taken in turn.\n",
      kSamples);
}

}  // namespace
}  // namespace tactus

int main(int argc, char** argv) {
  const absl::Time begun = tactus::ax::Clock::Real().Now();
  int other = 0;
  if (argc != 2 || !absl::SimpleAtoi(argv[1], &other) || other <= 1) {
    std::fprintf(stderr,
                 "usage: tour PID, under tools/desktop/run: the process id of "
                 "an application that is not the focused one\n");
    return 2;
  }
  tactus::Tour(begun, other);
  return 0;
}
