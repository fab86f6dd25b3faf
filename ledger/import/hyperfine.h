// Rows out of what hyperfine writes with --export-json.
//
// Use it for whole commands, timed from outside.
//
// Example:
//
//   absl::StatusOr<Imported> imported = ImportHyperfine(text, context);
//
// Each result becomes a row in seconds, a sample a run. The command is the
// configuration's "command" (give it a short one with --command-name), and each
// parameter is one of "parameter.NAME". A run that exited with anything but 0
// is a failure and its time no sample. hyperfine does not say when it ran: the
// date is the context's.
//
// Format: hyperfine 1.8 and later.
#ifndef TACTUS_LEDGER_IMPORT_HYPERFINE_H_
#define TACTUS_LEDGER_IMPORT_HYPERFINE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ledger/import/imported.h"

namespace tactus::ledger {

// InvalidArgument, with the place and what is wrong there.
absl::StatusOr<Imported> ImportHyperfine(absl::string_view text,
                                         const ImportContext& context);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_IMPORT_HYPERFINE_H_
