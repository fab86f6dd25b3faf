// The text under the user's cursor, and everything needed to edit it.
//
// This is the main call of Tactus. It finds the focused element and reads it in
// two flights. The first asks what the element is: role, state, whether it can
// be written. Only where that rules out a secure field does the second ask for
// text, count, caret and selection. The first flight is never skipped, not even
// when a cache knows the element: a "show password" button changes the role.
//
// Example:
//
//   absl::StatusOr<Snapshot> snapshot = SnapshotFocused(server, {
//       .deadline = server.clock().Now() + absl::Milliseconds(300)});
//   if (!snapshot.ok()) return snapshot.status();   // nothing is focused
//   if (snapshot->value.ok()) Use(*snapshot->value, *snapshot->caret);
//
// Each part has a status of its own. A snapshot that exists may still lack its
// caret, or its value where the field is secure; a caller asks the part it
// needs.
//
// What it cannot promise: no accessibility interface reads atomically. Text and
// caret come in one flight, but the user may type between them; where count and
// text disagree the flight is repeated once, and where they still do the
// snapshot says so in `notes`. A field that turns secure after the first flight
// is read as the plain field that it was.
#ifndef TACTUS_AX_SNAPSHOT_SNAPSHOT_H_
#define TACTUS_AX_SNAPSHOT_SNAPSHOT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/resolve/resolve.h"
#include "ax/server/server.h"
#include "ax/types/types.h"

namespace tactus::ax {

// How an edit of this element would be done. What cannot be edited says why.
enum class Strategy {
  kRangeEdit,  // through the server: replace just the range
  kPaste,      // select through the server, paste from the clipboard
  kTerminal,   // paste into a terminal: no newline unless asked for
  kSecure,     // never: a password
  kReadOnly,   // never: the element says so
  kNone,       // never: it holds no text
};

absl::string_view StrategyName(Strategy strategy);

struct SnapshotOptions {
  // When the whole of it ends, on the server's clock.
  absl::Time deadline = absl::InfiniteFuture();
  // Longest text read whole, in code points. Beyond it a window of this length
  // around the caret is read, in one flight more. Reading 10 MB whole costs
  // hundreds of milliseconds in real applications, a window does not.
  int64_t max_text = 65536;
  // Length of `context_before` and `context_after`, in code points.
  int64_t context = 1000;
};

struct Snapshot {
  Application application;
  Element element;
  Route route = Route::kSystemWide;
  // Ok, or why the system-wide route did not serve.
  absl::Status system_wide;

  // NotFound and the like when the server would not say; such an element is
  // treated as secure, since it may be.
  absl::StatusOr<RoleValue> role;
  bool secure = false;
  States states = 0;
  absl::StatusOr<bool> value_settable;
  absl::StatusOr<bool> selection_settable;

  // The text, or the window of it that `window` names. PermissionDenied when
  // the field is secure, Unimplemented when the element holds no text.
  absl::StatusOr<std::string> value;
  Range window;
  bool whole = false;  // `value` is all the text there is
  absl::StatusOr<int64_t> character_count;
  absl::StatusOr<int64_t> caret;
  // Empty, at the caret, when nothing is selected.
  absl::StatusOr<Range> selection;
  // Taken from `value`; OutOfRange when the selection leaves the window.
  absl::StatusOr<std::string> selected_text;

  // Text around the selection (or the caret) for a language model, at most
  // SnapshotOptions::context code points on each side. Empty where the value or
  // the caret is not known.
  std::string context_before;
  std::string context_after;

  // Another element claims the focus with equal right. Reading it is a guess
  // that only the server's order decided; a writer must refuse.
  bool ambiguous = false;
  // Another claim of the focus in this application is secure, or may be. Keys
  // go to whatever has the keyboard, so a writer must send none; what names the
  // element is no risk.
  bool secure_beside = false;
  // What was wrong and mended or left: for people, in no fixed form.
  std::vector<std::string> notes;

  absl::Time taken;        // when the last flight had come back
  absl::Duration elapsed;  // from the call to `taken`
  Traffic traffic;         // what it cost

  Strategy strategy() const;
  // Names this snapshot to a later edit; see ax/snapshot/token.h.
  std::string token() const;
};

// What a resident cache offers to a snapshot.
class FocusHints {
 public:
  virtual ~FocusHints() = default;
  // What has the focus as far as is known. NotFound when it is not.
  virtual absl::StatusOr<Target> Hint() = 0;
  // The last hint was wrong: the first flight did not confirm it.
  virtual void Refute(const Target& target) = 0;
};

// Errors: those of Resolve (NotFound: nothing has the focus), Unavailable (the
// element went away twice), DeadlineExceeded. `hints` may be null; a hint is
// used only when the first flight confirms it, else the routes are asked.
absl::StatusOr<Snapshot> SnapshotFocused(Server& server,
                                         const SnapshotOptions& options,
                                         FocusHints* hints = nullptr);

// The same of a target that is known already: two flights, no search.
// Unavailable when no candidate exists or has the focus any longer.
absl::StatusOr<Snapshot> SnapshotTarget(Server& server, const Target& target,
                                        const SnapshotOptions& options);

}  // namespace tactus::ax

#endif  // TACTUS_AX_SNAPSHOT_SNAPSHOT_H_
