// The reviewed file of changes that were meant: gate/shifts.json.
//
// A change for the worse that somebody decided upon (a check was added, a
// promise grew) would be found for ever. It is written down here, in a change
// that others read, and from its commit on the series has a new beginning: no
// baseline is older, and the change point is told as meant.
//
//   {"schema": 1,
//    "shifts": [{"series": "focused_text/find/tactus", "commit":
//    "0123456789ab…",
//                "why": "…"}]}
//
// `series` may end in "*". `commit` is at least 12 digits of the first commit
// that was measured with the change.
#ifndef TACTUS_GATE_SHIFTS_H_
#define TACTUS_GATE_SHIFTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gate/histories.h"

namespace tactus::gate {

struct Shift {
  std::string series;
  std::string commit;
  std::string why;
};

// InvalidArgument, naming the place.
absl::StatusOr<std::vector<Shift>> ParseShifts(absl::string_view json);

// The file that is named, or else our own among the runfiles; no shifts where
// there is neither.
absl::StatusOr<std::vector<Shift>> OpenShifts(const std::string& option);

// The shift that is meant to have happened at that row; null where none is.
const Shift* ShiftAt(const std::vector<Shift>& shifts, const History& history,
                     const Entry& entry);

// The first row of the newest shift; 0 where there was none.
size_t Beginning(const std::vector<Shift>& shifts, const History& history);

}  // namespace tactus::gate

#endif  // TACTUS_GATE_SHIFTS_H_
