// What //tools/mcp:benchmark measures in C++, since a Python process would be
// most of it: calls of a server by several ways in turn, large messages, many
// agents at once. benchmark.py starts it.
//
// Ways come on standard input, one a line: a name and the words of a command,
// with tabs between them.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/mcp/benchmark/called_server.h"
#include "transfer/benchmark/tls_echo.h"
#include "transfer/benchmark/trips.h"
#include "transfer/clock/clock.h"

namespace tactus::mcp {
namespace {

using transfer::Child;
using transfer::Clock;
using transfer::Die;
using transfer::DieOfErrno;
using transfer::kMessage;
using transfer::PrintSeries;
using transfer::TlsEcho;
using transfer::Turns;

// Blocks that are thrown away: connections get warm.
constexpr int kWarmUp = 5;

struct Command {
  std::string name;
  std::vector<std::string> words;
};

std::vector<Command> ReadCommands() {
  std::vector<Command> commands;
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::string> words = absl::StrSplit(line, '\t');
    if (words.size() < 2) Die("a way has no command");
    Command command{.name = words.front()};
    command.words.assign(words.begin() + 1, words.end());
    commands.push_back(std::move(command));
  }
  if (commands.empty()) Die("there is no way");
  return commands;
}

// The floor of a pipe: a message to another process and back, by two of them.
class PipeEcho {
 public:
  PipeEcho() {
    int there[2];
    int back[2];
    if (pipe2(there, O_CLOEXEC) != 0 || pipe2(back, O_CLOEXEC) != 0) {
      DieOfErrno("pipes");
    }
    child_ = std::make_unique<Child>([&] {
      close(there[1]);
      close(back[0]);
      std::string message(kMessage, '\0');
      while (transfer::ReadAll(there[0], message.data(), kMessage)) {
        transfer::WriteAll(back[1], message.data(), kMessage);
      }
    });
    close(there[0]);
    close(back[1]);
    to_ = there[1];
    from_ = back[0];
  }
  void Trip() {
    transfer::WriteAll(to_, message_.data(), kMessage);
    if (!transfer::ReadAll(from_, message_.data(), kMessage)) {
      Die("the floor was cut");
    }
  }

