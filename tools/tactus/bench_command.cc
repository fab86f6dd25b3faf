#include "tools/tactus/bench_command.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"
#include "ledger/record/recorder.h"
#include "tools/control/client.h"
#include "tools/tactus/answer.h"
#include "tools/tactus/arguments.h"
#include "tools/tactus/bench.h"
#include "tools/tactus/bench_harness.h"
#include "tools/tactus/exit_code.h"
#include "tools/tactus/output.h"
#include "tools/tactus_ledger/repository.h"
#include "transfer/cost/units.h"

namespace tactus::cli {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using control::Answer;
using control::Client;
using transfer::cost::ByteCount;

// Of a message there and back, whatever the path.
constexpr absl::Duration kEcho = absl::Seconds(30);
// Bytes of a message.
constexpr size_t kMessage = 64;

absl::Time Now() { return ax::Clock::Real().Now(); }

// A file in memory, of bytes that nothing can make smaller, as a path that the
// daemon can open. It is gone with the process, however that ends.
class MemoryFile {
 public:
  explicit MemoryFile(int fd) : fd_(fd) {}
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(fd_); }

  static absl::StatusOr<std::unique_ptr<MemoryFile>> Make(ByteCount size) {
    const int fd = memfd_create("tactus-bench", MFD_CLOEXEC);
    if (fd < 0) return absl::ErrnoToStatus(errno, "no file in memory");
    auto file = std::make_unique<MemoryFile>(fd);
    std::mt19937_64 random(static_cast<uint64_t>(size.bytes()));
    std::vector<uint64_t> block((1 << 20) / sizeof(uint64_t));
    for (int64_t left = size.bytes(); left > 0;) {
      for (uint64_t& word : block) word = random();
      const size_t want = static_cast<size_t>(
          std::min<int64_t>(left, static_cast<int64_t>(1) << 20));
      const ssize_t n = write(fd, block.data(), want);
      if (n <= 0) return absl::ErrnoToStatus(errno, "no memory for a file");
      left -= n;
    }
    return file;
  }

  std::string path() const {
    return absl::StrCat("/proc/", getpid(), "/fd/", fd_);
  }

 private:
  const int fd_;
};

// The peer, by the daemon.
class DaemonPeer : public BenchPeer {
 public:
  DaemonPeer(Client* daemon, std::string peer, int stop_fd)
      : daemon_(*daemon), peer_(std::move(peer)), stop_fd_(stop_fd) {}

  absl::StatusOr<absl::Duration> Echo() override {
    const absl::StatusOr<object> result =
        Ask("peers.echo",
            {{"peer", Json(peer_)},
             {"message", Json(std::string(kMessage, 'm'))},
             {"deadline_ms", absl::ToInt64Milliseconds(kEcho)}},
            Now() + 2 * kEcho);
    if (!result.ok()) return result.status();
    return absl::Microseconds(NumberOf(&*result, "round_trip_us"));
  }

  absl::StatusOr<Sent> Send(ByteCount size) override {
    std::unique_ptr<MemoryFile>& file = files_[size.bytes()];
    if (file == nullptr) {
      auto made = MemoryFile::Make(size);
      // There is none for the next one either.
      if (!made.ok()) return absl::CancelledError(made.status().message());
      file = *std::move(made);
    }
    const absl::Time begun = Now();
    // Without an end, as `tactus send`: the daemon gives up what does not move.
    const absl::StatusOr<object> result =
        Ask("files.send",
            {{"peer", Json(peer_)},
             {"paths", array{Json(file->path())}},
             {"discard", true}},
            absl::InfiniteFuture());
    const absl::Duration took = Now() - begun;
    if (!result.ok()) return result.status();
    const std::string outcome = TextOf(&*result, "outcome");
    const std::string why =
        absl::StrCat(outcome, ": ", TextOf(&*result, "reason"));
    if (outcome == "refused") return absl::PermissionDeniedError(why);
    if (outcome != "done") return absl::UnavailableError(why);
    return Sent{
        .sender = took,
        .both_ends = absl::Microseconds(NumberOf(&*result, "elapsed_us"))};
  }

 private:
  // What the daemon refuses is refused for good, as a status that ends all.
  absl::StatusOr<object> Ask(const char* method, const object& params,
                             absl::Time deadline) {
    absl::StatusOr<Answer> answer =
        daemon_.Call(method, boost::json::serialize(params), deadline, stop_fd_,
                     [](const Answer&) {});
    if (!answer.ok()) {
      return absl::IsCancelled(answer.status())
                 ? absl::CancelledError("interrupted")
                 // The connection is of no use any more.
                 : absl::CancelledError(answer.status().message());
    }
    if (answer->error.has_value()) {
      return absl::PermissionDeniedError(answer->error->message);
    }
    const object* result = ResultOf(*answer);
    if (result == nullptr) return NoAnswer();
    return *result;
  }

