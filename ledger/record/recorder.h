// Appends what an instrument measured to the ledger, with all that a reader
// needs to doubt it.
//
// Use it in every benchmark, so that none writes rows of its own. It fills in
// the commit and whether the tree was that commit, the device, the load before
// and after, the program and the sources it was built from. Without a ledger to
// write to it records nothing, so that a benchmark calls it always.
//
// Example, of a benchmark that takes --record and --ledger:
//
//   absl::StatusOr<std::string> ledger = LedgerDirectory(record,
//   ledger_option); absl::StatusOr<std::unique_ptr<Recorder>> recorder =
//   Recorder::Start(
//       {.instrument = "//ax/atspi:edit_benchmark",
//        .harness = kHarnessDigest,            // harness_digest() in
//        BUILD.bazel .ledger = *ledger});
//   Sampler sampler(MonotonicNow, {});
//   ...
//   for (const Series& series : sampler.series()) {
//     absl::Status recorded = (*recorder)->Record(series);
//   }
//
// A row is appended at once: what was measured stays if the run then dies.
// Programs that were not optimized measure the compiler; they are refused.
#ifndef TACTUS_LEDGER_RECORD_RECORDER_H_
#define TACTUS_LEDGER_RECORD_RECORDER_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ledger/provenance/device.h"
#include "ledger/record/series.h"
#include "ledger/row/row.h"

namespace tactus::ledger {

// Whether this was compiled as what is measured should be.
#ifdef NDEBUG
inline constexpr bool kOptimized = true;
#else
inline constexpr bool kOptimized = false;
#endif

// The folder of the ledger that a program is to write to; empty for none.
// `option` is what --ledger said, relative to where the command was typed;
// else with `record` it is docs/perf/data of the workspace, which `bazel run`
// names. FailedPrecondition without that.
absl::StatusOr<std::string> LedgerDirectory(bool record,
                                            const std::string& option);

class Recorder {
 public:
  struct Options {
    std::string instrument;  // the target's name
    std::string harness;     // "sha256:…", from harness_digest()
    std::string ledger;      // the folder; empty records nothing
    // Before the name of each series: "focused_text/".
    std::string prefix;
    // Of every row.
    std::map<std::string, std::string> configuration;
    // What the rows of one run share. A program that starts others for parts of
    // a run gives them its own; empty makes a new one.
    std::string run;
    bool optimized = kOptimized;
    // Where proc/ is: a test has its own.
    std::string root = "/";
  };

  // Reads what is the same for all rows. FailedPrecondition for a program that
  // is not optimized; Unavailable where the device cannot be told; NotFound
  // where there is no ledger folder. A ledger in no git repository is written
  // without a commit, and counts as dirty.
  static absl::StatusOr<std::unique_ptr<Recorder>> Start(Options options);

  // Appends one row, `more` added to the configuration. Dots in the name of the
  // series become slashes. Without samples FailedPrecondition with the failure,
  // since a row of nothing would be taken for a measurement.
  absl::Status Record(const Series& series,
                      const std::map<std::string, std::string>& more = {});

  const std::string& run() const { return row_.run; }
  bool records() const { return !options_.ledger.empty(); }
  // What was repaired in the ledger, in words; empty if nothing was.
  const std::string& repaired() const { return repaired_; }

 private:
  explicit Recorder(Options options) : options_(std::move(options)) {}

  const Options options_;
  Row row_;  // what all rows share
  Load before_;
  std::string repaired_;
};

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_RECORD_RECORDER_H_
