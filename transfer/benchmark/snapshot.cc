// What a snapshot costs more through the daemon than in one's own process:
// benchmark.py starts it on a private desktop whose focused field holds a known
// text. A line of JSON for each series.
#include "ax/snapshot/snapshot.h"

#include <signal.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/focus/focus_cache.h"
#include "transfer/benchmark/daemon_process.h"
#include "transfer/benchmark/trips.h"

namespace tactus::transfer {
namespace {

using ax::Clock;

constexpr absl::Duration kPatience = absl::Seconds(20);
constexpr int kFirstContacts = 7;

absl::Time Soon() { return Clock::Real().Now() + kPatience; }

template <typename T>
T Must(absl::StatusOr<T> value) {
  if (!value.ok()) Die(value.status().message());
  return *std::move(value);
}

void AwaitAccessibility(const std::string& socket) {
  Control status(socket, R"({"jsonrpc":"2.0","id":1,"method":"status"})");
  const absl::Time until = Soon();
  while (!absl::StrContains(status.Ask(), "\"connected\"")) {
    if (Clock::Real().Now() > until) Die("accessibility cannot be reached");
    Clock::Real().SleepUntil(Clock::Real().Now() + absl::Milliseconds(5));
  }
}

int Main(const std::string& program, const std::string& text,
         const Turns& turns) {
  const char* runtime = getenv("XDG_RUNTIME_DIR");
  if (runtime == nullptr) Die("XDG_RUNTIME_DIR is not set");
  const std::string socket = absl::StrCat(runtime, "/tactus/control.sock");
  constexpr absl::string_view kSnapshot =
      R"({"jsonrpc":"2.0","id":1,"method":"text.snapshot",)"
      R"("params":{"deadline_ms":10000}})";

  std::vector<double> first;
  for (int i = 0; i < kFirstContacts; ++i) {
    const DaemonProcess daemon(program, socket);
    AwaitAccessibility(socket);
    Control snapshot(socket, kSnapshot);
    const absl::Time begun = Clock::Real().Now();
    snapshot.Ask();
    first.push_back(absl::ToDoubleMicroseconds(Clock::Real().Now() - begun));
  }
  PrintSeries("first_contact", "us", first);

  const std::unique_ptr<ax::atspi::AtspiServer> server =
      Must(ax::atspi::AtspiServer::Connect({}, Soon()));
  const std::unique_ptr<ax::FocusCache> cache = Must(ax::FocusCache::Create(
      Must(ax::atspi::AtspiServer::Connect({}, Soon())), Soon()));
  cache->Start();
  const DaemonProcess daemon(program, socket);
  AwaitAccessibility(socket);
  Control snapshot(socket, kSnapshot);
  UnixEcho echo;
  std::vector<Way> ways = {
      {.name = "daemon",
       .trip =
           [&] {
             if (!absl::StrContains(snapshot.Ask(), text)) {
               Die("the daemon read another text");
             }
           }},
      {.name = "in_process",
       .trip =
           [&] {
             const ax::Snapshot taken = Must(
                 SnapshotFocused(*server, {.deadline = Soon()}, cache.get()));
             if (!taken.value.ok() || *taken.value != text) {
               Die("another text was read");
             }
           }},
      {.name = "unix", .trip = [&] { echo.Trip(); }}};
  TakeInTurn(ways, turns);
  for (const Way& way : ways) PrintSeries(way.name, "us", way.samples);
  return 0;
}

}  // namespace
}  // namespace tactus::transfer

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  std::string program;
  std::string text;
  tactus::transfer::Turns turns = {.blocks = 60, .trips = 10};
  CLI::App app("Measures snapshots through the daemon on this desktop.");
  app.add_option("--tactusd", program, "the daemon")->required();
  app.add_option("--text", text, "what the focused field holds")->required();
  app.add_option("--blocks", turns.blocks)->check(CLI::Range(5, 1000));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return tactus::transfer::Main(program, text, turns);
}
