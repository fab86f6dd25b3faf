// What a stream costs beside bare OpenSSL: the round trip of a message, the
// rate of bulk, and how soon a new stream says its first byte.
//
//   bazel run --config=opt //transfer/tls/benchmark
//
// Two processes on this machine's loopback; ours and the floor take turns in
// blocks, so that what else the machine does hits both. The floor is OpenSSL's
// own calls on a blocking socket, with the same cipher and TCP_NODELAY. A line
// a figure, its goal beside it; --json writes the samples instead, a line a
// series.
//
// Exit codes: 0 every goal is met, 1 one is missed or something failed, 2
// usage.
#include <fcntl.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "ledger/record/recorder.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"
#include "transfer/clock/clock.h"
#include "transfer/identity/device_id.h"
#include "transfer/identity/identity.h"
#include "transfer/identity/pinned_peers.h"
#include "transfer/identity/private_folder.h"
#include "transfer/stream/header.h"
#include "transfer/stream/read_full.h"
#include "transfer/stream/stream.h"
#include "transfer/tls/benchmark/harness.h"
#include "transfer/tls/context.h"
#include "transfer/tls/socket.h"
#include "transfer/tls/transport.h"

namespace tactus::transfer {
namespace {

constexpr size_t kMessage = 64;       // bytes of a round trip
constexpr size_t kChunk = 256 << 10;  // of bulk, both ways of doing it
constexpr char kEcho = 'e';
constexpr char kSink = 's';

// Nothing here takes as long but a hang.
absl::Time Limit() { return Clock::Real().Now() + absl::Seconds(120); }

[[noreturn]] void Die(const absl::Status& why) {
  std::fprintf(stderr, "benchmark: %s\n", why.ToString().c_str());
  std::exit(1);
}

void Check(const absl::Status& status) {
  if (!status.ok()) Die(status);
}

template <typename T>
T Must(absl::StatusOr<T> value) {
  Check(value.status());
  return *std::move(value);
}

struct Device {
  explicit Device(const std::string& path)
      : folder(Must(PrivateFolder::Open(path))),
        identity(Must(Identity::LoadOrCreate(folder))),
        peers(Must(PinnedPeers::Open(folder))) {}

  PrivateFolder folder;
  Identity identity;
  std::unique_ptr<PinnedPeers> peers;
};

// ---- The floor.

// A socket that blocks, with TLS on it, as little as that can be.
struct Bare {
  Bare(TlsContext& context, SslPtr its_ssl, int its_fd)
      : ssl(std::move(its_ssl)), fd(its_fd) {
    SSL_set_fd(ssl.get(), fd);
    // OpenSSL's own way of reading, and not that of this transport.
    SSL_set_read_ahead(ssl.get(), 0);
    if (SSL_do_handshake(ssl.get()) != 1) {
      Die(absl::InternalError("the floor's handshake failed"));
    }
    Check(context.CheckPeer(ssl.get()).status());
  }
  ~Bare() { close(fd); }

  void Write(const char* data, size_t size) {
    size_t written = 0;
    if (SSL_write_ex(ssl.get(), data, size, &written) != 1 || written != size) {
      Die(absl::InternalError("the floor cannot write"));
    }
  }
  // False at the end.
  bool ReadFull(char* data, size_t size) {
    while (size > 0) {
      size_t got = 0;
      if (SSL_read_ex(ssl.get(), data, size, &got) != 1) return false;
      data += got;
      size -= got;
    }
    return true;
  }

