// Rows that a person or a program writes down by hand, made whole.
//
// Use it for what `tactus_ledger append` reads: JSON objects, one after the
// other, in the form of a row without what follows from the rest.
//
// Example:
//
//   {"instrument": "load_test", "series": "login/cold", "unit": "ms",
//    "direction": "less", "samples": [212.5, 198, 204]}
//
// What must be there: instrument (its name, or an object as in a row), series,
// unit, direction, samples. What may be: everything else that a row holds, but
// `id` and `summary`, which are computed, and `device.id`. What is not there is
// taken from the defaults: device, commit, dirty, date and run. A verified row
// is of somewhere else, so it needs its own `device`, and has no commit unless
// it says so; a suspected one has none either.
#ifndef TACTUS_LEDGER_IMPORT_DRAFT_H_
#define TACTUS_LEDGER_IMPORT_DRAFT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ledger/row/row.h"

namespace tactus::ledger {

// For what a draft does not say.
struct DraftDefaults {
  std::string run;
  absl::Time date = absl::UnixEpoch();
  std::string commit;
  bool dirty = false;
  Device device;
  std::string origin;  // always: a draft cannot pass for the Recorder's
};

// All of them or none. InvalidArgument "row 2: samples: is missing".
absl::StatusOr<std::vector<Row>> CompleteDrafts(absl::string_view text,
                                                const DraftDefaults& defaults);

}  // namespace tactus::ledger

#endif  // TACTUS_LEDGER_IMPORT_DRAFT_H_
