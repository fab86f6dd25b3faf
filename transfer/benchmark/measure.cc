// What //transfer:benchmark measures in C++, since a Python process would be
// most of it: round trips, the copy over bare OpenSSL, the fit. benchmark.py
// starts it.
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "transfer/benchmark/bare_tls.h"
#include "transfer/benchmark/daemon_process.h"
#include "transfer/benchmark/loopback.h"
#include "transfer/benchmark/tls_echo.h"
#include "transfer/benchmark/trips.h"
#include "transfer/clock/clock.h"
#include "transfer/cost/fit.h"
#include "transfer/cost/units.h"
#include "transfer/identity/identity.h"

namespace tactus::transfer {
namespace {

constexpr size_t kChunk = 256 << 10;  // of a file: large records
constexpr int kPatienceMs = 20'000;   // what takes longer hangs
constexpr absl::Duration kBetween = absl::Milliseconds(200);

Identity MakeIdentity() {
  absl::StatusOr<Identity> identity = Identity::Generate();
  if (!identity.ok()) Die(identity.status().message());
  return *std::move(identity);
}

// Without a daemon the floors alone.
int Echo(const std::string& control, const std::string& request,
         const Turns& turns) {
  std::vector<Way> ways;
  std::unique_ptr<Control> daemon;
  if (!control.empty()) {
    daemon = std::make_unique<Control>(control, request);
    ways.push_back({.name = "tactus", .trip = [&] { daemon->Ask(); }});
  }
  UnixEcho unix_echo;
  ways.push_back({.name = "unix", .trip = [&] { unix_echo.Trip(); }});
  TlsEcho tls_echo;
  ways.push_back({.name = "openssl", .trip = [&] { tls_echo.Trip(); }});
  TakeInTurn(ways, turns);
  for (const Way& way : ways) PrintSeries(way.name, "us", way.samples);
  return 0;
}

// From the connection to the word that all is written and the file closed, as
// ours is. Keys are made before, as a daemon has them.
int Copy(const std::string& from, const std::string& to) {
  const Identity identity = MakeIdentity();
  sockaddr_in at;
  const int listener = ListenOnLoopback(&at);
  const Child receiver([&] {
    BareTls tls(BareTls::Role::kServer, identity, Accept(listener));
    const int file = open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) DieOfErrno(to);
    std::vector<char> buffer(kChunk);
    uint64_t left = 0;
    if (!tls.ReadFull(reinterpret_cast<char*>(&left), sizeof(left))) return;
    while (left > 0) {
      const size_t want = std::min<uint64_t>(left, buffer.size());
      if (!tls.ReadFull(buffer.data(), want)) Die("the copy was cut");
      WriteAll(file, buffer.data(), want);
      left -= want;
    }
    if (close(file) != 0) DieOfErrno(to);
    tls.Write("k", 1);
  });
  const int file = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  const off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
  if (size < 0 || lseek(file, 0, SEEK_SET) != 0) DieOfErrno(from);
  std::vector<char> buffer(kChunk);
  const absl::Time begun = Clock::Real().Now();
  BareTls tls(BareTls::Role::kClient, identity, Connect(at));
  uint64_t left = static_cast<uint64_t>(size);
  tls.Write(reinterpret_cast<const char*>(&left), sizeof(left));
  while (left > 0) {
    const size_t want = std::min<uint64_t>(left, buffer.size());
    if (!ReadAll(file, buffer.data(), want)) Die("the file became shorter");
    tls.Write(buffer.data(), want);
    left -= want;
  }
  char done = 0;
  if (!tls.ReadFull(&done, 1)) Die("the copy was cut");
  PrintSeries("openssl", "s",
              {absl::ToDoubleSeconds(Clock::Real().Now() - begun)});
  return 0;
}

// From the start of a daemon to its answer to `request`, which goes to its peer
// and back: one trip more than the first byte takes.
int Cold(const std::string& program, const std::string& control,
         const std::string& request, int tries) {
  std::vector<double> samples;
  for (int i = 0; i < tries; ++i) {
    const absl::Time begun = Clock::Real().Now();
    const DaemonProcess daemon(program, control);
    Control(control, request).Ask();
    samples.push_back(absl::ToDoubleMilliseconds(Clock::Real().Now() - begun));
  }
  PrintSeries("tactus", "ms", samples);
  return 0;
}

// From the request for a file to its first byte at the receiver: when the
// kernel says that something was written in its folder. Each line of standard
// input is a request. They come in pairs: one after a rest, and a second one on
// the same session as soon as that is answered. What rests has to wake up, and
// finds nothing in the processor's caches, so it is another series. The first
// pair opens the session and is not counted.
int First(const std::string& control, const std::string& inbox) {
  const int watch = inotify_init1(IN_CLOEXEC);
  if (watch < 0 || inotify_add_watch(watch, inbox.c_str(), IN_MODIFY) < 0) {
    DieOfErrno(inbox);
  }
  Control daemon(control, "");
  std::vector<double> rested;
  std::vector<double> second;
  std::string request;
  for (int i = 0; std::getline(std::cin, request); ++i) {
    // What the one before has written is no word of this one.
    std::vector<char> events(64 << 10);
    pollfd ready = {watch, POLLIN, 0};
    while (poll(&ready, 1, 0) == 1) {
      if (read(watch, events.data(), events.size()) < 0) DieOfErrno("inotify");
    }
    request += '\n';
    const absl::Time begun = Clock::Real().Now();
    daemon.Send(request);
    if (poll(&ready, 1, kPatienceMs) != 1) Die("nothing has arrived");
    const absl::Duration took = Clock::Real().Now() - begun;
    daemon.Receive();
    const bool is_second = i % 2 == 1;
    if (i > 1) {
      (is_second ? second : rested).push_back(absl::ToDoubleMicroseconds(took));
    }
    // What is warm is warm again.
    if (is_second) Clock::Real().SleepUntil(Clock::Real().Now() + kBetween);
  }
  PrintSeries("tactus", "us", second);
  PrintSeries("rested", "us", rested);
  return 0;
}

// That many bytes on standard output, the same each time: blocks of which none
// is like another.
int Generate(uint64_t left) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> block((1 << 20) / sizeof(uint64_t));
  for (uint64_t& word : block) word = random();
  while (left > 0) {
    ++block[0];
    const size_t size = std::min<uint64_t>(left, 1 << 20);
    WriteAll(STDOUT_FILENO, reinterpret_cast<const char*>(block.data()), size);
    left -= size;
  }
  return 0;
}

