// Reads what another tool left on the disk, and makes rows of it.
//
// Example:
//
//   absl::StatusOr<Imported> imported =
//       ImportFrom(Arguments::From::kCriterion, "target/criterion", context);
//
// The run is a digest of the document, so that the same file read again gives
// the same rows, with the same ids. The date of what does not say when it was
// measured is that of its file. Of Criterion, every …/new below the folder is
// read, the folder itself among them; the figures of earlier runs (…/base) are
// not.
#ifndef TACTUS_TOOLS_TACTUS_LEDGER_SOURCES_H_
#define TACTUS_TOOLS_TACTUS_LEDGER_SOURCES_H_

#include <string>

#include "absl/status/statusor.h"
#include "ledger/import/imported.h"
#include "tools/tactus_ledger/arguments.h"

namespace tactus::ledger {

// Not for kLedger. NotFound where there is nothing, InvalidArgument for what
// the importer refuses; both name the file.
absl::StatusOr<Imported> ImportFrom(Arguments::From from,
                                    const std::string& source,
                                    ImportContext context);

// At most kMaxDocument bytes of a regular file, or of what `fd` gives.
absl::StatusOr<std::string> ReadDocument(const std::string& path);
absl::StatusOr<std::string> ReadDocument(int fd, const std::string& name);

}  // namespace tactus::ledger

#endif  // TACTUS_TOOLS_TACTUS_LEDGER_SOURCES_H_
