// The clipboard and the keyboard: what an edit falls back on where an
// application takes no text through accessibility.
//
// Use it behind ax/edit, which decides when; behind this header stand the mock
// (ax/mock) and X11 (ax/x11). Both parts reach whatever has the keyboard at
// that moment, which nobody can check and act upon in one step: that is why a
// paste is read back and never believed.
//
// Example: paste "hello", and leave the clipboard as it was.
//
//   absl::StatusOr<std::unique_ptr<ClipboardLoan>> loan =
//       input.Lend("hello", {.deadline = clock.Now() + absl::Seconds(1)});
//   if (!loan.ok()) return loan.status();      // nothing was changed
//   absl::Status pressed = input.Press(PasteKeys::kCtrlV, deadline);
//   (*loan)->WaitServed(1, deadline);          // somebody fetched the text
//   absl::Status back = (*loan)->GiveBack(deadline);
//
// An `Input` is used by one thread at a time. What it lends is served on a
// thread of its own, so that a caller may wait for an application meanwhile:
// some block on the clipboard, and would wait for us while we wait for them.
#ifndef TACTUS_AX_INPUT_INPUT_H_
#define TACTUS_AX_INPUT_INPUT_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "ax/clock/clock.h"

namespace tactus::ax {

// A clipboard that holds our text for a while.
class ClipboardLoan {
 public:
  struct State {
    int served = 0;     // times that the text was handed out, whole
    bool lost = false;  // another client has taken the clipboard
  };

  // Gives back, as well as it can without waiting.
  virtual ~ClipboardLoan() = default;

  virtual State state() = 0;

  // Waits until the text was handed out `times` times in all, the clipboard is
  // lost, or `deadline`.
  virtual State WaitServed(int times, absl::Time deadline) = 0;

  // Puts back what the clipboard held before. FailedPrecondition when another
  // client has taken it meanwhile: what that one put there is left alone.
  // Unavailable: the display is gone, and the clipboard with it.
  //
  // `deadline` ends the wait and not the giving back. DeadlineExceeded: nobody
  // is handed the text any more as soon as the loan's thread gets to it, and
  // what was there before is put back as soon as the display answers.
  //
  // Once: a second call says how the first one ended. What was served when it
  // ended is what `state` says from then on, and WaitServed returns that at
  // once: nobody will be served by this loan any more. The clipboard can be
  // lent again.
  virtual absl::Status GiveBack(absl::Time deadline) = 0;
};

struct LendOptions {
  // When saving what the clipboard holds must have ended.
  absl::Time deadline = absl::InfiniteFuture();
  // Of all targets together. What holds more is not taken, since it could not
  // be put back.
  int64_t max_saved_bytes = 16 << 20;
  // Of saving, within the deadline.
  absl::Duration patience = absl::Milliseconds(500);
};

// Keys that act on the field with the keyboard.
enum class PasteKeys {
  kCtrlV,
  kCtrlShiftV,  // pastes in terminals, which use Ctrl+V for themselves
  kDelete,      // deletes what is selected
  kCtrlZ,       // the application's own undo
};

class Input {
 public:
  virtual ~Input() = default;

  // The clock on which this reads deadlines.
  virtual Clock& clock() = 0;

  // Saves everything that the clipboard offers and then owns it with `text`,
  // marked so that clipboard histories skip it. Errors, after which the
  // clipboard is as it was: InvalidArgument (`text` is not valid UTF-8, or
  // holds a lone surrogate), ResourceExhausted (more than may be saved),
  // DeadlineExceeded (its owner does not hand it over in time),
  // FailedPrecondition (no display; what was lent is not given back yet),
  // Unavailable (the display is gone; another client took the clipboard first).
  virtual absl::StatusOr<std::unique_ptr<ClipboardLoan>> Lend(
      absl::string_view text, const LendOptions& options) = 0;

  // Presses and releases the keys. OK says that they were sent, no more.
  // Waits until `deadline` for modifiers that the user holds to be let go,
  // since they would make another key of it; FailedPrecondition when they are
  // not, or the keyboard has no such key: then nothing was sent. A display that
  // is busy may take a second more. DeadlineExceeded or Unavailable: they may
  // have been sent, unless `deadline` had passed at the call.
  virtual absl::Status Press(PasteKeys keys, absl::Time deadline) = 0;

  // Types printable ASCII (and newline and tab), key by key, in the layout
  // that is active. InvalidArgument for any other character, and
  // FailedPrecondition for one that this layout has no key for or while the
  // user holds modifiers: then nothing was sent. DeadlineExceeded: some were.
  virtual absl::Status Type(absl::string_view ascii, absl::Time deadline) = 0;
};

}  // namespace tactus::ax

#endif  // TACTUS_AX_INPUT_INPUT_H_
