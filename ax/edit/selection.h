// Selecting what a paste is to replace, and seeing that it is selected.
//
// A paste replaces whatever is selected in whatever has the keyboard. So the
// range is selected through the server, and the field is read again until it
// shows that, in the same field and with the same text; only then may keys be
// sent. From the moment at which the selection is set until it is taken back,
// what the user types replaces it: that is a change by this edit, and is told
// as one.
//
// Example:
//
//   const Snapshot base = run.snapshot;
//   if (std::optional<Attempt> ended = SelectAndCheck(rung, base, run)) {
//     return *std::move(ended);  // nothing is selected by us any more
//   }
//   input.Press(PasteKeys::kCtrlV, deadline);
//
// For ax/edit alone.
#ifndef TACTUS_AX_EDIT_SELECTION_H_
#define TACTUS_AX_EDIT_SELECTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/edit/attempt.h"
#include "ax/edit/outcome.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"

namespace tactus::ax {

// `snapshot` shows exactly this as selected; where empty, the caret there.
bool Selects(const Snapshot& snapshot, Range range);

// What a server may convert positions by: a text from its start.
absl::string_view Known(int64_t window_begin, const std::string& text);

// One write that selects, or puts the caret there where `range` is empty.
WriteResult Select(Server& server, const Element& element, Range range,
                   absl::string_view known, absl::Time deadline);

// Selects the range of the plan and sees that all is as in `base` but for that;
// `run.snapshot` is then what was seen. An attempt that has ended, with the
// selection put back, when it is not.
std::optional<Attempt> SelectAndCheck(Rung rung, const Snapshot& base,
                                      EditRun& run);

// Puts back the selection of `base`, unless the field has turned secure.
void SelectAgain(const EditRun& run, const Snapshot& base);

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_SELECTION_H_
