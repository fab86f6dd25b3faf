// Counts what snapshots and edits put on the wire: flights and calls, each try
// by itself, and prints them as JSON lines. `//gate:ax_trips` starts it and
// holds them to the reviewed table.
//
//   trips_probe --mock                  the core on the mock server
//   trips_probe --text TEXT             the field that has the focus here,
//   which
//                                       holds TEXT
//
// {"trips":"snapshot","flights":[4,4],"calls":[11,11],"failures":0}
//
// What is counted:
//
//   snapshot          taken again: what was found last is asked whether it has
//                     the focus still
//   snapshot_searched the focus is searched for each time
//   snapshot_known    a cache knows the focus
//   snapshot_in_turn  the same where the server rejects batches: what a lost
//                     batch costs
//   edit              one word for another through accessibility, checked and
//                     read back
//   edit_known        the same, a cache knowing the focus
//
// Exit codes: 0 counted, whatever came out; 1 cannot count; 2 usage.
#include <cstdint>
#include <cstdio>
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
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/atspi/server.h"
#include "ax/clock/clock.h"
#include "ax/cost/counting_server.h"
#include "ax/edit/editor.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/mock/hostilities.h"
#include "ax/mock/hostility.h"
#include "ax/mock/mock_server.h"
#include "ax/mock/world.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"
#include "boost/json.hpp"

namespace tactus::ax::atspi {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(10);
constexpr absl::Duration kSettlePatience = absl::Seconds(20);
// Between two edits: two frames of a display at 60 Hz, rounded up. What an
// application publishes late would be read back twice.
constexpr absl::Duration kDrawn = absl::Milliseconds(35);
// Sockets are opened at the second contact, so what is counted comes later.
constexpr int kWarmUp = 3;

// What the mock's field holds; the word that edits replace is in it once.
constexpr char kMockText[] = "The quick brown fox jumps over the lazy dog";

struct Options {
  bool mock = false;
  std::string text;
  int rounds = 20;
  bool edits = true;
};

// The focus, known beforehand, as a cache that listens to events knows it.
class Known : public FocusHints {
 public:
  explicit Known(Target target) : target_(std::move(target)) {
    target_.route = Route::kCache;
  }
  absl::StatusOr<Target> Hint() override {
    if (refuted_) return absl::NotFoundError("the focus is elsewhere");
    return target_;
  }
  void Refute(const Target&) override { refuted_ = true; }

 private:
  Target target_;
  bool refuted_ = false;
};

class Probe {
 public:
  Probe(const Options& options, std::string text)
      : options_(options), text_(std::move(text)) {}

  using Take = std::function<absl::Status(Server&)>;
  using Between = std::function<void()>;

  // Some tries to get warm, then those that count.
  void Count(absl::string_view name, Server& server, const Take& take,
             const Between& between = nullptr) {
    cost::CountingServer counted(&server);
    std::vector<int64_t> flights, calls;
    int64_t failures = 0;
    std::string failure;
    for (int i = 0; i < kWarmUp + options_.rounds; ++i) {
      if (between) between();
      counted.Reset();
      const absl::Status status = take(counted);
      if (!status.ok()) {
        // One that fails will not do better a twentieth time, and each may
        // take all of its patience.
        ++failures;
        failure = status.ToString();
        break;
      }
      if (i < kWarmUp) continue;
      flights.push_back(counted.total().traffic.flights);
      calls.push_back(counted.total().traffic.calls);
    }
    boost::json::object line;
    line["trips"] = boost::json::string_view(name.data(), name.size());
    line["flights"] = boost::json::value_from(flights);
    line["calls"] = boost::json::value_from(calls);
    line["failures"] = failures;
    if (!failure.empty()) line["failure"] = failure;
    printf("%s\n", boost::json::serialize(line).c_str());
    fflush(stdout);
  }

  absl::Status TakeSnapshot(Server& server, FocusHints* hints) const {
    absl::StatusOr<Snapshot> snapshot = SnapshotFocused(
        server, {.deadline = server.clock().Now() + kPatience}, hints);
    if (!snapshot.ok()) return snapshot.status();
    if (!snapshot->value.ok()) return snapshot->value.status();
    if (!absl::StrContains(*snapshot->value, text_)) {
      return absl::DataLossError("read another text than the field holds");
    }
    if (hints != nullptr && snapshot->route != Route::kCache) {
      return absl::InternalError("what was known was not used");
    }
    return absl::OkStatus();
  }

