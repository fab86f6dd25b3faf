// Edits the focused text, and knows whether it landed.
//
// This is the other main call of Tactus. No accessibility interface has an
// atomic write, so an edit is an optimistic checked one: it takes a snapshot,
// refuses where anything is not as expected, writes, and reads back. Where the
// application takes no text through accessibility it pastes, with the clipboard
// restored. A second way is tried only when the first is proved not to have
// landed.
//
// Example:
//
//   Editor editor(&server, &input);
//   EditResult result = editor.Apply(
//       {.kind = Edit::Kind::kReplaceRange, .text = "brown", .range = {4, 9},
//        .snapshot = token},
//       {.deadline = server.clock().Now() + absl::Seconds(3)});
//   if (result.outcome != Outcome::kVerified) Tell(result.message);
//
// What it cannot promise: between the last check and the write (`gap`) the user
// may type. That is not refused; it shows in the text that is read back, so it
// is `kDiverged`, never verified and never tried again. A change in that time
// that leaves no trace in the text, such as one that the edit overwrites with
// the same length, is not seen.
//
// Not thread-safe; the server and the input are used by this thread alone.
#ifndef TACTUS_AX_EDIT_EDITOR_H_
#define TACTUS_AX_EDIT_EDITOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/edit/read_back.h"
#include "ax/input/input.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"

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

// What takes an edit back: `text` in the place of `range`, while the field
// `element` still holds `expected` from `window_begin` on.
struct UndoRecord {
  Application application;
  Element element;
  Range range;
  std::string text;
  int64_t window_begin = 0;
  std::string expected;

  friend bool operator==(const UndoRecord&, const UndoRecord&) = default;
};

class Editor {
 public:
  // Both must outlive it. Without an input nothing can be pasted or typed.
  Editor(Server* server, Input* input) : server_(*server), input_(input) {}

  EditResult Apply(const Edit& edit, const EditOptions& options);

  // Takes the last verified edit back, by an edit of its own: checked, read
  // back, and refused when the field was changed since. What was undone cannot
  // be undone again.
  EditResult UndoLast(const EditOptions& options);

  // Waits until what the last edit selected is not shown as selected any more,
  // two seconds at most. An edit does this when another follows;
  // call it before the process ends, when another process may edit next.
  void Settle(absl::Time deadline);

  // What UndoLast would do; to keep it, and to set it in another process.
  const std::optional<UndoRecord>& undo() const { return undo_; }
  void set_undo(std::optional<UndoRecord> undo) { undo_ = std::move(undo); }

 private:
  struct Context;

  // A selection of ours that is over, and may be published still.
  struct Unsettled {
    Element element;
    Range selection;
    absl::Time until;
  };

  EditResult Run(const Edit& edit, const EditOptions& options);
  // A snapshot in which that selection does not stand for the user's.
  absl::StatusOr<Snapshot> SettledSnapshot(const SnapshotOptions& reading,
                                           FocusHints* hints);
  Attempt Try(Rung rung, Context& context);
  Attempt TryWrite(Rung rung, Context& context);
  Attempt TryHands(Rung rung, Context& context);
  Attempt Conclude(Rung rung, Context& context, const absl::Status& write,
                   const Seen& seen);
  // `now` is what the application has put in the place of `old`, to which the
  // edit was sent, and not just the next field that the user went to.
  bool HasReplaced(const Snapshot& now, const Snapshot& old, const Seen& seen,
                   absl::Time deadline);
  // Selects the range and sees that all is as in `base` but for that. Refused,
  // with the selection put back, when it is not.
  std::optional<Attempt> SelectAndCheck(Rung rung, const Snapshot& base,
                                        Context& context);
  // The text has changed while a selection of ours was set or on its way.
  // Returns what was read last.
  Snapshot TakeSelectionAway(Snapshot now, Context& context);
  // Puts back the selection of `base`.
  void SelectAgain(const Context& context, const Snapshot& base);

  Server& server_;
  Input* const input_;
  std::optional<UndoRecord> undo_;
  std::optional<Unsettled> unsettled_;
};

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_EDITOR_H_
