// Holding a range selected for the time of a paste.
//
// A paste replaces whatever is selected in whatever has the keyboard. So the
// range is selected through the server, and the field is read again until it
// shows that, in the same field and with the same text; only then may keys be
// sent.
//
// From the moment at which the selection is set until it is put back, what the
// user types replaces it. That is a change by this edit though none of its text
// was written, and it shows as late as any other. So who gives a paste up puts
// the user's selection back at once, and then watches the field for as long as
// a write is waited for: refused is only what was seen to have changed nothing
// where it had selected.
//
// An application under load shows what happens in it late, but in its order. So
// what is shown proves something only when the edit's own selection has been
// shown, and is no more: whatever was typed into it shows by then.
//
// Example:
//
//   SelectionHold hold(rung, run);
//   if (std::optional<Refusal> refusal = hold.Take()) {
//     hold.PutBack();
//     return hold.GiveUp(*refusal);
//   }
//   input.Press(PasteKeys::kCtrlV, deadline);
//
// For ax/edit alone.
#ifndef TACTUS_AX_EDIT_SELECTION_H_
#define TACTUS_AX_EDIT_SELECTION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/edit/attempt.h"
#include "ax/edit/meanwhile.h"
#include "ax/edit/outcome.h"
#include "ax/edit/plan.h"
#include "ax/server/server.h"
#include "ax/snapshot/snapshot.h"
#include "ax/types/types.h"

namespace tactus::ax {

// What a server may convert positions by: a text from its start.
absl::string_view Known(int64_t window_begin, const std::string& text);

// One write that selects, or puts the caret there where `range` is empty.
WriteResult Select(Server& server, const Element& element, Range range,
                   absl::string_view known, absl::Time deadline);

class SelectionHold {
 public:
  // For the plan of `run`, which must outlive it. What `run.snapshot` tells now
  // is what must still hold, and what is put back.
  SelectionHold(Rung rung, EditRun& run);

  // Selects the range and sees that all is as it was but for that, which
  // `run.snapshot` then shows: nothing is returned, and keys may be sent. May
  // be called again. Otherwise why not; then PutBack and GiveUp are due.
  std::optional<Refusal> Take();

  // Gives the user his selection back, unless he has made another one. Says
  // nothing of what became of it, and waits for nothing but its own answer.
  void PutBack();

  // How the edit ended that is given up for `why`, no key having been sent.
  // Where a selection was sent it takes EditOptions::read_back from when it was
  // last seen, to tell:
  //   refused   nothing of the text has gone where it had selected
  //   diverged  a key has replaced what it had selected; `run.repair` says what
  //             would put it right
  //   unknown   that could not be told, or not in time
  Attempt GiveUp(const Refusal& why);

 private:
  // The text, or its window, as it is while the edit is given up.
  struct View {
    absl::Status status;
    bool plain = false;  // it says that it is no secret
    Told told;
    std::string text;
    absl::StatusOr<int64_t> caret;
    absl::StatusOr<Range> selection;
  };

  absl::Status SelectRange(Range range);
  bool Same(const Snapshot& now);
  bool ShowsOurs(const absl::StatusOr<Range>& selection,
                 const absl::StatusOr<int64_t>& caret) const;
  std::optional<Range> Place(const std::string& text, const Told& told,
                             const absl::StatusOr<Range>& selection,
                             const absl::StatusOr<int64_t>& caret);
  void PutAt(std::optional<Range> place, const std::string& text);
  Range OursInWindow() const;
  std::optional<Range> UsersInWindow() const;
  Told TellOf(std::string& text, int64_t from,
              const absl::StatusOr<int64_t>& count) const;
  View LookAt(absl::Time deadline);

  const Rung rung_;
  EditRun& run_;
  const Snapshot base_;
  // What the user had selected, or where his caret was.
  const std::optional<Range> place_;
  bool sent_ = false;   // a selection of ours, at any time
  bool taken_ = false;  // and the server did not say no
  bool shown_ours_ = false;
  bool standing_ = false;   // it may be there still, and is ours to put back
  bool gave_back_ = false;  // the user's selection, which was not empty
  bool secure_ = false;     // nothing is sent to the field any more
  std::optional<Snapshot> changed_;  // what showed another text
  // The user's caret, and the text in which it was shown last.
  struct Shown {
    std::string text;
    int64_t caret = 0;
  };
  std::optional<Shown> shown_;
};

}  // namespace tactus::ax

#endif  // TACTUS_AX_EDIT_SELECTION_H_
