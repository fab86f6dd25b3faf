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
// the same length, is not seen. A paste has to select first, and what is typed
// just then replaces that: also `kDiverged`, for `kTypedOver`.
//
// Not thread-safe; the server and the input are used by this thread alone.
#ifndef TACTUS_AX_EDIT_EDITOR_H_
#define TACTUS_AX_EDIT_EDITOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ax/edit/attempt.h"
#include "ax/edit/options.h"  // IWYU pragma: export
#include "ax/edit/outcome.h"
#include "ax/edit/paste.h"
#include "ax/edit/plan.h"
#include "ax/input/input.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"

namespace tactus::ax {

// What takes an edit back: `text` in the place of `range`, while the field
// `element` still holds `expected` from `window_begin` on.
struct UndoRecord {
  Application application;
  Element element;
  Range range;
  std::string text;
  int64_t window_begin = 0;
  std::string expected;
  // Also where the text on one side of `range` has changed since, as long as
  // the field is short enough to be read whole: what a stream wrote, and the
  // user has gone on from.
  bool elsewhere_may_differ = false;

  friend bool operator==(const UndoRecord&, const UndoRecord&) = default;
};

class Editor {
 public:
  // Both must outlive it. Without an input nothing can be pasted or typed.
  Editor(Server* server, Input* input) : server_(*server), input_(input) {}

  EditResult Apply(const Edit& edit, const EditOptions& options);

  // Takes the last verified edit back, by an edit of its own: checked, read
  // back, and refused when the field was changed since, with what was expected
  // and what is there. What was undone cannot be undone again. After kTypedOver
  // it puts back what was typed over, and the keys where they were meant.
  EditResult UndoLast(const EditOptions& options);

  // Waits until what the last edit selected is not shown as selected any more,
  // two seconds at most. An edit does this when another follows;
  // call it before the process ends, when another process may edit next.
  void Settle(absl::Time deadline);

  // What UndoLast would do; to keep it, and to set it in another process.
  const std::optional<UndoRecord>& undo() const { return undo_; }
  void set_undo(std::optional<UndoRecord> undo) { undo_ = std::move(undo); }

 private:
  EditResult Run(const Edit& edit, const EditOptions& options);
  // A snapshot in which a selection of an edit that is over does not stand for
  // the user's.
  absl::StatusOr<Snapshot> SettledSnapshot(const SnapshotOptions& reading,
                                           FocusHints* hints);
  Attempt Try(Rung rung, EditRun& run);
  // `undo` for the text as it is now.
  UndoRecord Followed(UndoRecord undo, const EditOptions& options);

  Server& server_;
  Input* const input_;
  std::optional<UndoRecord> undo_;
  std::optional<Unsettled> unsettled_;
};

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_EDITOR_H_
