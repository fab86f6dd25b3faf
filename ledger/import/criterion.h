// Rows out of what Criterion.rs leaves below target/criterion.
//
// Use it for the benchmarks of a Rust crate, after `cargo bench`.
//
// Example:
//
//   absl::StatusOr<Imported> imported = ImportCriterion(
//       {.benchmark = benchmark_json, .sample = sample_json,
//        .estimates = estimates_json}, context);
//
// The three are files of one folder, …/GROUP/FUNCTION/new. A benchmark becomes
// a row in nanoseconds, its full id the configuration's "id"; a sample is the
// time of a batch divided by its iterations, as Criterion itself counts. A
// throughput gives a second row, in bytes or elements a second. The mean that
// estimates.json tells must be that of the samples: files of two runs are
// refused. Criterion does not say when it ran: the date is the context's.
//
// Format: Criterion.rs 0.3 to 0.5.
#ifndef TACTUS_LEDGER_IMPORT_CRITERION_H_
#define TACTUS_LEDGER_IMPORT_CRITERION_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ledger/import/imported.h"

namespace tactus::ledger {

// What the files hold. `estimates` may be empty: then nothing is compared.
struct CriterionFiles {
  absl::string_view benchmark;  // benchmark.json
  absl::string_view sample;     // sample.json
  absl::string_view estimates;  // estimates.json
};

// InvalidArgument, with the file, the place and what is wrong there.
absl::StatusOr<Imported> ImportCriterion(const CriterionFiles& files,
                                         const ImportContext& context);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_IMPORT_CRITERION_H_
