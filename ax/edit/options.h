// How an edit is carried out: its time, its limits, and the ways that are
// allowed. Use it with Editor (ax/edit/editor.h), whose header re-exports it.
#ifndef TACTUS_AX_EDIT_OPTIONS_H_
#define TACTUS_AX_EDIT_OPTIONS_H_

#include <cstdint>

#include "absl/time/time.h"
#include "ax/snapshot/snapshot.h"

namespace tactus::ax {

struct EditOptions {
  // When the whole of it ends, on the server's clock. Where it cuts the wait
  // for a write that was sent, the outcome is unknown and not failed. Only
  // giving back clipboard and selection may take half a second more.
  absl::Time deadline = absl::InfiniteFuture();
  // Longest text that is read whole; see SnapshotOptions.
  int64_t max_text = 65536;
  // How long a text that is unchanged after a write is waited for before it
  // counts as unchanged. Browsers were seen to publish 400 ms late. What comes
  // later than this can land beside a second attempt.
  absl::Duration read_back = absl::Milliseconds(600);
  // How long a paste may take until somebody fetches the text.
  absl::Duration paste_wait = absl::Seconds(2);
  // Rungs of the ladder.
  bool allow_paste = true;
  bool allow_whole_value = false;  // may cost undo and formatting
  bool allow_keystrokes = false;   // ASCII alone, in the layout that is active
  // What a resident cache knows; may be null.
  FocusHints* hints = nullptr;
};

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_OPTIONS_H_