// Fixed cost, rate and how far the samples are from them: pairs of bytes and
// seconds on standard input.
int Fit() {
  std::vector<cost::TransferSample> samples;
  int64_t bytes = 0;
  double seconds = 0;
  while (std::cin >> bytes >> seconds) {
    samples.push_back({cost::Bytes(bytes), absl::Seconds(seconds)});
  }
  const absl::StatusOr<cost::TransferFit> fit = cost::FitTransfers(samples);
  if (!fit.ok()) Die(fit.status().message());
  printf(
      "{\"fixed_s\":%.9g,\"mbit_s\":%.9g,\"median_residual\":%.9g,"
      "\"largest_residual\":%.9g,\"most_negative_residual\":%.9g}\n",
      absl::ToDoubleSeconds(fit->model.fixed),
      fit->model.rate.megabits_per_second(), fit->median_residual,
      fit->largest_residual, fit->most_negative_residual);
  return 0;
}

}  // namespace
}  // namespace tactus::transfer

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  CLI::App app("Measures for //transfer:benchmark, and prints the samples.");
  app.require_subcommand(1);
  std::string control;
  std::string request;
  tactus::transfer::Turns turns;
  CLI::App* echo = app.add_subcommand("echo", "round trips, in turn");
  echo->add_option("--control", control, "the socket of a daemon");
  echo->add_option("--request", request, "what is sent to it: a line of JSON");
  echo->add_option("--blocks", turns.blocks)->check(CLI::Range(5, 1000));
  echo->add_option("--trips", turns.trips)->check(CLI::Range(1, 10'000));
  std::string from;
  std::string to;
  CLI::App* copy = app.add_subcommand("copy", "a file over bare OpenSSL");
  copy->add_option("--from", from)->required();
  copy->add_option("--to", to)->required();
  CLI::App* cold = app.add_subcommand("cold", "a daemon's start and a trip");
  std::string program;
  int tries = 7;
  cold->add_option("--tactusd", program)->required();
  cold->add_option("--control", control)->required();
  cold->add_option("--request", request)->required();
  cold->add_option("--tries", tries)->check(CLI::Range(1, 1000));
  CLI::App* first = app.add_subcommand("first", "a second file's first byte");
  std::string inbox;
  first->add_option("--control", control)->required();
  first->add_option("--inbox", inbox)->required();
  CLI::App* generate = app.add_subcommand("generate", "bytes, for a pipe");
  uint64_t bytes = 0;
  generate->add_option("--bytes", bytes)->required();
  CLI::App* fit = app.add_subcommand("fit", "fixed cost and rate");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (*fit) return tactus::transfer::Fit();
  if (*generate) return tactus::transfer::Generate(bytes);
  if (*first) return tactus::transfer::First(control, inbox);
  if (*cold) return tactus::transfer::Cold(program, control, request, tries);
  if (*copy) return tactus::transfer::Copy(from, to);
  return tactus::transfer::Echo(control, request, turns);
}