  SslPtr ssl;
  int fd;
};

void SetBlocking(int fd) {
  pollfd ready = {fd, POLLOUT, 0};
  poll(&ready, 1, 5000);
  (void)fcntl(fd, F_SETFL, 0);
}

void ServeBare(Bare& bare, std::vector<char>& buffer) {
  char what;
  if (!bare.ReadFull(&what, 1)) return;
  if (what == kEcho) {
    while (bare.ReadFull(buffer.data(), kMessage)) {
      bare.Write(buffer.data(), kMessage);
    }
    return;
  }
  uint64_t left;
  while (bare.ReadFull(reinterpret_cast<char*>(&left), sizeof(left))) {
    while (left > 0) {
      size_t got = 0;
      if (SSL_read_ex(bare.ssl.get(), buffer.data(), buffer.size(), &got) !=
          1) {
        return;
      }
      left -= got;
    }
    bare.Write("k", 1);
  }
}

// ---- The other process.

void ServeStream(Stream& stream, std::vector<char>& buffer) {
  if (stream.header().kind == StreamKind::kMessage) {
    while (ReadFull(stream, absl::MakeSpan(buffer.data(), kMessage), Limit())
               .ok()) {
      if (!stream.Write(absl::string_view(buffer.data(), kMessage), Limit())
               .ok()) {
        return;
      }
    }
    return;
  }
  char size[8];
  while (ReadFull(stream, absl::MakeSpan(size), Limit()).ok()) {
    uint64_t left;
    std::memcpy(&left, size, sizeof(left));
    while (left > 0) {
      const auto got = stream.Read(absl::MakeSpan(buffer), Limit());
      if (!got.ok() || *got == 0) return;
      left -= *got;
    }
    if (!stream.Write("k", Limit()).ok()) return;
  }
}

[[noreturn]] void RunServer(Device& device, int report) {
  // Not to outlive a benchmark that was interrupted.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto transport =
      Must(TlsTransport::Create(device.identity, *device.peers, {}));
  const std::string address = Must(transport->Listen("127.0.0.1:0"));
  const int listener =
      Must(ListenSocket(NumericEndpoints(*ParseHostPort("127.0.0.1:0"))[0]));
  const std::string bare_address = Must(LocalEndpoint(listener)).Text();
  const std::string both = absl::StrCat(address, " ", bare_address, "\n");
  if (write(report, both.data(), both.size()) < 0) std::exit(1);
  std::thread bare([&] {
    auto context = Must(TlsContext::Create(
        device.identity, [](const KeyDigest&) { return true; }));
    while (true) {
      pollfd ready = {listener, POLLIN, 0};
      poll(&ready, 1, -1);
      Endpoint from;
      bool failed = false;
      const int fd = AcceptSocket(listener, {}, &from, &failed);
      if (fd < 0) continue;
      SetBlocking(fd);
      std::thread([&context, fd] {
        Bare connection(*context, Must(context->NewServer()), fd);
        std::vector<char> buffer(kChunk);
        ServeBare(connection, buffer);
      }).detach();
    }
  });
  while (true) {
    auto stream = transport->Accept(absl::InfiniteFuture());
    if (!stream.ok()) std::exit(1);
    std::thread([owned = std::shared_ptr<Stream>(*std::move(stream))] {
      std::vector<char> buffer(kChunk);
      ServeStream(*owned, buffer);
    }).detach();
  }
}

// ---- What is measured.

using ledger::Direction;
using ledger::Series;
using ledger::Unit;

double Median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const size_t n = samples.size();
  return n % 2 == 1 ? samples[n / 2]
                    : (samples[n / 2 - 1] + samples[n / 2]) / 2;
}

// One sample: the median of a block of trips, in microseconds. Blocks and not
// trips are compared, since ours and the floor's take turns by block.
template <typename Trip>
double Block(Trip trip) {
  std::vector<double> times;
  for (int i = 0; i < 100; ++i) {
    const absl::Time start = Clock::Real().Now();
    trip();
    times.push_back(absl::ToDoubleMicroseconds(Clock::Real().Now() - start));
  }
  return Median(std::move(times));
}

struct Goal {
  std::string what;
  double figure;
  double goal;
  bool at_most;
  std::string unit;
  bool met() const { return at_most ? figure <= goal : figure >= goal; }
};

int Run(uint64_t mebibytes, ledger::Recorder& recorder) {
  std::string pattern = "/tmp/tactus-benchmark.XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    Die(absl::InternalError("cannot make a folder in /tmp"));
  }
  const absl::Cleanup removed = [&pattern] {
    for (const char* device : {"/near", "/far"}) {
      for (const char* file : {"/identity.pem", "/peers.json"}) {
        unlink(absl::StrCat(pattern, device, file).c_str());
      }
      rmdir(absl::StrCat(pattern, device).c_str());
    }
    rmdir(pattern.c_str());
  };
  Device near(pattern + "/near");
  Device far(pattern + "/far");
  Check(far.peers->Add({.name = "near", .key = near.identity.digest()}));
  int report[2];
  if (pipe(report) != 0) Die(absl::InternalError("cannot make a pipe"));
  const pid_t server = fork();
  if (server == 0) RunServer(far, report[1]);
  close(report[1]);
  const absl::Cleanup stopped = [server] {
    kill(server, SIGKILL);
    waitpid(server, nullptr, 0);
  };
  char line[256];
  FILE* reported = fdopen(report[0], "r");
  if (reported == nullptr || fgets(line, sizeof(line), reported) == nullptr) {
    Die(absl::InternalError("the other process did not start"));
  }
  std::string address(line);
  address.pop_back();
  const size_t space = address.find(' ');
  const std::string bare_address = address.substr(space + 1);
  address.resize(space);
  Check(near.peers->Add(
      {.name = "far", .key = far.identity.digest(), .addresses = {address}}));

