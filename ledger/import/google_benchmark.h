// Rows out of what Google Benchmark writes with --benchmark_format=json.
//
// Use it for a suite that does not record by itself.
//
// Example:
//
//   absl::StatusOr<Imported> imported = ImportGoogleBenchmark(text, context);
//
// Each benchmark becomes a series: its run name is the configuration's "name",
// its repetitions are the samples, so run it with --benchmark_repetitions=20.
// Real time and CPU time are two rows ("clock"), of the unit that the benchmark
// has; bytes_per_second and items_per_second are two more where it has them. A
// sample is a mean over the iterations of a repetition already: its spread is
// less than that of single calls. Repetitions that ended with an error count as
// failures. Aggregates are not imported, since the summary is computed from the
// samples; neither are counters of the benchmark's own, whose unit nobody
// tells.
//
// Format: Google Benchmark's own JSON reporter, 1.5 and later.
#ifndef TACTUS_LEDGER_IMPORT_GOOGLE_BENCHMARK_H_
#define TACTUS_LEDGER_IMPORT_GOOGLE_BENCHMARK_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ledger/import/imported.h"

namespace tactus::ledger {

// InvalidArgument, with the place and what is wrong there.
absl::StatusOr<Imported> ImportGoogleBenchmark(absl::string_view text,
                                               const ImportContext& context);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_IMPORT_GOOGLE_BENCHMARK_H_