 private:
  int to_ = -1;
  int from_ = -1;
  std::string message_ = std::string(kMessage, 'm');
  std::unique_ptr<Child> child_;
};

// One way of calling, and what its calls took: of each block the median and the
// 95th of a hundred, both in us.
struct Way {
  std::string name;
  std::function<void()> trip;
  std::vector<double> medians = {};
  std::vector<double> p95s = {};
};

void Block(Way& way, int trips, bool keep) {
  std::vector<double> took;
  took.reserve(static_cast<size_t>(trips));
  for (int i = 0; i < trips; ++i) {
    const absl::Time begun = Clock::Real().Now();
    way.trip();
    took.push_back(absl::ToDoubleMicroseconds(Clock::Real().Now() - begun));
  }
  if (!keep) return;
  std::sort(took.begin(), took.end());
  way.medians.push_back(took[took.size() / 2]);
  way.p95s.push_back(took[took.size() * 95 / 100]);
}

// Blocks and not calls are taken in turn, a different way first in every round,
// as trips.h says.
int Calls(const Turns& turns) {
  const std::vector<Command> commands = ReadCommands();
  std::vector<std::unique_ptr<CalledServer>> servers;
  std::vector<Way> ways;
  int64_t id = 0;
  for (const Command& command : commands) {
    servers.push_back(std::make_unique<CalledServer>(command.words));
    CalledServer* server = servers.back().get();
    server->Initialize();
    ways.push_back({.name = command.name, .trip = [server, &id] {
                      const std::string line = CallLine(++id, "echo", "hello");
                      const absl::string_view answer = server->Call(line);
                      if (!absl::StrContains(answer, absl::StrCat(id)) ||
                          !absl::StrContains(answer, "hello")) {
                        Die(
                            absl::StrCat("another answer than the one asked "
                                         "for: ",
                                         answer.substr(0, 200)));
                      }
                    }});
  }
  PipeEcho pipe;
  ways.push_back({.name = "pipe", .trip = [&] { pipe.Trip(); }});
  transfer::UnixEcho unix_echo;
  ways.push_back({.name = "unix", .trip = [&] { unix_echo.Trip(); }});
  TlsEcho tls;
  ways.push_back({.name = "openssl", .trip = [&] { tls.Trip(); }});
  for (int block = 0; block < kWarmUp + turns.blocks; ++block) {
    for (size_t i = 0; i < ways.size(); ++i) {
      Block(ways[(static_cast<size_t>(block) + i) % ways.size()], turns.trips,
            block >= kWarmUp);
    }
  }
  for (const Way& way : ways) {
    PrintSeries(way.name, "us", way.medians);
    PrintSeries(absl::StrCat(way.name, "_p95"), "us", way.p95s);
  }
  return 0;
}

// From the first byte of a message that is written to the answer that it was
// read whole; that it was the same is looked at afterwards.
int Large(uint64_t bytes, int rounds) {
  const std::vector<Command> commands = ReadCommands();
  std::vector<std::unique_ptr<CalledServer>> servers;
  std::vector<std::vector<double>> samples(commands.size());
  for (const Command& command : commands) {
    servers.push_back(std::make_unique<CalledServer>(command.words));
    servers.back()->Initialize();
  }
  std::string text(bytes, 'a');
  for (int round = -1; round < rounds; ++round) {
    // No message is as the one before, at any place.
    for (size_t i = 0; i < text.size(); ++i) {
      text[i] = static_cast<char>(
          'a' + (i * 7 + static_cast<size_t>(round + 1) + i / 9973) % 26);
    }
    const std::string line = CallLine(round + 2, "take", text);
    const absl::string_view said(line.data(), line.size() - 1);
    for (size_t i = 0; i < commands.size(); ++i) {
      CalledServer& server =
          *servers[(static_cast<size_t>(round + 1) + i) % commands.size()];
      const absl::Time begun = Clock::Real().Now();
      const std::string answer(server.Call(line));
      const absl::Duration took = Clock::Real().Now() - begun;
      if (!absl::StrContains(answer, absl::StrCat("\"", said.size(), "\""))) {
        Die("the message was cut");
      }
      const absl::string_view held =
          server.Call(CallLine(round + 2, "held", ""));
      const std::string digest =
          absl::StrCat("\"", XXH3_64bits(said.data(), said.size()), "\"");
      if (!absl::StrContains(held, digest)) Die("the message was changed");
      if (round < 0) continue;
      samples[(static_cast<size_t>(round + 1) + i) % commands.size()].push_back(
          absl::ToDoubleSeconds(took));
    }
  }
  for (size_t i = 0; i < commands.size(); ++i) {
    PrintSeries(commands[i].name, "s", samples[i]);
  }
  return 0;
}

// Each agent has a server of its own and calls it with words that nobody else
// says; ids are the same for all.
int Many(int agents, int calls) {
  const std::vector<Command> commands = ReadCommands();
  std::atomic<int64_t> lost = 0;
  std::atomic<int64_t> crossed = 0;
  // Started one after the other: forking from many threads at once would hand
  // descriptors of one server to another.
  std::vector<std::unique_ptr<CalledServer>> servers;
  for (int i = 0; i < agents; ++i) {
    servers.push_back(std::make_unique<CalledServer>(commands.front().words));
  }
  const absl::Time begun = Clock::Real().Now();
  std::vector<std::thread> threads;
  threads.reserve(servers.size());
  for (int i = 0; i < agents; ++i) {
    threads.emplace_back([&, i] {
      CalledServer& server = *servers[static_cast<size_t>(i)];
      server.Initialize();
      for (int call = 1; call <= calls; ++call) {
        const std::string word = absl::StrCat("agent-", i, "-call-", call, "-");
        absl::string_view answer;
        if (!server.TryCall(CallLine(call, "echo", word), &answer)) {
          lost += calls - call + 1;
          return;
        }
        if (!absl::StrContains(answer, absl::StrCat("\"", word, "\"")) ||
            !absl::StrContains(answer, absl::StrCat("\"id\":", call, ","))) {
          ++crossed;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const absl::Duration took = Clock::Real().Now() - begun;
  PrintSeries("lost", "count", {static_cast<double>(lost)});
  PrintSeries("crossed", "count", {static_cast<double>(crossed)});
  PrintSeries(
      "rate", "1/s",
      {static_cast<double>(agents) * calls / absl::ToDoubleSeconds(took)});
  return 0;
}

}  // namespace
}  // namespace tactus::mcp

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  CLI::App app("Measures for //tools/mcp:benchmark, and prints the samples.");
  app.require_subcommand(1);
  tactus::transfer::Turns turns;
  CLI::App* calls = app.add_subcommand("calls", "calls by all ways, in turn");
  calls->add_option("--blocks", turns.blocks)->check(CLI::Range(5, 1000));
  calls->add_option("--trips", turns.trips)->check(CLI::Range(20, 10'000));
  CLI::App* large = app.add_subcommand("large", "large messages, one way");
  uint64_t bytes = 0;
  int rounds = 5;
  large->add_option("--bytes", bytes)
      ->required()
      ->check(CLI::Range(uint64_t{1}, uint64_t{63} << 20));
  large->add_option("--rounds", rounds)->check(CLI::Range(1, 1000));
  CLI::App* many = app.add_subcommand("many", "many agents by the first way");
  int agents = 64;
  int each = 1000;
  many->add_option("--agents", agents)->check(CLI::Range(1, 1000));
  many->add_option("--calls", each)->check(CLI::Range(1, 1'000'000));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (*large) return tactus::mcp::Large(bytes, rounds);
  if (*many) return tactus::mcp::Many(agents, each);
  return tactus::mcp::Calls(turns);
}