  Series cold{.name = "cold_connect"};
  const absl::Time start = Clock::Real().Now();
  auto transport = Must(TlsTransport::Create(near.identity, *near.peers, {}));
  const std::string message(kMessage, 'm');
  char answer[kMessage];
  auto echo = Must(transport->Open(far.identity.id(),
                                   {.kind = StreamKind::kMessage}, Limit()));
  const auto trip = [&] {
    Check(echo->Write(message, Limit()));
    Check(ReadFull(*echo, absl::MakeSpan(answer), Limit()));
  };
  trip();
  cold.samples.push_back(
      absl::ToDoubleMicroseconds(Clock::Real().Now() - start));

  auto context = Must(
      TlsContext::Create(near.identity, [](const KeyDigest&) { return true; }));
  const auto connect_bare = [&](char what) {
    const int fd = Must(
        ConnectSocket(NumericEndpoints(*ParseHostPort(bare_address))[0], {}));
    SetBlocking(fd);
    auto bare = std::make_unique<Bare>(
        *context, Must(context->NewClient(far.identity.digest())), fd);
    bare->Write(&what, 1);
    return bare;
  };
  const auto bare_echo = connect_bare(kEcho);
  const auto bare_trip = [&] {
    bare_echo->Write(message.data(), message.size());
    if (!bare_echo->ReadFull(answer, kMessage)) {
      Die(absl::InternalError("the floor was cut"));
    }
  };

  Series ours_trip{.name = "round_trip.tactus"};
  Series floor_trip{.name = "round_trip.openssl"};
  for (int i = 0; i < 5; ++i) {
    Block(trip);
    Block(bare_trip);
  }
  for (int i = 0; i < 100; ++i) {
    ours_trip.samples.push_back(Block(trip));
    floor_trip.samples.push_back(Block(bare_trip));
  }

  // Time between them, as between two files: the pool is warm again.
  Series open{.name = "open_first_answer"};
  for (int i = 0; i < 30; ++i) {
    absl::SleepFor(absl::Milliseconds(100));
    const absl::Time opened = Clock::Real().Now();
    auto stream = Must(transport->Open(
        far.identity.id(), {.kind = StreamKind::kMessage}, Limit()));
    Check(stream->Write(message, Limit()));
    Check(ReadFull(*stream, absl::MakeSpan(answer), Limit()));
    open.samples.push_back(
        absl::ToDoubleMicroseconds(Clock::Real().Now() - opened));
  }

