// What every importer of another tool's measurements is given and answers.
//
// Use it with google_benchmark.h, hyperfine.h and criterion.h.
//
// Example:
//
//   const ImportContext context = {.run = NewRunId(), .date = modified_at,
//                                  .device = *ReadDevice()};
//   absl::StatusOr<Imported> imported = ImportHyperfine(text, context);
//   for (const Row& row : imported->rows) …
//   for (const std::string& note : imported->notes) Tell(note);
//
// An importer believes a document's figures and nothing else of it: each row is
// valid (ValidateRow), its samples are those that the tool lists, and its
// summary is computed here from them. What was left out is a note. A document
// out of which no row comes is an error, never an empty success.
#ifndef TACTUS_LEDGER_IMPORT_IMPORTED_H_
#define TACTUS_LEDGER_IMPORT_IMPORTED_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/row/row.h"

namespace tactus::ledger {

// A result of a thousand benchmarks is some MiB; what is larger was not written
// by one run.
inline constexpr size_t kMaxDocument = size_t{64} << 20;
// Of rows out of one document.
inline constexpr size_t kMaxImported = 10'000;

// What a document does not say.
struct ImportContext {
  std::string run;                      // NewRunId()
  absl::Time date = absl::UnixEpoch();  // where the document has none
  std::string commit;                   // empty where it is not known
  bool dirty = false;
  Device device;
  std::string instrument;  // instead of the name that the tool gives itself
};

struct Imported {
  std::vector<Row> rows;
  std::vector<std::string> notes;  // a sentence for each thing left out
};

// A name of any kind as a series: lower case, '-' for what a series cannot
// hold. "BM_Parse/8<int>" -> "bm_parse/8-int". Two names may become one series,
// so the name itself goes into the configuration.
std::string SeriesNameOf(absl::string_view name);

// The start of a row: what `context` says, label measured, `tool` as its origin
// and, where neither the context nor `program` names one, as its instrument.
Row RowFrom(const ImportContext& context, absl::string_view tool,
            absl::string_view program = "");

// Gives the row its samples, of a larger number the first kMaxSamples, with the
// summary of all, and adds it if it is valid. An error names `place`.
absl::Status AddRow(Row row, std::vector<double> samples,
                    absl::string_view place, Imported& imported);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_IMPORT_IMPORTED_H_