  Client& daemon_;
  const std::string peer_;
  const int stop_fd_;
  std::map<int64_t, std::unique_ptr<MemoryFile>> files_;
};

// The letters and digits of an id, as it is compared.
std::string Bare(absl::string_view id) {
  std::string bare;
  for (const char c : id) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      bare.push_back(absl::ascii_toupper(static_cast<unsigned char>(c)));
    }
  }
  return bare;
}

// The id of a peer that was given by its name or its id. NotFound.
absl::StatusOr<std::string> IdOf(const object* status,
                                 const std::string& peer) {
  if (const array* peers = ArrayOf(status, "peers")) {
    for (const value& one : *peers) {
      const object* known = one.if_object();
      const std::string id = TextOf(known, "id");
      if (TextOf(known, "name") == peer || Bare(id) == Bare(peer)) return id;
    }
  }
  return absl::NotFoundError(
      absl::StrCat("no peer is called '", peer, "': see `tactus status`"));
}

absl::StatusOr<std::unique_ptr<ledger::Recorder>> StartRecorder(
    const BenchArguments& given, const std::string& pair) {
  std::string folder;
  if (given.record) {
    std::error_code error;
    const std::string here = std::filesystem::current_path(error).string();
    if (error) {
      return absl::FailedPreconditionError(
          absl::StrCat("cannot tell where this is: ", error.message()));
    }
    const absl::StatusOr<ledger::LedgerPlace> place =
        ledger::FindLedger(given.ledger, here);
    if (!place.ok()) return place.status();
    folder = place->folder;
  }
  return ledger::Recorder::Start({.instrument = "//tools/tactus:bench",
                                  .harness = ledger::kHarnessDigest,
                                  .ledger = folder,
                                  .prefix = "bench/",
                                  .configuration = {{"pair", pair}}});
}

}  // namespace

ExitCode Bench(const Arguments& arguments, int stop_fd) {
  const BenchArguments& given = arguments.bench;
  absl::StatusOr<std::unique_ptr<Client>> daemon = NeedDaemon();
  if (!daemon.ok()) return Complain(daemon.status());
  const object* status = ResultOf((*daemon)->greeting());
  const absl::StatusOr<std::string> far = IdOf(status, given.peer);
  if (!far.ok()) return Complain(far.status());
  // Before anything is measured: whoever cannot record is told so at once, and
  // the load before is that.
  absl::StatusOr<std::unique_ptr<ledger::Recorder>> recorder = StartRecorder(
      given, PairName(TextOf(ObjectOf(status, "device"), "id"), *far));
  if (!recorder.ok()) return Complain(recorder.status());

  BenchOptions options = {.rounds = given.rounds};
  options.sizes.erase(
      std::remove_if(options.sizes.begin(), options.sizes.end(),
                     [&given](int64_t size) { return size > given.max_mib; }),
      options.sizes.end());
  if (!arguments.json) {
    options.told = [](absl::string_view what) {
      TellPerson(absl::StrCat("measuring: ", what));
    };
  }
  DaemonPeer peer(daemon->get(), given.peer, stop_fd);
  const absl::StatusOr<BenchReport> report = Measure(peer, options);
  if (!report.ok()) {
    Complain(std::string(report.status().message()));
    return ExitCode::kFailed;
  }
  int64_t recorded = 0;
  absl::Status trouble;
  bool failed = false;
  for (const BenchSeries& one : report->series) {
    failed = failed || one.series.samples.empty();
    // A row of nothing would be taken for a measurement.
    if (!(*recorder)->records() || one.series.samples.empty()) continue;
    trouble = (*recorder)->Record(one.series, one.configuration);
    if (!trouble.ok()) break;
    ++recorded;
  }
  std::string told = arguments.json ? BenchJson(*report, given.peer, recorded)
                                    : BenchForPeople(*report);
  if (!arguments.json && (*recorder)->records()) {
    told += Row("recorded", absl::StrCat(recorded, " rows"));
  }
  if (absl::Status written = WriteResult(told); !written.ok()) {
    return Complain(written);
  }
  if (!trouble.ok()) return Complain(trouble);
  return failed ? ExitCode::kFailed : ExitCode::kDone;
}

}  // namespace tactus::cli