  // One word for another of the same length, back and forth.
  absl::Status Swap(Server& server, FocusHints* hints) {
    Editor editor(&server, nullptr);
    const std::string now = swapped_ ? "green" : "brown";
    const std::string next = swapped_ ? "brown" : "green";
    const EditResult result = editor.Apply(
        {.kind = Edit::Kind::kReplaceText, .text = next, .old_text = now},
        {.deadline = server.clock().Now() + kPatience, .hints = hints});
    if (result.outcome != Outcome::kVerified) {
      return absl::UnknownError(absl::StrCat(OutcomeName(result.outcome), ", ",
                                             ReasonName(result.reason), ": ",
                                             result.message));
    }
    swapped_ = !swapped_;
    return absl::OkStatus();
  }

  // All that a server with batches, and one that rejects them, are asked.
  absl::Status CountAll(Server& server, Server& searching, Server& in_turn) {
    Count("snapshot", server,
          [this](Server& s) { return TakeSnapshot(s, nullptr); });
    Count("snapshot_searched", searching,
          [this](Server& s) { return TakeSnapshot(s, nullptr); });
    absl::StatusOr<Target> target =
        Resolve(server, server.clock().Now() + kPatience);
    if (!target.ok()) return target.status();
    Known known(*target);
    Count("snapshot_known", server,
          [&](Server& s) { return TakeSnapshot(s, &known); });
    Count("snapshot_in_turn", in_turn,
          [this](Server& s) { return TakeSnapshot(s, nullptr); });
    if (!options_.edits) return absl::OkStatus();
    const auto rest = [&] {
      server.clock().SleepUntil(server.clock().Now() + kDrawn);
    };
    Count("edit", server, [this](Server& s) { return Swap(s, nullptr); }, rest);
    Count(
        "edit_known", server, [&](Server& s) { return Swap(s, &known); }, rest);
    return absl::OkStatus();
  }

 private:
  const Options options_;
  const std::string text_;
  bool swapped_ = false;
};

absl::Status CountMock(const Options& options) {
  SimulatedClock clock;
  mock::World world(mock::EditorDesktop(kMockText));
  mock::MockServer server(&world, &clock);
  mock::MockServer in_turn(&world, &clock);
  absl::StatusOr<std::unique_ptr<mock::Hostility>> rejects =
      mock::MakeHostility("batch_rejected", {});
  if (!rejects.ok()) return rejects.status();
  in_turn.Add(*std::move(rejects));
  return Probe(options, kMockText).CountAll(server, server, in_turn);
}

absl::Status CountHere(const Options& options) {
  const auto deadline = [] { return Clock::Real().Now() + kPatience; };
  absl::StatusOr<std::unique_ptr<AtspiServer>> server =
      AtspiServer::Connect({}, deadline());
  if (!server.ok()) return server.status();
  absl::StatusOr<std::unique_ptr<AtspiServer>> searching =
      AtspiServer::Connect({.remember = false}, deadline());
  if (!searching.ok()) return searching.status();
  absl::StatusOr<std::unique_ptr<AtspiServer>> in_turn =
      AtspiServer::Connect({.no_batches = true}, deadline());
  if (!in_turn.ok()) return in_turn.status();
  Probe probe(options, options.text);
  // An application that has just started tells accessibility late.
  const absl::Time until = Clock::Real().Now() + kSettlePatience;
  absl::Status settled;
  while (!(settled = probe.TakeSnapshot(**server, nullptr)).ok()) {
    if (Clock::Real().Now() >= until) return settled;
    Clock::Real().SleepUntil(Clock::Real().Now() + absl::Milliseconds(100));
  }
  return probe.CountAll(**server, **searching, **in_turn);
}

}  // namespace
}  // namespace tactus::ax::atspi

int main(int argc, char** argv) {
  tactus::ax::atspi::Options options;
  CLI::App app("Counts the flights and calls of snapshots and edits.");
  app.add_flag("--mock", options.mock, "on the mock server, without a desktop");
  app.add_option("--text", options.text, "what the focused field holds");
  app.add_option("--rounds", options.rounds, "tries of each")
      ->check(CLI::PositiveNumber);
  app.add_flag("!--no-edits", options.edits, "snapshots alone");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (options.mock == !options.text.empty()) {
    fprintf(stderr, "trips_probe: give --mock or --text\n");
    return 2;
  }
  const absl::Status status = options.mock
                                  ? tactus::ax::atspi::CountMock(options)
                                  : tactus::ax::atspi::CountHere(options);
  if (status.ok()) return 0;
  fprintf(stderr, "trips_probe: %s\n", status.ToString().c_str());
  return 1;
}
