// What the path to a paired device takes: round trips, first bytes, sizes; the
// measuring of `tactus bench`, and how it is told.
//
// Use it with whatever a BenchPeer is; bench_command.h has the daemon's.
//
// Example:
//
//   absl::StatusOr<BenchReport> report = Measure(peer, {.sizes = {1, 4, 16}});
//   if (!report.ok()) return report.status();
//   WriteResult(BenchForPeople(*report));
//   for (const BenchSeries& one : report->series) {
//     recorder->Record(one.series, one.configuration);
//   }
//
// Files go to nowhere (tools/tactusd/discards.h): a disk of the peer is in none
// of the figures, and nothing is left on either device. Of each file there are
// two instruments, both on this device's clock:
//
//   sender      from the request to the daemon to its answer: a user's view,
//               without the start of a process
//   both ends   from when the sender begins with the file to the receiver's
//               word that all of it is there, verified; which takes half a
//               round trip to come back
//
// Sizes are taken in turn with each other, so that what else the path carries
// meanwhile hits all of them alike.
#ifndef TACTUS_TOOLS_TACTUS_BENCH_H_
#define TACTUS_TOOLS_TACTUS_BENCH_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/record/series.h"
#include "transfer/cost/fit.h"
#include "transfer/cost/units.h"

namespace tactus::cli {

// What is measured.
class BenchPeer {
 public:
  struct Sent {
    absl::Duration sender;
    absl::Duration both_ends;
  };

  virtual ~BenchPeer() = default;

  // What a message there and back took. Its failure ends the measurement.
  virtual absl::StatusOr<absl::Duration> Echo() = 0;

  // Sends a file of that size. PermissionDenied, where the peer takes none, and
  // Cancelled end the measurement; other failures are counted.
  virtual absl::StatusOr<Sent> Send(transfer::cost::ByteCount size) = 0;
};

struct BenchOptions {
  std::vector<int64_t> sizes = {1, 4, 16, 32, 128};  // MiB, rising
  int rounds = 5;                                    // of the sizes
  int trips = 200;
  int first_bytes = 20;
  // A size that has taken so long in all is not taken again; where that is its
  // first time larger ones are not taken at all. A slow path gets fewer samples
  // so, and not an hour.
  absl::Duration budget = absl::Minutes(1);
  // Told what is measured next; may be null.
  std::function<void(absl::string_view)> told = nullptr;
};

struct BenchSeries {
  ledger::Series series;
  // "size" and "instrument", where it has those.
  std::map<std::string, std::string> configuration;
};

struct BenchFit {
  std::string instrument;
  // Or why the samples cannot say: they are of one size.
  absl::StatusOr<transfer::cost::TransferFit> fit;
};

struct BenchReport {
  // In the order in which it is told. One without samples has failures only.
  std::vector<BenchSeries> series;
  std::vector<BenchFit> fits;
};

absl::StatusOr<BenchReport> Measure(BenchPeer& peer,
                                    const BenchOptions& options);

// Rows as `tactus status` has them.
std::string BenchForPeople(const BenchReport& report);

// One line: docs/tactus.md tells its members. `recorded` rows were appended.
std::string BenchJson(const BenchReport& report, const std::string& peer,
                      int64_t recorded);

// Tells the rows of one pair of devices from those of another: a digest of both
// ids, from which neither can be read.
std::string PairName(absl::string_view near_id, absl::string_view far_id);

}  // namespace tactus::cli

#endif  // TACTUS_TOOLS_TACTUS_BENCH_H_