  const std::string chunk(kChunk, 'b');
  auto sink = Must(
      transport->Open(far.identity.id(), {.kind = StreamKind::kFile}, Limit()));
  const auto bare_sink = connect_bare(kSink);
  const uint64_t total = mebibytes << 20;
  const absl::string_view total_bytes(reinterpret_cast<const char*>(&total),
                                      sizeof(total));
  Series ours_rate{.name = "bulk.tactus",
                   .unit = Unit::kBytesPerSecond,
                   .direction = Direction::kMoreIsBetter};
  Series floor_rate = ours_rate;
  floor_rate.name = "bulk.openssl";
  const auto rate = [&](absl::Time from) {
    return static_cast<double>(total) /
           absl::ToDoubleSeconds(Clock::Real().Now() - from);
  };
  for (int run = 0; run < 5; ++run) {
    absl::Time from = Clock::Real().Now();
    Check(sink->Write(total_bytes, Limit()));
    for (uint64_t sent = 0; sent < total; sent += kChunk) {
      Check(sink->Write(chunk, Limit()));
    }
    Check(ReadFull(*sink, absl::MakeSpan(answer, 1), Limit()));
    ours_rate.samples.push_back(rate(from));

    from = Clock::Real().Now();
    bare_sink->Write(total_bytes.data(), total_bytes.size());
    for (uint64_t sent = 0; sent < total; sent += kChunk) {
      bare_sink->Write(chunk.data(), chunk.size());
    }
    if (!bare_sink->ReadFull(answer, 1)) {
      Die(absl::InternalError("the floor was cut"));
    }
    floor_rate.samples.push_back(rate(from));
  }

  const std::vector<Goal> goals = {
      {"round trip / OpenSSL's",
       Median(ours_trip.samples) / Median(floor_trip.samples), 1.2, true, ""},
      {"bulk / OpenSSL's",
       Median(ours_rate.samples) / Median(floor_rate.samples), 0.8, false, ""},
      {"first answer on a new stream", Median(open.samples), 500, true, "us"},
      {"first answer from nothing", Median(cold.samples), 60'000, true, "us"},
  };
  const std::string message_size = absl::StrCat(kMessage);
  for (const auto& [series, size] :
       {std::make_pair(&ours_trip, message_size),
        std::make_pair(&floor_trip, message_size),
        std::make_pair(&open, message_size),
        std::make_pair(&cold, message_size),
        std::make_pair(&ours_rate, absl::StrCat(total)),
        std::make_pair(&floor_rate, absl::StrCat(total))}) {
    std::printf("%-32s %14.1f %s\n", series->name.c_str(),
                Median(series->samples),
                std::string(ledger::UnitName(series->unit)).c_str());
    Check(recorder.Record(
        *series, {{"bytes", size},
                  {"cipher", SSL_get_cipher_name(bare_echo->ssl.get())}}));
  }
  bool met = true;
  for (const Goal& goal : goals) {
    std::printf("%-32s %14.2f %-2s goal %s %g: %s\n", goal.what.c_str(),
                goal.figure, goal.unit.c_str(),
                goal.at_most ? "<=" : ">=", goal.goal,
                goal.met() ? "met" : "MISSED");
    met = met && goal.met();
  }
  return met ? 0 : 1;
}

}  // namespace
}  // namespace tactus::transfer

int main(int argc, char** argv) {
  uint64_t mebibytes = 512;
  bool record = false;
  std::string ledger;
  for (int i = 1; i < argc; ++i) {
    const absl::string_view argument = argv[i];
    const bool more = i + 1 < argc;
    if (argument == "--record") {
      record = true;
    } else if (argument == "--ledger" && more) {
      ledger = argv[++i];
    } else if (argument != "--mib" || !more ||
               !absl::SimpleAtoi(argv[++i], &mebibytes) || mebibytes == 0 ||
               mebibytes > 65536) {
      std::fprintf(stderr,
                   "usage: benchmark [--mib N] [--record] [--ledger FOLDER]\n"
                   "  --mib N          bulk, 1 to 65536 MiB (default 512)\n"
                   "  --record         append rows to docs/perf/data\n"
                   "  --ledger FOLDER  append them there\n");
      return 2;
    }
  }
  const absl::StatusOr<std::string> folder =
      tactus::ledger::LedgerDirectory(record, ledger);
  if (!folder.ok()) tactus::transfer::Die(folder.status());
  const auto recorder = tactus::ledger::Recorder::Start(
      {.instrument = "//transfer/tls/benchmark",
       .harness = tactus::ledger::kHarnessDigest,
       .ledger = *folder,
       .prefix = "transfer/tls/"});
  if (!recorder.ok()) tactus::transfer::Die(recorder.status());
  return tactus::transfer::Run(mebibytes, **recorder);
}
